/** Policies that name a target, or a similar name, and have no effect on it. */
import type { Rejection } from "../../attachment/resolved-targets.ts";
import { brokenDefinitions } from "../../effective/findings/ignored-policies.ts";
import type { Path } from "../../effective/paths/path.ts";
import { forEachUnenforced } from "../../effective/paths/unenforced-paths.ts";
import { findConflict } from "../../effective/verdicts/find-conflict.ts";
import { formatRejection } from "../../effective/verdicts/format-rejection.ts";
import { formatUnenforced } from "../../effective/verdicts/format-unenforced.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { policiesIn } from "../../effective/world/stack.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject, ownValue, textOf } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import {
  compareText,
  formatRef,
  type KindId,
  kindId,
  type ObjectId,
  type ObjectRef,
  type PolicyId,
  parseObjectId,
} from "../../model/refs.ts";
import { noPathReason } from "../no-path-reason.ts";
import { leadsThrough, type ObjectOrSection } from "../paths-through.ts";
import type { ReachedSections } from "./reached-sections.ts";
import type { IneffectivePolicy } from "./result.ts";

/** `reached`: the sections of the target that paths with a policy lead through. */
export function ineffectivePolicies(
  world: World,
  target: ObjectOrSection,
  reached: ReachedSections,
): readonly IneffectivePolicy[] {
  const targetRef = parseObjectId(target.id);
  const failures: IneffectivePolicy[] = [];
  world.policies.forEach((record, id) => {
    const own = failuresOf(world, id, record, targetRef, target);
    failures.push(...own, ...(own.length === 0 ? pathless(world, id, record, target, reached) : []));
  });
  for (const kind of world.rulebook.kinds)
    failures.push(...unenforcedOn(world, kind, (path) => leadsThrough(path, target)));
  const broken = definitionsWithErrors(world);
  world.objects.forEach((object) => {
    const failure = unknownKind(world, object, targetRef, target, broken);
    if (failure !== undefined) failures.push(failure);
  });
  return failures.sort((a, b) => compareText(a.policy, b.policy) || compareText(a.field ?? "", b.field ?? ""));
}

function failuresOf(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  targetRef: ObjectRef,
  target: ObjectOrSection,
): readonly IneffectivePolicy[] {
  const { object, policy, targets, kind, findings } = record;
  const { fields } = kind.definition.targeting;
  const refs = writtenRefs(object, [fields.ref, fields.refs]).filter((written) =>
    isNamedBy(written, object, targetRef, target),
  );
  if (policy === undefined) {
    if (refs.length === 0) return [];
    const errors = findings.filter(({ severity }) => severity === "error");
    return errors.map(({ field, message }) => ({
      policy: id,
      reason: "Invalid",
      ...(field === undefined ? {} : { field }),
      message,
      isNearMiss: false,
    }));
  }
  const failures: IneffectivePolicy[] = [];
  for (const rejection of targets.rejections) {
    const isNamed = refs.some(({ field }) => rejection.field === field || rejection.field.startsWith(`${field}.`));
    const isNearMiss = !isNamed && rejection.missing !== undefined && isMistyped(world, rejection.missing, targetRef);
    if (!isNamed && !isNearMiss) continue;
    failures.push({
      policy: id,
      reason: "TargetNotFound",
      field: rejection.field,
      message: formatRejection(world, rejection),
      isNearMiss,
    });
  }
  return [...failures, ...conflictsAt(world, id, record, target)];
}

/** The conflicts of a policy on a target, or on a section of it. */
function conflictsAt(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  target: ObjectOrSection,
): readonly IneffectivePolicy[] {
  return record.targets.attachments.flatMap((attachment): readonly IneffectivePolicy[] => {
    const { object, sectionName } = attachment;
    if (object !== target.id) return [];
    if (target.sectionName !== undefined && sectionName !== undefined && sectionName !== target.sectionName) return [];
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) return [];
    const reason = conflict.isUndefined ? "Undefined" : "Conflicted";
    return [{ policy: id, reason, message: conflict.message, isNearMiss: false }];
  });
}

/** The policy is attached to the target, and no path of its kind leads through the target. */
function pathless(
  world: World,
  id: PolicyId,
  { kind, targets }: PolicyRecord,
  target: ObjectOrSection,
  reached: ReachedSections,
): readonly IneffectivePolicy[] {
  return targets.attachments.flatMap((attachment): readonly IneffectivePolicy[] => {
    const { object, sectionName } = attachment;
    if (object !== target.id || reached.has(kind, sectionName)) return [];
    if (world.findUnenforced().get(id)?.targets.has(object) === true) return [];
    if (target.sectionName !== undefined && sectionName !== undefined && sectionName !== target.sectionName) return [];
    const name = formatRef(parseObjectId(object), sectionName ?? target.sectionName);
    const why = noPathReason(world, kind, [attachment], name);
    return [
      { policy: id, reason: "NoPath", message: `it is accepted and takes no effect here: ${why}`, isNearMiss: false },
    ];
  });
}

/** The policies on some paths behind Gateways whose controllers do not carry them out. */
export function unenforcedOn(
  world: World,
  kind: CompiledKind,
  isMeant: (path: Path, gateway: ObjectId) => boolean,
): readonly IneffectivePolicy[] {
  const gateways = new Map<PolicyId, Map<ObjectId, string>>();
  forEachUnenforced(world, kind, (path, { gateway, controller }) => {
    if (!isMeant(path, gateway)) return;
    for (const { id } of policiesIn(path.stack))
      gateways.set(id, (gateways.get(id) ?? new Map<ObjectId, string>()).set(gateway, controller));
  });
  return [...gateways].map(([policy, at]) => ({
    policy,
    reason: "NoController",
    message: formatUnenforced(kind.definition, new Map([...at].sort(([a], [b]) => compareText(a, b)))),
    isNearMiss: false,
  }));
}

/** The definition with an error, for each policy kind that is ignored because of it. */
function definitionsWithErrors(world: World): ReadonlyMap<KindId, ObjectId> {
  return new Map(
    brokenDefinitions(world).flatMap(({ object, kinds }) =>
      kinds.filter(({ effect }) => effect === "Ignored").map((kind) => [kindId(kind), object] as const),
    ),
  );
}

/** An object with a targetRef, of a kind that no definition describes, or one with an error (`broken`). */
function unknownKind(
  world: World,
  object: KubeObject,
  targetRef: ObjectRef,
  target: ObjectOrSection,
  broken: ReadonlyMap<KindId, ObjectId>,
): IneffectivePolicy | undefined {
  const kind = object.family.kindId;
  if (world.rulebook.factsOf(kind) !== undefined || world.rulebook.byPolicyKind.has(kind)) return undefined;
  const [written] = writtenRefs(object, ["targetRef", "targetRefs"]).filter((one) =>
    isNamedBy(one, object, targetRef, target),
  );
  if (written === undefined) return undefined;
  const definition = broken.get(kind);
  const message =
    definition !== undefined
      ? `the definition of its kind, ${formatRef(parseObjectId(definition))}, has an error, so it is ignored until this is fixed`
      : `no definition describes ${object.family.kind} (${object.family.group}), so it is ignored; add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy`;
  return { policy: object.id, reason: "UnknownKind", field: written.field, message, isNearMiss: false };
}

/** A target reference as written. It is read leniently, because the policy may be invalid for another reason. */
interface WrittenRef {
  readonly field: string;
  readonly ref: JsonObject;
}

function writtenRefs({ raw }: KubeObject, keys: readonly string[]): readonly WrittenRef[] {
  const spec = ownValue(raw, "spec");
  if (!isJsonObject(spec)) return [];
  return keys.flatMap((key) => {
    const value = ownValue(spec, key);
    if (isJsonObject(value)) return [{ field: `spec.${key}`, ref: value }];
    if (!isJsonList(value)) return [];
    return value.flatMap((ref, index) => (isJsonObject(ref) ? [{ field: `spec.${key}[${index}]`, ref }] : []));
  });
}

function isNamedBy(
  { ref }: WrittenRef,
  policy: KubeObject,
  targetRef: ObjectRef,
  { sectionName }: ObjectOrSection,
): boolean {
  const kind = textOf(ownValue(ref, "kind"));
  const group = ownValue(ref, "group");
  const section = textOf(ownValue(ref, "sectionName"));
  if (kind.toLowerCase() !== targetRef.kind.toLowerCase() || textOf(ownValue(ref, "name")) !== targetRef.name)
    return false;
  if (typeof group === "string" && group.split("/", 1)[0] !== targetRef.group) return false;
  if (sectionName !== undefined && section !== "" && section !== sectionName) return false;
  if (targetRef.namespace === "") return true;
  return (textOf(ownValue(ref, "namespace")) || policy.ref.namespace) === targetRef.namespace;
}

/** True for the name of the target in another namespace, and for a mistyped name in its namespace. */
function isMistyped(world: World, missing: NonNullable<Rejection["missing"]>, targetRef: ObjectRef): boolean {
  if (missing.kind !== kindId(targetRef)) return false;
  if (missing.name === targetRef.name) return missing.namespace !== targetRef.namespace;
  if (missing.namespace !== targetRef.namespace) return false;
  return world.names.nearest(missing.kind, missing.namespace, missing.name) === targetRef.name;
}
