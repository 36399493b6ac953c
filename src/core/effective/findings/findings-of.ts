/** The findings of the engine about a world, computed on demand, in a defined order. */

import type { Rejection } from "../../attachment/resolved-targets.ts";
import { isKnownAbsent } from "../../model/completeness.ts";
import type { Finding, Severity } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import {
  compareText,
  formatRef,
  type KindId,
  kindId,
  namespaceRef,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseObjectId,
} from "../../model/refs.ts";
import { unevaluatedFinding } from "../../model/schema/judge/unevaluated-finding.ts";
import { clipText } from "../../model/words/clip-text.ts";
import { countKinds, endSentence } from "../../model/words/count-kinds.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import type { LinkRefusal } from "../../topology/links.ts";
import { sectionProblems } from "../../topology/section-problems.ts";
import { duplicateNames, sectionsOf } from "../../topology/sections-of.ts";
import { findConflict } from "../verdicts/find-conflict.ts";
import { isAbsentElsewhere } from "../verdicts/find-undecided.ts";
import { formatRejection } from "../verdicts/format-rejection.ts";
import { formatUnenforced } from "../verdicts/format-unenforced.ts";
import { refusalsOf } from "../world/link-indexes.ts";
import { isRefusedByMistake, mayBeGrantedElsewhere } from "../world/refused-objects.ts";
import type { UnfollowedLinks } from "../world/unfollowed-links.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { annotationFindings } from "./annotation-findings.ts";
import { bareLosers, conditionField, repeatedNameFields, settingField, targetFields } from "./finding-fields.ts";
import { type BrokenDefinition, brokenDefinitions, looksLikePolicy } from "./ignored-policies.ts";
import { type KindNames, kindNamesIn } from "./kind-names.ts";
import { hasKnownKinds, isUnread, meantKind } from "./meant-kind.ts";
import { namedPolicyFindings } from "./named-policy-findings.ts";

export function findingsOf(world: World): readonly Finding[] {
  const broken = brokenDefinitions(world);
  const findings: Finding[] = [...world.documentFindings];
  const refused: Finding[] = [];
  world.refused.forEach((own) => refused.push(...own.findings));
  findings.push(...withIgnored([...world.rulebook.findings, ...refused], broken, kindNamesIn(world)));
  world.unevaluated.forEach((rules, id) => {
    const object = world.objects.get(id);
    if (object !== undefined) findings.push(...rules.map((rule) => unevaluatedFinding(object, rule)));
  });
  world.duplicates.forEach((own) => findings.push(...own.map(({ finding }) => finding)));
  world.links.forEach((_, id) => {
    const object = world.objects.get(id);
    if (object !== undefined)
      for (const refusal of refusalsOf(world, id)) findings.push(linkFinding(world, object, refusal));
  });
  const brokenKinds = new Set(broken.flatMap(({ kinds }) => kinds.map((kind) => kindId(kind))));
  world.objects.forEach((object) => addObjectFindings(world, object, brokenKinds, findings));
  world.policies.forEach((record, id) => addPolicyFindings(world, id, record, findings));
  findings.push(...annotationFindings(world));
  addUnfollowedLinks(world, findings);
  addImplied(world, findings);
  return sortFindings(findings);
}

function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = findings.map(clipFinding).map((finding) => ({
    finding,
    key: `${finding.object ?? ""}\n${finding.code}\n${finding.field ?? ""}\n${finding.message}\n${finding.source?.file ?? ""}\n${finding.source?.line ?? ""}`,
  }));
  return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ finding }) => finding);
}

const MAX_FIELD_LENGTH = 500;

const clipFinding = (finding: Finding): Finding => ({
  ...finding,
  ...(finding.field === undefined ? {} : { field: clipText(finding.field, MAX_FIELD_LENGTH) }),
  message: clipText(finding.message),
});

const fieldOf = (field: string | undefined): Pick<Finding, "field"> => (field === undefined ? {} : { field });

const at = ({ source }: KubeObject): Pick<Finding, "source"> => (source === undefined ? {} : { source });

function linkFinding(world: World, object: KubeObject, { field, reason, code, parent, child }: LinkRefusal): Finding {
  const wanted = child ?? parent;
  const isMissing = code === "BackendNotFound" || code === "ParentNotFound";
  const isGrantMissing = code === "RefNotPermitted" && wanted !== undefined && mayBeGrantedElsewhere(world, wanted);
  const hint =
    isMissing && wanted !== undefined ? suggestName(world.names, kindId(wanted), wanted.namespace, wanted.name) : "";
  return {
    code,
    severity: isGrantMissing ? "info" : refusalSeverity(world, code, isMissing ? wanted : undefined, hint),
    object: object.id,
    field,
    message: `${reason}${hint}`,
    ...at(object),
  };
}

function refusalSeverity(
  world: World,
  code: LinkRefusal["code"],
  missing: ObjectRef | undefined,
  hint: string,
): Severity {
  if (isLeftOpen(code)) return "info";
  return missing === undefined ? "error" : absentSeverity(world, missing, hint === "" ? "info" : "warning");
}

/** Nothing is known to be wrong. */
const isLeftOpen = (code: Finding["code"]): boolean =>
  code === "ImplementationSpecificKind" || code === "UnknownWorkloads" || code === "UnknownNamespaceLabels";

/**
 * The severity of a finding about an object that is named and absent. Where the snapshot is complete the object does not exist, and an
 * object that is there and refused is a mistake too. Elsewhere nothing is known to be wrong, whatever the kind: `elsewhere`.
 */
function absentSeverity(world: World, ref: ObjectRef, elsewhere: Severity): Severity {
  return isRefusedByMistake(world, objectId(ref)) || isKnownAbsent(world, ref) ? "error" : elsewhere;
}

/** A target whose name is nearly that of an object is a mistake, also if the object may be elsewhere. */
function rejectionSeverity(world: World, rejection: Rejection): Severity {
  const { code, missing } = rejection;
  if (isLeftOpen(code)) return "info";
  if (code === "SelectorMatchesNothing") return isAbsentElsewhere(world, rejection) ? "info" : "error";
  if (code !== "TargetNotFound") return "error";
  // Only the first rejections of a policy have it.
  if (missing === undefined) return world.completeness === "Partial" ? "info" : "error";
  return isAbsentElsewhere(world, rejection) ? "info" : "error";
}

/** The first error of a definition says which policies are ignored because of it. */
function withIgnored(
  all: readonly Finding[],
  broken: readonly BrokenDefinition[],
  names: KindNames,
): readonly Finding[] {
  const effects = new Map(broken.map(({ errors: [first], kinds }) => [first, ignoredBy(kinds, names)]));
  return all.map((finding) => {
    const ignored = effects.get(finding) ?? "";
    return ignored === "" ? finding : { ...finding, message: `${endSentence(finding.message)} ${ignored}` };
  });
}

function ignoredBy(kinds: BrokenDefinition["kinds"], { kindName }: KindNames): string {
  const ignored = kinds
    .filter(({ effect, policies }) => effect === "Ignored" && policies.length > 0)
    .map(({ group, kind, policies }) => ({ group, kind, count: policies.length }));
  const total = ignored.reduce((sum, { count }) => sum + count, 0);
  return total === 0
    ? ""
    : `${countKinds(ignored, kindName)} ${total === 1 ? "is" : "are"} ignored until this is fixed`;
}

/** `brokenKinds`: the finding about their definition says that their policies are ignored. */
function addObjectFindings(
  world: World,
  object: KubeObject,
  brokenKinds: ReadonlySet<KindId>,
  findings: Finding[],
): void {
  const kind = object.family.kindId;
  const facts = world.rulebook.factsOf(kind);
  findings.push(...namedPolicyFindings(world, object));
  if (!world.rulebook.isDescribed(kind) && !brokenKinds.has(kind) && looksLikePolicy(object))
    findings.push(unknownPolicyKind(world, object, facts !== undefined));
  if (facts === undefined) return;
  for (const { field, message } of sectionProblems(object, facts)) {
    findings.push({ code: "InvalidField", severity: "error", object: object.id, field, message, ...at(object) });
  }
  if (facts.sections.length === 0) return;
  const sections = sectionsOf(object, facts);
  const repeated = duplicateNames(sections);
  if (repeated.length === 0) return;
  const fieldOfRepeated = repeatedNameFields(sections, facts);
  for (const name of repeated) {
    findings.push({
      code: "DuplicateSectionName",
      severity: "warning",
      object: object.id,
      ...fieldOf(fieldOfRepeated(name)),
      message: `${formatRef(object.ref)} has several sections named '${name}'; no policy can target one of them by that name`,
      ...at(object),
    });
  }
}

/** Nothing is known to be wrong with a vendor's policy; a kind that is nearly a known one is a mistake. */
function unknownPolicyKind(world: World, object: KubeObject, hasCrd: boolean): Finding {
  const { kind, group } = object.ref;
  const isMistake = !isUnread(object.ref) && (hasKnownKinds(group) || meantKind(world, object.ref) !== undefined);
  const label = "the label gateway.networking.k8s.io/policy";
  const fix = hasCrd ? `give its CRD ${label} (Direct or Inherited)` : `its CRD with ${label}`;
  return {
    code: "UnknownPolicyKind",
    severity: isMistake ? "warning" : "info",
    object: object.id,
    message: `${formatRef(object.ref)} looks like a policy, but no PolicyDefinition describes ${kind} (${group}); it is ignored. Add a PolicyDefinition, or ${fix}`,
    ...at(object),
  };
}

function addPolicyFindings(world: World, id: PolicyId, record: PolicyRecord, findings: Finding[]): void {
  const { object, findings: own, targets, references, kind } = record;
  findings.push(...own);
  for (const rejection of targets.rejections) {
    findings.push({
      code: rejection.code,
      severity: rejectionSeverity(world, rejection),
      object: id,
      field: rejection.field,
      message: formatRejection(world, rejection),
      ...at(object),
    });
  }
  for (const { code, field, message } of references.problems) {
    const isLast = references.noneValid !== undefined;
    const effect = isLast
      ? `. No reference is valid, so the policy is not accepted (${references.noneValid.reason})`
      : "";
    findings.push({ code, severity: "error", object: id, field, message: `${message}${effect}`, ...at(object) });
  }
  if (kind.definition.inferred) {
    findings.push({
      code: "InferredDefinition",
      severity: "info",
      object: id,
      message: `the definition of ${object.family.kind} is inferred from the label of its CRD; add a PolicyDefinition to define it explicitly`,
      ...at(object),
    });
  }
  addConflicts(world, id, record, findings);
  addUnenforced(world, id, record, findings);
  addBareLosers(record, findings);
  addConditionErrors(world, id, record, findings);
}

/** Settings outside of blocks that the policy's own defaults replace. */
function addBareLosers({ object, kind, policy }: PolicyRecord, findings: Finding[]): void {
  if (policy === undefined || kind.definition.merge.bare === "Direct") return;
  const losers = bareLosers(policy);
  const [loser] = losers;
  if (loser === undefined) return;
  const names = losers.slice(0, SHOWN_MEMBERS).map(({ path }) => path.join("."));
  const more = losers.length > SHOWN_MEMBERS ? ` and ${losers.length - SHOWN_MEMBERS} more` : "";
  findings.push({
    code: "BareRulesBesideDefaults",
    severity: "warning",
    object: object.id,
    field: settingField(loser.path),
    message: clipText(
      `${names.join(", ")}${more} outside the blocks is replaced by the defaults of the same policy, which are merged first; move both into one block`,
    ),
    ...at(object),
  });
}

/** Conditions of blocks that cannot be evaluated on one of the policy's paths. */
function addConditionErrors(world: World, id: PolicyId, { object }: PolicyRecord, findings: Finding[]): void {
  const messages = new Set<string>();
  world
    .countTallies()
    .get(id)
    ?.forEach((_, { errors }) => errors.forEach((message) => messages.add(message)));
  for (const message of messages) {
    findings.push({
      code: "ConditionError",
      severity: "error",
      object: id,
      field: conditionField(object, message),
      message: `the condition of a block cannot be evaluated (${message}); it fails closed: defaults do not take effect, overrides do`,
      ...at(object),
    });
  }
}

/** The Gateways behind which no controller carries the policy out. */
function addUnenforced(world: World, id: PolicyId, { kind, object }: PolicyRecord, findings: Finding[]): void {
  if (kind.definition.controllers.length === 0) return;
  const unenforced = world.findUnenforced().get(id);
  if (unenforced === undefined) return;
  findings.push({
    code: "NoController",
    severity: world.countTallies().get(id) === undefined ? "warning" : "info",
    object: id,
    message: formatUnenforced(kind.definition, unenforced.gateways),
    ...at(object),
  });
}

/** One finding for each target on which the policy is Conflicted, also if it takes effect on others. */
function addConflicts(world: World, id: PolicyId, record: PolicyRecord, findings: Finding[]): void {
  const fieldAt = targetFields(record.policy);
  for (const attachment of record.targets.attachments) {
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) continue;
    findings.push({
      code: conflict.isUndefined ? "UndefinedConflict" : "Conflicted",
      severity: "warning",
      object: id,
      ...fieldOf(fieldAt(attachment)),
      message: conflict.message,
      ...at(record.object),
    });
  }
}

const SHOWN_MEMBERS = 10;

function addUnfollowedLinks(world: World, findings: Finding[]): void {
  for (const [id, unfollowed] of world.unfollowed) {
    // A cycle is reported once, at its first member.
    if (unfollowed.reason === "Below" || (unfollowed.reason === "Cycle" && unfollowed.members[0] !== id)) continue;
    const object = world.objects.get(id);
    findings.push({
      code: unfollowed.reason === "Cycle" ? "LinkCycle" : "LinkLimit",
      severity: "error",
      object: id,
      message: formatUnfollowed(id, unfollowed),
      ...(object === undefined ? {} : at(object)),
    });
  }
}

function formatUnfollowed(id: ObjectId, unfollowed: Exclude<UnfollowedLinks, { readonly reason: "Below" }>): string {
  const name = formatRef(parseObjectId(id));
  switch (unfollowed.reason) {
    case "Cycle": {
      const { members } = unfollowed;
      const shown = members.slice(0, SHOWN_MEMBERS).map((member) => formatRef(parseObjectId(member)));
      const more = members.length > SHOWN_MEMBERS ? [`${members.length - SHOWN_MEMBERS} more`] : [];
      const names = [...shown, ...more, name].join(" > ");
      return `these objects are linked in a cycle, so none of them is above the others: ${names}; remove one of the links`;
    }
    case "TooDeep":
      return `${name} is below ${unfollowed.limit} or more levels of objects, so policies above it have no effect on it; reduce the number of levels`;
    case "TooManyPaths":
      return `more than ${unfollowed.limit} paths lead to ${name}, so policies above it have no effect on it; remove links above it`;
  }
}

/** Reported at the first object that references it. */
function addImplied(world: World, findings: Finding[]): void {
  const namers = new Map<ObjectId, KubeObject | undefined>();
  const note = (implied: ObjectId, namer: KubeObject | undefined): void => {
    const first = namers.get(implied);
    if (first === undefined || (namer !== undefined && compareText(namer.id, first.id) < 0)) namers.set(implied, namer);
  };
  world.objects.namespaces().forEach((name) => {
    const id = namespaceId(name);
    if (!world.objects.has(id)) namers.set(id, undefined);
  });
  if (namers.size > 0)
    world.objects.forEach((object) => {
      const id = namespaceId(object.family.namespace);
      if (namers.has(id)) note(id, object);
    });
  world.links.forEach(({ impliedParents }, id) => {
    for (const ref of impliedParents) note(objectId(ref), world.objects.get(id));
  });
  for (const [id, namer] of namers) {
    findings.push({
      code: "ImpliedObject",
      severity: "info",
      object: id,
      message: `${formatRef(parseObjectId(id))} is referenced but not defined; it is assumed to exist`,
      ...(namer === undefined ? {} : at(namer)),
    });
  }
}

const namespaceId = (name: string): ObjectId => objectId(namespaceRef(name));
