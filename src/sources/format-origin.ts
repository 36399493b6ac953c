/** The paths as people name them: `-` and `<stdin>` are standard input. */
export const formatOrigin = (paths: readonly string[]): string =>
  paths.map((path) => (path === "-" || path === "<stdin>" ? "standard input" : path)).join(", ");
