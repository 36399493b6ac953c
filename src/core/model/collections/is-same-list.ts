/** The same items in the same order, each the very same. */
export const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a === b || (a.length === b.length && a.every((item, at) => item === b[at]));
