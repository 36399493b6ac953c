/** GEP-713, "Target object status": which policies really affect a target. */
import { compareText, type GroupKind, kindId, type PolicyId, type TargetId, targetId } from "../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { forEachPath } from "./count-paths.ts";
import { type Node, nodesOf, type Path } from "./path.ts";
import type { NodeSets } from "./stack.ts";
import type { World } from "./world.ts";

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
    forEachAffected(world, kind, (nodes, at, policy) => {
      const node = nodes[at] as Node;
      const target = targetId(node.id, node.section?.name);
      const policies = byTarget.get(target) ?? new Set();
      byTarget.set(target, policies.add(policy));
    });
    for (const [target, policies] of byTarget)
      affected.push({ target, policyKind: kind.policyKind, policies: [...policies].sort() });
  }
  return affected.sort(
    (a, b) => compareText(a.target, b.target) || compareText(kindId(a.policyKind), kindId(b.policyKind)),
  );
}

/** Calls back for each node of each path that a policy affects: the path's nodes, root first, and the place of the node among them. */
export function forEachAffected(
  world: World,
  kind: CompiledKind,
  visit: (nodes: readonly Node[], at: number, policy: PolicyId) => void,
): void {
  forEachPath(world, kind, (path, core) => {
    const nodes = nodesOf(path);
    for (const { policy, prevailing } of core.outcomes) {
      if (prevailing === 0) continue;
      let isBelow = false;
      for (const [at, node] of nodes.entries()) {
        isBelow ||= includes(world.attached[kind.index]?.get(node.id), policy.id, node.section?.name, path);
        if (isBelow) visit(nodes, at, policy.id);
      }
    }
  });
}

function includes(sets: NodeSets | undefined, policy: PolicyId, section: string | undefined, path: Path): boolean {
  const own = section === undefined ? sets?.own : sets?.sections?.get(section);
  if (own?.policies.some(({ id }) => id === policy)) return true;
  const consumers = path.from === undefined ? undefined : sets?.consumers?.get(path.from);
  return consumers !== undefined && includes(consumers, policy, section, path);
}
