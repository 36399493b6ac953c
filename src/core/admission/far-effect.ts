/**
 * Deletes that reach very many paths. The plan compares each path, which takes too long for a request that waits. For a policy, a Gateway, a GatewayClass or a
 * Namespace that reaches far, the paths that end are counted instead. The decision whether the request is refused stays exact: where a count does not
 * suffice for it, the plan is computed.
 */
import { findBrokenCoverage } from "../check/coverage/find-broken-coverage.ts";
import { hasSameMeaning } from "../effective/update/has-same-meaning.ts";
import { objectChanges } from "../effective/update/object-changes.ts";
import { updateTables } from "../effective/update/update-tables.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import { attachedIn } from "../effective/world/attached-policies.ts";
import { isGateway, isGatewayClass } from "../effective/world/gateway-controllers.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { mayConflict } from "../merge/settle-target.ts";
import type { EvaluateCondition } from "../model/cel.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { isNamespace, type PolicyId } from "../model/refs.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import { deletedWith, endsItsPathsOnly, objectsBelow, removalOf } from "./far-removal.ts";
import { losesMoreThan } from "./loses-more-than.ts";
import { otherNames } from "./other-names.ts";
import type { EffectSettings, FarEffect, FarPolicyEffect } from "./request-effect.ts";

/** A delete that reaches more paths, or more objects, is counted only. */
export const FAR = 1000;

interface FarSettings extends EffectSettings {
  readonly cel: EvaluateCondition;
}

/** Undefined: the plan is computed. */
export function farEffect(
  world: World,
  request: AdmissionRequest,
  subject: KubeObject,
  settings: FarSettings,
): FarEffect | undefined {
  if (request.operation !== "DELETE" || request.oldObject === undefined) return undefined;
  const { ref, id } = subject;
  const { countsAbove = FAR } = settings;
  const requested = () => ({ request, ref, id, names: otherNames(settings, world) });
  if (isNamespace(ref)) {
    // It is never refused, so what is not known of it does not matter.
    const deleted = deletedWith(world, ref);
    const below = objectsBelow(world, new Set([id, ...deleted]));
    if (deleted.length + below.size <= countsAbove) return undefined;
    return { state: "FarRemoval", ...requested(), ...removalOf(world, { id, deleted, below }) };
  }
  const known = world.objects.get(id);
  if (known === undefined || !hasSameMeaning(known.raw, request.oldObject)) return undefined;
  if (isGateway(ref) || isGatewayClass(ref)) {
    const below = objectsBelow(world, new Set([id]));
    if (below.size <= countsAbove || !endsItsPathsOnly(world, ref, id)) return undefined;
    return { state: "FarRemoval", ...requested(), ...removalOf(world, { id, deleted: [], below }) };
  }
  const far = farPolicy(world, subject, countsAbove, settings.cel);
  return far === undefined ? undefined : { state: "FarPolicy", ...requested(), ...far };
}

function farPolicy(
  world: World,
  { ref, id }: KubeObject,
  countsAbove: number,
  cel: EvaluateCondition,
): Omit<FarPolicyEffect, "state" | "request" | "ref" | "id" | "names"> | undefined {
  const record = world.policies.get(id as PolicyId);
  const verdict = record === undefined ? undefined : verdictOf(world, record);
  if (record === undefined || verdict?.state !== "Accepted") return undefined;
  const { full, partial, incomplete } = verdict.total;
  const paths = full + partial;
  if (paths <= countsAbove || hasRivals(world, record)) return undefined;
  const findBroken: FarPolicyEffect["findBroken"] = () => {
    const { after, scopeOf } = updateTables(world, objectChanges(world, [{ delete: ref }], "FromCluster"));
    return findBrokenCoverage({ before: world, after, cel, touched: { scopeOf } }, id);
  };
  const losing = {
    kinds: [record.kind],
    through: new Set(record.targets.attachments.map(({ object }) => object)),
    policy: id,
  };
  const losesMore = (limit: number): boolean =>
    full + partial + incomplete > limit && losesMoreThan(world, losing, limit);
  return { paths, ancestors: verdict.ancestors.length, findBroken, losesMoreThan: losesMore };
}

/** True if other policies on the targets may be Conflicted without this one, because a third one takes effect. */
const hasRivals = ({ attached }: World, { kind, targets }: PolicyRecord): boolean =>
  mayConflict(kind.definition.merge) &&
  targets.attachments.some(({ object }) => attachedIn(attached[kind.index]?.get(object)).length > 1);
