import { type IdSet, idSetWith, idSetWithout } from "../../model/collections/id-set.ts";
import type { LayeredMap } from "../../model/collections/layered-map.ts";
import { memberTest } from "../world/member-test.ts";

/** An index after one of its members named other keys than before. */
export function reindexed<K extends string, V extends string>(
  index: LayeredMap<K, IdSet<V>>,
  member: V,
  before: readonly K[],
  after: readonly K[],
): LayeredMap<K, IdSet<V>> {
  if (before === after || (before.length === 0 && after.length === 0)) return index;
  if (before.length === 1 && after.length === 1 && before[0] === after[0]) return index;
  let result = index;
  const [was, is] = [memberTest(before), memberTest(after)];
  for (const key of before) {
    if (is(key)) continue;
    const rest = idSetWithout(result.get(key), member);
    result = rest === undefined ? result.without(key) : result.with(key, rest);
  }
  for (const key of after) {
    if (!was(key)) result = result.with(key, idSetWith(result.get(key), member));
  }
  return result;
}
