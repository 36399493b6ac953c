/** Numbers of CEL: ints and uints of 64 bits, doubles. */
import { CelDouble, CelError, CelUint, type CelValue } from "./values.ts";

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** An int that is a number of JavaScript, and not a bigint. */
export const isSmallInt = (value: CelValue): value is number =>
  typeof value === "number" && Number.isSafeInteger(value);

/** The value of an int; undefined for other values. */
export function intOf(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  return isSmallInt(value) ? BigInt(value) : undefined;
}

/** The value of a double; undefined for other values, also for ints. */
export function doubleOf(value: CelValue): number | undefined {
  if (value instanceof CelDouble) return value.value;
  return typeof value === "number" && !Number.isSafeInteger(value) ? value : undefined;
}

/** The value of an int, a uint or a double. */
export function numericOf(value: CelValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof CelDouble || value instanceof CelUint) return value.value;
  return undefined;
}

/** Negative, 0 or positive; NaN if one of them is not a number. An integer that meets a double is compared as a double. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  const isMixed = typeof a !== typeof b;
  const [x, y] = isMixed ? [Number(a), Number(b)] : [a, b];
  if (x < y) return -1;
  if (x > y) return 1;
  return x <= y ? 0 : Number.NaN;
}

/** An int as a value. Throws if it does not fit 64 bits. */
export function intValue(value: bigint, where: string): number | bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError(`int overflow in ${where}`);
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export function uintValue(value: bigint, where: string): CelUint {
  if (value < 0n || value > MAX_UINT) throw new CelError(`uint overflow in ${where}`);
  return new CelUint(value);
}

/** A decimal integer that fits 64 bits. JavaScript's own reading takes `""` for 0, `" 1 "` for 1 and `0x10` for 16. */
export function parseInt64(text: string): number | bigint | undefined {
  const value = /^[+-]?0*\d{1,20}$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
  return value === undefined || value < MIN_INT || value > MAX_INT ? undefined : intValue(value, "int()");
}

export function parseUint64(text: string): CelUint | undefined {
  // Twenty digits after leading zeros may be too many; a longer text is not parsed, because BigInt parses it slowly.
  const value = /^0*\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  return value === undefined || value > MAX_UINT ? undefined : new CelUint(value);
}

/** A decimal number, or `NaN`, `Inf` and `Infinity` with a sign or without. */
export function parseDouble(text: string): CelDouble | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return new CelDouble(Number(text));
  const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(text) ?? [];
  if (word === undefined) return undefined;
  if (word.toLowerCase() === "nan") return new CelDouble(Number.NaN);
  return new CelDouble(sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
}

/** A double without its fraction, as an integer. */
export function truncated(value: number, type: "int" | "uint"): bigint {
  if (!Number.isFinite(value)) throw new CelError(`${value} cannot be converted to ${type}`);
  return BigInt(Math.trunc(value));
}
