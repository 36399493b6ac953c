/** What was read, as people say it: `-` and the name that its lines have are standard input. */
export const showOrigin = (paths: readonly string[]): string =>
  paths.map((path) => (path === "-" || path === "<stdin>" ? "standard input" : path)).join(", ");
