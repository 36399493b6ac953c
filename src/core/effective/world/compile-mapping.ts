/** Where a definition maps settings onto fields of objects (`mapsTo`), made ready to be followed. */
import type { FieldMapping, KindFacts, LevelKind } from "../../model/definition.ts";
import { escapePointer } from "../../model/json-pointer.ts";
import { type PathStep, parseSteps } from "../../model/path-steps.ts";
import type { CompiledSchema } from "../../model/schema/schema.ts";

export interface CompiledMapping {
  /** The setting: keys in the spec proper, and the same as a JSON pointer. */
  readonly from: { readonly path: readonly string[]; readonly pointer: string };
  readonly level: LevelKind;
  readonly steps: readonly PathStep[];
  readonly create: boolean;
  /** True if the path can lead to several fields, each of which is folded on its own. */
  readonly isList: boolean;
  /** The path of the list of the level's sections; empty for objects. */
  readonly listPointer: string;
  /** The schema of the field, for the defaults of the CRD. */
  readonly schema: CompiledSchema | undefined;
}

/** `spec.rules[].filters[type=RetryFilter].retryOn`, in an object or in a section of one. `object`: the schema of the objects. */
export function compileMapping(
  { from, to, create }: FieldMapping,
  facts: KindFacts | undefined,
  endsAtSection: boolean,
  object?: CompiledSchema,
): CompiledMapping {
  const { level, path } = endsAtSection ? intoSection(to, facts) : to;
  const steps = parseSteps(path);
  const list = facts?.sections.find(({ section }) => section === level.section)?.path ?? "";
  const keys = from === "" ? [] : from.split(".");
  const start = list === "" ? object : schemaAt(object, [...list.split(".").map((key) => ({ key })), ALL_ITEMS]);
  return {
    from: { path: keys, pointer: keys.map((key) => `/${escapePointer(key)}`).join("") },
    level,
    steps,
    create,
    isList: steps.some((step) => "items" in step),
    listPointer: list === "" ? "" : `/${list.replaceAll(".", "/")}`,
    schema: schemaAt(start, steps),
  };
}

const ALL_ITEMS: PathStep = { items: true };

/** The part of a schema that steps lead to. */
function schemaAt(schema: CompiledSchema | undefined, steps: readonly PathStep[]): CompiledSchema | undefined {
  let part = schema;
  for (const step of steps)
    part = "key" in step ? part?.properties.find(({ key }) => key === step.key)?.schema : part?.items;
  return part;
}

/** `spec.rules[].retry` of a route is `retry` of a rule, where paths pass rules one by one. */
function intoSection(to: FieldMapping["to"], facts: KindFacts | undefined): FieldMapping["to"] {
  const list = facts?.sections.find(({ path }) => to.path.startsWith(`${path}[].`));
  if (list === undefined || to.level.section !== undefined) return to;
  return { level: { ...to.level, section: list.section }, path: to.path.slice(list.path.length + "[].".length) };
}
