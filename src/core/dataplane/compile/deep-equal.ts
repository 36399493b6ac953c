/** True if two pieces of plain data are deeply equal. Identical objects are not compared further. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && areDeepEqual(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(Reflect.get(a, key), Reflect.get(b, key)))
  );
}

function areDeepEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isDeepEqual(item, b[index]));
}

/** Returns `before` if it is deeply equal to `after`, so that equal parts stay the same object. */
export const reuseEqual = <T>(before: T | undefined, after: T): T =>
  before !== undefined && isDeepEqual(before, after) ? before : after;
