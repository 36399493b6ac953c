/** Up to so many changes are made one by one: moving the rest of a long list costs less than looking at each of its items. */
const FEW = 32;

/** A sorted list after some items went and others came. `compare` must tell any two items apart. */
export function changedList<T>(
  before: readonly T[],
  gone: readonly T[],
  come: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (gone.length + come.length > FEW || before.length === 0) {
    const without = new Set(gone);
    return [...before.filter((item) => !without.has(item)), ...come].sort(compare);
  }
  const list = before.slice();
  for (const item of gone) {
    const at = placeOf(list, item, compare);
    if (list[at] === item) list.splice(at, 1);
  }
  for (const item of come) list.splice(placeOf(list, item, compare), 0, item);
  return list;
}

/** The place of the first item that does not come before it. */
function placeOf<T>(list: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = list[middle];
    if (there !== undefined && compare(there, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
