/** True if two lists have identical items in the same order. */
export const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a === b || (a.length === b.length && a.every((item, at) => item === b[at]));
