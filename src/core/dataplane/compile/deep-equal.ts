/** Whether two pieces of plain data are equal all the way down; what is the same object is not looked into. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && isSameList(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(valueAt(a, key), valueAt(b, key)))
  );
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isDeepEqual(item, b[index]));
}

const valueAt = (holder: object, key: string): unknown => Reflect.get(holder, key);

/** What was there before, if it says the same. */
export const reuseEqual = <T>(before: T | undefined, after: T): T =>
  before !== undefined && isDeepEqual(before, after) ? before : after;
