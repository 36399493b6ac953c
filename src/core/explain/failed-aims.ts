/** Policies that name a target, or something that looks like a slip for it, and have no effect there. */
import type { Rejection } from "../attachment/resolved-targets.ts";
import { nearestTo, shownRejection } from "../effective/findings/shown-rejection.ts";
import { findConflict } from "../effective/verdicts/find-conflict.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, displayRef, kindId, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { FailedAim } from "./explanation.ts";
import type { PassedPlaces } from "./passed-places.ts";
import type { Place } from "./paths-through.ts";
import { whyNoPath } from "./why-no-path.ts";

/** `passed`: where paths with a policy come through. */
export function failedAims(world: World, place: Place, passed: PassedPlaces): readonly FailedAim[] {
  const target = parseObjectId(place.id);
  const failures: FailedAim[] = [];
  world.policies.forEach((record, id) => {
    const own = failuresOf(world, id, record, target, place);
    failures.push(...own, ...(own.length === 0 ? pathless(world, id, record, place, passed) : []));
  });
  world.objects.byId.forEach((object) => {
    const failure = unknownKind(world, object, target, place);
    if (failure !== undefined) failures.push(failure);
  });
  return failures.sort((a, b) => compareText(a.policy, b.policy) || compareText(a.field ?? "", b.field ?? ""));
}

function failuresOf(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  target: ObjectRef,
  place: Place,
): readonly FailedAim[] {
  const { object, policy, targets, kind, findings } = record;
  const { ref, refs } = kind.definition.targeting.fields;
  const aims = aimsOf(object, [ref, refs]).filter((aim) => isAimedAt(aim, object, target, place));
  if (policy === undefined) {
    if (aims.length === 0) return [];
    const errors = findings.filter(({ severity }) => severity === "error");
    return errors.map(({ field, message }) => ({
      policy: id,
      reason: "Invalid",
      ...(field === undefined ? {} : { field }),
      message,
      isNearMiss: false,
    }));
  }
  const failures: FailedAim[] = [];
  for (const rejection of targets.rejections) {
    const isAimed = aims.some(({ field }) => rejection.field === field || rejection.field.startsWith(`${field}.`));
    const isSlip = !isAimed && rejection.missing !== undefined && isSlipFor(world, rejection.missing, target);
    if (!isAimed && !isSlip) continue;
    failures.push({
      policy: id,
      reason: "TargetNotFound",
      field: rejection.field,
      message: shownRejection(world, rejection),
      isNearMiss: isSlip,
    });
  }
  return [...failures, ...conflictsAt(world, id, record, place)];
}

/** The conflicts of a policy on a target, or on a section of it. */
function conflictsAt(world: World, id: PolicyId, record: PolicyRecord, place: Place): readonly FailedAim[] {
  return record.targets.attachments.flatMap((attachment): readonly FailedAim[] => {
    const { object, sectionName } = attachment;
    if (object !== place.id) return [];
    if (place.sectionName !== undefined && sectionName !== undefined && sectionName !== place.sectionName) return [];
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) return [];
    return [{ policy: id, reason: "Conflicted", message: conflict.message, isNearMiss: false }];
  });
}

/** It is attached here, and no path comes through that it could act on. */
function pathless(
  world: World,
  id: PolicyId,
  { kind, targets }: PolicyRecord,
  place: Place,
  passed: PassedPlaces,
): readonly FailedAim[] {
  return targets.attachments.flatMap((attachment): readonly FailedAim[] => {
    const { object, ref, sectionName } = attachment;
    if (object !== place.id || passed.has(kind, sectionName)) return [];
    if (place.sectionName !== undefined && sectionName !== undefined && sectionName !== place.sectionName) return [];
    const why = whyNoPath(world, kind, [attachment], displayRef(ref, sectionName ?? place.sectionName));
    return [
      { policy: id, reason: "NoPath", message: `it is accepted and acts on nothing here: ${why}`, isNearMiss: false },
    ];
  });
}

/** A policy, by its look, of a kind that nothing describes. */
function unknownKind(world: World, object: KubeObject, target: ObjectRef, place: Place): FailedAim | undefined {
  const kind = object.family.kindId;
  if (world.rulebook.factsOf(kind) !== undefined || world.rulebook.byPolicyKind.has(kind)) return undefined;
  const [aim] = aimsOf(object, ["targetRef", "targetRefs"]).filter((one) => isAimedAt(one, object, target, place));
  if (aim === undefined) return undefined;
  const message = `nothing says what ${object.family.kind} (${object.family.group}) means, so it is ignored; add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy`;
  return { policy: object.id, reason: "UnknownKind", field: aim.field, message, isNearMiss: false };
}

/** A target as written, read leniently: it may stand in a policy that is invalid for another reason. */
interface Aim {
  readonly field: string;
  readonly ref: JsonObject;
}

function aimsOf({ raw }: KubeObject, keys: readonly string[]): readonly Aim[] {
  const spec = ownValue(raw, "spec");
  if (!isJsonObject(spec)) return [];
  return keys.flatMap((key) => {
    const value = ownValue(spec, key);
    if (isJsonObject(value)) return [{ field: `spec.${key}`, ref: value }];
    if (!isJsonList(value)) return [];
    return value.flatMap((ref, index) => (isJsonObject(ref) ? [{ field: `spec.${key}[${index}]`, ref }] : []));
  });
}

function isAimedAt({ ref }: Aim, policy: KubeObject, target: ObjectRef, { sectionName }: Place): boolean {
  const kind = text(ownValue(ref, "kind"));
  const group = ownValue(ref, "group");
  const section = text(ownValue(ref, "sectionName"));
  if (kind.toLowerCase() !== target.kind.toLowerCase() || text(ownValue(ref, "name")) !== target.name) return false;
  if (typeof group === "string" && group.split("/", 1)[0] !== target.group) return false;
  if (sectionName !== undefined && section !== "" && section !== sectionName) return false;
  if (target.namespace === "") return true;
  return (text(ownValue(ref, "namespace")) || policy.ref.namespace) === target.namespace;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The same name in the wrong namespace, or a name that is nearly this one. */
function isSlipFor(world: World, missing: NonNullable<Rejection["missing"]>, target: ObjectRef): boolean {
  if (missing.kind !== kindId(target)) return false;
  if (missing.name === target.name) return missing.namespace !== target.namespace;
  if (missing.namespace !== target.namespace) return false;
  return nearestTo(world, missing) === target.name;
}
