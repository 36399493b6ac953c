/** Readers of the arguments of functions. A value of another type is an error of CEL. */
import type { Frame } from "../frame.ts";
import { isSmallInt } from "../numbers.ts";
import { CelBytes, CelOpaque, CelOptional, CelOverload, CelTimestamp, type CelValue, isList } from "../values.ts";

/** A function of the library. For a method the first argument is what it is called on. */
export type CelFunction = (args: readonly CelValue[], frame: Frame) => CelValue;
/** Functions by `name/arguments`; a method by `.name/arguments`, without what it is called on. */
export type FunctionTable = Readonly<Record<string, CelFunction>>;

export function textArg(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelOverload();
  return value;
}

/** An int that is an index or a count. */
export function intArg(value: CelValue | undefined): number {
  if (typeof value === "bigint") return Number(value);
  if (value === undefined || !isSmallInt(value)) throw new CelOverload();
  return value;
}

export function bytesArg(value: CelValue | undefined): Uint8Array {
  if (!(value instanceof CelBytes)) throw new CelOverload();
  return value.bytes;
}

export function timestampArg(value: CelValue | undefined): CelTimestamp {
  if (!(value instanceof CelTimestamp)) throw new CelOverload();
  return value;
}

export function listArg(value: CelValue | undefined): readonly CelValue[] {
  if (value === undefined || !isList(value)) throw new CelOverload();
  return value;
}

export function optionalArg(value: CelValue | undefined): CelOptional {
  if (!(value instanceof CelOptional)) throw new CelOverload();
  return value;
}

/** The content of a value of a type of Kubernetes' library. */
export function opaqueArg<Name extends string, Content>(
  type: Name,
  value: CelValue | undefined,
): CelOpaque<Name, Content> {
  if (!(value instanceof CelOpaque) || value.type !== type) throw new CelOverload();
  return value as CelOpaque<Name, Content>;
}
