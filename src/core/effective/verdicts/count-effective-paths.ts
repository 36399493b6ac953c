import type { EffectivePath } from "../fold/for-each-effective.ts";
import { endOf, type Path } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { ancestorOf } from "./ancestor-of.ts";
import { countPaths, type TallyChanges, type TargetCount } from "./tally-changes.ts";

/**
 * Counts paths that come, or go. Adjacent paths to one object with the same effective spec and ancestor are counted together:
 * mostly all paths of a route.
 */
export function countEffectivePaths(
  changes: TallyChanges,
  kind: CompiledKind,
  found: readonly EffectivePath[],
  how: "Come" | "Go",
): void {
  const sign = how === "Come" ? 1 : -1;
  for (let start = 0, end = 0; start < found.length; start = end) {
    const first = found[start] as EffectivePath;
    const above = ancestorPath(first.path);
    const targets: TargetCount[] = [];
    for (end = start; end < found.length; end++) {
      const next = found[end] as EffectivePath;
      if (next.effective !== first.effective || ancestorPath(next.path) !== above) break;
      const target = endOf(next.path);
      const last = targets.at(-1);
      if (last?.target === target) last.paths += sign;
      else targets.push({ target, paths: sign });
    }
    countPaths(changes, first.effective, ancestorOf(first.path, kind), targets);
  }
}

/** The part of a path down to its ancestor. Paths with the same part have the same ancestor for every policy. */
function ancestorPath(path: Path): Path {
  let at = path;
  while (at.up !== undefined && (at.node.id !== path.ancestor || at.node.section !== undefined)) at = at.up;
  return at;
}
