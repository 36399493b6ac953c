/**
 * From the targets that a policy names to the objects and sections it is attached to. Every way of targeting of GEP-713,
 * and for each way it can fail a message of its own. One bad target does not hide the good ones.
 */
import type { KindFacts, PolicyDefinition, PolicyKind, TargetKind } from "../model/definition.ts";
import type { FindingCode } from "../model/finding-code.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { labelsOf } from "../model/labels-of.ts";
import { nearMiss } from "../model/near-miss.ts";
import type { Policy, TargetRef } from "../model/policy.ts";
import {
  displayRef,
  type KindId,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  type TargetId,
  targetId,
} from "../model/refs.ts";
import { matchesSelector } from "../topology/matches-selector.ts";
import { type Grant, isReferenceGranted } from "../topology/reference-grants.ts";
import { describeNoSection, findTargetSection } from "./find-target-section.ts";
import {
  type Attachment,
  PlainTargets,
  type Rejection,
  ResolvedAttachment,
  type ResolvedTargets,
} from "./resolved-targets.ts";

export interface TargetContext {
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  kind(group: string | undefined, kind: string): KindFacts | undefined;
  grantsIn(namespace: string): readonly Grant[];
  /** All objects of a kind, in one namespace or in all; in defined order. */
  objectsOf(kind: KindId, namespace: string | undefined): Iterable<KubeObject>;
  /** A Namespace or GatewayClass that objects name but no document defines. */
  isImplied(ref: ObjectRef): boolean;
}

/** The state of one resolution; its lists become the answer. Those that are mostly empty are made when needed. */
interface Resolution {
  readonly policy: Policy;
  readonly definition: PolicyDefinition;
  readonly context: TargetContext;
  readonly attachments: Attachment[];
  /** What is attached already; only of use from the second target on. */
  seen: Set<TargetId> | undefined;
  rejections: Rejection[] | undefined;
  readonly mentions: ObjectId[];
  grantsOf: Set<string> | undefined;
  selects: Set<KindId> | undefined;
}

const NONE: readonly never[] = [];

/** A target whose kind and namespace are settled. */
interface Settled {
  readonly target: TargetRef;
  readonly allowed: TargetKind;
  readonly scope: "Namespaced" | "Cluster";
  readonly facts: KindFacts | undefined;
  /** Empty for cluster-scoped kinds; undefined: every namespace (a cluster-scoped policy's selector). */
  readonly namespace: string | undefined;
}

export function resolveTargets(policy: Policy, definition: PolicyDefinition, context: TargetContext): ResolvedTargets {
  const resolution: Resolution = {
    policy,
    definition,
    context,
    attachments: [],
    seen: undefined,
    rejections: undefined,
    mentions: [],
    grantsOf: undefined,
    selects: undefined,
  };
  for (const target of policy.targets) resolveTarget(resolution, target);
  const { attachments, rejections, mentions, grantsOf, selects } = resolution;
  if (rejections === undefined && grantsOf === undefined && selects === undefined)
    return new PlainTargets(attachments.slice());
  return {
    attachments: attachments.slice(),
    rejections: rejections ?? NONE,
    // Whoever names its targets, and gets all of them, names what it is attached to.
    alsoNamed: rejections === undefined && selects === undefined ? NONE : [...new Set(mentions)],
    grantsOf: grantsOf === undefined ? NONE : [...grantsOf],
    selects: selects === undefined ? NONE : [...selects],
  };
}

function resolveTarget(resolution: Resolution, target: TargetRef): void {
  const settled = settleKind(resolution, target);
  if (settled === undefined) return;
  if (target.sectionName !== undefined && settled.allowed.sections.length === 0) {
    reject(
      resolution,
      `${target.field}.sectionName`,
      "SectionNotAllowed",
      `${kindName(resolution)} cannot target a section of a ${settled.allowed.kind}; leave out sectionName`,
    );
  } else if (target.selector === undefined) {
    resolveByName(resolution, settled, target.name ?? "");
  } else {
    resolveBySelector(resolution, settled);
  }
}

function settleKind(resolution: Resolution, target: TargetRef): Settled | undefined {
  const { definition, policy, context } = resolution;
  const own = definition.policies[policy.kindIndex] ?? definition.policies[0];
  const usable = usableKinds(definition, own);
  const allowed = findAllowed(usable, target);
  if (allowed === undefined) {
    const kinds = usable.map(({ kind }) => kind).join(", ");
    const near = nearMiss(
      target.kind,
      usable.map(({ kind }) => kind),
    );
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    const written =
      target.group === undefined || target.group === "" ? target.kind : `${target.kind} (${target.group})`;
    reject(
      resolution,
      `${target.field}.kind`,
      "KindNotAllowed",
      `${kindName(resolution)} cannot target a ${written}; it can target: ${kinds}${hint}`,
    );
    return undefined;
  }
  const facts = context.kind(allowed.group, allowed.kind);
  const scope = allowed.virtual ? "Namespaced" : (facts?.scope ?? "Namespaced");
  return settleNamespace(resolution, { target, allowed, scope, facts }, own.scope);
}

function usableKinds({ targeting }: PolicyDefinition, own: PolicyKind): readonly TargetKind[] {
  const { kinds } = targeting;
  const isUsable = ({ policies }: TargetKind): boolean => policies.length === 0 || policies.includes(own.kind);
  return kinds.every(isUsable) ? kinds : kinds.filter(isUsable);
}

function findAllowed(usable: readonly TargetKind[], { kind, group }: TargetRef): TargetKind | undefined {
  // Mostly spelled as it should be.
  for (const allowed of usable) if (allowed.kind === kind && allowed.group === group) return allowed;
  const sameKind = usable.filter((allowed) => allowed.kind.toLowerCase() === kind.toLowerCase());
  if (group !== undefined) return sameKind.find((allowed) => allowed.group === group);
  return sameKind.length === 1 ? sameKind[0] : undefined;
}

/** DESIGN: a namespaced policy may target the Namespace it lives in, and no other cluster-scoped object. */
function settleNamespace(
  resolution: Resolution,
  partial: Omit<Settled, "namespace">,
  policyScope: "Namespaced" | "Cluster",
): Settled | undefined {
  const { target, allowed, scope } = partial;
  const home = resolution.policy.object.ref.namespace;
  if (scope === "Cluster") {
    const isOwnNamespace = isNamespace(allowed) && (target.selector !== undefined || target.name === home);
    if (policyScope === "Cluster" || isOwnNamespace) return inNamespace(partial, "");
    const why = isNamespace(allowed)
      ? `a namespaced policy can target only the Namespace it lives in, '${home}', not '${target.name ?? ""}'`
      : `${allowed.kind} is cluster-scoped, so only a cluster-scoped policy can target it`;
    reject(resolution, target.field, "ScopeNotAllowed", why);
    return undefined;
  }
  if (policyScope === "Cluster") {
    if (target.namespace === undefined && target.selector === undefined) {
      reject(
        resolution,
        `${target.field}.namespace`,
        "NamespaceMissing",
        `a cluster-scoped policy must say in which namespace the ${allowed.kind} '${target.name ?? ""}' is`,
      );
      return undefined;
    }
    return inNamespace(partial, target.namespace);
  }
  const namespace = target.namespace ?? home;
  if (namespace !== home && resolution.definition.targeting.crossNamespace === "Forbidden") {
    reject(
      resolution,
      `${target.field}.namespace`,
      "CrossNamespaceForbidden",
      `${kindName(resolution)} cannot target objects in another namespace ('${namespace}'); put the policy into that namespace`,
    );
    return undefined;
  }
  return inNamespace(partial, namespace);
}

const inNamespace = (
  { target, allowed, scope, facts }: Omit<Settled, "namespace">,
  namespace: string | undefined,
): Settled => ({ target, allowed, scope, facts, namespace });

const isNamespace = ({ group, kind }: TargetKind): boolean => group === "" && kind === "Namespace";

function resolveByName(resolution: Resolution, settled: Settled, name: string): void {
  const { context } = resolution;
  const { allowed, target } = settled;
  const namespace = settled.namespace ?? "";
  const object = context.find(kindIdOf(allowed), namespace, name);
  // Its own words for the same, where it is there: they are kept.
  const ref: ObjectRef = object?.ref ?? { group: allowed.group, kind: allowed.kind, namespace, name };
  resolution.mentions.push(object?.id ?? objectId(ref));
  if (object === undefined && !allowed.virtual && !context.isImplied(ref)) {
    const where = settled.scope === "Cluster" ? "" : ` in namespace '${ref.namespace}'`;
    resolution.rejections ??= [];
    resolution.rejections.push({
      field: `${target.field}.name`,
      code: "TargetNotFound",
      message: `no ${allowed.kind} '${name}'${where}`,
      missing: { kind: kindId(allowed), namespace: ref.namespace, name },
    });
    return;
  }
  if (!isPermitted(resolution, settled, ref)) {
    const { group, kind } = resolution.policy.object.ref;
    reject(
      resolution,
      target.field,
      "ReferenceNotPermitted",
      `${displayRef(ref)} is in another namespace, and no ReferenceGrant in namespace '${ref.namespace}' lets a ${kind} (${group}) from namespace '${resolution.policy.object.ref.namespace}' refer to it`,
    );
    return;
  }
  attach(resolution, settled, object, ref);
}

// Definitions are immutable, so what is read off them can be kept as long as they live.
const kindIds = new WeakMap<TargetKind, KindId>();

function kindIdOf(allowed: TargetKind): KindId {
  const known = kindIds.get(allowed);
  if (known !== undefined) return known;
  const id = kindId(allowed);
  kindIds.set(allowed, id);
  return id;
}

function isPermitted(resolution: Resolution, settled: Settled, ref: ObjectRef): boolean {
  const { policy, definition, context } = resolution;
  const from = policy.object.ref;
  if (settled.scope === "Cluster" || from.namespace === "" || ref.namespace === from.namespace) return true;
  switch (definition.targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "Consumer":
      return true;
    case "ReferenceGrant":
      resolution.grantsOf = (resolution.grantsOf ?? new Set()).add(ref.namespace);
      return isReferenceGranted(context.grantsIn(ref.namespace), from, ref);
  }
}

/** GEP-713, "Label selectors". */
function resolveBySelector(resolution: Resolution, settled: Settled): void {
  const { context, policy } = resolution;
  const { target, allowed } = settled;
  const selector = target.selector;
  if (selector === undefined) return;
  resolution.selects = (resolution.selects ?? new Set()).add(kindId(allowed));
  const home = policy.object.ref.namespace;
  const before = resolution.attachments.length;
  const rejectedBefore = resolution.rejections?.length ?? 0;
  const namespace = settled.scope === "Cluster" ? "" : settled.namespace;
  for (const object of context.objectsOf(kindId(allowed), namespace)) {
    if (!matchesSelector(selector, labelsOf(object))) continue;
    if (isNamespace(allowed) && home !== "" && object.ref.name !== home) continue;
    if (!isPermitted(resolution, settled, object.ref)) continue;
    if (
      target.sectionName !== undefined &&
      findTargetSection(resolution.definition.targeting, settled, object, target.sectionName) === undefined
    )
      continue;
    attach(resolution, settled, object, object.ref);
  }
  if (resolution.attachments.length > before || (resolution.rejections?.length ?? 0) > rejectedBefore) return;
  const where = namespace === undefined || settled.scope === "Cluster" ? "" : ` in namespace '${namespace}'`;
  reject(
    resolution,
    `${target.field}.selector`,
    "SelectorMatchesNothing",
    `the selector matches no ${allowed.kind}${where}`,
  );
}

function attach(resolution: Resolution, settled: Settled, object: KubeObject | undefined, ref: ObjectRef): void {
  const { target } = settled;
  const home = resolution.policy.object.ref.namespace;
  const isConsumer =
    settled.scope === "Namespaced" &&
    home !== "" &&
    ref.namespace !== home &&
    resolution.definition.targeting.crossNamespace === "Consumer";
  let sectionName: string | undefined;
  if (target.sectionName !== undefined) {
    const section =
      object === undefined
        ? undefined
        : findTargetSection(resolution.definition.targeting, settled, object, target.sectionName);
    if (section === undefined) {
      reject(
        resolution,
        `${target.field}.sectionName`,
        "SectionNotFound",
        describeNoSection(settled, object, ref, target.sectionName),
      );
      return;
    }
    sectionName = section.name;
  }
  const id = object?.id ?? objectId(ref);
  if (isSeen(resolution, targetId(id, sectionName))) return;
  const attachment = new ResolvedAttachment(id);
  if (sectionName !== undefined) attachment.sectionName = sectionName;
  if (isConsumer) attachment.consumer = home;
  resolution.attachments.push(attachment);
}

function isSeen(resolution: Resolution, target: TargetId): boolean {
  const { attachments } = resolution;
  if (attachments.length === 0) return false;
  resolution.seen ??= new Set(attachments.map(({ object, sectionName }) => targetId(object, sectionName)));
  if (resolution.seen.has(target)) return true;
  resolution.seen.add(target);
  return false;
}

const kindName = ({ policy }: Resolution): string => policy.object.ref.kind;

function reject(resolution: Resolution, field: string, code: FindingCode, message: string): void {
  resolution.rejections ??= [];
  resolution.rejections.push({ field, code, message });
}
