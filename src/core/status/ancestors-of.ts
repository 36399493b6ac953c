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
import type { PartsFinder } from "./parts-finder.ts";
import type { AncestorRef, Condition, StatusOptions } from "./status-report.ts";

export interface Ancestor {
  readonly ref: AncestorRef;
  readonly conditions: readonly Condition[];
}

/**
 * Where a policy is judged: each Gateway (mesh: parent Service) on its paths, or the GatewayClass or Namespace that it
 * targets; without a path its targets. Then each target that it is refused or has lost to another policy.
 */
export function ancestorsOf(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  options: StatusOptions,
  parts: PartsFinder,
): readonly Ancestor[] {
  const verdict = verdictOf(world, record);
  const ancestors = new AncestorList();
  const lost = lostTargets(world, record);
  switch (verdict.state) {
    case "NotAccepted":
      if (verdict.reason === "Invalid")
        for (const target of writtenTargets(record))
          ancestors.refuse(writtenRef(world, record, target), "Invalid", verdict.message);
      break;
    case "Accepted":
      for (const { ref, condition } of acceptedAt(world, id, record, verdict, { options, lost, parts }))
        ancestors.accept(ref, condition);
      break;
  }
  for (const { ref, message } of lost.values()) ancestors.refuse(ref, "Conflicted", message);
  addRefused(world, record, ancestors);
  // A selector that matches nothing, a target without a name: the place where the policy looked is its namespace.
  if (ancestors.isEmpty && verdict.state === "NotAccepted")
    ancestors.refuse(namespaceRef(record.object.ref), verdict.reason, verdict.message);
  return ancestors.toList(record.object);
}

interface Draft {
  readonly ref: AncestorRef;
  /** What the policy achieves there; undefined: it is not accepted. */
  readonly enforced: Condition | undefined;
  /** What it is refused or has lost there, and the reason of each. */
  readonly refusals: Map<string, NotAcceptedReason>;
}

/**
 * Gateway API, PolicyAncestorStatus: one entry per reference and controller. What the policy achieves there is added first;
 * a target that it does not get is told in the same entry where it has the same reference.
 */
class AncestorList {
  readonly #drafts: Map<string, Draft> = new Map();

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  accept(ref: AncestorRef, enforced: Condition): void {
    this.#drafts.set(keyOf(ref), { ref, enforced, refusals: new Map() });
  }

  /** `ref`: undefined for what has no name. */
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

interface Judging {
  readonly options: StatusOptions;
  readonly lost: ReadonlyMap<TargetId, LostTarget>;
  readonly parts: PartsFinder;
}

function acceptedAt(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  verdict: Accepted,
  { options: { acknowledged }, lost, parts }: Judging,
): readonly { readonly ref: AncestorRef; readonly condition: Condition }[] {
  const { object, kind, targets } = record;
  const { class: policyClass, status } = kind.definition;
  const isAcknowledged = (ancestor: ObjectId): boolean => acknowledged === undefined || acknowledged(ancestor, id);
  const judgedAt = ({ ancestor, enforcement: state, tally }: AncestorVerdict): Condition => {
    const inPart = state === "PartiallyEnforced" ? parts.find(kind, id, { ancestor, tally }) : undefined;
    const judged = enforcement(object, status.vocabulary, state, tally, inPart);
    const isWaiting = judged.status === "True" && !isAcknowledged(ancestor);
    return isWaiting ? reconciling(object, status.vocabulary, ancestor) : judged;
  };
  if (verdict.enforcement === "NoPath") {
    const condition = enforcement(object, status.vocabulary, "NoPath", verdict.total);
    const kept = targets.attachments.filter((attachment) => !lost.has(targetOf(attachment)));
    return kept.map(({ ref, sectionName }) => ({ ref: ancestorRef(ref, sectionName), condition }));
  }
  if (policyClass === "Direct")
    return targetVerdicts(world, id, record, verdict.ancestors).map((at) => ({
      ref: ancestorRef(parseObjectId(at.ancestor), at.sectionName),
      condition: judgedAt(at),
    }));
  return verdict.ancestors.map((at) => ({ ref: ancestorRef(parseObjectId(at.ancestor)), condition: judgedAt(at) }));
}

interface LostTarget {
  readonly ref: AncestorRef;
  readonly message: string;
}

const targetOf = ({ object, sectionName }: Attachment): TargetId => targetId(object, sectionName);

/** The targets on which the policy is Conflicted. */
function lostTargets(world: World, record: PolicyRecord): ReadonlyMap<TargetId, LostTarget> {
  const lost = new Map<TargetId, LostTarget>();
  for (const attachment of record.targets.attachments) {
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) continue;
    const { ref, sectionName } = attachment;
    lost.set(targetOf(attachment), { ref: ancestorRef(ref, sectionName), message: conflict.message });
  }
  return lost;
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

/** The targets of a policy that cannot be used otherwise, as far as they can be read. */
function writtenTargets({ object, kind }: PolicyRecord): readonly TargetRef[] {
  const spec = ownValue(object.raw, "spec");
  return isJsonObject(spec) ? parseTargets(spec, kind.definition.targeting, () => {}) : [];
}

/** A target that may not exist, as the policy means it; undefined: it has no name. */
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
