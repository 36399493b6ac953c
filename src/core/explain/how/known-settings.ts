/** The policy kinds that have a setting, and whether they accept a value. */
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { blockNamesOf } from "../../model/block-names.ts";
import { kindId } from "../../model/refs.ts";
import { schemaProblems } from "../../model/schema/schema-problems.ts";
import { formatKeys } from "../../model/words/format-keys.ts";
import { findField, leavesOf } from "./find-field.ts";
import { type BlockFormat, policyFormat } from "./policy-format.ts";
import type { Wish } from "./settings.ts";

/**
 * `Known`: the schema of the kind lists the setting, a policy sets it, or it is in a map of named rules. `Open`: the schema does not say,
 * or there is none.
 */
export type Knowledge = "Known" | "Open" | "Unknown";

export function knowledgeOf(world: World, kind: CompiledKind, keys: readonly string[]): Knowledge {
  const states = blocksOf(world, kind).map((block) => stateIn(kind, block, keys));
  if (states.includes("Known")) return "Known";
  if (states.length > 0 && !states.includes("Open")) return "Unknown";
  return isInRuleMap(kind, keys) || isUsed(world, kind, keys) ? "Known" : "Open";
}

function stateIn(kind: CompiledKind, { name, schema }: BlockFormat, keys: readonly string[]): Knowledge {
  return name === "bare" && isAside(kind, keys[0] ?? "") ? "Unknown" : findField(schema, keys).state;
}

/** True for fields of `spec` that are not settings. */
function isAside({ definition: { targeting, merge } }: CompiledKind, key: string): boolean {
  const { ref, refs, selectors } = targeting.fields;
  return [ref, refs, selectors].includes(key) || blockNamesOf(merge).includes(key);
}

const blocksOf = (world: World, kind: CompiledKind): readonly BlockFormat[] =>
  kind.definition.policies.flatMap((own) => policyFormat(world, kind, own)?.blocks ?? []);

const isInRuleMap = ({ definition: { merge } }: CompiledKind, keys: readonly string[]): boolean =>
  merge.rules.some((map) => {
    const steps = map.split(".");
    return keys.length > steps.length && steps.every((step, at) => step === "*" || step === keys[at]);
  });

/** True if a policy of the kind sets the value, or something above or below it. */
function isUsed({ policies }: World, kind: CompiledKind, keys: readonly string[]): boolean {
  let found = false;
  policies.forEach(({ kind: own, policy }) => {
    found ||=
      own === kind &&
      policy?.blocks.some(({ units }) =>
        units.some(({ path }) => path.slice(0, keys.length).every((key, at) => key === keys[at])),
      ) === true;
  });
  return found;
}

/** Why no block of the kind accepts the value. Undefined if one does, or if that is not known. */
export function valueProblem(world: World, kind: CompiledKind, { keys, value }: Wish): string | undefined {
  if (value === undefined) return undefined;
  let problem: string | undefined;
  for (const block of blocksOf(world, kind)) {
    if (block.name === "bare" && isAside(kind, keys[0] ?? "")) continue;
    const found = findField(block.schema, keys);
    if (found.state === "Open") return undefined;
    if (found.state === "Unknown") continue;
    const [first] = schemaProblems(found.schema, value, formatKeys(keys));
    if (first === undefined) return undefined;
    problem ??= first.message;
  }
  return problem;
}

const MAX_NAMES = 300;

/** The settings of a kind that its schema lists or that policies set, as dotted paths, sorted. */
export function settingNames(world: World, kind: CompiledKind): readonly string[] {
  const names = new Set<string>();
  for (const { schema, name } of blocksOf(world, kind)) {
    for (const keys of schema === undefined ? [] : leavesOf(schema))
      if (name !== "bare" || !isAside(kind, keys[0] ?? "")) names.add(formatKeys(keys));
  }
  world.policies.forEach(({ kind: own, policy }) => {
    if (kindId(own.policyKind) !== kindId(kind.policyKind) || names.size > MAX_NAMES) return;
    for (const { units } of policy?.blocks ?? []) for (const { path } of units) names.add(formatKeys(path));
  });
  return [...names].sort().slice(0, MAX_NAMES);
}
