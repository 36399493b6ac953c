/** The policies after a change: read anew where they changed, resolved anew where what they name did. */
import { resolveTargets, type TargetContext } from "../../attachment/resolve-targets.ts";
import { type Attachment, type ResolvedTargets, targetsNamed } from "../../attachment/resolved-targets.ts";
import { forEachId } from "../../model/collections/id-set.ts";
import { jsonEqual } from "../../model/json.ts";
import { labelsOf } from "../../model/labels-of.ts";
import { kindId, type ObjectId, objectId, type PolicyId, splitId } from "../../model/refs.ts";
import { mentionsOf } from "../../topology/links.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { missingKinds, NO_TARGETS, REFERENCE_GRANT } from "../world/build-world.ts";
import { targetContext } from "../world/lookups.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";
import { reindexed } from "./reindexed.ts";
import { type AttachmentEdit, type EditedSets, editAttached } from "./update-attached.ts";

type PolicyTables = Pick<World, "policies" | "selectors" | "missing" | "attached" | "mentionedBy" | "grantReaders">;

export interface UpdatedPolicies extends PolicyTables {
  /** Whose verdict may have changed, whatever becomes of their paths. */
  readonly judgedAnew: ReadonlySet<PolicyId>;
  /** Objects with other policies than before, by the index of the policy kind. */
  readonly edited: readonly EditedSets[];
}

const NONE: readonly never[] = [];

/** `world`: with objects and links as they are now, and policies as they were. */
export function updatePolicies(
  world: World,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
): UpdatedPolicies {
  const context = targetContext(world, () => world.mentionedBy);
  const quiet = new Set(changes.filter(({ isQuiet }) => isQuiet).map(({ id }) => id));
  let { policies, selectors, missing, mentionedBy, grantReaders } = world;
  const judgedAnew = new Set<PolicyId>();
  const edits: AttachmentEdit[] = [];
  for (const id of policiesToSettle(world, changes, implied)) {
    const before = policies.get(id);
    const after = settled(world, id, before, { context, isQuiet: quiet.has(id) });
    if (after === undefined) policies = policies.without(id);
    else policies = policies.with(id, after);
    judgedAnew.add(id);
    const old = before?.targets ?? NO_TARGETS;
    const now = after?.targets ?? NO_TARGETS;
    // A kind may be linked and a policy at once: what its links rest on stays so.
    const links = world.parents.get(id) === undefined ? undefined : world.links.get(id);
    const named = targetsNamed(now);
    mentionedBy = reindexed(
      mentionedBy,
      id,
      targetsNamed(old),
      links === undefined ? named : [...named, ...mentionsOf(links)],
    );
    const granted = links === undefined ? now.grantsOf : [...now.grantsOf, ...links.grantsOf];
    grantReaders = reindexed(grantReaders, id, old.grantsOf, granted);
    selectors = reindexed(selectors, id, old.selects, now.selects);
    missing = reindexed(missing, id, missingKinds(old), missingKinds(now));
    addEdits(edits, before, after);
  }
  const { attached, edited } = editAttached(world, edits, changes);
  for (const sets of edited) for (const policy of sets.rivals) judgedAnew.add(policy);
  addGuessers({ missing }, changes, implied, judgedAnew);
  return { policies, selectors, missing, mentionedBy, grantReaders, attached, judgedAnew, edited };
}

/** Whether a policy's object changed, or something its targets rest on. */
function policiesToSettle(
  world: World,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
): ReadonlySet<PolicyId> {
  const { policies, mentionedBy, selectors, rulebook } = world;
  const found = new Set<PolicyId>();
  const addIfPolicy = (id: ObjectId): void => {
    if (policies.has(id as PolicyId)) found.add(id as PolicyId);
  };
  for (const change of changes) {
    const { id, ref, isQuiet } = change;
    const kind = kindId(ref);
    if (rulebook.byPolicyKind.has(kind)) found.add(id as PolicyId);
    if (isQuiet) continue;
    if (kind === REFERENCE_GRANT) forEachId(world.grantReaders.get(ref.namespace), addIfPolicy);
    if (!isTargetedOtherwise(world, change)) continue;
    forEachId(mentionedBy.get(id), addIfPolicy);
    forEachId(selectors.get(kind), addIfPolicy);
  }
  for (const id of implied) {
    forEachId(mentionedBy.get(id), addIfPolicy);
    forEachId(selectors.get(splitId(id).kind), addIfPolicy);
  }
  return found;
}

/** What targets ask of an object: that it is there, its labels, the names of its sections. */
function isTargetedOtherwise({ rulebook }: World, { ref, before, after, isPresence }: ObjectChange): boolean {
  if (isPresence || before === undefined || after === undefined) return true;
  if (!jsonEqual(labelsOf(before), labelsOf(after))) return true;
  const facts = rulebook.factsOf(kindId(ref));
  if (facts === undefined || facts.sections.length === 0) return false;
  const was = sectionsOf(before, facts);
  const is = sectionsOf(after, facts);
  return (
    was.length !== is.length ||
    was.some(({ name, declared, section }, i) => {
      const other = is[i];
      return name !== other?.name || declared !== other.declared || section !== other.section;
    })
  );
}

function settled(
  { objects, rulebook }: World,
  id: PolicyId,
  before: PolicyRecord | undefined,
  { context, isQuiet }: { readonly context: TargetContext; readonly isQuiet: boolean },
): PolicyRecord | undefined {
  const object = objects.byId.get(id);
  const kind = object === undefined ? undefined : rulebook.byPolicyKind.get(object.family.kindId);
  if (object === undefined || kind === undefined) return undefined;
  const read =
    before !== undefined && before.object === object
      ? { policy: before.policy, findings: before.findings }
      : rulebook.parsePolicy(object);
  // A policy that says what it said stays the one that stacks are made of, so that their folds are still known.
  const policy = isQuiet && before !== undefined ? before.policy : read.policy;
  const targets = policy === undefined ? NO_TARGETS : resolveTargets(policy, kind.definition, context);
  return { kind, object, policy, findings: read.findings, targets };
}

const keyOf = ({ object, sectionName, consumer }: Attachment): string =>
  `${object}#${sectionName ?? ""}@${consumer ?? ""}`;

function addEdits(edits: AttachmentEdit[], before: PolicyRecord | undefined, after: PolicyRecord | undefined): void {
  const kind = (before ?? after)?.kind;
  if (kind === undefined) return;
  const isSame = before?.policy === after?.policy;
  if (isSame && before?.targets === after?.targets) return;
  const [old, now] = [before?.targets.attachments ?? NONE, after?.targets.attachments ?? NONE];
  // By far the most common: one target, and still the same.
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
  a?.object === b?.object && a?.sectionName === b?.sectionName && a?.consumer === b?.consumer;

const attachmentsOf = (targets: ResolvedTargets | undefined): ReadonlyMap<string, Attachment> =>
  new Map(targets?.attachments.map((attachment) => [keyOf(attachment), attachment]));

/** Where something came or went, "did you mean" may mean something else. */
function addGuessers(
  { missing }: Pick<World, "missing">,
  changes: readonly ObjectChange[],
  implied: ReadonlySet<ObjectId>,
  judgedAnew: Set<PolicyId>,
): void {
  const add = (id: PolicyId): void => void judgedAnew.add(id);
  for (const { ref, isPresence } of changes) if (isPresence) forEachId(missing.get(kindId(ref)), add);
  for (const id of implied) forEachId(missing.get(splitId(id).kind), add);
}

/** Namespaces that exist because objects are in them. */
export const namespaceIds = (names: readonly string[]): readonly ObjectId[] =>
  names.map((name) => objectId({ group: "", kind: "Namespace", namespace: "", name }));
