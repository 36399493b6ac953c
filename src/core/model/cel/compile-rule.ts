import type { JsonObject } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import { compileExpression } from "./compile-expression.ts";
import { CostExceeded, type Frame, type Run } from "./frame.ts";
import { parseExpression } from "./parse-expression.ts";
import { CelError, CelUnsupported, type CelValue } from "./values.ts";

/** What the evaluations of one object may still cost, together. */
export interface Budget {
  left: number;
}

/**
 * The outcome of an expression. `error`: an error of CEL, for which the API server refuses the object. `unknown`: the
 * expression cannot be evaluated here.
 */
export type RuleOutcome =
  | { readonly state: "value"; readonly value: CelValue }
  | { readonly state: "error"; readonly message: string }
  | { readonly state: "unknown"; readonly message: string };

export type EvaluateRule = (values: RuleValues, budget: Budget, matchRegex: MatchRegex) => RuleOutcome;

/** Most rules are true. */
const TRUE: RuleOutcome = { state: "value", value: true };

export interface RuleValues {
  readonly self: CelValue;
  /** The value before a change. */
  readonly oldSelf?: CelValue;
}

const compile = (expression: string, schema: JsonObject): ReturnType<typeof compileExpression> =>
  compileExpression(parseExpression(expression), {
    variables: new Map([
      ["self", { slot: 0, schema }],
      ["oldSelf", { slot: 1, schema }],
    ]),
    size: 2,
  });

/** Why an expression of a schema cannot be compiled. Undefined: it can. */
export function ruleProblem(expression: string, schema: JsonObject): string | undefined {
  try {
    compile(expression, schema);
  } catch (error) {
    const outcome = outcomeOf(error);
    return outcome.state === "value" ? undefined : outcome.message;
  }
  return undefined;
}

/** Compiles an expression of a schema. `self` and `oldSelf` are values of the schema. */
export function compileRule(expression: string, schema: JsonObject): EvaluateRule {
  let run: Run;
  let cost: number;
  try {
    ({ run, cost } = compile(expression, schema));
  } catch (error) {
    return () => outcomeOf(error);
  }
  return ({ self, oldSelf }, budget, matchRegex) => {
    const frame: Frame = { slots: [self, oldSelf ?? null], left: budget.left - cost, matchRegex };
    try {
      const value = run(frame);
      return value === true ? TRUE : { state: "value", value };
    } catch (error) {
      return outcomeOf(error);
    } finally {
      budget.left = frame.left;
    }
  };
}

function outcomeOf(error: unknown): RuleOutcome {
  if (error instanceof CelError) return { state: "error", message: error.message };
  if (error instanceof CelUnsupported || error instanceof CostExceeded)
    return { state: "unknown", message: error.message };
  throw error;
}
