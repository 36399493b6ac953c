/** The targets of one policy while they are resolved. */
import type { KindFacts, PolicyDefinition, TargetKind } from "../model/definition.ts";
import type { FindingCode } from "../model/finding-code.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { Policy, PolicyTarget } from "../model/policy.ts";
import {
  formatRef,
  type KindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  type TargetId,
  targetId,
} from "../model/refs.ts";
import { trafficFrom } from "../model/traffic.ts";
import { type Grant, isReferencePermitted, needsGrant } from "../topology/reference-grants.ts";
import { findTargetSections, formatNoSection, type SectionIndex } from "./find-target-section.ts";
import type { Attachment, Rejection } from "./resolved-targets.ts";

/** The tables that targets are resolved with. */
export interface TargetContext {
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  kind(group: string | undefined, kind: string): KindFacts | undefined;
  readonly grantsIn: (namespace: string) => readonly Grant[];
  /** All objects of a kind, in one namespace or in all; in a defined order. */
  objectsOf(kind: KindId, namespace: string | undefined): Iterable<KubeObject>;
  /** True for a Namespace or GatewayClass that objects name and no document defines. */
  isImplied(ref: ObjectRef): boolean;
  /** The Namespaces that objects are in and no document defines, in order. */
  impliedNamespaces(): readonly string[];
  /** The objects that name a policy, or may name it, in a defined order. */
  namersOf(policy: ObjectId): readonly KubeObject[];
  /** True if an object that is not found does not exist. */
  isKnownAbsent(ref: ObjectRef): boolean;
  readonly sections: SectionIndex;
}

export interface Resolution {
  readonly policy: Policy;
  readonly definition: PolicyDefinition;
  readonly context: TargetContext;
  readonly attachments: Attachment[];
  /** The targets of `attachments`. Undefined until there is a second one: most policies have one target. */
  attached: Set<TargetId> | undefined;
  readonly rejections: Rejection[];
  readonly named: ObjectId[];
  readonly grantsOf: string[];
  readonly selects: KindId[];
}

/** A target whose kind and namespace are known. */
export interface LocatedTarget {
  readonly target: PolicyTarget;
  readonly allowed: TargetKind;
  readonly scope: "Namespaced" | "Cluster";
  readonly facts: KindFacts | undefined;
  /** Empty for cluster-scoped kinds; undefined: every namespace (a selector of a cluster-scoped policy). */
  readonly namespace: string | undefined;
}

export const namespaceOf = ({ policy }: Resolution): string => policy.object.family.namespace;

export const kindOf = ({ policy }: Resolution): string => policy.object.family.kind;

export const refOf = ({ group, kind }: TargetKind, namespace: string, name: string): ObjectRef => ({
  group,
  kind,
  namespace,
  name,
});

export function reject(resolution: Resolution, field: string, code: FindingCode, message: string): void {
  resolution.rejections.push({ field, code, message });
}

/** A search for a similar name has a cost, and a policy with a thousand wrong targets did not mistype each of them. */
const MAX_SUGGESTIONS = 20;
export const maySuggest = ({ rejections }: Resolution): boolean => rejections.length < MAX_SUGGESTIONS;

/**
 * A target in another namespace: Forbidden, ReferenceGrant or Consumer
 *
 * The definition decides what a policy needs to target an object in another namespace: it may not (`Forbidden`), it needs a
 * ReferenceGrant there, or it needs none and takes effect only on traffic from its own namespace (`Consumer`).
 * GEP-713, "Cross namespace references"
 */
export function mayTarget(resolution: Resolution, to: ObjectRef): boolean {
  const { policy, definition, context } = resolution;
  const from = policy.object.family;
  if (!needsGrant(from, to)) return true;
  switch (definition.targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "Consumer":
      return true;
    case "ReferenceGrant":
      if (resolution.grantsOf.at(-1) !== to.namespace) resolution.grantsOf.push(to.namespace);
      return isReferencePermitted(from, to, context.grantsIn);
  }
}

export function formatNotPermitted({ policy }: Resolution, target: ObjectRef): string {
  const { group, kind, namespace } = policy.object.family;
  return `${formatRef(target)} is in another namespace, and no ReferenceGrant in namespace '${target.namespace}' lets a ${kind} (${group}) from namespace '${namespace}' refer to it`;
}

/** Attaches the policy to the target, or rejects the target if it has no such section. `object`: undefined if the target is implied or virtual. */
export function attach(
  resolution: Resolution,
  located: LocatedTarget,
  object: KubeObject | undefined,
  ref: ObjectRef,
): void {
  const { definition, context } = resolution;
  const { field, sectionName, port } = located.target;
  const isWhole = !namesSection(located);
  if (isWhole && located.allowed.sectionRequired) {
    const nouns = located.allowed.sections.map((section) => section.toLowerCase()).join(" or a ");
    const message = `a ${kindOf(resolution)} targets a ${nouns} of a ${located.allowed.kind}, not all of it; name one in ${field}.sectionName`;
    reject(resolution, field, "SectionRequired", message);
    return;
  }
  const id = object?.id ?? objectId(ref);
  if (isWhole) return attachTo(resolution, id, ref, undefined);
  const sections =
    object === undefined
      ? []
      : findTargetSections(context.sections, definition.targeting, located, object, located.target);
  for (const { name } of sections) attachTo(resolution, id, ref, name);
  if (sections.length > 0) return;
  const suggest = maySuggest(resolution);
  const name = sectionName ?? String(port ?? "");
  const message = formatNoSection(context.sections, located, { object, ref, name, suggest });
  reject(resolution, `${field}.${sectionName === undefined ? "port" : "sectionName"}`, "SectionNotFound", message);
}

/** True if the target is a section. A port counts only in kinds that name sections by port. */
export const namesSection = ({ target: { sectionName, port }, allowed }: LocatedTarget): boolean =>
  sectionName !== undefined || (port !== undefined && allowed.byPort === true);

function attachTo(resolution: Resolution, id: ObjectId, ref: ObjectRef, sectionName: string | undefined): void {
  if (isAttached(resolution, id, sectionName)) return;
  resolution.attachments.push({
    object: id,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(isConsumer(resolution, ref) ? { consumer: trafficFrom(namespaceOf(resolution)) } : {}),
  });
}

/** Returns true if the policy is attached to the target already. If not, the caller attaches it. */
export function isAttached(resolution: Resolution, id: ObjectId, sectionName: string | undefined): boolean {
  const { attachments } = resolution;
  if (attachments.length === 0) return false;
  resolution.attached ??= new Set(attachments.map((one) => targetId(one.object, one.sectionName)));
  const known = resolution.attached.size;
  return resolution.attached.add(targetId(id, sectionName)).size === known;
}

/**
 * A consumer policy takes effect on traffic from its own namespace
 *
 * A policy in another namespace than its target is a consumer policy if its definition says `crossNamespace: Consumer`.
 * GEP-713 experimental, "Policy Attachment for Mesh"
 */
const isConsumer = (resolution: Resolution, target: ObjectRef): boolean =>
  resolution.definition.targeting.crossNamespace === "Consumer" && needsGrant(resolution.policy.object.family, target);
