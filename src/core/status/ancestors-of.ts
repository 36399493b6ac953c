import type { Attachment } from "../attachment/resolved-targets.ts";
import { gatewaysAbove } from "../effective/paths/gateways-above.ts";
import { type Accepted, countedVerdict, verdictAmong } from "../effective/verdicts/counted-verdict.ts";
import { findConflict } from "../effective/verdicts/find-conflict.ts";
import { isAbsentElsewhere } from "../effective/verdicts/find-undecided.ts";
import { formatRejection } from "../effective/verdicts/format-rejection.ts";
import { joinMessages } from "../effective/verdicts/join-messages.ts";
import { targetsWithPathsElsewhere } from "../effective/verdicts/paths-elsewhere.ts";
import { type TargetVerdict, targetVerdicts } from "../effective/verdicts/target-verdicts.ts";
import type { AncestorVerdict, NotAcceptedReason } from "../effective/verdicts/verdict.ts";
import { foreignController, isGateway } from "../effective/world/gateway-controllers.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import type { Ancestors } from "../model/definition/status-rules.ts";
import type { PolicyDefinition } from "../model/definition.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import { parseTargets } from "../model/parse/policy/parse-targets.ts";
import type { PolicyTarget } from "../model/policy.ts";
import {
  compareText,
  isPlainName,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseObjectId,
  type TargetId,
  targetId,
} from "../model/refs.ts";
import {
  acceptanceUnknown,
  accepted,
  enforcement,
  INCOMPLETE,
  NOT_DEFINED,
  noPath,
  notAccepted,
  pathsUnknown,
  reconciling,
  resolvedRefs,
  UNDEFINED,
  undecided,
} from "./conditions.ts";
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
 * targets; without a path its targets. A definition may choose the targets instead, which is the default for Direct kinds. A
 * target that is refused or Conflicted has an entry of its own.
 * GEP-713, "Status needs to be namespaced by implementation"
 */
export function ancestorsOf(
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  options: StatusOptions,
  parts: PartialEnforcementFinder,
): readonly Ancestor[] {
  const verdict = countedVerdict(world, record);
  const ancestors = new AncestorList(hasAncestors(record) ? "Ancestors" : "Policy");
  const conflicted = conflictedTargets(world, record);
  switch (verdict.state) {
    case "NotAccepted":
      for (const ref of refusedAsAWhole(world, record, verdict.reason, conflicted))
        ancestors.refuse(ref, verdict.reason, verdict.message);
      break;
    case "Accepted":
      for (const { ref, condition } of acceptedAt(world, id, record, verdict, { options, conflicted, parts }))
        ancestors.accept(ref, condition);
      break;
  }
  for (const { refs, message, reason } of conflicted.values())
    for (const ref of refs) ancestors.refuse(ref, reason, message);
  addRefused(world, record, ancestors);
  // A policy without any named target, such as one with a selector that matches nothing, has its Namespace as ancestor.
  if (ancestors.isEmpty && verdict.state === "NotAccepted")
    ancestors.refuse(
      hasAncestors(record) ? namespaceRef(record.object.ref) : ancestorRef(record.object.ref),
      verdict.reason,
      verdict.message,
    );
  return ancestors.toList(record);
}

const hasAncestors = ({ kind: { definition } }: PolicyRecord): boolean => definition.status.ancestors !== "None";

/**
 * Conditions without ancestors
 *
 * A kind whose status has no ancestors has the same conditions about the policy as a whole: what takes effect is counted over all its paths, and the
 * message of Accepted names the targets that it is not attached to.
 * GEP-713, "Meta resource status"
 */
export const conditionsOf = (
  world: World,
  id: PolicyId,
  record: PolicyRecord,
  options: StatusOptions,
  parts: PartialEnforcementFinder,
): readonly Condition[] | undefined =>
  hasAncestors(record) ? undefined : (ancestorsOf(world, id, record, options, parts)[0]?.conditions ?? []);

/** The ancestors of a policy that is not accepted at any target, for a reason that is about the policy itself. */
function refusedAsAWhole(
  world: World,
  record: PolicyRecord,
  reason: NotAcceptedReason,
  conflicted: StatusContext["conflicted"],
): readonly (AncestorRef | undefined)[] {
  if (reason === "Invalid" && record.policy === undefined)
    return writtenTargets(record).flatMap((target) => writtenRefs(world, record, target));
  if (reason !== record.references.noneValid?.reason) return [];
  return record.targets.attachments
    .filter((attachment) => !conflicted.has(targetOf(attachment)))
    .flatMap((attachment) => ancestorsAt(world, record, attachment));
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
 * reported in the entry of an accepted one if both have the same reference. `Policy`: one entry for all.
 */
class AncestorList {
  readonly #drafts: Map<string, Draft> = new Map();
  readonly #about: "Ancestors" | "Policy";

  constructor(about: "Ancestors" | "Policy") {
    this.#about = about;
  }

  #keyOf(ref: AncestorRef): string {
    return this.#about === "Policy" ? "" : keyOf(ref);
  }

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  accept(ref: AncestorRef, enforced: Condition): void {
    const key = this.#keyOf(ref);
    if (this.#about === "Ancestors" || !this.#drafts.has(key))
      this.#drafts.set(key, { ref, enforced, refusals: new Map() });
  }

  /** `ref`: undefined for a target without a name. */
  refuse(ref: AncestorRef | undefined, reason: NotAcceptedReason, message: string): void {
    if (ref === undefined) return;
    const key = this.#keyOf(ref);
    const draft = this.#drafts.get(key) ?? { ref, enforced: undefined, refusals: new Map() };
    this.#drafts.set(key, draft);
    if (!draft.refusals.has(message)) draft.refusals.set(message, reason);
  }

  toList(record: PolicyRecord): readonly Ancestor[] {
    const { object, references } = record;
    const resolved = resolvedRefs(record);
    return [...this.#drafts.values()].map(({ ref, enforced, refusals }) => {
      const message = joinMessages([...refusals.keys()]);
      const [reason] = [...refusals.values()].sort((a, b) => Number(isUnknown(a)) - Number(isUnknown(b)));
      if (enforced !== undefined) return { ref, conditions: [accepted(object, message), enforced, ...resolved] };
      if (reason === undefined) return { ref, conditions: [] };
      const refused = isUnknown(reason)
        ? acceptanceUnknown(object, reason, message)
        : notAccepted(object, reason, message);
      return { ref, conditions: reason === references.noneValid?.reason ? [refused, ...resolved] : [refused] };
    });
  }
}

/** True if the reason says that acceptance is not known. */
const isUnknown = (reason: NotAcceptedReason): boolean => reason === INCOMPLETE || reason === UNDEFINED;

const keyOf = ({ group, kind, namespace, name, sectionName }: AncestorRef): string =>
  JSON.stringify([group, kind, namespace, name, sectionName]);

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
  const { definition } = kind;
  const { status } = definition;
  const isAcknowledged = (ancestor: ObjectId): boolean => acknowledged === undefined || acknowledged(ancestor, id);
  const conditionAt = ({ ancestor, enforcement: state, tally }: AncestorVerdict): Condition => {
    const inPart = state === "PartiallyEnforced" ? parts.find(kind, id, { ancestor, tally }) : undefined;
    if (record.references.isUndecided && state !== "Overridden") return undecided(record, status.vocabulary);
    const notKnown = definition.merge.sameTarget === "Undefined" ? NOT_DEFINED : undefined;
    const computed = enforcement(object, status.vocabulary, state, tally, inPart, notKnown);
    const isWaiting = computed.status === "True" && !isAcknowledged(ancestor);
    return isWaiting ? reconciling(object, status.vocabulary, ancestor) : computed;
  };
  const own = targets.attachments.filter((attachment) => !conflicted.has(targetOf(attachment)));
  if (verdict.enforcement === "NoPath") {
    // Behind a Gateway of another controller nothing is ours to report: entries are namespaced by controller.
    const unenforced = world.findUnenforced().get(id)?.targets;
    const kept = own.filter((attachment) => unenforced?.has(attachment.object) !== true);
    const elsewhere = new Set(targetsWithPathsElsewhere(world, record));
    return kept.flatMap((one) => {
      const condition = elsewhere.has(one.object)
        ? pathsUnknown(object, status.vocabulary)
        : noPath(object, status.vocabulary, notLinked(world, one.object));
      return ancestorsAt(world, record, one).map((ref) => ({ ref, condition }));
    });
  }
  if (!hasAncestors(record)) {
    const ofPart = verdict.ancestors.find((one) => one.enforcement === "PartiallyEnforced")?.ancestor ?? object.id;
    return [{ ref: ancestorRef(object.ref), condition: conditionAt({ ...whole(verdict), ancestor: ofPart }) }];
  }
  if (ancestorsIn(definition) === "Target") {
    const verdicts =
      definition.class === "Direct"
        ? targetVerdicts(world, record, own, verdict.ancestors)
        : own.map(({ object: ancestor, sectionName }) => ({ ...whole(verdict), ancestor, sectionName }));
    return verdicts.map((at) => ({
      ref: ancestorRef(parseObjectId(at.ancestor), at.sectionName),
      condition: conditionAt(at),
    }));
  }
  if (definition.class === "Direct")
    return [...gatewayVerdicts(world, record, own), ...unservedVerdicts(world, record, own, verdict)].map((at) => ({
      ref: ancestorRef(parseObjectId(at.ancestor), at.sectionName),
      condition: conditionAt(at),
    }));
  return verdict.ancestors.flatMap((at) =>
    ancestorRefs(world, at).map((ref) => ({ ref: ancestorRef(ref), condition: conditionAt(at) })),
  );
}

const whole = ({ enforcement: state, total }: Accepted): Pick<AncestorVerdict, "enforcement" | "tally"> => ({
  enforcement: state,
  tally: total,
});

/** The verdict of a policy of a Direct kind behind each Gateway that uses one of its targets. */
function gatewayVerdicts(
  world: World,
  { object, kind: { definition } }: PolicyRecord,
  attachments: readonly Attachment[],
): readonly TargetVerdict[] {
  const behind = new Map<ObjectId, Set<ObjectId>>();
  for (const attachment of attachments) {
    const above = gatewaysAbove(world, attachment);
    // Entries are namespaced by controller.
    const isOurs = (id: ObjectId): boolean =>
      !isGateway(parseObjectId(id)) || foreignController(world, definition, world.objects.get(id)?.raw) === undefined;
    for (const ancestor of above.filter(isOurs))
      behind.set(ancestor, (behind.get(ancestor) ?? new Set()).add(attachment.object));
  }
  return [...behind]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([ancestor, objects]) => {
      const verdict = verdictAmong(world, object.id as PolicyId, objects);
      return verdict === undefined ? [] : [{ ancestor, sectionName: undefined, ...verdict }];
    });
}

/** The verdict of a policy of a Direct kind at each of the targets that no Gateway uses. */
const unservedVerdicts = (
  world: World,
  record: PolicyRecord,
  attachments: readonly Attachment[],
  { ancestors }: Accepted,
): readonly TargetVerdict[] =>
  targetVerdicts(world, record, attachments, ancestors).filter(
    ({ ancestor: object, sectionName }) =>
      gatewaysAbove(world, sectionName === undefined ? { object } : { object, sectionName }).length === 0,
  );

/** The references of a target to its parents that give no link, and why. */
const notLinked = (world: World, target: ObjectId): readonly string[] =>
  (world.links.get(target)?.refusals ?? []).map(({ field, reason }) => `${field}: ${reason}`);

/** An incomplete path begins at an object whose parent is not in the snapshot. That parent is the ancestor, as far as its name is known. */
function ancestorRefs(world: World, { ancestor, enforcement: state }: AncestorVerdict): readonly ObjectRef[] {
  const absent = state === "Incomplete" ? (world.links.get(ancestor)?.absentParents ?? []) : [];
  return absent.length === 0 ? [parseObjectId(ancestor)] : absent;
}

interface ConflictedTarget {
  readonly refs: readonly AncestorRef[];
  readonly reason: NotAcceptedReason;
  readonly message: string;
}

const targetOf = ({ object, sectionName }: Attachment): TargetId => targetId(object, sectionName);

/** The targets on which the policy is Conflicted. */
function conflictedTargets(world: World, record: PolicyRecord): ReadonlyMap<TargetId, ConflictedTarget> {
  const conflicted = new Map<TargetId, ConflictedTarget>();
  for (const attachment of record.targets.attachments) {
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) continue;
    const reason = conflict.isUndefined ? UNDEFINED : "Conflicted";
    const refs = ancestorsAt(world, record, attachment);
    conflicted.set(targetOf(attachment), { refs, reason, message: conflict.message });
  }
  return conflicted;
}

/** The ancestors of a policy at one target: for a Direct kind with `ancestors: Gateway` the Gateways that use it, if there are any. */
function ancestorsAt(
  world: World,
  { kind: { definition } }: PolicyRecord,
  { object, sectionName }: Pick<Attachment, "object" | "sectionName">,
): readonly AncestorRef[] {
  const isDirect = definition.class === "Direct" && ancestorsIn(definition) === "Gateway";
  const above = isDirect ? gatewaysAbove(world, sectionName === undefined ? { object } : { object, sectionName }) : [];
  if (above.length === 0) return [ancestorRef(parseObjectId(object), sectionName)];
  return above.map((gateway) => ancestorRef(parseObjectId(gateway)));
}

function addRefused(world: World, record: PolicyRecord, ancestors: AncestorList): void {
  const { policy, targets } = record;
  if (policy === undefined || targets.rejections.length === 0) return;
  const byField = new Map(policy.targets.map((target) => [target.field, target]));
  for (const rejection of targets.rejections) {
    // About the target as a whole, or about one of its fields.
    const { field } = rejection;
    const reason = isAbsentElsewhere(world, rejection) ? INCOMPLETE : "TargetNotFound";
    const target = byField.get(field) ?? byField.get(field.slice(0, field.lastIndexOf(".")));
    if (target !== undefined)
      for (const ref of writtenRefs(world, record, target))
        ancestors.refuse(ref, reason, formatRejection(world, rejection));
  }
}

/** The targets of an invalid policy, as far as they can be parsed. */
function writtenTargets({ object, kind }: PolicyRecord): readonly PolicyTarget[] {
  const spec = ownValue(object.raw, "spec");
  return isJsonObject(spec) ? parseTargets(spec, kind.definition.targeting, () => {}) : [];
}

/** The ancestors at a target as the policy writes it, existing or not; none if it has no name. */
function writtenRefs(world: World, record: PolicyRecord, target: PolicyTarget): readonly AncestorRef[] {
  const { group, kind, namespace, name, sectionName } = target;
  if (kind === "" || name === undefined || name === "") return [];
  const facts = world.rulebook.findKind(group, kind);
  const ref: ObjectRef = {
    group: facts?.group ?? group ?? "",
    kind: facts?.kind ?? kind,
    namespace: facts?.scope === "Cluster" ? "" : (namespace ?? record.object.family.namespace),
    name,
  };
  const isThere = isPlainName(ref.name) && isPlainName(ref.namespace) && world.objects.has(objectId(ref));
  if (!isThere) return [ancestorRef(ref, sectionName)];
  return ancestorsAt(world, record, { object: objectId(ref), ...(sectionName === undefined ? {} : { sectionName }) });
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

/** The objects that have an entry in the status of policies of the kind. */
export const ancestorsIn = ({ class: policyClass, status }: PolicyDefinition): Ancestors =>
  status.ancestors === "Gateway" || status.ancestors === "Target"
    ? status.ancestors
    : policyClass === "Direct"
      ? "Target"
      : "Gateway";
