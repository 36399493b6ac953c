/** The result of a condition. `missing`: a key that the expression reads is absent; the condition then counts as false. */
export type ConditionOutcome =
  | { readonly state: "value"; readonly value: boolean }
  | { readonly state: "missing"; readonly message: string }
  | { readonly state: "error"; readonly message: string };

/**
 * Evaluates a CEL expression on plain JSON bindings: see `createCel`. Pure: its limit is a count of steps, not a time.
 *
 * @example
 * ```ts
 * const never: EvaluateCondition = () => ({ state: "value", value: false });
 * console.log(findings(evaluate(buildSnapshot(objects), { cel: never })).length);
 * ```
 */
export interface EvaluateCondition {
  (expression: string, bindings: { readonly spec: unknown; readonly self: unknown }): ConditionOutcome;
  /**
   * The problem of an expression, whatever it is evaluated on: it is not CEL, or names something that does not exist. Without
   * this function a policy with such a condition is accepted, and its condition fails when it is evaluated.
   */
  readonly problemOf?: (expression: string) => string | undefined;
}
