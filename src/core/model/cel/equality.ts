import { type Frame, pay } from "./frame.ts";
import { entriesOf, isAnyMap, lookUp, sizeOfMap } from "./maps.ts";
import { compareNumbers, numericOf } from "./numbers.ts";
import {
  asValue,
  CelBytes,
  CelDouble,
  CelDuration,
  type CelKeyedMap,
  type CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelType,
  type CelValue,
  isList,
} from "./values.ts";

/** True if two values are equal. Numbers of different types are equal if they are the same number. */
export function isEqual(a: CelValue, b: CelValue, frame: Frame): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return isEqualScalar(a, b, frame);
  return isEqualDeep(a, b, frame);
}

/**
 * One pair at a time from a stack, and each pair is paid for: values that nest without end take no call stack, and a value that contains
 * another many times over (`[a, a]` of `[b, b]` of …) is not compared to its end.
 */
function isEqualDeep(first: CelValue, second: CelValue, frame: Frame): boolean {
  const [left, right] = [[first], [second]];
  while (left.length > 0) {
    const [a, b] = [asValue(left.pop()), asValue(right.pop())];
    pay(frame, 1);
    if (a === b && !(a instanceof CelDouble)) continue;
    if (isList(a) && isList(b)) {
      if (a.length !== b.length) return false;
      pay(frame, a.length);
      for (let at = a.length - 1; at >= 0; at--) {
        left.push(a[at] as CelValue);
        right.push(b[at] as CelValue);
      }
    } else if (isAnyMap(a) && isAnyMap(b)) {
      if (!pushMembers(a, b, left, right, frame)) return false;
    } else if (a instanceof CelOptional && b instanceof CelOptional) {
      if ((a.value === undefined) !== (b.value === undefined)) return false;
      left.push(a.value ?? null);
      right.push(b.value ?? null);
    } else if (!isEqualScalar(a, b, frame)) return false;
  }
  return true;
}

/** False if the maps do not have the same keys. */
function pushMembers(
  a: CelMap | CelKeyedMap,
  b: CelMap | CelKeyedMap,
  left: CelValue[],
  right: CelValue[],
  frame: Frame,
): boolean {
  const entries = entriesOf(a);
  pay(frame, 2 + entries.length);
  if (entries.length !== sizeOfMap(b)) return false;
  for (const [key, value] of entries) {
    const other = lookUp(b, key);
    if (other === undefined) return false;
    left.push(value);
    right.push(other);
  }
  return true;
}

function isEqualScalar(a: CelValue, b: CelValue, frame: Frame): boolean {
  if (typeof a === "string") {
    if (typeof b === "string") pay(frame, a.length >> 6);
    return a === b;
  }
  const x = numericOf(a);
  const y = numericOf(b);
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && compareNumbers(x, y) === 0;
  if (a === b) return true;
  if (a instanceof CelBytes) return b instanceof CelBytes && isEqualBytes(a, b, frame);
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  return a instanceof CelOpaque && b instanceof CelOpaque && a.type === b.type && a.key === b.key;
}

function isEqualBytes({ bytes: a }: CelBytes, { bytes: b }: CelBytes, frame: Frame): boolean {
  pay(frame, a.length >> 3);
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
