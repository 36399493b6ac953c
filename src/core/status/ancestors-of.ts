import type { Attachment } from "../attachment/resolved-targets.ts";
import { findConflict } from "../effective/verdicts/find-conflict.ts";
import { formatRejection } from "../effective/verdicts/format-rejection.ts";
import { joinMessages } from "../effective/verdicts/join-messages.ts";
import { targetVerdicts } from "../effective/verdicts/target-verdicts.ts";
import type { AncestorVerdict, NotAcceptedReason, Verdict } from "../effective/verdicts/verdict.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseTargets } from "../model/parse/parse-targets.ts";
import type { TargetRef } from "../model/policy.ts";
import { type ObjectId, type ObjectRef, type PolicyId, parseObjectId, type TargetId, targetId } from "../model/refs.ts";
import { accepted, enforcement, notAccepted, reconciling } from "./conditions.ts";
import type { PartialEnforcementFinder } from "./partial-enforcement-finder.ts";
import type { AncestorRef, Condition, StatusOptions } from "./status-report.ts";

export interface Ancestor {
  readonly ref: AncestorRef;
  readonly conditions: readonly Condition[];
}

/**
 * One status entry for each ancestor
 *
 * The ancestors are the Gateways (mesh: parent Services) on the paths of the policy, or the GatewayClass or Namespace that it
 * targets; without a path, and for Direct kinds, its targets. A target that is refused or Conflicted has an entry of its own.
 * GEP-713, "Status needs to be namespaced by implementation"
 */
export function ancestorsOf(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  options: StatusOptions,
  parts: PartialEnforcementFinder,
): readonly Ancestor[] {
  const verdict = verdictOf(world, record);
  const ancestors = new AncestorList();
  const conflicted = conflictedTargets(world, record);
  switch (verdict.state) {
    case "NotAccepted":
      if (verdict.reason === "Invalid")
        for (const target of writtenTargets(record))
          ancestors.refuse(writtenRef(world, record, target), "Invalid", verdict.message);
      break;
    case "Accepted":
      for (const { ref, condition } of acceptedAt(world, id, record, verdict, { options, conflicted, parts }))
        ancestors.accept(ref, condition);
      break;
  }
  for (const { ref, message } of conflicted.values()) ancestors.refuse(ref, "Conflicted", message);
  addRefused(world, record, ancestors);
  // A policy without any named target, such as one with a selector that matches nothing, has its Namespace as ancestor.
  if (ancestors.isEmpty && verdict.state === "NotAccepted")
    ancestors.refuse(namespaceRef(record.object.ref), verdict.reason, verdict.message);
  return ancestors.toList(record.object);
}

interface Draft {
  readonly ref: AncestorRef;
  /** The Enforced or Programmed condition; undefined if the policy is not accepted there. */
  readonly enforced: Condition | undefined;
  /** The message and reason of each target that is refused or Conflicted. */
  readonly refusals: Map<string, NotAcceptedReason>;
}

/**
 * The entries of one policy. Gateway API allows one entry for each reference and controller, so a refused target is
 * reported in the entry of an accepted one if both have the same reference.
 */
class AncestorList {
  readonly #drafts: Map<string, Draft> = new Map();

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  accept(ref: AncestorRef, enforced: Condition): void {
    this.#drafts.set(keyOf(ref), { ref, enforced, refusals: new Map() });
  }

  /** `ref`: undefined for a target without a name. */
  refuse(ref: AncestorRef | undefined, reason: NotAcceptedReason, message: string): void {
    if (ref === undefined) return;
    const key = keyOf(ref);
    const draft = this.#drafts.get(key) ?? { ref, enforced: undefined, refusals: new Map() };
    this.#drafts.set(key, draft);
    if (!draft.refusals.has(message)) draft.refusals.set(message, reason);
  }

  toList(policy: KubeObject): readonly Ancestor[] {
    return [...this.#drafts.values()].map(({ ref, enforced, refusals }) => {
      const message = joinMessages([...refusals.keys()]);
      const [reason] = refusals.values();
      if (enforced !== undefined) return { ref, conditions: [accepted(policy, message), enforced] };
      return { ref, conditions: reason === undefined ? [] : [notAccepted(policy, reason, message)] };
    });
  }
}

const keyOf = ({ group, kind, namespace, name, sectionName }: AncestorRef): string =>
  JSON.stringify([group, kind, namespace, name, sectionName]);

type Accepted = Extract<Verdict, { readonly state: "Accepted" }>;

interface StatusContext {
  readonly options: StatusOptions;
  readonly conflicted: ReadonlyMap<TargetId, ConflictedTarget>;
  readonly parts: PartialEnforcementFinder;
}

function acceptedAt(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  verdict: Accepted,
  { options: { acknowledged }, conflicted, parts }: StatusContext,
): readonly { readonly ref: AncestorRef; readonly condition: Condition }[] {
  const { object, kind, targets } = record;
  const { class: policyClass, status } = kind.definition;
  const isAcknowledged = (ancestor: ObjectId): boolean => acknowledged === undefined || acknowledged(ancestor, id);
  const conditionAt = ({ ancestor, enforcement: state, tally }: AncestorVerdict): Condition => {
    const inPart = state === "PartiallyEnforced" ? parts.find(kind, id, { ancestor, tally }) : undefined;
    const computed = enforcement(object, status.vocabulary, state, tally, inPart);
    const isWaiting = computed.status === "True" && !isAcknowledged(ancestor);
    return isWaiting ? reconciling(object, status.vocabulary, ancestor) : computed;
  };
  if (verdict.enforcement === "NoPath") {
    const condition = enforcement(object, status.vocabulary, "NoPath", verdict.total);
    const kept = targets.attachments.filter((attachment) => !conflicted.has(targetOf(attachment)));
    return kept.map((one) => ({ ref: ancestorRef(parseObjectId(one.object), one.sectionName), condition }));
  }
  if (policyClass === "Direct")
    return targetVerdicts(world, id, record, verdict.ancestors).map((at) => ({
      ref: ancestorRef(parseObjectId(at.ancestor), at.sectionName),
      condition: conditionAt(at),
    }));
  return verdict.ancestors.map((at) => ({ ref: ancestorRef(parseObjectId(at.ancestor)), condition: conditionAt(at) }));
}

interface ConflictedTarget {
  readonly ref: AncestorRef;
  readonly message: string;
}

const targetOf = ({ object, sectionName }: Attachment): TargetId => targetId(object, sectionName);

/** The targets on which the policy is Conflicted. */
function conflictedTargets(world: World, record: PolicyRecord): ReadonlyMap<TargetId, ConflictedTarget> {
  const conflicted = new Map<TargetId, ConflictedTarget>();
  for (const attachment of record.targets.attachments) {
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) continue;
    const ref = ancestorRef(parseObjectId(attachment.object), attachment.sectionName);
    conflicted.set(targetOf(attachment), { ref, message: conflict.message });
  }
  return conflicted;
}

function addRefused(world: World, record: PolicyRecord, ancestors: AncestorList): void {
  const { policy, targets } = record;
  if (policy === undefined || targets.rejections.length === 0) return;
  const byField = new Map(policy.targets.map((target) => [target.field, target]));
  for (const rejection of targets.rejections) {
    // About the target as a whole, or about one of its fields.
    const { field } = rejection;
    const target = byField.get(field) ?? byField.get(field.slice(0, field.lastIndexOf(".")));
    if (target !== undefined)
      ancestors.refuse(writtenRef(world, record, target), "TargetNotFound", formatRejection(world, rejection));
  }
}

/** The targets of an invalid policy, as far as they can be parsed. */
function writtenTargets({ object, kind }: PolicyRecord): readonly TargetRef[] {
  const spec = ownValue(object.raw, "spec");
  return isJsonObject(spec) ? parseTargets(spec, kind.definition.targeting, () => {}) : [];
}

/** A target as the policy writes it, existing or not; undefined if it has no name. */
function writtenRef(world: World, { object }: PolicyRecord, target: TargetRef): AncestorRef | undefined {
  const { group, kind, namespace, name, sectionName } = target;
  if (kind === "" || name === undefined || name === "") return undefined;
  const facts = world.rulebook.findKind(group, kind);
  const ref: ObjectRef = {
    group: facts?.group ?? group ?? "",
    kind: facts?.kind ?? kind,
    namespace: facts?.scope === "Cluster" ? "" : (namespace ?? object.family.namespace),
    name,
  };
  return ancestorRef(ref, sectionName);
}

const ancestorRef = ({ group, kind, namespace, name }: ObjectRef, sectionName?: string): AncestorRef => ({
  group,
  kind,
  ...(namespace === "" ? {} : { namespace }),
  name,
  ...(sectionName === undefined ? {} : { sectionName }),
});

const namespaceRef = ({ namespace }: ObjectRef): AncestorRef | undefined =>
  namespace === "" ? undefined : { group: "", kind: "Namespace", name: namespace };
