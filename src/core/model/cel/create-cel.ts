import type { ConditionOutcome, EvaluateCondition } from "../cel.ts";
import type { MatchRegex } from "../regex.ts";
import { compileExpression } from "./compile-expression.ts";
import { createLruCache } from "./create-lru-cache.ts";
import { findNotBool } from "./find-not-bool.ts";
import { CostExceeded, type Frame, pay, type Run } from "./frame.ts";
import { type ExpressionLimits, parseExpression } from "./parse-expression.ts";
import { withPosition } from "./position.ts";
import { asValue, CelError, CelMissing, CelTooLarge, CelUnsupported, type CelValue, typeOf } from "./values.ts";

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
  /** About how many instructions a pattern compiles to, for its cost. Without it repetitions are taken for worse than they are. */
  readonly weighPattern?: (pattern: string) => number;
}

type Bindings = Parameters<EvaluateCondition>[1];

/** A compiled expression, or the reason why there is none. */
type CompiledCondition =
  | {
      readonly state: "ready";
      readonly run: Run;
      readonly cost: number;
      /** Set if a part cannot give the bool that it must. Such an expression can be evaluated, but is no condition. */
      readonly typeProblem: string | undefined;
    }
  /** `isInvalid`: the expression is not CEL or names something that does not exist. Otherwise it only exceeds a limit. */
  | { readonly state: "error"; readonly message: string; readonly isInvalid: boolean };

/**
 * CEL for conditions. Never throws: whatever is wrong with an expression or with what it is evaluated on comes back as an outcome.
 * `docs/decisions/0015-one-cel.md` says what an outcome is, and why.
 */
export function createCel(options: CelOptions = {}): EvaluateCondition {
  const { maxCost = 100_000, maxExpressionLength = 4096, maxDepth = 100, cacheSize = 256 } = options;
  const limits: ExpressionLimits = { maxLength: maxExpressionLength, maxDepth };
  const compiled = createLruCache<CompiledCondition>(cacheSize);
  const compile = (expression: string): CompiledCondition =>
    compiled(expression, (source) => compileCondition(source, limits));
  const matchRegex = options.matchRegex ?? noRegex;
  const weigh = options.weighPattern ?? weighPessimistically;

  const evaluateCondition = (expression: string, { spec, self }: Bindings): ConditionOutcome => {
    const condition = compile(expression);
    if (condition.state === "error") return { state: "error", message: condition.message };
    const frame: Frame = {
      slots: [spec, self].map((value) => asValue(value as CelValue)),
      left: maxCost - condition.cost,
      matchRegex,
      matches: matchesWith(weigh),
      failure: undefined,
    };
    try {
      pay(frame, 0);
      return outcomeOf(condition.run(frame));
    } catch (thrown) {
      return failedOutcome(thrown, frame, expression, maxCost);
    }
  };
  const problemOf = (expression: string): string | undefined => {
    const condition = compile(expression);
    if (condition.state === "ready") return condition.typeProblem;
    return condition.isInvalid ? condition.message : undefined;
  };
  return Object.assign(evaluateCondition, { problemOf });
}

function compileCondition(source: string, limits: ExpressionLimits): CompiledCondition {
  const variables = new Map(["spec", "self"].map((name, slot) => [name, { slot, schema: undefined }]));
  try {
    const expression = parseExpression(source, limits);
    const { run, cost } = compileExpression(expression, { variables, outer: variables, size: 2, isRule: false });
    const problem = findNotBool(expression);
    return {
      state: "ready",
      run,
      cost,
      typeProblem: problem === undefined ? undefined : withPosition(problem, source),
    };
  } catch (thrown) {
    if (!(thrown instanceof CelUnsupported)) throw thrown;
    return { state: "error", message: withPosition(thrown, source), isInvalid: !(thrown instanceof CelTooLarge) };
  }
}

function outcomeOf(result: CelValue): ConditionOutcome {
  if (typeof result === "boolean") return { state: "value", value: result };
  return { state: "error", message: `a condition must give a bool; this one gave ${typeOf(result)}` };
}

function failedOutcome(thrown: unknown, frame: Frame, source: string, maxCost: number): ConditionOutcome {
  if (thrown instanceof CostExceeded)
    return { state: "error", message: `the expression costs more than ${maxCost} units here` };
  // Missing only if nothing else went wrong.
  if (thrown instanceof CelMissing && frame.failure === undefined) return { state: "missing", message: thrown.message };
  const error = thrown instanceof CelMissing ? frame.failure : thrown;
  if (error instanceof CelError || error instanceof CelUnsupported)
    return { state: "error", message: withPosition(error, source) };
  // One policy must not stop the evaluation of all others.
  return { state: "error", message: `the expression cannot be evaluated here: ${String(error)}` };
}

const noRegex: MatchRegex = () => ({
  state: "error",
  message: "matches() is not available: no regular expression matcher was given",
});

/** Patterns that one evaluation may come back to without paying for their compilation again. */
const KNOWN_PATTERNS = 16;

function matchesWith(weigh: (pattern: string) => number): Frame["matches"] {
  let known: Set<string> | undefined;
  return (text, pattern, frame) => {
    known ??= new Set();
    const weight = weigh(pattern);
    pay(frame, (known.has(pattern) ? 1 : 6 * weight) + (weight * text.length) / 8);
    if (known.size < KNOWN_PATTERNS) known.add(pattern);
    const outcome = frame.matchRegex(pattern, text);
    if (outcome.state === "error") throw new CelError(outcome.message);
    return outcome.matches;
  };
}

/** Weighs a pattern as if every repetition were inside every other, up to the thousandfold that RE2 allows. */
function weighPessimistically(pattern: string): number {
  const repetitions = [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)];
  const factor = repetitions.reduce(
    (product, [, least, most]) => product * Math.max(1, Number(least), Number(most)),
    1,
  );
  return 2 * pattern.length * Math.min(1000, factor);
}
