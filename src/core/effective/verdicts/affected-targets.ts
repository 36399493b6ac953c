import { settleTarget } from "../../merge/settle-target.ts";
import type { Policy } from "../../model/policy.ts";
import {
  compareText,
  type GroupKind,
  kindId,
  type PolicyId,
  parseObjectId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { forEachEffectiveTo } from "../fold/for-each-effective.ts";
import { type EndObject, endObjects, hasPolicies, isEndObject } from "../paths/end-objects.ts";
import { type Node, nodesOf, type Path } from "../paths/path.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { PathScope } from "../paths/path-scope.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { type NodeSets, setsAt } from "../world/stack.ts";
import type { World } from "../world/world.ts";

/** A target with the policies of one kind that take effect on it. */
export interface Affected {
  readonly target: TargetId;
  readonly policyKind: GroupKind;
  readonly policies: readonly PolicyId[];
  /** Policies that take effect only on paths through it that are incomplete: a policy above, which is not known, may override them. */
  readonly possibly: readonly PolicyId[];
}

/**
 * Affected only by what takes effect
 *
 * A target is affected by the policies that take effect on a complete path through it, at or below the target that they declare.
 * GEP-713, "Target object status"
 */
export function affectedTargets(world: World): readonly Affected[] {
  const affected: Affected[] = [];
  for (const kind of world.rulebook.kinds) {
    const byTarget = new Map<TargetId, AffectedDraft>();
    forEachAffected(world, kind, (nodes, at, policy, isIncomplete) => {
      const node = nodes[at] as Node;
      const target = targetId(node.id, node.section?.name);
      const draft = byTarget.get(target) ?? { policies: new Set(), possibly: new Set() };
      byTarget.set(target, draft);
      (isIncomplete ? draft.possibly : draft.policies).add(policy);
    });
    for (const [target, { policies, possibly }] of byTarget)
      affected.push({
        target,
        policyKind: kind.policyKind,
        policies: [...policies].sort(),
        possibly: [...possibly].filter((policy) => !policies.has(policy)).sort(),
      });
  }
  return affected.sort(
    (a, b) => compareText(a.target, b.target) || compareText(kindId(a.policyKind), kindId(b.policyKind)),
  );
}

interface AffectedDraft {
  readonly policies: Set<PolicyId>;
  readonly possibly: Set<PolicyId>;
}

export type VisitAffected = (nodes: readonly Node[], at: number, policy: PolicyId, isIncomplete: boolean) => void;

/** Visits each node of each path that a policy affects: the path's nodes, root first, the index of the node, and whether the path is incomplete. */
function forEachAffected(world: World, kind: CompiledKind, visit: VisitAffected): void {
  for (const _ of affectedSteps(world, kind, visit));
}

/**
 * `forEachAffected` in steps, one for each object at the end of a path, for a process that must not be busy for long. `scope`: only paths through
 * some objects.
 */
export function* affectedSteps(
  world: World,
  kind: CompiledKind,
  visit: VisitAffected,
  scope?: PathScope,
): Generator<void, void> {
  if (!hasPolicies(world, kind)) return;
  const finder = new PathFinder(world, kind, scope === undefined ? {} : { scope });
  for (const end of scope === undefined ? endObjects(world, kind) : endsIn(world, kind, scope)) {
    forEachEffectiveTo(finder, kind, end, (path, effective) => {
      const nodes = nodesOf(path);
      for (const { policy, inEffect } of effective.outcomes) {
        if (inEffect === 0) continue;
        let isBelow = false;
        for (const [at, node] of nodes.entries()) {
          isBelow ||= attachedTo(node, path, world, kind).includes(policy);
          if (isBelow) visit(nodes, at, policy.id, path.incomplete);
        }
      }
    });
    yield;
  }
}

function* endsIn(world: World, kind: CompiledKind, { touched }: PathScope): Iterable<EndObject> {
  for (const id of touched) if (isEndObject(world, kind, id)) yield { id, ref: parseObjectId(id) };
}

/** The policies attached to a node of a path: those on all traffic, and those of the consumer namespace whose traffic it is. */
function attachedTo(
  { id, section }: Node,
  { from }: Path,
  world: World,
  { index, definition }: CompiledKind,
): readonly Policy[] {
  const sets = world.attached[index]?.get(id);
  const onAll = policiesOn(sets, section?.name);
  const onTheirs = from === undefined ? NONE : policiesOn(sets?.consumers?.get(from), section?.name);
  if (onAll.length === 0 || onTheirs.length === 0) return onAll.length === 0 ? onTheirs : onAll;
  const all = [...onAll, ...onTheirs];
  return definition.merge.none ? settleTarget(all, definition.merge).policies : all;
}

const NONE: readonly Policy[] = [];

const policiesOn = (sets: NodeSets | undefined, section: string | undefined): readonly Policy[] =>
  sets?.named === undefined && sets?.meshWide === undefined
    ? ((section === undefined ? sets?.own : sets?.sections?.get(section))?.policies ?? NONE)
    : setsAt(sets, section).flatMap(({ policies }) => policies);
