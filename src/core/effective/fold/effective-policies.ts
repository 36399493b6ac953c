import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import { endObjects } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import type { EffectivePolicy } from "./effective-policy.ts";
import { effectivePolicyAt } from "./effective-policy-at.ts";
import { effectivePathsTo } from "./for-each-effective.ts";

/**
 * The effective policies of some policy kinds, one for each path that has a policy, in a defined order. They can be iterated
 * any number of times, and are made one object at a time: there is never a list of all of them.
 */
export const effectivePoliciesOf = (
  world: World,
  kinds: readonly CompiledKind[],
  only: ObjectId | undefined,
): Iterable<EffectivePolicy> => ({ [Symbol.iterator]: () => read(world, kinds, only) });

/** `only`: the paths that end at this object. */
function* read(
  world: World,
  kinds: readonly CompiledKind[],
  only: ObjectId | undefined,
): Generator<EffectivePolicy, undefined> {
  for (const kind of kinds) {
    const finder = new PathFinder(world, kind);
    const ends = only === undefined ? endObjects(world, kind) : [{ id: only, ref: parseObjectId(only) }];
    for (const end of ends)
      for (const { path } of effectivePathsTo(finder, kind, end)) yield effectivePolicyAt(path, kind);
  }
}
