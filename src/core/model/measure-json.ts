import { isJsonList, type Json } from "./json.ts";

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

type Measure = "ok" | "too deep" | "too large";

/** Whether a value stays within limits. Gives up at the first one passed: depth cannot overflow the stack, nor aliases the clock. */
export function measureJson(value: Json, limits: JsonLimits): Measure {
  return visit(value, 0, limits, { values: 0 });
}

function visit(value: Json, depth: number, limits: JsonLimits, count: { values: number }): Measure {
  if (++count.values > limits.maxValues) return "too large";
  if (typeof value !== "object" || value === null) return "ok";
  if (depth >= limits.maxDepth) return "too deep";
  if (isJsonList(value)) {
    for (const item of value) {
      const result = visit(item, depth + 1, limits, count);
      if (result !== "ok") return result;
    }
    return "ok";
  }
  // Plain JSON data inherits nothing that `for in` would show; and this walks every policy.
  for (const key in value) {
    const own = value[key] ?? null;
    if (typeof own !== "object") {
      count.values++;
      continue;
    }
    const result = visit(own, depth + 1, limits, count);
    if (result !== "ok") return result;
  }
  return count.values > limits.maxValues ? "too large" : "ok";
}
