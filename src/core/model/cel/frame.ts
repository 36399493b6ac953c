/** What the parts of a compiled expression share. */
import { isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import { CelError, type CelValue, typeOf } from "./values.ts";

/** The variables of one evaluation, and what it may still cost. One unit is about one operator. */
export interface Frame {
  readonly slots: CelValue[];
  left: number;
  readonly matchRegex: MatchRegex;
}

export type Run = (frame: Frame) => CelValue;

/** A compiled node. `schema`: the schema of its value, where it is known; formats of strings depend on it. */
export interface Compiled {
  readonly run: Run;
  readonly schema: JsonObject | undefined;
  /** The cost of one evaluation without the turns of loops. */
  readonly cost: number;
}

/** The variables that an expression can see, each with its slot. */
export interface CelScope {
  readonly variables: ReadonlyMap<string, { readonly slot: number; readonly schema: JsonObject | undefined }>;
  /** The number of slots in use. */
  readonly size: number;
}

/** Thrown when an evaluation costs more than it may. Nothing absorbs it. */
export class CostExceeded extends Error {}

export function pay(frame: Frame, cost: number): void {
  frame.left -= cost;
  if (frame.left < 0) throw new CostExceeded("the rule costs too much");
}

/** Adds a variable to a scope; a variable of the same name is hidden. */
export function withVariable({ variables, size }: CelScope, name: string, schema?: JsonObject): CelScope {
  return { variables: new Map([...variables, [name, { slot: size, schema }]]), size: size + 1 };
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

export function truth(value: CelValue): boolean {
  if (typeof value !== "boolean") throw new CelError(`${typeOf(value)} where a bool is needed`);
  return value;
}

/** What an error costs, for its stack trace. */
const ERROR_COST = 50;

export function absorbed(thrown: unknown, frame: Frame): CelError {
  if (!(thrown instanceof CelError)) throw thrown;
  pay(frame, ERROR_COST);
  return thrown;
}
