import { ObjectTable, TableDraft } from "../../model/collections/object-table.ts";
import type { PolicyId } from "../../model/refs.ts";
import { effectivePathsTo } from "../fold/for-each-effective.ts";
import { endObjects } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { PolicyTally } from "../world/policy-tally.ts";
import type { World } from "../world/world.ts";
import { countEffectivePaths } from "./count-effective-paths.ts";
import { changedTally, type TallyChanges } from "./tally-changes.ts";

/** The tallies of a first evaluation: every path is counted once. */
export function countTallies(world: World): ObjectTable<PolicyId, PolicyTally> {
  const changes: TallyChanges = new Map();
  for (const kind of world.rulebook.kinds) {
    const finder = new PathFinder(world, kind);
    for (const end of endObjects(world, kind))
      countEffectivePaths(changes, kind, effectivePathsTo(finder, kind, end), "Come");
  }
  const tallies = new TableDraft<PolicyId, PolicyTally>(world.objects.byId.order);
  for (const policy of changes.keys()) {
    const object = world.policies.get(policy)?.object;
    const tally = changedTally(changes, policy, undefined);
    if (object !== undefined && tally !== undefined) tallies.set(object, tally);
  }
  return ObjectTable.from(tallies);
}
