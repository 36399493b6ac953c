/** Operators of CEL: order and arithmetic. */
import {
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  type CelValue,
  isEqual,
  isList,
  isMap,
  numberOf,
  ownKey,
  typeOf,
} from "./values.ts";

export const overload = (sign: string, ...values: readonly CelValue[]): CelError =>
  new CelError(`no such overload: ${values.map(typeOf).join(` ${sign} `)}`);

/** Negative, 0 or positive; NaN if a double is not a number. */
export function compare(a: CelValue, b: CelValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareCodePoints(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x === y ? 0 : x - y;
  if (
    (a instanceof CelDuration && b instanceof CelDuration) ||
    (a instanceof CelTimestamp && b instanceof CelTimestamp)
  )
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  throw overload("<", a, b);
}

/** CEL compares strings by code points, JavaScript by UTF-16 code units. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const [x, y] = [a.codePointAt(at) ?? -1, b.codePointAt(at) ?? -1];
  return x - y || a.length - b.length;
}

const isInt = (value: CelValue): value is number => typeof value === "number" && Number.isInteger(value);

function wholeResult(value: number, sign: string): number {
  if (!Number.isSafeInteger(value)) throw new CelError(`integer overflow in ${sign}`);
  return value === 0 ? 0 : value;
}

export function add(a: CelValue, b: CelValue): CelValue {
  if (isInt(a) && isInt(b)) return wholeResult(a + b, "+");
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (isList(a) && isList(b)) return [...a, ...b];
  if (a instanceof CelDuration && b instanceof CelDuration) return new CelDuration(a.nanos + b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return new CelTimestamp(a.nanos + b.nanos);
  if (a instanceof CelDuration && b instanceof CelTimestamp) return new CelTimestamp(a.nanos + b.nanos);
  return arithmetic("+", a, b, (x, y) => x + y);
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (isInt(a) && isInt(b)) return wholeResult(a - b, "-");
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return new CelDuration(a.nanos - b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return new CelTimestamp(a.nanos - b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return new CelDuration(a.nanos - b.nanos);
  return arithmetic("-", a, b, (x, y) => x - y);
}

export const multiply = (a: CelValue, b: CelValue): CelValue =>
  isInt(a) && isInt(b) ? wholeResult(a * b, "*") : arithmetic("*", a, b, (x, y) => x * y);

export function divide(a: CelValue, b: CelValue): CelValue {
  if (!isInt(a) || !isInt(b)) return arithmetic("/", a, b, (x, y) => x / y);
  if (b === 0) throw new CelError("division by zero");
  return wholeResult(Math.trunc(a / b), "/");
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (!isInt(a) || !isInt(b)) throw overload("%", a, b);
  if (b === 0) throw new CelError("modulus by zero");
  return wholeResult(a % b, "%");
}

export function negate(value: CelValue): CelValue {
  if (isInt(value)) return wholeResult(-value, "-");
  const number = numberOf(value);
  if (number === undefined) throw overload("-", value);
  return new CelDouble(-number);
}

/** Arithmetic of doubles. The types of a field are not known here, so an int may meet a double. */
function arithmetic(sign: string, a: CelValue, b: CelValue, compute: (x: number, y: number) => number): CelDouble {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x === undefined || y === undefined) throw overload(sign, a, b);
  return new CelDouble(compute(x, y));
}

export function isIn(item: CelValue, container: CelValue): boolean {
  if (isList(container)) return container.some((one) => isEqual(one, item));
  if (isMap(container)) return typeof item === "string" && ownKey(container, item) !== undefined;
  throw overload("in", item, container);
}
