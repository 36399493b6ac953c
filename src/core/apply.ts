/** A change in, the next evaluation and what differs out. Both evaluations stay readable. */
import { compareWorlds } from "./effective/update/compare-worlds.ts";
import type { Delta, Touched } from "./effective/update/delta.ts";
import { type Change, type ObjectChanges, objectChanges } from "./effective/update/object-changes.ts";
import { updateObjects } from "./effective/update/update-objects.ts";
import { updateWorld } from "./effective/update/update-world.ts";
import { isRule } from "./effective/world/rulebook.ts";
import type { World } from "./effective/world/world.ts";
import { type Evaluation, evaluateWith } from "./evaluate.ts";
import type { Finding } from "./model/finding.ts";
import type { KubeObject } from "./model/kube-object.ts";
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
  const refused = new Map<ObjectId, readonly Finding[]>();
  const add = ({ raw, source }: KubeObject): void => {
    documents.push(source === undefined ? { value: raw } : { value: raw, source });
  };
  // Findings name the object as it came.
  const refuse = (findings: readonly Finding[]): void => {
    const id = findings[0]?.object;
    if (id !== undefined) refused.set(id, findings);
  };
  updated.objects.byId.forEach(add);
  updated.refused.forEach(refuse);
  updated.doubles.forEach((doubles) => {
    for (const { object, refusal } of doubles) {
      if (refusal === undefined) add(object);
      else refuse(refusal);
    }
  });
  const { objects } = buildSnapshot(documents);
  return { objects, refused, findings: documentFindings };
}
