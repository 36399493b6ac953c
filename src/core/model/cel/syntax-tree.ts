import type { CelValue } from "./values.ts";

/** The syntax tree of an expression. Macros (`all`, `has` …) are nodes of their own. `at` is the offset of the sign or name. */
export type CelExpression =
  | { readonly op: "literal"; readonly at: number; readonly value: CelValue }
  /** `isOuter`: written with a dot, `.spec`, it is not the variable of a loop. */
  | { readonly op: "name"; readonly at: number; readonly name: string; readonly isOuter: boolean }
  | {
      readonly op: "select";
      readonly at: number;
      readonly operand: CelExpression;
      readonly field: string;
      readonly isOptional: boolean;
    }
  | { readonly op: "has"; readonly at: number; readonly operand: CelExpression; readonly field: string }
  | {
      readonly op: "index";
      readonly at: number;
      readonly operand: CelExpression;
      readonly index: CelExpression;
      readonly isOptional: boolean;
    }
  | {
      readonly op: "call";
      readonly at: number;
      readonly name: string;
      readonly target?: CelExpression;
      readonly args: readonly CelExpression[];
    }
  /** `&&` and `||` have two arguments or more. */
  | { readonly op: "operator"; readonly at: number; readonly sign: string; readonly args: readonly CelExpression[] }
  | { readonly op: "list"; readonly at: number; readonly items: readonly Element[] }
  | {
      readonly op: "map";
      readonly at: number;
      readonly entries: readonly (Element & { readonly key: CelExpression })[];
    }
  | {
      readonly op: "macro";
      readonly at: number;
      readonly macro: string;
      readonly range: CelExpression;
      readonly variables: readonly string[];
      readonly bodies: readonly CelExpression[];
    };

export type CelNode<Op extends CelExpression["op"]> = Extract<CelExpression, { readonly op: Op }>;

/** An element of a list or map. `?e` adds the value of an optional, if it has one. */
export interface Element {
  readonly value: CelExpression;
  readonly isOptional: boolean;
}

/** The nodes below a node. */
function childrenOf(node: CelExpression): readonly CelExpression[] {
  switch (node.op) {
    case "literal":
    case "name":
      return [];
    case "select":
    case "has":
      return [node.operand];
    case "index":
      return [node.operand, node.index];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "operator":
      return node.args;
    case "list":
      return node.items.map(({ value }) => value);
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "macro":
      return [node.range, ...node.bodies];
  }
}

/** `a + b + c + …` nests as deep as it is long, and is no deeper in brackets. Level by level, so that the depth takes no stack. */
export function treeDepth(expression: CelExpression): number {
  let depth = 0;
  for (let level: readonly CelExpression[] = [expression]; level.length > 0; level = level.flatMap(childrenOf)) depth++;
  return depth;
}

/** `spec.limits.a` for a chain of names, and nothing for any other expression. */
export function pathOf(node: CelExpression): string {
  if (node.op === "name") return node.name;
  if (node.op !== "select" || node.isOptional) return "";
  const path = pathOf(node.operand);
  return path === "" ? "" : `${path}.${node.field}`;
}
