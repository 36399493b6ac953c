import type { parse } from "./cel-library.ts";
import { callShape, guard, guardedName, standardShapes } from "./guard-functions.ts";
import { isInt64, isUint64 } from "./parse-int64.ts";

export type Expression = ReturnType<typeof parse>["expr"];
type Kind<Case extends Expression["exprKind"]["case"]> = Extract<
  Expression["exprKind"],
  { readonly case: Case }
>["value"];

/** Something wrong with the expression itself, whatever it is evaluated on. */
export interface ExpressionProblem {
  readonly id: bigint;
  readonly message: string;
}

/** The variable in which CEL's macros accumulate. */
const ACCUMULATOR = "@result";
const typeNames = new Set("int uint double bool string bytes list map null_type type".split(" "));
const logical = new Set(["_&&_", "_||_"]);
const yieldsBool = new Set(["_&&_", "_||_", "!_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "matches"]);

/**
 * Rewrites a parsed expression so that evaluating it is counted and its errors can be distinguished, and checks its names.
 *
 * Field selection, indexing, iteration, map literals, operators and functions become calls of our guards
 * (`guard-functions.ts`). Each loop asks the account before each turn: an error thrown inside a loop would only be
 * absorbed, so it must be stopped by its condition.
 */
export function instrumentExpression(
  expression: Expression,
  variables: ReadonlySet<string>,
): { readonly expression: Expression; readonly problems: readonly ExpressionProblem[] } {
  const problems: ExpressionProblem[] = [];
  return { expression: rewrite(expression, variables, problems), problems };
}

/** The nodes below a node. */
export function childrenOf({ exprKind }: Expression): readonly Expression[] {
  switch (exprKind.case) {
    case "selectExpr":
      return present([exprKind.value.operand]);
    case "callExpr":
      return present([exprKind.value.target, ...exprKind.value.args]);
    case "listExpr":
      return exprKind.value.elements;
    case "structExpr":
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === "mapKey" ? keyKind.value : undefined,
          value,
        ]),
      );
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return present([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    case "constExpr":
    case "identExpr":
    case undefined:
      return [];
  }
}

/** What one evaluation of a node costs, not counting the turns of its loops: those are counted as they happen. */
export function staticCost(expression: Expression): number {
  const { exprKind } = expression;
  const parts =
    exprKind.case === "comprehensionExpr"
      ? present([exprKind.value.iterRange, exprKind.value.accuInit, exprKind.value.result])
      : childrenOf(expression);
  return parts.reduce((sum, part) => sum + staticCost(part), 1);
}

function rewrite(node: Expression, scope: ReadonlySet<string>, problems: ExpressionProblem[]): Expression {
  const { id, exprKind } = node;
  switch (exprKind.case) {
    case "constExpr":
      checkRange(node, problems);
      return node;
    case "identExpr":
      checkName(node, exprKind.value.name, scope, problems);
      return node;
    case "selectExpr":
      return rewriteSelect(node, exprKind.value, scope, problems);
    case "callExpr":
      return rewriteCall(node, exprKind.value, scope, problems);
    case "listExpr":
      return list(id, rewriteAll(exprKind.value.elements, scope, problems));
    case "structExpr":
      return rewriteMap(node, exprKind.value, scope, problems);
    case "comprehensionExpr":
      return rewriteLoop(node, exprKind.value, scope, problems);
    case undefined:
      problems.push({ id, message: "invalid expression" });
      return node;
  }
}

function rewriteAll(
  nodes: readonly Expression[],
  scope: ReadonlySet<string>,
  problems: ExpressionProblem[],
): Expression[] {
  return nodes.map((node) => rewrite(node, scope, problems));
}

function rewriteSelect(
  node: Expression,
  { operand, field, testOnly }: Kind<"selectExpr">,
  scope: ReadonlySet<string>,
  problems: ExpressionProblem[],
): Expression {
  // The name of a type, `google.protobuf.Duration`, parses as a selection.
  const qualified = pathOf(node);
  const root = qualified.split(".", 1)[0] ?? "";
  if (qualified !== "" && !scope.has(root) && qualified.startsWith("google.protobuf.")) return node;
  if (operand === undefined) return node;
  const args = [rewrite(operand, scope, problems), text(node.id, field), text(node.id, pathOf(operand))];
  return call(node.id, testOnly ? guard.has : guard.select, args);
}

function rewriteCall(
  node: Expression,
  { function: name, target, args }: Kind<"callExpr">,
  scope: ReadonlySet<string>,
  problems: ExpressionProblem[],
): Expression {
  const { id } = node;
  const inner = rewriteAll(args, scope, problems);
  const [first, second] = args;
  if (logical.has(name))
    return call(
      id,
      name,
      args.map((arg, at) => needBool(arg, inner[at] ?? arg)),
    );
  if (name === "_?_:_" && first !== undefined)
    return call(id, name, [needBool(first, inner[0] ?? first), ...inner.slice(1)]);
  if (name === "@not_strictly_false") return call(id, name, inner);
  if (name === "_[_]" && first !== undefined) return call(id, guard.index, [...inner, text(id, pathOf(first))]);
  if (name === "_+_" && first !== undefined && isAccumulator(first) && second?.exprKind.case === "listExpr") {
    return call(id, guard.append, [first, ...rewriteAll(second.exprKind.value.elements, scope, problems)]);
  }
  if (!standardShapes.has(callShape(name, args.length, target === undefined ? "function" : "method"))) {
    problems.push({ id, message: unknownFunction(name, args.length) });
  }
  return call(id, guardedName(name), inner, target === undefined ? undefined : rewrite(target, scope, problems));
}

function rewriteMap(
  { id }: Expression,
  { messageName, entries }: Kind<"structExpr">,
  scope: ReadonlySet<string>,
  problems: ExpressionProblem[],
): Expression {
  if (messageName !== "") problems.push({ id, message: `messages such as ${messageName} cannot be built here` });
  const keys = present(entries.map(({ keyKind }) => (keyKind.case === "mapKey" ? keyKind.value : undefined)));
  const values = present(entries.map(({ value }) => value));
  const lists = [keys, values].map((nodes) => list(id, rewriteAll(nodes, scope, problems)));
  return call(id, guard.map, lists);
}

function rewriteLoop(
  node: Expression,
  loop: Kind<"comprehensionExpr">,
  scope: ReadonlySet<string>,
  problems: ExpressionProblem[],
): Expression {
  const { iterRange, accuInit, loopCondition, loopStep, result } = loop;
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) return node;
  const { id } = node;
  const after = new Set([...scope, loop.accuVar]);
  const inside = new Set([...after, loop.iterVar]);
  const turnCost = number(id, 2 + staticCost(loopCondition) + staticCost(loopStep));
  return {
    ...node,
    exprKind: {
      case: "comprehensionExpr",
      value: {
        ...loop,
        iterRange: call(id, guard.range, [rewrite(iterRange, scope, problems)]),
        accuInit: accuInit.exprKind.case === "listExpr" ? call(id, guard.list, []) : accuInit,
        loopCondition: call(id, "_&&_", [call(id, guard.tick, [turnCost]), rewrite(loopCondition, inside, problems)]),
        loopStep: rewrite(loopStep, inside, problems),
        result: rewrite(result, after, problems),
      },
    },
  };
}

/** Where a bool is needed and the node may give something else, a guard notes the mistake. */
function needBool(original: Expression, rewritten: Expression): Expression {
  const { exprKind } = original;
  const certain =
    isAccumulator(original) ||
    (exprKind.case === "selectExpr" && exprKind.value.testOnly) ||
    (exprKind.case === "callExpr" && yieldsBool.has(exprKind.value.function));
  return certain ? rewritten : call(original.id, guard.bool, [rewritten]);
}

function checkRange({ id, exprKind }: Expression, problems: ExpressionProblem[]): void {
  if (exprKind.case !== "constExpr") return;
  const { constantKind } = exprKind.value;
  const fits =
    (constantKind.case !== "int64Value" || isInt64(constantKind.value)) &&
    (constantKind.case !== "uint64Value" || isUint64(constantKind.value));
  if (!fits) problems.push({ id, message: `${constantKind.value} does not fit 64 bits` });
}

function checkName({ id }: Expression, name: string, scope: ReadonlySet<string>, problems: ExpressionProblem[]): void {
  if (scope.has(name) || typeNames.has(name)) return;
  const known = [...scope].filter((variable) => variable !== ACCUMULATOR).join(", ");
  problems.push({ id, message: `unknown name '${name}'; here there are ${known}` });
}

function unknownFunction(name: string, arity: number): string {
  if (name === "has") return "has() takes a field, as in has(spec.limits)";
  return `no function '${name}' that takes ${arity} argument${arity === 1 ? "" : "s"}`;
}

/** `spec.limits.a` for a chain of names, and nothing for any other expression. */
function pathOf({ exprKind }: Expression): string {
  if (exprKind.case === "identExpr") return exprKind.value.name;
  if (exprKind.case !== "selectExpr" || exprKind.value.operand === undefined) return "";
  const path = pathOf(exprKind.value.operand);
  return path === "" ? "" : `${path}.${exprKind.value.field}`;
}

function isAccumulator({ exprKind }: Expression): boolean {
  return exprKind.case === "identExpr" && exprKind.value.name === ACCUMULATOR;
}

function present(nodes: readonly (Expression | undefined)[]): Expression[] {
  return nodes.filter((node) => node !== undefined);
}

function call(id: bigint, name: string, args: Expression[], target?: Expression): Expression {
  const value = { $typeName: "cel.expr.Expr.Call", function: name, args } as const;
  return {
    $typeName: "cel.expr.Expr",
    id,
    exprKind: { case: "callExpr", value: target === undefined ? value : { ...value, target } },
  };
}

function list(id: bigint, elements: Expression[]): Expression {
  const value = { $typeName: "cel.expr.Expr.CreateList", elements, optionalIndices: [] } as const;
  return { $typeName: "cel.expr.Expr", id, exprKind: { case: "listExpr", value: { ...value, optionalIndices: [] } } };
}

function text(id: bigint, value: string): Expression {
  return constant(id, { case: "stringValue", value });
}

function number(id: bigint, value: number): Expression {
  return constant(id, { case: "int64Value", value: BigInt(value) });
}

function constant(id: bigint, constantKind: Kind<"constExpr">["constantKind"]): Expression {
  const value = { $typeName: "cel.expr.Constant", constantKind } as const;
  return { $typeName: "cel.expr.Expr", id, exprKind: { case: "constExpr", value } };
}
