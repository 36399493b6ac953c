/** Values that may be secrets, as definitions mark them (`sensitive`). */

/** True if a field of a policy, as findings name it (`spec.defaults.auth.key`), has a value that is marked. */
export function isMarkedField(paths: readonly string[], field: string): boolean {
  if (paths.length === 0) return false;
  const tokens = field.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  const inSpec = tokens[0] === "spec" ? tokens.slice(1) : tokens;
  // The first key may be that of a block.
  return [inSpec, inSpec.slice(1)].some((keys) => keys.length > 0 && isMarked(paths, keys));
}

/** True if the value is at, below or above one of the paths. A value above it contains it. `*` is any key. */
export const isMarked = (paths: readonly string[], tokens: readonly string[]): boolean =>
  paths.some((path) =>
    path
      .split(".")
      .slice(0, tokens.length)
      .every((key, index) => key === "*" || key === tokens[index]),
  );
