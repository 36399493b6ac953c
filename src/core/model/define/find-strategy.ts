/** The field of a policy that selects how it is merged, as the schema of its CRD shows it. */
import type { Granularity } from "../definition.ts";
import { isJsonList, type JsonObject, objectAt, ownValue } from "../json.ts";
import { blockSchemas } from "../parse/definition/infer-definition.ts";

export interface StrategyField {
  readonly name: string;
  /** `Block`: it is in the blocks of defaults and overrides. `Spec`: it is beside the settings of the policy. */
  readonly at: "Block" | "Spec";
  readonly values: Readonly<Record<string, Granularity>>;
  /** Values of the enumeration whose meaning is not known. */
  readonly unknown: readonly string[];
  /** False: the schema does not list the values. */
  readonly isListed: boolean;
}

const NAMES = ["strategy", "mergeStrategy", "mergeType", "mergeMode", "mergingMode"];

/** The strategies that the words of vendors come closest to. */
const WORDS: Readonly<Record<string, Granularity>> = {
  atomic: "Atomic",
  replace: "Atomic",
  merge: "Merge",
  patch: "Patch",
  jsonmerge: "Patch",
  jsonmergepatch: "Patch",
  strategicmerge: "Patch",
  field: "Field",
};

export function findStrategyField(
  spec: JsonObject,
  { hasRules }: { readonly hasRules: boolean },
): StrategyField | undefined {
  for (const [at, schemas] of [
    ["Block", blockSchemas(spec)],
    ["Spec", [spec]],
  ] as const) {
    for (const schema of schemas) {
      const properties = objectAt(schema, "properties");
      const name = NAMES.find((candidate) => ownValue(objectAt(properties, candidate), "type") === "string");
      if (name !== undefined) return readField(name, at, objectAt(properties, name), hasRules);
    }
  }
  return undefined;
}

function readField(name: string, at: StrategyField["at"], schema: JsonObject, hasRules: boolean): StrategyField {
  const listed = ownValue(schema, "enum");
  const words = isJsonList(listed) ? listed.filter((word) => typeof word === "string") : [];
  const isListed = words.length > 0;
  const values: Record<string, Granularity> = {};
  const unknown: string[] = [];
  for (const word of isListed ? words : ["Replace", "JSONMerge", "StrategicMerge"]) {
    const meaning = Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
    // Without a map of named rules there is nothing to merge by name.
    if (meaning === undefined || (meaning === "Merge" && !hasRules)) unknown.push(word);
    else values[word] = meaning;
  }
  return { name, at, values, unknown, isListed };
}
