import { isDirect } from "../../merge/is-direct.ts";
import { isCompleteFor } from "../../model/completeness.ts";
import { isRouteKind } from "../../model/kinds.ts";
import { kindId, type ObjectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { refusalsOf } from "../world/link-indexes.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { countedVerdict } from "./counted-verdict.ts";

/**
 * The targets of a policy without a path that may have one: routes that are not in the snapshot may be attached to a Gateway or use a Service.
 * A route names its parents itself, so what it is not attached to is known, and so is what refuses its target. `isAsked`: other targets are
 * not of interest. A verdict counts all paths, so it is computed only for policies on targets of interest.
 */
export function targetsWithPathsElsewhere(
  world: World,
  record: PolicyRecord,
  isAsked: (target: ObjectId) => boolean = () => true,
): readonly ObjectId[] {
  // After a planned deletion a policy is without a path because of it.
  if (world.deleted.size > 0) return [];
  const { effectiveTargets } = record.kind.definition.hierarchy;
  if (effectiveTargets.every((level) => isCompleteFor(world.completeness, level, ""))) return [];
  const targets = record.targets.attachments
    .map(({ object }) => object)
    .filter((object) => isAsked(object) && mayHavePaths(record, object) && refusalsOf(world, object).length === 0);
  if (targets.length === 0 || world.findUnenforced().has(record.object.id as PolicyId)) return [];
  const verdict = countedVerdict(world, record);
  return verdict.state === "Accepted" && verdict.enforcement === "NoPath" ? targets : [];
}

/** A route names its parents itself. A policy that is Direct takes effect on its target only, if that is an effective target. */
function mayHavePaths({ policy, kind }: PolicyRecord, target: ObjectId): boolean {
  if (isRoute(target)) return false;
  const isDirectOne = policy !== undefined && isDirect(policy, kind.definition.merge);
  return !isDirectOne || kind.ends.has(kindId(parseObjectId(target)));
}

export const isRoute = (id: ObjectId): boolean => isRouteKind(parseObjectId(id));
