import type { JsonObject } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import { compileExpression } from "./compile-expression.ts";
import { type Compiled, CostExceeded, type Frame, type Run } from "./frame.ts";
import { type ExpressionLimits, parseExpression } from "./parse-expression.ts";
import { withPosition } from "./position.ts";
import { CelError, CelUnsupported, type CelValue } from "./values.ts";

/** The state that evaluations of the rules of one object share: their largest cost together, and the variables of the last one. */
export type RuleFrame = Frame;

export const newRuleFrame = (maxCost: number, matchRegex: MatchRegex): RuleFrame => ({
  slots: [null, null],
  left: maxCost,
  matchRegex,
  matches,
  failure: undefined,
});

/**
 * The outcome of an expression. `error`: an error of CEL, for which the API server refuses the object. `unknown`: the
 * expression cannot be evaluated here.
 */
export type RuleOutcome =
  | { readonly state: "value"; readonly value: CelValue }
  | { readonly state: "error"; readonly message: string }
  | { readonly state: "unknown"; readonly message: string };

/** `oldSelf`: the value before a change. */
export type EvaluateRule = (frame: RuleFrame, self: CelValue, oldSelf?: CelValue) => RuleOutcome;

/** Most rules are true. */
const TRUE: RuleOutcome = { state: "value", value: true };

const LIMITS: ExpressionLimits = { maxLength: 20_000, maxDepth: 200 };

function compile(expression: string, schema: JsonObject): Compiled {
  const variables = new Map([
    ["self", { slot: 0, schema }],
    ["oldSelf", { slot: 1, schema }],
  ]);
  return compileExpression(parseExpression(expression, LIMITS), { variables, outer: variables, size: 2, isRule: true });
}

/** Why an expression of a schema cannot be compiled. Undefined: it can. */
export function ruleProblem(expression: string, schema: JsonObject): string | undefined {
  try {
    compile(expression, schema);
  } catch (error) {
    const outcome = outcomeOf(error, expression);
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
    const outcome = outcomeOf(error, expression);
    return () => outcome;
  }
  return (frame, self, oldSelf = null) => {
    frame.slots[0] = self;
    frame.slots[1] = oldSelf;
    frame.left -= cost;
    try {
      const value = run(frame);
      return value === true ? TRUE : { state: "value", value };
    } catch (error) {
      return outcomeOf(error, expression);
    }
  };
}

/** A pattern that cannot be used is not known to be wrong: it may only be too large for us. */
function matches(text: string, pattern: string, { matchRegex }: Frame): boolean {
  const outcome = matchRegex(pattern, text);
  if (outcome.state === "error")
    throw new CelUnsupported(`the regular expression ${JSON.stringify(pattern)}: ${outcome.message}`);
  return outcome.matches;
}

function outcomeOf(error: unknown, expression: string): RuleOutcome {
  if (error instanceof CelError) return { state: "error", message: error.message };
  if (error instanceof CelUnsupported) return { state: "unknown", message: withPosition(error, expression) };
  if (error instanceof CostExceeded) return { state: "unknown", message: error.message };
  throw error;
}
