/** Where two lists differ: what is between their common beginning and their common end. */
export interface ChangedRange {
  readonly start: number;
  /** The end of the range in the first list, and in the second. */
  readonly ends: readonly [number, number];
}

/** After most changes, long lists differ in one item. */
export function changedRange(before: readonly unknown[], after: readonly unknown[]): ChangedRange {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  return { start, ends: [endBefore, endAfter] };
}
