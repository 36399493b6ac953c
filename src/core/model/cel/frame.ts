/** The state that the parts of a compiled expression share. */
import { isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import type { CelExpression } from "./syntax-tree.ts";
import { CelError, CelMissing, type CelValue, located, typeOf } from "./values.ts";

/** The variables of one evaluation, and what it may still cost. One unit is about one operator. */
export interface Frame {
  readonly slots: CelValue[];
  left: number;
  readonly matchRegex: MatchRegex;
  /** `matches()`. Throws if the pattern cannot be used. */
  readonly matches: (text: string, pattern: string, frame: Frame) => boolean;
  /** The first error that `&&`, `||` or a loop absorbed, other than a missing key. */
  failure: CelError | undefined;
}

export type Run = (frame: Frame) => CelValue;

/** A compiled node. `schema`: the schema of its value, where it is known; formats of strings depend on it. */
export interface Compiled {
  readonly run: Run;
  readonly schema: JsonObject | undefined;
  /** The cost of one evaluation without the turns of loops. */
  readonly cost: number;
}

/** Compiles a node below another. */
export type Compile = (node: CelExpression, scope: CelScope) => Compiled;

type Variables = ReadonlyMap<string, { readonly slot: number; readonly schema: JsonObject | undefined }>;

/** The variables that an expression can see, each with its slot. */
export interface CelScope {
  readonly variables: Variables;
  /** The variables that no loop has bound: `.spec` in a loop over `spec`. */
  readonly outer: Variables;
  /** The number of slots in use. */
  readonly size: number;
  /** True for a rule of a CRD: its fields are escaped, and the types of its numbers are not known. */
  readonly isRule: boolean;
}

/** Thrown when an evaluation costs more than it may. Nothing absorbs it. */
export class CostExceeded extends Error {}

export function pay(frame: Frame, cost: number): void {
  frame.left -= cost;
  if (frame.left < 0) throw new CostExceeded("the rule costs too much");
}

/** Adds a variable to a scope; a variable of the same name is hidden. */
export function withVariable(scope: CelScope, name: string, schema?: JsonObject): CelScope {
  const variables = new Map([...scope.variables, [name, { slot: scope.size, schema }]]);
  return { ...scope, variables, size: scope.size + 1 };
}

export const compiled = (run: Run, parts: readonly Compiled[], schema?: JsonObject): Compiled => ({
  run,
  schema,
  cost: parts.reduce((sum, part) => sum + part.cost, 1),
});

export const objectIn = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** The schema of the items of a list, or of the values of a map. */
export const entrySchema = (schema: JsonObject | undefined): JsonObject | undefined =>
  schema === undefined
    ? undefined
    : (objectIn(ownValue(schema, "items")) ?? objectIn(ownValue(schema, "additionalProperties")));

/** A value that must be a bool. `at`: the offset of its expression. */
export function truth(value: CelValue, at: number): boolean {
  if (typeof value === "boolean") return value;
  throw located(new CelError(`a bool is needed here, not ${typeOf(value)}`), at);
}

/** The cost of an error, for its stack trace. */
const ERROR_COST = 25;

/** Notes an error that does not decide. A missing key that hides another error must not pass for a missing key. */
export function absorbed(thrown: unknown, frame: Frame): CelError {
  if (!(thrown instanceof CelError)) throw thrown;
  if (!(thrown instanceof CelMissing)) frame.failure ??= thrown;
  pay(frame, ERROR_COST);
  return thrown;
}
