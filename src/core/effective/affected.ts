/** GEP-713, "Target object status": which policies really affect a target. */
import { compareText, type GroupKind, type PolicyId, type TargetId, targetId } from "../model/refs.ts";
import { forEachPath } from "./count-paths.ts";
import { nodesOf, type Path } from "./path-finder.ts";
import type { NodeSets, World } from "./world.ts";

export interface Affected {
  readonly target: TargetId;
  readonly policyKind: GroupKind;
  readonly policies: readonly PolicyId[];
}

/** Policies that prevail on a path through the target, at or below what they declare as theirs (GEP-713, Example 2, item 6). */
export function affectedTargets(world: World): readonly Affected[] {
  const affected: Affected[] = [];
  for (const kind of world.rulebook.kinds) {
    const byTarget = new Map<TargetId, Set<PolicyId>>();
    forEachPath(world, kind, (path, core) => {
      for (const { policy, prevailing } of core.outcomes) {
        if (prevailing === 0) continue;
        let isBelow = false;
        for (const node of nodesOf(path)) {
          const sets = world.attached[kind.index]?.get(node.id);
          isBelow ||= includes(sets, policy.id, node.section?.name, path);
          if (!isBelow) continue;
          const target = targetId(node.id, node.section?.name);
          const policies = byTarget.get(target) ?? new Set();
          byTarget.set(target, policies.add(policy.id));
        }
      }
    });
    for (const [target, policies] of byTarget)
      affected.push({ target, policyKind: kind.policyKind, policies: [...policies].sort() });
  }
  return affected.sort((a, b) => compareText(a.target, b.target) || compareText(a.policyKind.kind, b.policyKind.kind));
}

function includes(sets: NodeSets | undefined, policy: PolicyId, section: string | undefined, path: Path): boolean {
  const own = section === undefined ? sets?.own : sets?.sections?.get(section);
  if (own?.policies.some(({ id }) => id === policy)) return true;
  const consumers = path.from === undefined ? undefined : sets?.consumers?.get(path.from);
  return consumers !== undefined && includes(consumers, policy, section, path);
}
