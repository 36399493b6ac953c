import type { Rejection } from "../../attachment/resolved-targets.ts";
import { isCompleteFor, isKnownAbsent } from "../../model/completeness.ts";
import { objectId, parseKindId } from "../../model/refs.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import { isRefusedByMistake } from "../world/refused-objects.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { targetsWithPathsElsewhere } from "./paths-elsewhere.ts";
import { isUnnamed, mayBeNamedElsewhere } from "./unnamed-policy.ts";

/** The part that the verdict of a policy lacks: its target, or a path from its target to an effective target. */
export type Undecided = "Target" | "Path";

/**
 * Finds whether a verdict rests on objects that are not in the input. TargetNotFound and NoPath are facts where the snapshot is complete.
 * Elsewhere the target, or the route below it, may exist outside of the input, and whether the policy takes effect is not known. Undefined:
 * the verdict is known.
 */
export function findUndecided(world: World, record: PolicyRecord): Undecided | undefined {
  if (record.policy === undefined) return undefined;
  const { attachments, rejections } = record.targets;
  if (isUnnamed(record)) return mayBeNamedElsewhere(world, record) ? "Path" : undefined;
  if (attachments.length === 0)
    return rejections.some((rejection) => isAbsentElsewhere(world, rejection)) ? "Target" : undefined;
  return targetsWithPathsElsewhere(world, record).length > 0 ? "Path" : undefined;
}

/**
 * True if a target was not found and may exist outside of the input. A name that is nearly that of an object is a mistake, and an object
 * that the API server would refuse is in the input. Whether a target of a kind that is left to implementations exists and is supported is
 * not known either. A selector may match objects elsewhere, unless the input has objects that it does not match.
 */
export function isAbsentElsewhere(world: World, { code, missing, selected }: Rejection): boolean {
  if (code === "ImplementationSpecificKind" || code === "UnknownWorkloads" || code === "UnknownNamespaceLabels")
    return true;
  if (selected !== undefined)
    return !isCompleteFor(world.completeness, parseKindId(selected.kind), selected.namespace ?? "");
  if (code !== "TargetNotFound" || missing === undefined) return false;
  const { kind, namespace, name } = missing;
  const ref = { ...parseKindId(kind), namespace, name };
  if (isRefusedByMistake(world, objectId(ref)) || isKnownAbsent(world, ref)) return false;
  return suggestName(world.names, kind, namespace, name) === "";
}
