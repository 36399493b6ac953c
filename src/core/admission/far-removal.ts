/** Counts the paths that end with a Gateway, a GatewayClass or a Namespace, without the evaluation after the deletion. */
import { COVERAGE_RULE } from "../check/coverage/check-coverage.ts";
import { parseCoverageRule } from "../check/coverage/parse-coverage-rule.ts";
import { hasPolicies } from "../effective/paths/end-objects.ts";
import { ancestorsOf } from "../effective/update/dirty-objects.ts";
import { verdictAmong } from "../effective/verdicts/counted-verdict.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import { isGatewayClass } from "../effective/world/gateway-controllers.ts";
import { referrersToParent } from "../effective/world/link-indexes.ts";
import type { World } from "../effective/world/world.ts";
import { mayConflict } from "../merge/settle-target.ts";
import { idsAt } from "../model/collections/id-index.ts";
import {
  compareText,
  kindId,
  type ObjectId,
  type ObjectRef,
  type PolicyId,
  parseKindId,
  splitId,
} from "../model/refs.ts";
import { losesMoreThan, pathsThrough } from "./loses-more-than.ts";
import type { FarRemovalEffect, ReachedKind } from "./request-effect.ts";

/** A deletion: the object, the objects that are deleted with it, and the objects below these. */
interface DeletedObjects {
  readonly id: ObjectId;
  readonly deleted: readonly ObjectId[];
  readonly below: ReadonlySet<ObjectId>;
}

export function removalOf(
  world: World,
  removal: DeletedObjects,
): Pick<FarRemovalEffect, "deleted" | "below" | "ended" | "losesMoreThan"> {
  const { id, deleted, below } = removal;
  return {
    deleted: countByKind(deleted),
    below: countByKind(below),
    ended: endedPolicies(world, removal),
    losesMoreThan: (paths) =>
      mostPathsInEffect(world) > paths &&
      losesMoreThan(world, { kinds: world.rulebook.kinds, through: new Set([id]) }, paths),
  };
}

/** No fewer than the paths on which a policy takes effect: those with several policies count several times. */
function mostPathsInEffect(world: World): number {
  let most = 0;
  world.countTallies().forEach((tally) =>
    tally.forEach((_, { incomplete, full, partial }) => {
      most += incomplete + full + partial;
    }),
  );
  return most;
}

/** The objects in the Namespace of kinds that are linked to others, and its policies. */
export function deletedWith({ objects, rulebook }: World, { name }: ObjectRef): readonly ObjectId[] {
  const isMeant = (kind: Parameters<typeof rulebook.rows.has>[0]): boolean =>
    rulebook.rows.has(kind) || rulebook.byPolicyKind.has(kind);
  return [...objects.kinds()].filter(isMeant).flatMap((kind) => objects.inNamespace(kind, name).map(({ id }) => id));
}

/** The objects below these on paths of some policy kind that has policies. */
export function objectsBelow(world: World, above: ReadonlySet<ObjectId>): ReadonlySet<ObjectId> {
  const found = new Set<ObjectId>();
  for (const kind of inheritedKinds(world))
    for (const id of pathsThrough(world, kind, above).touched) if (!above.has(id)) found.add(id);
  return found;
}

const inheritedKinds = (world: World): readonly CompiledKind[] =>
  world.rulebook.kinds.filter((kind) => kind.definition.class !== "Direct" && hasPolicies(world, kind));

/** The most frequent kind first. */
function countByKind(ids: Iterable<ObjectId>): readonly ReachedKind[] {
  const counts = new Map<ReturnType<typeof kindId>, number>();
  for (const id of ids) {
    const { kind } = splitId(id);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, some], [b, more]) => more - some || compareText(a, b))
    .map(([kind, count]) => ({ ...parseKindId(kind), count }));
}

/**
 * True if the paths through a Gateway or a GatewayClass end with it, and nothing else differs for policies: then no target meets a CoverageRule on fewer paths, no
 * policy becomes Conflicted, and what is lost is what takes effect on these paths. False: that is not certain.
 */
export function endsItsPathsOnly(world: World, ref: ObjectRef, id: ObjectId): boolean {
  if (world.unfollowed.size > 0 || hasPolicyWithOtherTargets(world, id) || hasMeshRouteBelow(world, id)) return false;
  const above = new Set([...ancestorsOf(new Set([id]), world)].map((one) => splitId(one).kind));
  const ruled = ruledKinds(world);
  return world.rulebook.kinds.every((kind) => {
    if (!hasPolicies(world, kind) && !ruled.has(kind)) return true;
    const { controllers, merge, references = [], class: own } = kind.definition;
    if (merge.bare === "Direct" || references.some(({ kinds }) => kinds.some((one) => kindId(one) === kindId(ref))))
      return false;
    // The controllers that serve the target of a Direct policy depend on all Gateways above it.
    if (own === "Direct") return controllers.length === 0;
    // A path may end at an object above, if nothing is below it any more.
    if ([...kind.ends].some(([end, { mayContinue }]) => mayContinue && above.has(end))) return false;
    // A GatewayClass that Gateways name is on their paths even if it does not exist; but it has no controller.
    return !isGatewayClass(ref) || controllers.length > 0;
  });
}

/** A route whose parents that are left are all Services needs no ReferenceGrant for its backends, so it may get paths that it did not have. */
function hasMeshRouteBelow(world: World, id: ObjectId): boolean {
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const child of referrersToParent(world, at)) {
      if (world.links.get(child)?.up.some(({ frontend }) => frontend === true) === true) return true;
      if (world.rulebook.isParentByRef(splitId(child).kind)) open.push(child);
    }
  return false;
}

/** A policy with other targets may be Conflicted on all that are left. */
function hasPolicyWithOtherTargets(world: World, id: ObjectId): boolean {
  const { targetedBy, selectors } = world.indexPolicies();
  return [idsAt(targetedBy, id), idsAt(selectors, splitId(id).kind)].some((policies) =>
    [...policies].some((policy) => {
      const record = world.policies.get(policy);
      const objects = record?.targets.attachments.map(({ object }) => object) ?? [];
      return (
        record !== undefined &&
        mayConflict(record.kind.definition.merge) &&
        new Set(objects).size > 1 &&
        objects.includes(id)
      );
    }),
  );
}

const ruledKinds = ({ objects, rulebook }: World): ReadonlySet<CompiledKind | undefined> =>
  new Set(
    objects.ofKind(COVERAGE_RULE).map((object) => {
      const { rule } = parseCoverageRule(object, rulebook);
      return rule === undefined ? undefined : rulebook.byPolicyKind.get(kindId(rule.policyKind));
    }),
  );

/**
 * The policies that take effect under what is deleted, and nowhere else. Policies on a GatewayClass or a Namespace that stays are not among them: their paths are
 * not counted by Gateway.
 */
function endedPolicies(world: World, { id, deleted }: DeletedObjects): readonly PolicyId[] {
  const gone = new Set([id, ...deleted, ...(isGatewayClass(splitKind(id)) ? referrersToParent(world, id) : [])]);
  const ended: PolicyId[] = [];
  world.countTallies().forEach((tally, policy) => {
    const record = world.policies.get(policy);
    const ancestors = tally.first(tally.size, (ancestor) => ancestor);
    if (record === undefined || gone.has(policy) || !ancestors.some((ancestor) => gone.has(ancestor))) return;
    const left = new Set(ancestors.filter((ancestor) => !gone.has(ancestor)));
    const verdict = verdictOf(world, record);
    if (verdict.state === "Accepted" && isEffective(verdict.enforcement)) {
      const after = left.size === 0 ? undefined : verdictAmong(world, policy, left);
      if (after === undefined || !isEffective(after.enforcement)) ended.push(policy);
    }
  });
  return ended.sort(compareText);
}

const splitKind = (id: ObjectId): ReturnType<typeof parseKindId> => parseKindId(splitId(id).kind);

const isEffective = (enforcement: string): boolean => enforcement === "Enforced" || enforcement === "PartiallyEnforced";
