/** Readers of the arguments of functions. A value of another type is an error of CEL. */
import type { Frame } from "../frame.ts";
import { CelError, CelOpaque, CelOptional, type CelValue, isList, typeOf } from "../values.ts";

/** A function of the library. For a method the first argument is what it is called on. */
export type CelFunction = (args: readonly CelValue[], frame: Frame) => CelValue;
/** Functions by `name/arguments`; a method by `.name/arguments`, without what it is called on. */
export type FunctionTable = Readonly<Record<string, CelFunction>>;

const wrongType = (value: CelValue | undefined, expected: string): CelError =>
  new CelError(`no such overload: ${value === undefined ? "nothing" : typeOf(value)} where ${expected} is needed`);

export function textArg(value: CelValue | undefined): string {
  if (typeof value !== "string") throw wrongType(value, "a string");
  return value;
}

export function intArg(value: CelValue | undefined): number {
  if (typeof value !== "number" || !Number.isInteger(value)) throw wrongType(value, "an int");
  return value;
}

export function listArg(value: CelValue | undefined): readonly CelValue[] {
  if (value === undefined || !isList(value)) throw wrongType(value, "a list");
  return value;
}

export function optionalArg(value: CelValue | undefined): CelOptional {
  if (!(value instanceof CelOptional)) throw wrongType(value, "an optional");
  return value;
}

/** The content of a value of a type of Kubernetes' library. */
export function opaqueArg<Name extends string, Content>(
  type: Name,
  value: CelValue | undefined,
): CelOpaque<Name, Content> {
  if (!(value instanceof CelOpaque) || value.type !== type) throw wrongType(value, type);
  return value as CelOpaque<Name, Content>;
}
