/**
 * A route whose parent is not in the snapshot has an incomplete path, and the path counts: the parent may exist elsewhere. A route
 * whose only parents the plan deletes has no path.
 */

import { forEachEffective } from "../../effective/fold/for-each-effective.ts";
import { nodesOf } from "../../effective/paths/path.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import { PathCounter } from "../../effective/verdicts/path-counter.ts";
import { changedTally, type TallyChanges } from "../../effective/verdicts/tally-changes.ts";
import { referrersOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { type ObjectId, objectId, type PolicyId } from "../../model/refs.ts";

export interface ClosedWorld {
  /** The world whose tallies leave out paths below deleted objects. */
  readonly world: World;
  readonly policies: readonly PolicyId[];
  /** True for an incomplete path whose missing parents are all deleted. */
  readonly isOrphan: (nodes: readonly PathNode[]) => boolean;
}

export function withoutOrphans(world: World, deleted: ReadonlySet<ObjectId>): ClosedWorld {
  const isOrphan = (ids: readonly ObjectId[]): boolean => {
    const top = ids.map((id) => world.links.get(id)?.absentParents ?? []).find((absent) => absent.length > 0);
    return top?.every((ref) => deleted.has(objectId(ref))) === true;
  };
  const closed = (nodes: readonly PathNode[]): boolean => isOrphan(nodes.map(objectId));
  if (![...deleted].some((id) => isMissed(world, id))) return { world, policies: [], isOrphan: closed };
  const changes: TallyChanges = new Map();
  for (const kind of world.rulebook.kinds) {
    const counter = new PathCounter(changes, kind, "Go");
    forEachEffective(world, kind, (path, effective) => {
      if (path.incomplete && isOrphan(nodesOf(path).map(({ id }) => id))) counter.add(path, effective);
    });
    counter.finish();
  }
  let tallies = world.countTallies();
  const policies = [...changes.keys()];
  for (const policy of policies) {
    const tally = changedTally(changes, policy, tallies.get(policy));
    tallies = tally === undefined ? tallies.without(policy) : tallies.with(policy, tally);
  }
  return { world: { ...world, countTallies: () => tallies }, policies, isOrphan: closed };
}

/** True if an object names the missing object as its parent. */
function isMissed(world: World, id: ObjectId): boolean {
  let found = false;
  for (const other of referrersOf(world, id)) {
    found ||= world.links.get(other)?.absentParents.some((ref) => objectId(ref) === id) === true;
  }
  return found;
}
