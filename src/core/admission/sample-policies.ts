import type { World } from "../effective/world/world.ts";
import type { JsonObject } from "../model/json.ts";
import { compareText, type PolicyId } from "../model/refs.ts";

/** Some policies: one half those that take effect on the most paths, up to a limit, the other half any. The order is defined. */
export function samplePolicies(world: World, { count, mostPaths }: SampleSettings): readonly JsonObject[] {
  const all = [...pathCounts(world)]
    .filter(([, paths]) => paths <= mostPaths)
    .sort(([a, some], [b, more]) => more - some || compareText(a, b));
  const half = Math.ceil(count / 2);
  const rest = all.slice(half);
  const step = Math.max(1, Math.ceil(rest.length / half));
  return [...all.slice(0, half), ...rest.filter((_, index) => index % step === 0)].flatMap(([id]) => {
    const record = world.policies.get(id);
    return record === undefined ? [] : [record.object.raw];
  });
}

export interface SampleSettings {
  readonly count: number;
  readonly mostPaths: number;
}

function pathCounts(world: World): ReadonlyMap<PolicyId, number> {
  const counts = new Map<PolicyId, number>();
  world.countTallies().forEach((tally, policy) => {
    let sum = 0;
    tally.forEach((_, { paths }) => {
      sum += paths;
    });
    counts.set(policy, sum);
  });
  return counts;
}
