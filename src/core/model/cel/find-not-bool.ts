import type { CelExpression } from "./syntax-tree.ts";
import { CelUnsupported, typeOf } from "./values.ts";

/** Operators all of whose operands must be a bool, where the result must be. */
const CONNECTIVES: ReadonlySet<string> = new Set(["&&", "||", "!", "?:"]);
const ARITHMETIC: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "negate"]);

/** Functions that never give a bool. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...["size", "int"].map((name) => [name, "int"] as const),
  ...["uint", "double", "string", "bytes", "type", "duration", "timestamp"].map((name) => [name, name] as const),
]);

/**
 * The part of a condition that cannot give the bool that it must, whatever the values are. Undefined: every part may. `spec` and `self`
 * may be anything, so most types are known only when the condition is evaluated.
 */
export function findNotBool(node: CelExpression): CelUnsupported | undefined {
  if (node.op === "operator" && CONNECTIVES.has(node.sign)) {
    for (const arg of node.args) {
      const found = findNotBool(arg);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const type = neverBool(node);
  return type === undefined
    ? undefined
    : new CelUnsupported(`a condition must give a bool; this gives ${type}`, node.at);
}

function neverBool(node: CelExpression): string | undefined {
  switch (node.op) {
    case "literal":
      if (typeof node.value === "boolean") return undefined;
      return node.value === null ? "null" : typeOf(node.value);
    case "list":
    case "map":
      return node.op;
    case "operator":
      return ARITHMETIC.has(node.sign) ? "no bool" : undefined;
    case "call":
      return FUNCTIONS.get(node.name);
    case "name":
    case "select":
    case "has":
    case "index":
    case "macro":
      return undefined;
  }
}
