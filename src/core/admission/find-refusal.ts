/**
 * Admission: what a request makes worse
 *
 * A request is refused only for what it makes worse itself: a changed spec that is newly Invalid, a definition with a new error, a CoverageRule
 * with `enforce: Deny` that is met on fewer paths, and, if the operator asks for it, a new conflict or a loss without confirmation. Objects that are
 * being deleted, changes of metadata alone, and targets that do not exist yet are never refused.
 * GEP-713, "Conflict resolution": a validating webhook can prevent conflicts
 */

import { COVERAGE_RULE } from "../check/coverage/check-coverage.ts";
import { type BrokenCoverage, brokenCoverage } from "../check/coverage/coverage-changes.ts";
import { parseCoverageRule } from "../check/coverage/parse-coverage-rule.ts";
import { countedVerdict } from "../effective/verdicts/counted-verdict.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import type { World } from "../effective/world/world.ts";
import { annotationOf } from "../model/kube-object.ts";
import {
  isNamespace,
  kindId,
  namespaceRef,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
} from "../model/refs.ts";
import { countKind } from "../model/words/count-kinds.ts";
import { type AdmissionRequest, isBeingDeleted, isMetadataOnly, isSettled, metadataOf } from "./admission-request.ts";
import { countEffect } from "./count-effect.ts";
import { formatRefusal } from "./format-line.ts";
import { formatBrokenCoverage } from "./format-warnings.ts";
import type { ChangeEffect, DefinitionEffect, EffectSettings, FarEffect, RequestEffect } from "./request-effect.ts";

export type RefusalReason = "Invalid" | "BrokenDefinition" | "Conflicted" | "NotCovered" | "NotConfirmed";

export interface AdmissionRefusal {
  readonly reason: RefusalReason;
  /** For the user: which object, what is wrong, what to do. */
  readonly message: string;
}

export interface RefusalSettings extends EffectSettings {
  /** Refuse what would be Conflicted, or would make another policy Conflicted. */
  readonly refuseConflicts: boolean;
  /** A delete or an update after which a policy no longer takes effect on more than this number of paths must be confirmed. Undefined: none. */
  readonly confirmAbove: number | undefined;
}

const CONFIRM_ANNOTATION = "prevail.dev/confirm";

/** True for requests that are never refused. */
export function isExempt(request: AdmissionRequest, ref: ObjectRef, world: World): boolean {
  return isSettled(request) || isMetadataOnly(request) || isNamespace(ref) || isTerminating(world, ref);
}

/** In a namespace that is being deleted everything must go. */
function isTerminating({ objects }: World, { namespace }: ObjectRef): boolean {
  const id = objectId(namespaceRef(namespace));
  return namespace !== "" && isBeingDeleted(objects.get(id)?.raw);
}

export function findRefusal(effect: RequestEffect, settings: RefusalSettings): AdmissionRefusal | undefined {
  const refusal = refusalOf(effect, settings);
  return refusal === undefined ? undefined : { ...refusal, message: formatRefusal(refusal.message) };
}

function refusalOf(effect: RequestEffect, settings: RefusalSettings): AdmissionRefusal | undefined {
  switch (effect.state) {
    case "Definition":
      return brokenDefinition(effect);
    case "FarPolicy":
      return notCovered(effect, effect.findBroken()) ?? unconfirmed(effect, atLeast(effect.losesMoreThan), settings);
    case "FarRemoval":
      return unconfirmed(effect, atLeast(effect.losesMoreThan), settings);
    case "Change":
      return (
        invalid(effect) ??
        invalidRule(effect) ??
        conflict(effect, settings) ??
        notCovered(effect, brokenCoverage(effect, effect.id)) ??
        unconfirmed(
          effect,
          exactly(() => countEffect(effect).lost),
          settings,
        )
      );
  }
}

function brokenDefinition({ ref, errors, names }: DefinitionEffect): AdmissionRefusal | undefined {
  const [error] = errors.after;
  if (error === undefined || errors.before.length > 0) return undefined;
  return { reason: "BrokenDefinition", message: `${names.own(ref)} would not be used: ${error.message}` };
}

/** Only what the spec itself says: a target or a reference that is missing may be created next. */
function invalid({ id, ref, before, after, names }: ChangeEffect): AdmissionRefusal | undefined {
  const record = after.policies.get(id as PolicyId);
  if (record === undefined || record.policy !== undefined || isInvalid(before, id)) return undefined;
  const verdict = countedVerdict(after, record);
  const why = verdict.state === "NotAccepted" ? verdict.message : "";
  return { reason: "Invalid", message: `${names.own(ref)} would be Invalid: ${names.message(why, ref)}` };
}

function isInvalid(world: World, id: ObjectId): boolean {
  const record = world.policies.get(id as PolicyId);
  return record !== undefined && record.policy === undefined;
}

function invalidRule({ id, ref, before, after, names }: ChangeEffect): AdmissionRefusal | undefined {
  if (kindId(ref) !== COVERAGE_RULE) return undefined;
  const [was, is] = [before, after].map((world) => {
    const object = world.objects.get(id);
    return object === undefined ? [] : parseCoverageRule(object, world.rulebook).findings;
  });
  const [error] = is ?? [];
  if (error === undefined || (was ?? []).length > 0) return undefined;
  return { reason: "Invalid", message: `${names.own(ref)} would not be used: ${error.message}` };
}

function conflict(
  { id, ref, delta, names }: ChangeEffect,
  { refuseConflicts }: RefusalSettings,
): AdmissionRefusal | undefined {
  if (!refuseConflicts) return undefined;
  const conflicts = delta.verdicts.filter(({ before, after }) => isConflicted(after) && !isConflicted(before));
  const own = conflicts.find(({ policy }) => policy === id)?.after;
  if (own?.state === "NotAccepted" || own?.state === "Unknown")
    return { reason: "Conflicted", message: `${names.own(ref)} would be Conflicted${names.because(own.message, ref)}` };
  if (conflicts.length === 0) return undefined;
  const others = names.policies(conflicts.map(({ policy }) => policy));
  return { reason: "Conflicted", message: `${others} would be Conflicted because of ${names.own(ref)}` };
}

const isConflicted = (verdict: Verdict | undefined): boolean =>
  (verdict?.state === "NotAccepted" && verdict.reason === "Conflicted") ||
  (verdict?.state === "Unknown" && verdict.reason === "Undefined");

function notCovered(effect: ChangeEffect | FarEffect, rules: readonly BrokenCoverage[]): AdmissionRefusal | undefined {
  const broken = rules.find(({ rule }) => rule.enforce === "Deny");
  if (broken === undefined) return undefined;
  const { rule } = broken;
  const fix = `Attach a ${effect.names.kind(rule.policyKind)} that meets the rule first`;
  return { reason: "NotCovered", message: `${formatBrokenCoverage(broken, effect.names)}. ${fix}.` };
}

/** The paths on which settings no longer take effect, as text, if there are more of them than the limit. */
type FormatLost = (limit: number) => string | undefined;

const exactly =
  (count: () => number): FormatLost =>
  (limit) => {
    const lost = count();
    return lost <= limit ? undefined : `${countKind(lost, "path")}, more than ${limit}`;
  };

const atLeast =
  (isMoreThan: (limit: number) => boolean): FormatLost =>
  (limit) =>
    isMoreThan(limit) ? `more than ${countKind(limit, "path")}` : undefined;

/** The confirmation names the generation of the object as it is now, so it is used up by the next change. */
function unconfirmed(
  { request, ref, names }: ChangeEffect | FarEffect,
  formatLost: FormatLost,
  { confirmAbove }: RefusalSettings,
): AdmissionRefusal | undefined {
  const generation = metadataOf(request.oldObject, "generation");
  if (confirmAbove === undefined || request.operation === "CREATE" || typeof generation !== "number") return undefined;
  const versions = [request.oldObject, request.object].flatMap((raw) => (raw === undefined ? [] : [{ raw }]));
  if (versions.some((version) => annotationOf(version, CONFIRM_ANNOTATION) === String(generation))) return undefined;
  const lost = formatLost(confirmAbove);
  if (lost === undefined) return undefined;
  const doing = request.operation === "DELETE" ? "deleting" : "changing";
  const where = ref.namespace === "" ? "" : ` -n ${ref.namespace}`;
  const command = `kubectl annotate ${names.kind(ref).toLowerCase()} ${ref.name}${where} ${CONFIRM_ANNOTATION}=${generation} --overwrite`;
  return {
    reason: "NotConfirmed",
    message: `${doing} ${names.own(ref)} ends the effect of settings on ${lost}. To confirm: ${command}`,
  };
}
