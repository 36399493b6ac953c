import { conflictWinner } from "../effective/conflict-winner.ts";
import { shownRejection } from "../effective/shown-rejection.ts";
import type { Verdict } from "../effective/verdict.ts";
import { verdictOf } from "../effective/verdict-of.ts";
import type { PolicyRecord, World } from "../effective/world.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import { parseTargets } from "../model/parse-targets.ts";
import type { TargetRef } from "../model/policy.ts";
import { displayRef, type ObjectId, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import { accepted, enforcement, notAccepted, reconciling } from "./conditions.ts";
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
): readonly Ancestor[] {
  const verdict = verdictOf(world, id, record);
  const ancestors = new AncestorList();
  switch (verdict.state) {
    case "NotAccepted":
      if (verdict.reason === "Invalid") {
        const conditions = [notAccepted(record.object, "Invalid", verdict.message)];
        for (const target of writtenTargets(record)) ancestors.add(writtenRef(world, record, target), conditions);
      }
      break;
    case "Accepted":
      addAccepted(id, record, verdict, options, ancestors);
      break;
  }
  addLost(world, id, record, ancestors);
  addRefused(world, record, ancestors);
  if (ancestors.all.length === 0 && verdict.state === "NotAccepted") {
    // A selector that matches nothing, a target without a name: the place where the policy looked is its namespace.
    const conditions = [notAccepted(record.object, verdict.reason, verdict.message)];
    ancestors.add(namespaceRef(record.object.ref), conditions);
  }
  return ancestors.all;
}

/** One entry per reference: what the policy achieves there is added first, and counts. */
class AncestorList {
  readonly all: Ancestor[] = [];
  readonly #seen: Set<string> = new Set();

  add(ref: AncestorRef | undefined, conditions: readonly Condition[]): void {
    if (ref === undefined) return;
    const key = JSON.stringify([ref.group, ref.kind, ref.namespace, ref.name, ref.sectionName]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.all.push({ ref, conditions });
  }
}

function addAccepted(
  id: PolicyId,
  { object, kind, targets }: PolicyRecord,
  verdict: Extract<Verdict, { readonly state: "Accepted" }>,
  { acknowledged }: StatusOptions,
  ancestors: AncestorList,
): void {
  const { vocabulary } = kind.definition.status;
  const isAcknowledged = (ancestor: ObjectId): boolean => acknowledged === undefined || acknowledged(ancestor, id);
  for (const { ancestor, enforcement: state, tally } of verdict.ancestors) {
    const judged = enforcement(object, vocabulary, state, tally);
    const isWaiting = judged.status === "True" && !isAcknowledged(ancestor);
    ancestors.add(ancestorRef(parseObjectId(ancestor)), [
      accepted(object),
      isWaiting ? reconciling(object, vocabulary, ancestor) : judged,
    ]);
  }
  if (verdict.enforcement !== "NoPath") return;
  for (const { ref, sectionName } of targets.attachments) {
    ancestors.add(ancestorRef(ref, sectionName), [
      accepted(object),
      enforcement(object, vocabulary, "NoPath", verdict.total),
    ]);
  }
}

/** GEP-713, None: the others are rejected on that target. */
function addLost(world: World, id: PolicyId, { kind, targets, object }: PolicyRecord, ancestors: AncestorList): void {
  if (!kind.definition.merge.none) return;
  for (const attachment of targets.attachments) {
    const winner = conflictWinner(world, kind, id, attachment);
    if (winner === undefined) continue;
    const message = `${displayRef(attachment.ref, attachment.sectionName)} already has ${displayRef(parseObjectId(winner))}, which is older or first by name; only one ${kind.policyKind.kind} can apply to it`;
    ancestors.add(ancestorRef(attachment.ref, attachment.sectionName), [notAccepted(object, "Conflicted", message)]);
  }
}

function addRefused(world: World, record: PolicyRecord, ancestors: AncestorList): void {
  const { policy, targets, object } = record;
  if (policy === undefined || targets.rejections.length === 0) return;
  for (const target of policy.targets) {
    const messages = targets.rejections
      .filter(({ field }) => field === target.field || field.startsWith(`${target.field}.`))
      .map((rejection) => shownRejection(world, rejection));
    if (messages.length === 0) continue;
    ancestors.add(writtenRef(world, record, target), [notAccepted(object, "TargetNotFound", messages.join("; "))]);
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
