import type { ConditionOutcome, EvaluateCondition } from "../../core/model/cel.ts";
import type { MatchRegex } from "../../core/model/regex.ts";
import { type CelValue, celEnv, celType, isCelError } from "./cel-library.ts";
import { type CompiledCondition, compileCondition, type ExpressionLimits } from "./compile-condition.ts";
import { createEvaluationTrace, type EvaluationTrace } from "./create-evaluation-trace.ts";
import { createLruCache } from "./create-lru-cache.ts";
import { guardFunctions } from "./guard-functions.ts";
import { createLiftJson } from "./lift-json.ts";
import { replaceFunctions } from "./replace-functions.ts";

export interface CelOptions {
  /** Units of cost that one evaluation may take. One unit is about one operator, function call or field that is evaluated. */
  readonly maxCost?: number;
  /** UTF-16 code units. */
  readonly maxExpressionLength?: number;
  /** Levels of nesting, in brackets and in the syntax tree. */
  readonly maxDepth?: number;
  /** Parsed expressions that are kept. */
  readonly cacheSize?: number;
  /** Carries out `matches()`, which is an error without it. Must be safe with hostile patterns. */
  readonly matchRegex?: MatchRegex;
  /** About how many instructions a pattern compiles to, for the account. Without it repetitions are taken for worse than they are. */
  readonly weighPattern?: (pattern: string) => number;
}

type Bindings = Parameters<EvaluateCondition>[1];
type ReadyCondition = Extract<CompiledCondition, { readonly state: "ready" }>;

const VARIABLES: ReadonlySet<string> = new Set(["spec", "self"]);

/**
 * CEL for conditions, on @bufbuild/cel. Never throws: whatever is wrong with an expression or with what it is evaluated
 * on comes back as an outcome. `docs/decisions/0003-cel.md` says what differs from the library, and why.
 */
export function createCel(options: CelOptions = {}): EvaluateCondition {
  const { maxCost = 100_000, maxExpressionLength = 4096, maxDepth = 100, cacheSize = 256, matchRegex } = options;
  const limits: ExpressionLimits = { maxExpressionLength, maxDepth };
  const weigh = options.weighPattern ?? weighPessimistically;
  const trace = createEvaluationTrace(maxCost);
  const replace = replaceFunctions(trace, matchRegex === undefined ? undefined : { match: matchRegex, weigh });
  const env = celEnv({ funcs: guardFunctions(trace, replace) });
  const compiled = createLruCache<CompiledCondition>(cacheSize);

  const compile = (expression: string): CompiledCondition =>
    compiled(expression, (source) => compileCondition(source, VARIABLES, env, limits));
  const evaluateCondition = (expression: string, bindings: Bindings): ConditionOutcome => {
    const condition = compile(expression);
    if (condition.state === "ready") return evaluate(condition, bindings, trace, maxCost);
    return { state: "error", message: condition.message };
  };
  const problemOf = (expression: string): string | undefined => {
    const condition = compile(expression);
    if (condition.state === "ready") return condition.typeProblem;
    return condition.isInvalid ? condition.message : undefined;
  };
  return Object.assign(evaluateCondition, { problemOf });
}

function evaluate(
  condition: ReadyCondition,
  { spec, self }: Bindings,
  trace: EvaluationTrace,
  maxCost: number,
): ConditionOutcome {
  const lift = createLiftJson();
  trace.start();
  trace.spend(condition.cost);
  const result = condition.run({ spec: lift(spec), self: lift(self) });
  // The account comes first: a loop that was stopped leaves half a result behind.
  if (trace.exhausted()) return { state: "error", message: `the expression costs more than ${maxCost} units here` };
  if (!isCelError(result)) return outcomeOf(result);
  // Missing only if nothing else went wrong: see createEvaluationTrace.
  const failure = trace.isMissing(result.message) ? trace.firstFailure() : result.message;
  if (failure === undefined) return { state: "missing", message: result.message };
  return { state: "error", message: failure === result.message ? condition.locate(failure, result.exprId) : failure };
}

function outcomeOf(result: CelValue): ConditionOutcome {
  if (typeof result === "boolean") return { state: "value", holds: result };
  return { state: "error", message: `a condition must give a bool; this one gave ${celType(result).name}` };
}

/** As if every repetition were inside every other, up to the thousandfold that RE2 allows. */
function weighPessimistically(pattern: string): number {
  const repetitions = [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)];
  const factor = repetitions.reduce(
    (product, [, least, most]) => product * Math.max(1, Number(least), Number(most)),
    1,
  );
  return 2 * pattern.length * Math.min(1000, factor);
}
