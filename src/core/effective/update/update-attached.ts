/** Which policies are attached where, after a change. */
import type { Attachment } from "../../attachment/resolved-targets.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import { type Attached, attachedIn, buildNodeSets, setsIn } from "../world/attached.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { NodeSets, PolicySet } from "../world/stack.ts";
import type { World } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

/** A policy comes to a target, or leaves it. */
export interface AttachmentEdit {
  readonly kind: CompiledKind;
  readonly attachment: Attachment;
  readonly does: "add" | "remove";
  readonly policy: Policy;
}

/** What changed for one policy kind. */
export interface EditedSets {
  readonly targets: ReadonlySet<ObjectId>;
  /** Kinds that do not merge: policies that share a target with one that came or went. */
  readonly rivals: ReadonlySet<PolicyId>;
  /** Sets that are no longer there; forget them when the old paths have been read. */
  readonly gone: readonly PolicySet[];
}

interface Editing {
  readonly targets: Set<ObjectId>;
  readonly rivals: Set<PolicyId>;
  readonly gone: PolicySet[];
}

export function editAttached(
  world: World,
  edits: readonly AttachmentEdit[],
  changes: readonly ObjectChange[],
): { readonly attached: World["attached"]; readonly edited: readonly EditedSets[] } {
  const editings = world.rulebook.kinds.map((): Editing => ({ targets: new Set(), rivals: new Set(), gone: [] }));
  const attached = world.attached.slice();
  const byTarget = groupEdits(world, edits, changes);
  for (const kind of world.rulebook.kinds) {
    let table = attached[kind.index];
    const editing = editings[kind.index];
    if (table === undefined || editing === undefined) continue;
    for (const [target, own] of byTarget[kind.index] ?? []) {
      const before = table.get(target);
      const all = edited(attachedIn(before), own);
      const after = all.length === 0 ? undefined : buildNodeSets(all, world.objects.byId.get(target), kind);
      table = after === undefined ? table.without(target) : table.with(target, after);
      noteEdit(editing, target, before, after, kind);
    }
    attached[kind.index] = table;
  }
  return { attached, edited: editings };
}

type EditsByTarget = ReadonlyMap<ObjectId, readonly AttachmentEdit[]>;

/** By policy kind and target. Where an annotation decides the strategy, a target that changed is read again, edited or not. */
function groupEdits(
  world: World,
  edits: readonly AttachmentEdit[],
  changes: readonly ObjectChange[],
): readonly EditsByTarget[] {
  const groups = world.rulebook.kinds.map(() => new Map<ObjectId, AttachmentEdit[]>());
  for (const edit of edits) {
    const group = groups[edit.kind.index];
    const list = group?.get(edit.attachment.object) ?? [];
    list.push(edit);
    group?.set(edit.attachment.object, list);
  }
  for (const { index, definition } of world.rulebook.kinds) {
    if (definition.merge.decidedBy !== "Annotation") continue;
    for (const { id } of changes) {
      if (world.attached[index]?.has(id) && groups[index]?.has(id) === false) groups[index]?.set(id, []);
    }
  }
  return groups;
}

function edited(before: readonly Attached[], edits: readonly AttachmentEdit[]): readonly Attached[] {
  let all = before;
  for (const { attachment, does, policy } of edits) {
    const { sectionName, consumer } = attachment;
    const isIt = (one: Attached): boolean =>
      one.policy === policy && one.sectionName === sectionName && one.consumer === consumer;
    all =
      does === "remove"
        ? all.filter((one) => !isIt(one))
        : [...all, { policy, sectionName, consumer } satisfies Attached];
  }
  return all;
}

function noteEdit(
  { targets, rivals, gone }: Editing,
  target: ObjectId,
  before: NodeSets | undefined,
  after: NodeSets | undefined,
  { definition }: CompiledKind,
): void {
  const was = before === undefined ? [] : setsIn(before);
  const is = after === undefined ? [] : setsIn(after);
  gone.push(...was.filter((set) => !is.includes(set)));
  // The same sets may stand at other sections now.
  targets.add(target);
  if (!definition.merge.none) return;
  for (const { policies, losers } of [...was, ...is]) for (const { id } of [...policies, ...losers]) rivals.add(id);
}
