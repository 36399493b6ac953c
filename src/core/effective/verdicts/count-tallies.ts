import { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { PolicyId } from "../../model/refs.ts";
import { effectivePathsTo } from "../fold/for-each-effective.ts";
import { endObjects } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { PolicyTally } from "../world/policy-tally.ts";
import type { WithPolicies } from "../world/world.ts";
import { countEffectivePaths } from "./count-effective-paths.ts";
import { changedTally, type TallyChanges } from "./tally-changes.ts";

/** The tallies of a first evaluation: every path is counted once. */
export function countTallies(world: WithPolicies): PersistentMap<PolicyId, PolicyTally> {
  const changes: TallyChanges = new Map();
  for (const kind of world.rulebook.kinds) {
    const finder = new PathFinder(world, kind);
    for (const end of endObjects(world, kind))
      countEffectivePaths(changes, kind, effectivePathsTo(finder, kind, end), "Come");
  }
  const tallies = new Map<PolicyId, PolicyTally>();
  for (const policy of changes.keys()) {
    const tally = changedTally(changes, policy, undefined);
    if (tally !== undefined) tallies.set(policy, tally);
  }
  return PersistentMap.from(tallies);
}
