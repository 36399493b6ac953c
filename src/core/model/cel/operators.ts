/** Operators of CEL: order and arithmetic. */
import { isEqual } from "./equality.ts";
import { type Frame, pay } from "./frame.ts";
import { durationValue, timestampValue } from "./library/time.ts";
import { isAnyMap, isKeyLike, lookUp } from "./maps.ts";
import { compareNumbers, doubleOf, intOf, intValue, isSmallInt, numericOf, uintValue } from "./numbers.ts";
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelOverload,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
} from "./values.ts";

/** Negative, 0 or positive; NaN if a double is not a number. */
export function compare(a: CelValue, b: CelValue): number {
  if (typeof a === "number" && typeof b === "number") return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareCodePoints(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const x = numericOf(a);
  const y = numericOf(b);
  if (x !== undefined && y !== undefined) return compareNumbers(x, y);
  if (
    (a instanceof CelDuration && b instanceof CelDuration) ||
    (a instanceof CelTimestamp && b instanceof CelTimestamp)
  )
    return compareNumbers(a.nanos, b.nanos);
  if (a instanceof CelBytes && b instanceof CelBytes) return compareBytes(a.bytes, b.bytes);
  throw new CelOverload();
}

/** CEL compares strings by code points, JavaScript by UTF-16 code units. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const [x, y] = [a.codePointAt(at) ?? -1, b.codePointAt(at) ?? -1];
  return x - y || a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] as number) - (b[at] ?? -1);
}

export function add(a: CelValue, b: CelValue): CelValue {
  if (isSmallInt(a) && isSmallInt(b)) return wholeResult(a + b) ?? intValue(BigInt(a) + BigInt(b), "+");
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (isList(a) && isList(b)) return [...a, ...b];
  if (a instanceof CelDuration && b instanceof CelDuration) return durationValue(a.nanos + b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return timestampValue(a.nanos + b.nanos);
  if (a instanceof CelDuration && b instanceof CelTimestamp) return timestampValue(a.nanos + b.nanos);
  if (a instanceof CelBytes && b instanceof CelBytes) return joinBytes(a.bytes, b.bytes);
  return arithmetic(
    "+",
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
}

function joinBytes(a: Uint8Array, b: Uint8Array): CelBytes {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return new CelBytes(bytes);
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (isSmallInt(a) && isSmallInt(b)) return wholeResult(a - b) ?? intValue(BigInt(a) - BigInt(b), "-");
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return durationValue(a.nanos - b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return timestampValue(a.nanos - b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return durationValue(a.nanos - b.nanos);
  return arithmetic(
    "-",
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (isSmallInt(a) && isSmallInt(b)) return wholeResult(a * b) ?? intValue(BigInt(a) * BigInt(b), "*");
  return arithmetic(
    "*",
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (isZero(b)) throw new CelError("int divide by zero");
  if (isSmallInt(a) && isSmallInt(b)) return (a - (a % b)) / b + 0;
  return arithmetic(
    "/",
    a,
    b,
    (x, y) => x / y,
    (x, y) => x / y,
  );
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (isZero(b)) throw new CelError("modulus by zero");
  if (doubleOf(a) !== undefined) throw new CelOverload();
  return arithmetic(
    "%",
    a,
    b,
    (x, y) => x % y,
    (x, y) => x % y,
  );
}

/** The zero of an int or a uint. */
const isZero = (value: CelValue): boolean => value === 0 || (value instanceof CelUint && value.value === 0n);

export function negate(value: CelValue): CelValue {
  const int = intOf(value);
  if (int !== undefined) return intValue(-int, "-");
  const double = doubleOf(value);
  if (double === undefined) throw new CelOverload();
  return new CelDouble(-double);
}

/** A result that is exact as a number of JavaScript, without a negative zero. */
const wholeResult = (value: number): number | undefined => (Number.isSafeInteger(value) ? value + 0 : undefined);

/** Numbers of one type. */
function arithmetic(
  sign: string,
  a: CelValue,
  b: CelValue,
  ofDoubles: (x: number, y: number) => number,
  ofInts: (x: bigint, y: bigint) => bigint,
): CelValue {
  const [x, y] = [doubleOf(a), doubleOf(b)];
  if (x !== undefined && y !== undefined) return new CelDouble(ofDoubles(x, y));
  const [i, j] = [intOf(a), intOf(b)];
  if (i !== undefined && j !== undefined) return intValue(ofInts(i, j), sign);
  if (a instanceof CelUint && b instanceof CelUint) return uintValue(ofInts(a.value, b.value), sign);
  throw new CelOverload();
}

type Arithmetic = (a: CelValue, b: CelValue) => CelValue;

/** Arithmetic in which an int may meet a double: the type of a field is not known in rules, and 2 may be a double. */
export const lenient =
  (compute: Arithmetic): Arithmetic =>
  (a, b) => {
    if (isSmallInt(a) && isSmallInt(b)) return compute(a, b);
    if (isSmallInt(a) && doubleOf(b) !== undefined) return compute(new CelDouble(a), b);
    if (isSmallInt(b) && doubleOf(a) !== undefined) return compute(a, new CelDouble(b));
    return compute(a, b);
  };

export function isIn(item: CelValue, container: CelValue, frame: Frame): boolean {
  if (isList(container)) {
    pay(frame, container.length >> 1);
    for (let at = 0; at < container.length; at++) if (isEqual(container[at] as CelValue, item, frame)) return true;
    return false;
  }
  if (isAnyMap(container) && isKeyLike(item)) return lookUp(container, item) !== undefined;
  throw new CelOverload();
}
