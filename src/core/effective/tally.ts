/** How policies fare over all their paths, counted: adding or taking away one path costs that path. */
import type { Policy } from "../model/policy.ts";
import type { ObjectId, PolicyId, TargetId } from "../model/refs.ts";
import { SortedMap } from "../model/sorted-map.ts";
import type { EffectiveCore, Outcome } from "./effective-core.ts";

/** Counters over the paths through one ancestor. */
export interface AncestorTally {
  readonly paths: number;
  readonly full: number;
  readonly partial: number;
  readonly none: number;
  readonly met: number;
  readonly beatenBy: SortedMap<PolicyId, number>;
  readonly beatenAt: SortedMap<TargetId, number>;
  /** Conditions that could not be evaluated, by message. */
  readonly errors: SortedMap<string, number>;
}

export type PolicyTally = SortedMap<ObjectId, AncestorTally>;

interface Counters {
  paths: number;
  full: number;
  partial: number;
  none: number;
  met: number;
  beatenBy: Map<PolicyId, number> | undefined;
  beatenAt: Map<TargetId, number> | undefined;
  errors: Map<string, number> | undefined;
}

type Fate = "full" | "partial" | "none" | "met";

function fateOf({ prevailing, beaten, gated }: Outcome): Fate {
  if (beaten === 0) return prevailing === 0 && gated ? "met" : "full";
  return prevailing === 0 ? "none" : "partial";
}

/** Changes to tallies, collected while paths are walked. */
export class TallyChanges {
  readonly #changes: Map<PolicyId, Map<ObjectId, Counters>> = new Map();

  /** `count` paths with this effective policy, ending at one target, come (1, 2, …) or go (-1, …). */
  add(core: EffectiveCore, ancestorOf: (policy: Policy) => ObjectId, target: () => TargetId, count: number): void {
    for (const outcome of core.outcomes) {
      const { policy } = outcome;
      const counters = this.#countersOf(policy.id, ancestorOf(policy));
      counters.paths += count;
      counters[fateOf(outcome)] += count;
      if (outcome.beaten > 0) {
        counters.beatenAt ??= new Map();
        bump(counters.beatenAt, target(), count);
        for (const winner of outcome.by) {
          counters.beatenBy ??= new Map();
          bump(counters.beatenBy, winner.id, count);
        }
      }
    }
    for (const { policy, block, message } of core.conditionErrors) {
      const counters = this.#countersOf(policy.id, ancestorOf(policy));
      counters.errors ??= new Map();
      bump(counters.errors, `${block.name}: ${message}`, count);
    }
  }

  policies(): Iterable<PolicyId> {
    return this.#changes.keys();
  }

  /** The tally after the changes; undefined: nothing is left. */
  applyTo(policy: PolicyId, tally: PolicyTally | undefined): PolicyTally | undefined {
    let result = tally ?? SortedMap.empty<ObjectId, AncestorTally>();
    const changes = this.#changes.get(policy) ?? new Map<ObjectId, Counters>();
    if (tally === undefined && changes.size > 1) {
      const entries = [...changes].map(
        ([ancestor, counters]) => [ancestor, applyCounters(undefined, counters)] as const,
      );
      return SortedMap.from(entries.filter((entry): entry is [ObjectId, AncestorTally] => entry[1] !== undefined));
    }
    for (const [ancestor, counters] of changes) {
      if (saysNothing(counters)) continue;
      const next = applyCounters(result.get(ancestor), counters);
      result = next === undefined ? result.without(ancestor) : result.with(ancestor, next);
    }
    return result.size === 0 ? undefined : result;
  }

  #countersOf(policy: PolicyId, ancestor: ObjectId): Counters {
    let byAncestor = this.#changes.get(policy);
    if (byAncestor === undefined) {
      byAncestor = new Map();
      this.#changes.set(policy, byAncestor);
    }
    let counters = byAncestor.get(ancestor);
    if (counters === undefined) {
      counters = {
        paths: 0,
        full: 0,
        partial: 0,
        none: 0,
        met: 0,
        beatenBy: undefined,
        beatenAt: undefined,
        errors: undefined,
      };
      byAncestor.set(ancestor, counters);
    }
    return counters;
  }
}

/** As many paths came as went, and they say the same. */
function saysNothing({ paths, full, partial, none, met, beatenBy, beatenAt, errors }: Counters): boolean {
  if (paths !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0) return false;
  return isLevel(beatenBy) && isLevel(beatenAt) && isLevel(errors);
}

function isLevel(counts: ReadonlyMap<string, number> | undefined): boolean {
  if (counts !== undefined) for (const count of counts.values()) if (count !== 0) return false;
  return true;
}

function bump<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function applyCounters(tally: AncestorTally | undefined, change: Counters): AncestorTally | undefined {
  const paths = (tally?.paths ?? 0) + change.paths;
  if (paths === 0) return undefined;
  return {
    paths,
    full: (tally?.full ?? 0) + change.full,
    partial: (tally?.partial ?? 0) + change.partial,
    none: (tally?.none ?? 0) + change.none,
    met: (tally?.met ?? 0) + change.met,
    beatenBy: applyCounts(tally?.beatenBy, change.beatenBy),
    beatenAt: applyCounts(tally?.beatenAt, change.beatenAt),
    errors: applyCounts(tally?.errors, change.errors),
  };
}

function applyCounts<K extends string>(
  counts: SortedMap<K, number> | undefined,
  change: Map<K, number> | undefined,
): SortedMap<K, number> {
  if (change === undefined) return counts ?? SortedMap.empty();
  if (counts === undefined || counts.size === 0) return SortedMap.from([...change].filter(([, count]) => count !== 0));
  let result = counts;
  for (const [key, count] of change) {
    const next = (result.get(key) ?? 0) + count;
    result = next === 0 ? result.without(key) : result.with(key, next);
  }
  return result;
}
