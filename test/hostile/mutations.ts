/** Copies of an object with one wrong value each. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { refOf } from "../property/random/random-history.ts";

export type Path = readonly (string | number)[];

/** The path of every field and list item in a value. */
export function pathsIn(value: Json, path: Path = []): readonly Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item: Json, at) => pathsIn(item, [...path, at]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))
      : [];
  return path.length === 0 ? below : [path, ...below];
}

export function valueAt(value: Json, [head, ...rest]: Path): Json {
  if (head === undefined) return value;
  if (isJsonList(value)) return valueAt(value[Number(head)] ?? null, rest);
  return isJsonObject(value) ? valueAt(value[head] ?? null, rest) : null;
}

export function replaceAt(value: Json, [head, ...rest]: Path, replacement: Json): Json {
  if (head === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item: Json, at) => (at === head ? replaceAt(item, rest, replacement) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [head]: replaceAt(value[head] ?? null, rest, replacement) };
}

/** Formats a path as findings do: `spec.rules[0].name`. */
export const fieldName = (path: Path): string =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");

const typeOf = (value: Json): string => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

const samples: readonly Json[] = [7, "text", true, ["text"], { x: 1 }];

/** A value of each other type than the given one. `null` is omitted: it means unset. */
export const wrongTypes = (value: Json): readonly Json[] =>
  samples.filter((sample) => typeOf(sample) !== typeOf(value));

/** Unusual values of any type: null, empty values, odd contents. */
export const oddities: readonly Json[] = [null, -1.5, "", [], [null], [[]], {}, { x: null }];

export interface Mutant {
  readonly path: Path;
  /** The valid object under a name of its own. */
  readonly clone: JsonObject;
  /** The clone with a wrong value at the path. */
  readonly value: Json;
}

/** One mutant for each path and wrong value. */
export function mutantsOf(
  object: JsonObject,
  paths: readonly Path[],
  wrongValues: (value: Json) => readonly Json[],
): readonly Mutant[] {
  const wanted = paths.flatMap((path) => wrongValues(valueAt(object, path)).map((wrong) => ({ path, wrong })));
  return wanted.map(({ path, wrong }, at) => {
    const clone = cloneOf(object, at);
    return { path, clone, value: replaceAt(clone, path, wrong) };
  });
}

/** The paths at which an object names the kind that it defines. */
const definedKind: ReadonlyMap<string, Path> = new Map([
  ["PolicyDefinition", ["spec", "policies", 0, "kind"]],
  ["CustomResourceDefinition", ["spec", "names", "kind"]],
]);

/** The object under another name. A kind that it defines gets another name, too. */
function cloneOf(object: JsonObject, at: number): JsonObject {
  const { kind, name } = refOf(object);
  const clone = replaceAt(object, ["metadata", "name"], `${name}-${at}`);
  const defined = definedKind.get(kind);
  const renamed = defined === undefined ? clone : replaceAt(clone, defined, `Kind${at}`);
  return isJsonObject(renamed) ? renamed : object;
}
