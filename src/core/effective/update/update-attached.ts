/** The policies on each object after a change. */
import type { Attachment } from "../../attachment/resolved-targets.ts";
import { mayConflict } from "../../merge/settle-target.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import { type AttachedPolicy, attachedIn, buildNodeSets, setsIn } from "../world/attached-policies.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { Rulebook } from "../world/rulebook.ts";
import type { NodeSets, PolicySet } from "../world/stack.ts";
import type { WithLinks, WithPolicies } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

/** A policy is attached to a target, or no longer attached to it. */
export interface AttachmentEdit {
  readonly kind: CompiledKind;
  readonly attachment: Attachment;
  readonly does: "add" | "remove";
  readonly policy: Policy;
}

/** The changes for one policy kind. */
export interface EditedSets {
  readonly targets: ReadonlySet<ObjectId>;
  /** For kinds that do not merge: the policies that share a target with a policy that is new or gone. */
  readonly rivals: ReadonlySet<PolicyId>;
  /** Sets that no longer exist; the caller forgets them when the old paths have been read. */
  readonly gone: readonly PolicySet[];
}

interface Editing {
  readonly targets: Set<ObjectId>;
  readonly rivals: Set<PolicyId>;
  readonly gone: PolicySet[];
}

export function editAttached(
  before: Pick<WithPolicies, "attached">,
  { objects, rulebook }: WithLinks,
  edits: readonly AttachmentEdit[],
  changes: readonly ObjectChange[],
): { readonly attached: WithPolicies["attached"]; readonly edited: readonly EditedSets[] } {
  const editings = rulebook.kinds.map((): Editing => ({ targets: new Set(), rivals: new Set(), gone: [] }));
  const attached = before.attached.slice();
  const byTarget = groupEdits(rulebook, before, edits, changes);
  for (const kind of rulebook.kinds) {
    let table = attached[kind.index];
    const editing = editings[kind.index];
    if (table === undefined || editing === undefined) continue;
    for (const [target, own] of byTarget[kind.index] ?? []) {
      const old = table.get(target);
      const all = edited(attachedIn(old), own);
      const after = all.length === 0 ? undefined : buildNodeSets(all, target, () => objects.get(target), kind);
      table = after === undefined ? table.without(target) : table.with(target, after);
      recordEdit(editing, target, old, after, kind);
    }
    attached[kind.index] = table;
  }
  return { attached, edited: editings };
}

type EditsByTarget = ReadonlyMap<ObjectId, readonly AttachmentEdit[]>;

/** By policy kind and target. Where an annotation selects the strategy, a target that changed is read again even without an edit. */
function groupEdits(
  { kinds }: Rulebook,
  { attached }: Pick<WithPolicies, "attached">,
  edits: readonly AttachmentEdit[],
  changes: readonly ObjectChange[],
): readonly EditsByTarget[] {
  const groups = kinds.map(() => new Map<ObjectId, AttachmentEdit[]>());
  for (const edit of edits) {
    const group = groups[edit.kind.index];
    const list = group?.get(edit.attachment.object) ?? [];
    list.push(edit);
    group?.set(edit.attachment.object, list);
  }
  for (const { index, definition } of kinds) {
    if (definition.merge.decidedBy !== "Annotation") continue;
    for (const { id } of changes) {
      if (attached[index]?.has(id) && groups[index]?.has(id) === false) groups[index]?.set(id, []);
    }
  }
  return groups;
}

function edited(before: readonly AttachedPolicy[], edits: readonly AttachmentEdit[]): readonly AttachedPolicy[] {
  let all = before;
  for (const { attachment, does, policy } of edits) {
    const { sectionName, consumer, isNamed = false, nameIndex, isMeshWide = false } = attachment;
    const isIt = (one: AttachedPolicy): boolean =>
      one.policy === policy &&
      one.sectionName === sectionName &&
      one.consumer === consumer &&
      one.isNamed === isNamed &&
      one.isMeshWide === isMeshWide;
    all =
      does === "remove"
        ? all.filter((one) => !isIt(one))
        : [...all, { policy, sectionName, consumer, isNamed, nameIndex, isMeshWide } satisfies AttachedPolicy];
  }
  return all;
}

function recordEdit(
  { targets, rivals, gone }: Editing,
  target: ObjectId,
  before: NodeSets | undefined,
  after: NodeSets | undefined,
  { definition }: CompiledKind,
): void {
  const was = before === undefined ? [] : setsIn(before);
  const is = after === undefined ? [] : setsIn(after);
  gone.push(...was.filter((set) => !is.includes(set)));
  // The sets may be unchanged but on other sections.
  targets.add(target);
  if (!mayConflict(definition.merge)) return;
  for (const { policies, conflicted } of [...was, ...is])
    for (const { id } of [...policies, ...conflicted]) rivals.add(id);
}
