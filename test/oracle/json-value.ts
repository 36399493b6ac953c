/** Functions to read and build JSON. The oracle shares no code with the engine, so it has its own. */
import type { Json, JsonObject } from "../../src/core/model/json.ts";

export function isMap(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value of an own key. Null is an unset field, as in the Kubernetes API. */
export function field(value: Json | undefined, key: string): Json | undefined {
  if (!isMap(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key] ?? undefined;
}

export function fieldAt(value: Json | undefined, dottedPath: string): Json | undefined {
  return dottedPath === "" ? value : dottedPath.split(".").reduce<Json | undefined>(field, value);
}

export function textField(value: Json | undefined, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === "string" ? found : undefined;
}

/** The maps in a list. Other items are malformed and count as absent. */
export function mapsIn(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isMap) : [];
}

export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

export function isEqual(a: Json, b: Json): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i] as Json));
  if (isMap(a)) {
    if (!isMap(b) || Object.keys(a).length !== Object.keys(b).length) return false;
    return Object.keys(a).every((key) => Object.hasOwn(b, key) && isEqual(a[key] as Json, b[key] as Json));
  }
  return a === b;
}

/** The JSON pointer (RFC 6901) of a path. */
export function pointerTo(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export type PathAndValue = readonly [path: readonly string[], value: Json];

/** The map with each value at its path. No path may be below another. */
export function mapOf(values: readonly PathAndValue[]): JsonObject {
  return buildMap(values, (key, value) => [[key, value]]);
}

/** As `mapOf`, without the keys whose value is null. The maps that have these keys stay. */
export function mapWithoutNulls(values: readonly PathAndValue[]): JsonObject {
  return buildMap(values, (key, value) => (value === null ? [] : [[key, value]]));
}

function buildMap(
  values: readonly PathAndValue[],
  entry: (key: string, value: Json) => readonly (readonly [string, Json])[],
): JsonObject {
  const keys = [...new Set(values.map(([path]) => path[0] as string))].sort();
  return Object.fromEntries(
    keys.flatMap((key) => {
      const inside = values.filter(([path]) => path[0] === key);
      const here = inside.find(([path]) => path.length === 1);
      if (here !== undefined) return entry(key, here[1]);
      return [
        [
          key,
          buildMap(
            inside.map(([path, value]) => [path.slice(1), value]),
            entry,
          ),
        ],
      ];
    }),
  );
}

export function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

/** Compares by UTF-16 code units. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
