import { type CelEnv, type CelInput, type CelResult, parse, plan } from "./cel-library.ts";
import { findNotBool } from "./find-not-bool.ts";
import { childrenOf, type Expression, instrumentExpression, staticCost } from "./instrument-expression.ts";
import { nestingDepth } from "./nesting-depth.ts";

/** The limits of an expression. */
export interface ExpressionLimits {
  readonly maxExpressionLength: number;
  readonly maxDepth: number;
}

/** A compiled expression, or the reason why it is invalid. */
export type CompiledCondition =
  | {
      readonly state: "ready";
      readonly cost: number;
      /** Set if a part cannot give the bool that it must. Such an expression can be evaluated, but is no condition. */
      readonly typeProblem: string | undefined;
      readonly run: (bindings: { readonly [name: string]: CelInput }) => CelResult;
      /** Puts the position in the expression before the message, if it is known. */
      readonly locate: (message: string, nodeId: bigint | undefined) => string;
    }
  | ConditionFault;

/** `isInvalid`: the expression is not CEL or names something that does not exist. Otherwise it only exceeds a limit. */
interface ConditionFault {
  readonly state: "error";
  readonly message: string;
  readonly isInvalid: boolean;
}

/** Parses, checks and instruments an expression. `env` has the functions that an instrumented expression calls. */
export function compileCondition(
  source: string,
  variables: ReadonlySet<string>,
  env: CelEnv,
  { maxExpressionLength, maxDepth }: ExpressionLimits,
): CompiledCondition {
  if (source.length > maxExpressionLength) {
    return tooMuch(`the expression is ${source.length} characters long; at most ${maxExpressionLength} are allowed`);
  }
  const tooDeep = `the expression nests too deeply; at most ${maxDepth} levels are allowed`;
  if (nestingDepth(source) > maxDepth) return tooMuch(tooDeep);
  const parsed = parseExpression(source);
  if (parsed.state === "error") return parsed;
  if (depthOf(parsed.expression) > maxDepth) return tooMuch(tooDeep);

  const { expression, problems } = instrumentExpression(parsed.expression, variables);
  const locate = (message: string, nodeId: bigint | undefined): string => {
    const offset = nodeId === undefined ? undefined : parsed.positions[String(nodeId)];
    return offset === undefined ? message : `${positionOf(source, offset)}: ${message}`;
  };
  const [problem] = problems;
  if (problem !== undefined) return fault(locate(problem.message, problem.id));
  const other = findNotBool(parsed.expression);
  const typeProblem =
    other === undefined ? undefined : locate(`a condition must give a bool; this gives ${other.type}`, other.id);
  return { state: "ready", cost: staticCost(parsed.expression), typeProblem, run: plan(env, expression), locate };
}

type Parsed =
  | {
      readonly state: "parsed";
      readonly expression: Expression;
      readonly positions: { readonly [nodeId: string]: number };
    }
  | ConditionFault;

function parseExpression(source: string): Parsed {
  try {
    const { expr, sourceInfo } = parse(source);
    return { state: "parsed", expression: expr, positions: sourceInfo?.positions ?? {} };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fault(`syntax error: ${message.replace(/^<input>:/, "")}`);
  }
}

const fault = (message: string): ConditionFault => ({ state: "error", message, isInvalid: true });
const tooMuch = (message: string): ConditionFault => ({ state: "error", message, isInvalid: false });

/** `a + b + c + …` nests as deep as it is long, and is no deeper in brackets. Level by level, so that the depth takes no stack. */
function depthOf(expression: Expression): number {
  let depth = 0;
  for (let level: readonly Expression[] = [expression]; level.length > 0; level = level.flatMap(childrenOf)) depth++;
  return depth;
}

/** `line:column`, both from 1. The parser may point at the space before an operator. */
function positionOf(source: string, offset: number): string {
  const space = /\s*/y;
  space.lastIndex = offset;
  const start = offset + (space.exec(source)?.[0].length ?? 0);
  const lines = source.slice(0, start).split(/\r\n|\r|\n/);
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
