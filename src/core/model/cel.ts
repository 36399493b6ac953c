/** What evaluating a condition came to. `missing`: a key that the expression reads is not there, which means "does not hold". */
export type ConditionOutcome =
  | { readonly state: "value"; readonly holds: boolean }
  | { readonly state: "missing"; readonly message: string }
  | { readonly state: "error"; readonly message: string };

/** Evaluates a CEL expression on plain JSON bindings. Pure: same expression and bindings, same outcome; cost is counted, never timed. */
export type EvaluateCondition = (
  expression: string,
  bindings: { readonly spec: unknown; readonly self: unknown },
) => ConditionOutcome;
