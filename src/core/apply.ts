/** A change in, the next evaluation and what differs out. Both evaluations stay readable. */
import { compareWorlds } from "./effective/compare-worlds.ts";
import type { Delta, Touched } from "./effective/delta.ts";
import { type Change, type ObjectChanges, objectChanges } from "./effective/object-changes.ts";
import { isRule } from "./effective/rulebook.ts";
import { updateObjects } from "./effective/update-objects.ts";
import { updateWorld } from "./effective/update-world.ts";
import type { World } from "./effective/world.ts";
import { type Evaluation, evaluateWith } from "./evaluate.ts";
import type { Finding } from "./model/finding.ts";
import type { ObjectId } from "./model/refs.ts";
import { buildSnapshot, type Snapshot, type SnapshotDocument } from "./model/snapshot.ts";

export type { Change };

export interface Applied {
  readonly evaluation: Evaluation;
  readonly delta: Delta;
  /** Undefined: everything, as the rules themselves changed. */
  readonly touched: Touched | undefined;
}

/** The result equals an evaluation of the changed snapshot, byte for byte; what the change does not touch is shared. */
export function apply(evaluation: Evaluation, changes: Iterable<Change>): Applied {
  const { world, options } = evaluation;
  const settled = objectChanges(world, changes);
  if (settled.changes.some(({ ref, isQuiet }) => !isQuiet && isRule(ref))) {
    const anew = evaluateWith(snapshotAfter(world, settled), options);
    return { evaluation: anew, delta: compareWorlds({ before: world, after: anew.world }), touched: undefined };
  }
  const updated = updateWorld(world, settled);
  return { evaluation: { world: updated.world, options }, delta: updated.delta, touched: updated.touched };
}

/** Other rules may put objects of their kinds elsewhere, so each is read as it came. */
function snapshotAfter(world: World, { changes, documentFindings }: ObjectChanges): Snapshot {
  const updated = updateObjects(world, changes);
  const documents: SnapshotDocument[] = [];
  updated.objects.byId.forEach(({ raw, source }) => {
    documents.push(source === undefined ? { value: raw } : { value: raw, source });
  });
  const { objects } = buildSnapshot(documents);
  const refused = new Map<ObjectId, readonly Finding[]>();
  updated.refused.forEach((findings, id) => refused.set(id, findings));
  return { objects, refused, findings: documentFindings };
}
