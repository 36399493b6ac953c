import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import { type EndObject, endObjects } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import type { EffectivePolicy } from "./effective-policy.ts";
import { effectivePoliciesBelow, effectivePolicyAt } from "./effective-policy-at.ts";
import { foldPaths, forEachEffectiveTo } from "./for-each-effective.ts";

/**
 * The effective policies of some policy kinds, one for each path that has a policy, in a defined order. They can be iterated
 * any number of times, and are made one object at a time: there is never a list of all of them. `only`: those of the paths
 * that end at this object.
 */
export const effectivePoliciesOf = (
  world: World,
  kinds: readonly CompiledKind[],
  only: ObjectId | undefined,
): Iterable<EffectivePolicy> => ({ [Symbol.iterator]: () => new EffectivePolicies(listsOf(world, kinds, only)) });

/** The effective policies of each object that paths end at. */
function* listsOf(
  world: World,
  kinds: readonly CompiledKind[],
  only: ObjectId | undefined,
): Generator<readonly EffectivePolicy[], undefined> {
  for (const kind of kinds) {
    const finder = new PathFinder(world, kind);
    const ends = only === undefined ? endObjects(world, kind) : [{ id: only, ref: parseObjectId(only) }];
    for (const end of ends) yield policiesTo(finder, kind, end);
  }
}

function policiesTo(finder: PathFinder, kind: CompiledKind, end: EndObject): readonly EffectivePolicy[] {
  const group = finder.findGroupTo(end);
  if (group !== undefined) return effectivePoliciesBelow(foldPaths(group.paths, kind), group.sections);
  const found: EffectivePolicy[] = [];
  forEachEffectiveTo(finder, kind, end, (path) => void found.push(effectivePolicyAt(path, kind)));
  return found;
}

/** Reads lists one after the other. A class, because a generator takes twice as long for each item, and there are many. */
class EffectivePolicies implements IterableIterator<EffectivePolicy> {
  readonly #lists: Iterator<readonly EffectivePolicy[], undefined>;
  #list: readonly EffectivePolicy[] | undefined = [];
  #index = 0;

  constructor(lists: Iterator<readonly EffectivePolicy[], undefined>) {
    this.#lists = lists;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<EffectivePolicy, undefined> {
    while (this.#list !== undefined) {
      const value = this.#list[this.#index++];
      if (value !== undefined) return { done: false, value };
      this.#list = this.#lists.next().value;
      this.#index = 0;
    }
    return { done: true, value: undefined };
  }
}
