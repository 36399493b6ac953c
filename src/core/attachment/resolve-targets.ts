/**
 * From the targets that a policy names to the objects and sections it is attached to. Every way of targeting of GEP-713,
 * and for each way it can fail a message of its own. One bad target does not hide the good ones.
 */
import type { KindFacts, PolicyDefinition, TargetKind } from "../model/definition.ts";
import type { FindingCode } from "../model/finding-code.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { labelsOf, namespaceLabelsOf } from "../model/labels-of.ts";
import type { LabelSelector, Policy, TargetRef } from "../model/policy.ts";
import {
  displayRef,
  isPlainName,
  type KindId,
  kindId,
  MAX_NAME_LENGTH,
  type ObjectId,
  type ObjectRef,
  objectId,
  type TargetId,
  targetId,
} from "../model/refs.ts";
import { trafficFrom } from "../model/traffic.ts";
import { matchesSelector } from "../topology/matches-selector.ts";
import { type Grant, isReferenceGranted } from "../topology/reference-grants.ts";
import { describeNoSection, findTargetSection } from "./find-target-section.ts";
import {
  AllAttached,
  type Attachment,
  idOfTarget,
  LoneTarget,
  type Rejection,
  ResolvedAttachment,
  type ResolvedTargets,
} from "./resolved-targets.ts";
import { describeKindNotAllowed, findAllowed, kindIdOf, usableKinds } from "./target-kinds.ts";

export interface TargetContext {
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  kind(group: string | undefined, kind: string): KindFacts | undefined;
  grantsIn(namespace: string): readonly Grant[];
  /** All objects of a kind, in one namespace or in all; in defined order. */
  objectsOf(kind: KindId, namespace: string | undefined): Iterable<KubeObject>;
  /** A Namespace or GatewayClass that objects name but no document defines. */
  isImplied(ref: ObjectRef): boolean;
  /** The Namespaces of those, in order. */
  impliedNamespaces(): readonly string[];
  /** Told of each, for whoever fills tables. `target`: undefined where it is implied, or virtual. */
  noteAttachment?(policy: Policy, target: KubeObject | undefined, attachment: Attachment): void;
}

/** The state of one resolution; its lists become the answer, and are made when needed: most policies have one target. */
interface Resolution {
  readonly policy: Policy;
  readonly definition: PolicyDefinition;
  readonly context: TargetContext;
  attachments: ResolvedAttachment[] | undefined;
  /** What is attached already; only of use from the second target on. */
  seen: Set<TargetId> | undefined;
  rejections: Rejection[] | undefined;
  /** What is named, there or not. */
  mentions: (KubeObject | ObjectId)[] | undefined;
  grantsOf: Set<string> | undefined;
  selects: Set<KindId> | undefined;
}

const NONE: readonly never[] = [];

/** A target whose kind and namespace are settled; of the namespace last. */
interface Settled {
  readonly target: TargetRef;
  readonly allowed: TargetKind;
  readonly scope: "Namespaced" | "Cluster";
  readonly facts: KindFacts | undefined;
  /** Empty for cluster-scoped kinds; undefined: every namespace (a cluster-scoped policy's selector). */
  namespace: string | undefined;
}

/** `targets`: those of the policy, where they are at hand. */
export function resolveTargets(
  policy: Policy,
  definition: PolicyDefinition,
  context: TargetContext,
  targets: readonly TargetRef[] = policy.targets,
): ResolvedTargets {
  const resolution: Resolution = {
    policy,
    definition,
    context,
    attachments: undefined,
    seen: undefined,
    rejections: undefined,
    mentions: undefined,
    grantsOf: undefined,
    selects: undefined,
  };
  for (const target of targets) resolveTarget(resolution, target);
  const { rejections, mentions, grantsOf, selects } = resolution;
  const isPlain = rejections === undefined && grantsOf === undefined && selects === undefined;
  const lone = isPlain ? loneTarget(resolution) : undefined;
  if (lone !== undefined) return new LoneTarget(lone);
  // A list that grew has room to spare, and this one is kept.
  const attachments = resolution.attachments?.slice() ?? NONE;
  if (isPlain) return new AllAttached(attachments);
  return {
    attachments,
    rejections: rejections ?? NONE,
    // Whoever names its targets, and gets all of them, names what it is attached to.
    alsoNamed: rejections === undefined && selects === undefined ? NONE : [...new Set(mentions?.map(idOfTarget))],
    grantsOf: grantsOf === undefined ? NONE : [...grantsOf],
    selects: selects === undefined ? NONE : [...selects],
  };
}

/** By far the most common: one object, whole, for everybody. */
function loneTarget({ attachments }: Resolution): KubeObject | undefined {
  const [only] = attachments ?? NONE;
  if (only === undefined || attachments?.length !== 1 || typeof only.target === "string") return undefined;
  return only.sectionName === undefined && only.consumer === undefined ? only.target : undefined;
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
  const allowed = findAllowed(usableKinds(definition, own), target);
  if (allowed === undefined) {
    const { field, message } = describeKindNotAllowed(kindName(resolution), target, usableKinds(definition, own));
    reject(resolution, field, "KindNotAllowed", message);
    return undefined;
  }
  const facts = context.kind(allowed.group, allowed.kind);
  const scope = allowed.virtual ? "Namespaced" : (facts?.scope ?? "Namespaced");
  const settled: Settled = { target, allowed, scope, facts, namespace: undefined };
  return settleNamespace(resolution, settled, own.scope) ? settled : undefined;
}

/** DESIGN: a namespaced policy may target the Namespace it lives in, and no other cluster-scoped object. False: it may not. */
function settleNamespace(resolution: Resolution, settled: Settled, policyScope: "Namespaced" | "Cluster"): boolean {
  const { target, allowed, scope } = settled;
  const home = resolution.policy.object.family.namespace;
  if (scope === "Cluster") {
    settled.namespace = "";
    const isOwnNamespace = isNamespace(allowed) && (target.selector !== undefined || target.name === home);
    if (policyScope === "Cluster" || isOwnNamespace) return true;
    const why = isNamespace(allowed)
      ? `a namespaced policy can target only the Namespace it lives in, '${home}', not '${target.name ?? ""}'`
      : `${allowed.kind} is cluster-scoped, so only a cluster-scoped policy can target it`;
    reject(resolution, target.field, "ScopeNotAllowed", why);
    return false;
  }
  if (policyScope === "Cluster") {
    settled.namespace = target.namespace;
    if (target.namespace !== undefined || target.selector !== undefined) return true;
    reject(
      resolution,
      `${target.field}.namespace`,
      "NamespaceMissing",
      `a cluster-scoped policy must say in which namespace the ${allowed.kind} '${target.name ?? ""}' is`,
    );
    return false;
  }
  const namespace = target.namespace ?? home;
  settled.namespace = namespace;
  if (namespace === home || resolution.definition.targeting.crossNamespace !== "Forbidden") return true;
  reject(
    resolution,
    `${target.field}.namespace`,
    "CrossNamespaceForbidden",
    `${kindName(resolution)} cannot target objects in another namespace ('${namespace}'); put the policy into that namespace`,
  );
  return false;
}

const isNamespace = ({ group, kind }: TargetKind): boolean => group === "" && kind === "Namespace";

function resolveByName(resolution: Resolution, settled: Settled, name: string): void {
  const { context } = resolution;
  const { allowed, target } = settled;
  const namespace = settled.namespace ?? "";
  if (allowed.virtual && !hasPlainNames(resolution, target)) return;
  const object = context.find(kindIdOf(allowed), namespace, name);
  const named = object ?? objectId(refOf(allowed, namespace, name));
  if (resolution.mentions === undefined) resolution.mentions = [named];
  else resolution.mentions.push(named);
  if (object === undefined && !allowed.virtual && !context.isImplied(refOf(allowed, namespace, name))) {
    const where = settled.scope === "Cluster" ? "" : ` in namespace '${namespace}'`;
    const message = `no ${allowed.kind} '${name}'${where}`;
    const missing = { kind: kindId(allowed), namespace, name };
    resolution.rejections ??= [];
    resolution.rejections.push({
      field: `${target.field}.name`,
      code: "TargetNotFound",
      message,
      ...(mayGuess(resolution) ? { missing } : {}),
    });
    return;
  }
  if (!isPermitted(resolution, settled, namespace, name)) {
    const message = describeForbidden(resolution, refOf(allowed, namespace, name));
    reject(resolution, target.field, "ReferenceNotPermitted", message);
    return;
  }
  attach(resolution, settled, object, namespace, name);
}

/** Of what exists the name has been looked at; a virtual object has but the word of the policy. */
function hasPlainNames(resolution: Resolution, { field, name, namespace }: TargetRef): boolean {
  for (const [key, word] of Object.entries({ name, namespace })) {
    if (word === undefined || isPlainName(word)) continue;
    const message = `${field}.${key} is '${word.slice(0, 80)}'; a name has at most ${MAX_NAME_LENGTH} characters, without '/' and '#'`;
    reject(resolution, `${field}.${key}`, "InvalidTarget", message);
    return false;
  }
  return true;
}

const refOf = ({ group, kind }: TargetKind, namespace: string, name: string): ObjectRef => ({
  group,
  kind,
  namespace,
  name,
});

function isPermitted(resolution: Resolution, settled: Settled, namespace: string, name: string): boolean {
  const { policy, definition, context } = resolution;
  const { namespace: home } = policy.object.family;
  if (settled.scope === "Cluster" || home === "" || namespace === home) return true;
  switch (definition.targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "Consumer":
      return true;
    case "ReferenceGrant":
      resolution.grantsOf = (resolution.grantsOf ?? new Set()).add(namespace);
      return isReferenceGranted(
        context.grantsIn(namespace),
        policy.object.ref,
        refOf(settled.allowed, namespace, name),
      );
  }
}

/** GEP-713, "Label selectors". */
function resolveBySelector(resolution: Resolution, settled: Settled): void {
  const { context, policy } = resolution;
  const { target, allowed } = settled;
  const selector = target.selector;
  if (selector === undefined) return;
  resolution.selects = (resolution.selects ?? new Set()).add(kindId(allowed));
  const home = policy.object.family.namespace;
  const before = resolution.attachments?.length ?? 0;
  const rejectedBefore = resolution.rejections?.length ?? 0;
  const namespace = settled.scope === "Cluster" ? "" : settled.namespace;
  const passedOver: PassedOver = { forbidden: undefined, elsewhere: undefined, sectionless: undefined };
  const labelsIn = isNamespace(allowed) ? (object: KubeObject) => namespaceLabelsOf(object, object.name) : labelsOf;
  for (const object of context.objectsOf(kindId(allowed), namespace)) {
    if (!matchesSelector(selector, labelsIn(object))) continue;
    if (isNamespace(allowed) && home !== "" && object.name !== home) {
      passedOver.elsewhere ??= object;
    } else if (!isPermitted(resolution, settled, object.family.namespace, object.name)) {
      passedOver.forbidden ??= object;
    } else if (
      target.sectionName !== undefined &&
      findTargetSection(resolution.definition.targeting, settled, object, target.sectionName) === undefined
    ) {
      passedOver.sectionless ??= object;
    } else {
      attach(resolution, settled, object, object.family.namespace, object.name);
    }
  }
  if (isNamespace(allowed)) attachImplied(resolution, settled, selector);
  if ((resolution.attachments?.length ?? 0) > before || (resolution.rejections?.length ?? 0) > rejectedBefore) return;
  rejectSelector(resolution, settled, passedOver);
}

/** Of a Namespace that no document defines only one label is known: its name. */
function attachImplied(resolution: Resolution, settled: Settled, selector: LabelSelector): void {
  const home = resolution.policy.object.family.namespace;
  for (const name of resolution.context.impliedNamespaces()) {
    if (home !== "" && name !== home) continue;
    if (matchesSelector(selector, namespaceLabelsOf(undefined, name))) attach(resolution, settled, undefined, "", name);
  }
}

/** The first object of those that a selector matches and that are no targets all the same, for each reason. */
interface PassedOver {
  forbidden: KubeObject | undefined;
  elsewhere: KubeObject | undefined;
  sectionless: KubeObject | undefined;
}

/** Of what a selector matches nothing is a target: which reason comes nearest to being one. */
function rejectSelector(resolution: Resolution, settled: Settled, passedOver: PassedOver): void {
  const { target, allowed, namespace } = settled;
  const { forbidden, elsewhere, sectionless } = passedOver;
  const field = target.selectorField ?? `${target.field}.selector`;
  if (sectionless !== undefined) {
    const name = target.sectionName ?? "";
    const why = describeNoSection(settled, sectionless, sectionless.ref, name, { guess: mayGuess(resolution) });
    const message = `nothing that the selector matches has such a section: ${why}`;
    return reject(resolution, `${target.field}.sectionName`, "SectionNotFound", message);
  }
  if (forbidden !== undefined) {
    const message = `the selector matches, but ${describeForbidden(resolution, forbidden.ref)}`;
    return reject(resolution, field, "ReferenceNotPermitted", message);
  }
  if (elsewhere !== undefined) {
    const home = resolution.policy.object.family.namespace;
    const message = `the selector matches ${displayRef(elsewhere.ref)}, but a namespaced policy can target only the Namespace it lives in, '${home}'`;
    return reject(resolution, field, "ScopeNotAllowed", message);
  }
  const where = namespace === undefined || settled.scope === "Cluster" ? "" : ` in namespace '${namespace}'`;
  reject(resolution, field, "SelectorMatchesNothing", `the selector matches no ${allowed.kind}${where}`);
}

function describeForbidden({ policy }: Resolution, target: ObjectRef): string {
  const { group, kind, namespace } = policy.object.family;
  return `${displayRef(target)} is in another namespace, and no ReferenceGrant in namespace '${target.namespace}' lets a ${kind} (${group}) from namespace '${namespace}' refer to it`;
}

/** `object`: undefined where the target is implied, or virtual. */
function attach(
  resolution: Resolution,
  settled: Settled,
  object: KubeObject | undefined,
  namespace: string,
  name: string,
): void {
  const { target, allowed } = settled;
  const home = resolution.policy.object.family.namespace;
  const isConsumer =
    settled.scope === "Namespaced" &&
    home !== "" &&
    namespace !== home &&
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
        describeNoSection(settled, object, refOf(allowed, namespace, name), target.sectionName, {
          guess: mayGuess(resolution),
        }),
      );
      return;
    }
    sectionName = section.name;
  }
  const attachment = new ResolvedAttachment(object ?? objectId(refOf(allowed, namespace, name)));
  if (sectionName !== undefined) attachment.sectionName = sectionName;
  if (isConsumer) attachment.consumer = trafficFrom(home);
  if (isSeen(resolution, attachment)) return;
  if (resolution.attachments === undefined) resolution.attachments = [attachment];
  else resolution.attachments.push(attachment);
  resolution.context.noteAttachment?.(resolution.policy, object, attachment);
}

function isSeen(resolution: Resolution, attachment: Attachment): boolean {
  const { attachments } = resolution;
  if (attachments === undefined) return false;
  const target = targetId(attachment.object, attachment.sectionName);
  resolution.seen ??= new Set(attachments.map((one) => targetId(one.object, one.sectionName)));
  if (resolution.seen.has(target)) return true;
  resolution.seen.add(target);
  return false;
}

/** Whoever names a thousand targets in vain did not mistype each of them, and a guess costs a search. */
const MOST_GUESSES = 20;
const mayGuess = ({ rejections }: Resolution): boolean => (rejections?.length ?? 0) < MOST_GUESSES;

const kindName = ({ policy }: Resolution): string => policy.object.family.kind;

function reject(resolution: Resolution, field: string, code: FindingCode, message: string): void {
  resolution.rejections ??= [];
  resolution.rejections.push({ field, code, message });
}
