import { isJsonList, type Json } from "../json.ts";

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

type Measure = "ok" | "too deep" | "too large";

/** Checks a value against limits. Stops at the first limit that is exceeded, so hostile depth and aliases cost little. */
export function measureJson(value: Json, { maxDepth, maxValues }: JsonLimits): Measure {
  const measured = measureUnread(value, { maxDepth, maxValues });
  // A value that is not JSON has not been measured, so it counts as too large.
  return measured === "not JSON" ? "too large" : measured;
}

/** Measures a value that may not be JSON. */
export function measureUnread(value: Json, { maxDepth, maxValues }: JsonLimits): Measure | "not JSON" {
  const left = visit(value, maxDepth, maxValues);
  if (left === TOO_DEEP) return "too deep";
  if (left === NOT_JSON) return "not JSON";
  return left === TOO_LARGE ? "too large" : "ok";
}

// Results of `visit` for a value that is not within the limits.
const TOO_LARGE = -1;
const TOO_DEEP = -2;
const NOT_JSON = -3;

/** True for strings, numbers, booleans, null and undefined. Callers of the library may pass big integers, symbols and functions. */
export function isScalar(value: unknown): boolean {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" || type === "undefined" || value === null;
}

/** The number of values that may follow this one, or a negative number for the limit that is exceeded. */
function visit(value: Json, depth: number, values: number): number {
  let left = values - 1;
  if (left < 0) return left;
  if (typeof value !== "object" || value === null) return isScalar(value) ? left : NOT_JSON;
  if (depth <= 0) return TOO_DEEP;
  if (isJsonList(value)) {
    for (const item of value) {
      left = visit(item, depth - 1, left);
      if (left < 0) return left;
    }
    return left;
  }
  // Plain JSON data inherits nothing that `for in` would show.
  for (const key in value) {
    const own = value[key] ?? null;
    if (typeof own === "object" && own !== null) left = visit(own, depth - 1, left);
    else left = isScalar(own) ? left - 1 : NOT_JSON;
    if (left < 0) return left;
  }
  return left;
}
