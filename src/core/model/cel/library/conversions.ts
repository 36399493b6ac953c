/** Conversions between the types of CEL. */
import { decodeText, encodeText } from "../bytes.ts";
import {
  doubleOf,
  intOf,
  intValue,
  numericOf,
  parseDouble,
  parseInt64,
  parseUint64,
  truncated,
  uintValue,
} from "../numbers.ts";
import {
  CelBytes,
  CelDouble,
  CelError,
  CelOverload,
  CelTimestamp,
  CelType,
  CelUint,
  type CelValue,
  typeOf,
} from "../values.ts";
import { bytesArg, type FunctionTable, textArg } from "./arguments.ts";
import { textOf } from "./text-of.ts";

function parsed<Value>(text: string, type: string, parse: (text: string) => Value | undefined): Value {
  const value = parse(text);
  if (value !== undefined) return value;
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
  throw new CelError(`${JSON.stringify(shown)} is not a valid ${type}`);
}

function toInt(value: CelValue): CelValue {
  if (typeof value === "string") return parsed(value, "int", parseInt64);
  if (value instanceof CelUint) return intValue(value.value, "int()");
  if (value instanceof CelTimestamp) return intValue(floorSeconds(value.nanos), "int()");
  const double = doubleOf(value);
  if (double !== undefined) return doubleToInt(double);
  if (intOf(value) === undefined) throw new CelOverload();
  return value;
}

const NANOS = 1_000_000_000n;
const floorSeconds = (nanos: bigint): bigint => nanos / NANOS - (nanos % NANOS < 0n ? 1n : 0n);

/** The double next to the largest int is already beyond it: CEL refuses both ends of the range. */
function doubleToInt(double: number): CelValue {
  if (Math.abs(double) >= 2 ** 63) throw new CelError("int overflow in int()");
  return intValue(truncated(double, "int"), "int()");
}

function toUint(value: CelValue): CelValue {
  if (typeof value === "string") return parsed(value, "uint", parseUint64);
  if (value instanceof CelUint) return value;
  const double = doubleOf(value);
  if (double !== undefined) return uintValue(truncated(double, "uint"), "uint()");
  const int = intOf(value);
  if (int === undefined) throw new CelOverload();
  return uintValue(int, "uint()");
}

function toDouble(value: CelValue): CelValue {
  if (typeof value === "string") return parsed(value, "double", parseDouble);
  const number = numericOf(value);
  if (number === undefined) throw new CelOverload();
  return new CelDouble(Number(number));
}

function toBool(value: CelValue): boolean {
  if (typeof value === "boolean") return value;
  return parsed(textArg(value), "bool", (text) =>
    /^(?:1|t|true|TRUE|True)$/.test(text) ? true : /^(?:0|f|false|FALSE|False)$/.test(text) ? false : undefined,
  );
}

export const conversionFunctions: FunctionTable = {
  "int/1": ([value]) => toInt(value as CelValue),
  "uint/1": ([value]) => toUint(value as CelValue),
  "double/1": ([value]) => toDouble(value as CelValue),
  "bool/1": ([value]) => toBool(value as CelValue),
  "string/1": ([value]) => (value instanceof CelBytes ? decodeText(value.bytes) : textOf(value as CelValue)),
  "bytes/1": ([value]) => new CelBytes(typeof value === "string" ? encodeText(value) : bytesArg(value)),
  "dyn/1": ([value]) => value as CelValue,
  "type/1": ([value]) => new CelType(typeOf(value as CelValue)),
};
