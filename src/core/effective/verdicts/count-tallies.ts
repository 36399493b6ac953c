import { forEachEffectiveGroup } from "../fold/for-each-effective.ts";
import type { WithPolicies } from "../world/world.ts";
import { PathCounter } from "./path-counter.ts";
import { firstTallies, type Tallies, type TallyChanges } from "./tally-changes.ts";

/** The tallies of a first evaluation: every path is counted once. */
export function countTallies(world: WithPolicies): Tallies {
  const changes: TallyChanges = new Map();
  for (const kind of world.rulebook.kinds) {
    const counter = new PathCounter(changes, kind, "Come");
    forEachEffectiveGroup(world, kind, (path, effective, sections) => counter.add(path, effective, sections));
    counter.finish();
  }
  return firstTallies(changes);
}
