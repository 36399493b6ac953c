import type { Expression } from "./instrument-expression.ts";

/** The types of literals. */
const literals: { readonly [constant: string]: string | undefined } = {
  int64Value: "int",
  uint64Value: "uint",
  doubleValue: "double",
  stringValue: "string",
  bytesValue: "bytes",
  nullValue: "null",
};

/** Operators all of whose operands must be a bool, where the result must be. */
const connectives: ReadonlySet<string> = new Set(["_&&_", "_||_", "!_", "_?_:_"]);

/** Functions that never give a bool. */
const functions: ReadonlyMap<string, string> = new Map([
  ...["_+_", "_-_", "_*_", "_/_", "_%_", "-_"].map((name) => [name, "no bool"] as const),
  ...["size", "int"].map((name) => [name, "int"] as const),
  ...["uint", "double", "string", "bytes", "type", "duration", "timestamp"].map((name) => [name, name] as const),
]);

/**
 * The part of a condition that cannot give the bool that it must, whatever the values are. Undefined: every part may. `spec` and `self`
 * may be anything, so most types are known only when the condition is evaluated.
 */
export function findNotBool({ id, exprKind }: Expression): { readonly id: bigint; readonly type: string } | undefined {
  switch (exprKind.case) {
    case "constExpr": {
      const type = literals[exprKind.value.constantKind.case ?? ""];
      return type === undefined ? undefined : { id, type };
    }
    case "listExpr":
      return { id, type: "list" };
    case "structExpr":
      return { id, type: "map" };
    case "callExpr": {
      const { function: name, args } = exprKind.value;
      if (connectives.has(name)) return firstNotBool(args);
      const type = functions.get(name);
      return type === undefined ? undefined : { id, type };
    }
    case "selectExpr":
    case "identExpr":
    case "comprehensionExpr":
    case undefined:
      return undefined;
  }
}

function firstNotBool(expressions: readonly Expression[]): ReturnType<typeof findNotBool> {
  for (const expression of expressions) {
    const found = findNotBool(expression);
    if (found !== undefined) return found;
  }
  return undefined;
}
