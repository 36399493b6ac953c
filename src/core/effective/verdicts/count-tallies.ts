import { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { PolicyId } from "../../model/refs.ts";
import { forEachEffectiveGroup } from "../fold/for-each-effective.ts";
import type { PolicyTally } from "../world/policy-tally.ts";
import type { WithPolicies } from "../world/world.ts";
import { PathCounter } from "./path-counter.ts";
import { changedTally, type TallyChanges } from "./tally-changes.ts";

/** The tallies of a first evaluation: every path is counted once. */
export function countTallies(world: WithPolicies): PersistentMap<PolicyId, PolicyTally> {
  const changes: TallyChanges = new Map();
  for (const kind of world.rulebook.kinds) {
    const counter = new PathCounter(changes, kind, "Come");
    forEachEffectiveGroup(world, kind, (path, effective, ends) => counter.add(path, effective, ends));
    counter.finish();
  }
  const tallies = new Map<PolicyId, PolicyTally>();
  for (const policy of changes.keys()) {
    const tally = changedTally(changes, policy, undefined);
    if (tally !== undefined) tallies.set(policy, tally);
  }
  return PersistentMap.from(tallies);
}
