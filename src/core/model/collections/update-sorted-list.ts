/** For up to so many changes it is cheaper to move the rest of a long list than to look at each of its items. */
const FEW_CHANGES = 32;

/** A sorted list without the items `removed` and with the items `added`. `compare` must distinguish any two items. */
export function updateSortedList<T>(
  before: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (removed.length + added.length > FEW_CHANGES || before.length === 0) {
    const without = new Set(removed);
    return [...before.filter((item) => !without.has(item)), ...added].sort(compare);
  }
  const list = before.slice();
  for (const item of removed) {
    const at = indexFor(list, item, compare);
    if (list[at] === item) list.splice(at, 1);
  }
  for (const item of added) list.splice(indexFor(list, item, compare), 0, item);
  return list;
}

/** The index of the first item that does not come before the given one. */
function indexFor<T>(list: readonly T[], item: T, compare: (a: T, b: T) => number): number {
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
