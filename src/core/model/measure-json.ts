import { isJsonList, type Json } from "./json.ts";

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

type Measure = "ok" | "too deep" | "too large";

/** Whether a value stays within limits. Gives up at the first one passed: depth cannot overflow the stack, nor aliases the clock. */
export function measureJson(value: Json, { maxDepth, maxValues }: JsonLimits): Measure {
  const left = visit(value, maxDepth, maxValues);
  if (left === TOO_DEEP) return "too deep";
  return left === TOO_LARGE ? "too large" : "ok";
}

/** What is left when one more is taken of none. */
const TOO_LARGE = -1;
const TOO_DEEP = -2;

/** How many more values there may be after this one, or what is too much. Numbers only, as this walks every policy. */
function visit(value: Json, depth: number, values: number): number {
  let left = values - 1;
  if (left < 0) return left;
  if (typeof value !== "object" || value === null) return left;
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
    left = typeof own === "object" && own !== null ? visit(own, depth - 1, left) : left - 1;
    if (left < 0) return left;
  }
  return left;
}
