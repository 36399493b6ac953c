/** Stage 3 of the next world: policies that changed are parsed again, and policies whose targets may differ are resolved again. */
import type { TargetContext } from "../../attachment/resolution.ts";
import { NO_REFERENCES, type ReferenceContext, resolveReferences } from "../../attachment/resolve-references.ts";
import { resolveTargets } from "../../attachment/resolve-targets.ts";
import { type Attachment, NO_TARGETS, type ResolvedTargets } from "../../attachment/resolved-targets.ts";
import { idsAt, moveId } from "../../model/collections/id-index.ts";
import { MapDraft } from "../../model/collections/map-draft.ts";
import { jsonEqual } from "../../model/json.ts";
import { labelsOf } from "../../model/kube-object.ts";
import {
  type KindId,
  kindId,
  namespaceRef,
  type ObjectId,
  objectId,
  type PolicyId,
  splitId,
} from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { REFERENCE_GRANT } from "../world/build-world.ts";
import { targetContext } from "../world/contexts.ts";
import { missingKinds, namedBy } from "../world/policy-indexes.ts";
import type { PolicyIndexes, PolicyRecord, WithLinks, WithObjects, WithPolicies } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";
import { type AttachmentEdit, type EditedSets, editAttached } from "./update-attached.ts";
import { updateNamers } from "./update-namers.ts";

export interface UpdatedPolicies {
  readonly tables: WithPolicies;
  /** Policies whose verdict may have changed even if their paths did not. */
  readonly judgedAnew: ReadonlySet<PolicyId>;
  /** The objects whose policies changed, by the index of the policy kind. */
  readonly edited: readonly EditedSets[];
}

const NONE: readonly never[] = [];

/** `implied`: objects that may have become implied, or may no longer be. */
export function updatePolicies(
  before: WithPolicies,
  tables: WithLinks,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
): UpdatedPolicies {
  const { namers, renamed } = updateNamers(before, tables, changes);
  const context = targetContext(tables, namers);
  const quiet = new Set(changes.filter(({ isQuiet }) => isQuiet).map(({ id }) => id));
  const indexes = before.indexPolicies();
  const policies = new MapDraft(before.policies);
  const targetedBy = new MapDraft(indexes.targetedBy);
  const grantReaders = new MapDraft(indexes.grantReaders);
  const selectors = new MapDraft(indexes.selectors);
  const missing = new MapDraft(indexes.missing);
  const judgedAnew = new Set<PolicyId>();
  const edits: AttachmentEdit[] = [];
  for (const id of new Set([...policiesToResolve(before, changes, implied), ...renamed])) {
    const old = before.policies.get(id);
    const now = resolvedAgain(tables, id, old, { context, isQuiet: quiet.has(id) });
    policies.set(id, now);
    judgedAnew.add(id);
    const [was, is] = [old?.targets ?? NO_TARGETS, now?.targets ?? NO_TARGETS];
    moveId(targetedBy, id, old === undefined ? NONE : namedBy(old), now === undefined ? NONE : namedBy(now));
    moveId(grantReaders, id, was.grantsOf, is.grantsOf);
    moveId(selectors, id, was.selects, is.selects);
    moveId(missing, id, missingKinds(was), missingKinds(is));
    addEdits(edits, old, now);
  }
  const { attached, edited } = editAttached(before, tables, edits, changes);
  for (const sets of edited) for (const policy of sets.rivals) judgedAnew.add(policy);
  const updatedIndexes: PolicyIndexes = {
    targetedBy: targetedBy.build(),
    grantReaders: grantReaders.build(),
    selectors: selectors.build(),
    missing: missing.build(),
  };
  addSuggestions(updatedIndexes, changes, implied, judgedAnew);
  // The new keys come first: see `updateLinks`.
  const withPolicies: WithPolicies = {
    policies: policies.build(),
    namers,
    attached,
    indexPolicies: () => updatedIndexes,
    ...tables,
  };
  return { tables: withPolicies, judgedAnew, edited };
}

/** The policies that changed, or whose targets depend on an object that changed. */
function policiesToResolve(
  before: WithPolicies,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
): ReadonlySet<PolicyId> {
  const { targetedBy, selectors, grantReaders } = before.indexPolicies();
  const found = new Set<PolicyId>();
  const addAll = (ids: Iterable<PolicyId>): void => {
    for (const id of ids) found.add(id);
  };
  for (const change of changes) {
    const { id, ref, isQuiet } = change;
    const kind = kindId(ref);
    if (before.rulebook.byPolicyKind.has(kind)) found.add(id as PolicyId);
    if (isQuiet) continue;
    if (kind === REFERENCE_GRANT) addAll(idsAt(grantReaders, ref.namespace));
    if (!mayChangeTargets(before, change)) continue;
    addAll(idsAt(targetedBy, id));
    addAll(idsAt(selectors, kind));
  }
  for (const id of implied) {
    addAll(idsAt(targetedBy, id));
    addAll(idsAt(selectors, splitId(id).kind));
  }
  return found;
}

/** True if policies of some kind may refer to objects of this kind: then they depend on what the objects contain. */
const isReferenced = ({ kinds }: WithObjects["rulebook"], kind: KindId): boolean =>
  kinds.some(({ definition }) => definition.references?.some((one) => one.kinds.some((own) => kindId(own) === kind)));

/** True if policies of some kind may select objects of this kind by the labels of their Pods, which are anywhere in the object. */
const isWorkload = ({ kinds }: WithObjects["rulebook"], kind: KindId): boolean =>
  kinds.some(({ definition }) => definition.targeting.absent?.workloads?.some((own) => kindId(own) === kind));

/** Targets depend on three things of an object: that it exists, its labels, and the names and ports of its sections. */
function mayChangeTargets({ rulebook }: WithObjects, { ref, before, after, isPresence }: ObjectChange): boolean {
  if (isPresence || before === undefined || after === undefined) return true;
  if (!jsonEqual(labelsOf(before), labelsOf(after))) return true;
  if (isReferenced(rulebook, kindId(ref)) || isWorkload(rulebook, kindId(ref))) return true;
  const facts = rulebook.factsOf(kindId(ref));
  if (facts === undefined || facts.sections.length === 0) return false;
  const was = sectionsOf(before, facts);
  const is = sectionsOf(after, facts);
  return (
    was.length !== is.length ||
    was.some(({ name, declared, section, raw }, i) => {
      const other = is[i];
      return (
        name !== other?.name ||
        declared !== other.declared ||
        section !== other.section ||
        raw["port"] !== other.raw["port"]
      );
    })
  );
}

function resolvedAgain(
  { objects, rulebook }: WithLinks,
  id: PolicyId,
  before: PolicyRecord | undefined,
  { context, isQuiet }: { readonly context: TargetContext & ReferenceContext; readonly isQuiet: boolean },
): PolicyRecord | undefined {
  const object = objects.get(id);
  const kind = object === undefined ? undefined : rulebook.byPolicyKind.get(object.family.kindId);
  if (object === undefined || kind === undefined) return undefined;
  const read =
    before !== undefined && before.object === object
      ? { policy: before.policy, findings: before.findings }
      : rulebook.parsePolicy(object);
  // A policy with the same meaning stays the same record, so that stacks that have it stay the same and need no new fold.
  const policy = isQuiet && before !== undefined ? before.policy : read.policy;
  const targets = policy === undefined ? NO_TARGETS : resolveTargets(policy, kind.definition, context);
  const references = policy === undefined ? NO_REFERENCES : resolveReferences(object, kind.definition, context);
  return { kind, object, policy, findings: read.findings, targets, references };
}

const keyOf = ({ object, sectionName, consumer, isNamed, nameIndex, isMeshWide }: Attachment): string =>
  `${object}#${sectionName ?? ""}@${consumer ?? ""}${isNamed ? "!" : ""}${nameIndex ?? ""}${isMeshWide ? "*" : ""}`;

function addEdits(edits: AttachmentEdit[], before: PolicyRecord | undefined, after: PolicyRecord | undefined): void {
  const kind = (before ?? after)?.kind;
  if (kind === undefined) return;
  const isSame = before?.policy === after?.policy;
  if (isSame && before?.targets === after?.targets) return;
  const [old, now] = [before?.targets.attachments ?? NONE, after?.targets.attachments ?? NONE];
  if (isSame && old.length === 1 && now.length === 1 && isSameAttachment(old[0], now[0])) return;
  const was = attachmentsOf(before?.targets);
  const is = attachmentsOf(after?.targets);
  for (const [key, attachment] of was) {
    if (isSame && is.has(key)) continue;
    if (before?.policy !== undefined) edits.push({ kind, attachment, does: "remove", policy: before.policy });
  }
  for (const [key, attachment] of is) {
    if (isSame && was.has(key)) continue;
    if (after?.policy !== undefined) edits.push({ kind, attachment, does: "add", policy: after.policy });
  }
}

const isSameAttachment = (a: Attachment | undefined, b: Attachment | undefined): boolean =>
  a?.object === b?.object &&
  a?.sectionName === b?.sectionName &&
  a?.consumer === b?.consumer &&
  a?.isNamed === b?.isNamed &&
  a?.nameIndex === b?.nameIndex &&
  a?.isMeshWide === b?.isMeshWide;

const attachmentsOf = (targets: ResolvedTargets | undefined): ReadonlyMap<string, Attachment> =>
  new Map(targets?.attachments.map((attachment) => [keyOf(attachment), attachment]));

/** Adds the policies whose "did you mean" may suggest another name, because an object is new or gone. */
function addSuggestions(
  { missing }: PolicyIndexes,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
  judgedAnew: Set<PolicyId>,
): void {
  const kinds = new Set([...implied].map((id) => splitId(id).kind));
  for (const { ref, isPresence } of changes) if (isPresence) kinds.add(kindId(ref));
  for (const kind of kinds) for (const id of idsAt(missing, kind)) judgedAnew.add(id);
}

/** The ids of Namespaces. */
export const namespaceIds = (names: readonly string[]): readonly ObjectId[] =>
  names.map((name) => objectId(namespaceRef(name)));
