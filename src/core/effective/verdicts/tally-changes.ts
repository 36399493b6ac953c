/** Changes to tallies, collected while paths are counted. The cost of a new or removed path does not depend on the reach of its policies. */
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Outcome } from "../../merge/provenance.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { Policy } from "../../model/policy.ts";
import { type ObjectId, type PolicyId, type TargetId, targetId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import { type Node, targetOf } from "../paths/path.ts";
import type { AncestorTally, PolicyTally } from "../world/policy-tally.ts";

/** By ancestor, then by policy: there are few ancestors, and the paths through one are mostly counted one after the other. */
export type TallyChanges = Map<ObjectId, Map<PolicyId, Counters>>;

export type Tallies = PersistentMap<PolicyId, PolicyTally>;

interface Counters {
  paths: number;
  incomplete: number;
  full: number;
  partial: number;
  none: number;
  met: number;
  idle: number;
  overriddenBy: Map<PolicyId, number> | undefined;
  overriddenAt: Map<TargetId, number> | undefined;
  errors: Map<string, number> | undefined;
}

/** Paths with the same effective spec, all of them complete or none. */
export interface CountedPaths {
  /** The effective target, or the object of all of them. */
  readonly last: Node;
  /** The effective targets, if they are sections of `last`. */
  readonly sections: readonly Section[] | undefined;
  /** The number of paths to each effective target, negative if they are removed. */
  readonly pathsToEach: number;
  readonly isIncomplete: boolean;
}

/**
 * Counts paths with the same effective spec. Incomplete paths are counted apart: a policy above them, which is not known, may override any
 * value on them.
 */
export function countPaths(
  changes: TallyChanges,
  { outcomes, conditionErrors }: EffectiveSpec,
  ancestorOf: (policy: Policy) => ObjectId,
  { last, sections, pathsToEach, isIncomplete }: CountedPaths,
): void {
  const count = (sections?.length ?? 1) * pathsToEach;
  for (const outcome of outcomes) {
    const { policy, overridden, by } = outcome;
    const counters = countersOf(changes, policy.id, ancestorOf(policy));
    counters.paths += count;
    if (isIncomplete) {
      counters.incomplete += count;
      continue;
    }
    counters[effectOf(outcome)] += count;
    if (overridden === 0) continue;
    if (sections === undefined) counters.overriddenAt = added(counters.overriddenAt, targetOf(last), pathsToEach);
    else
      for (const { name } of sections)
        counters.overriddenAt = added(counters.overriddenAt, targetId(last.id, name), pathsToEach);
    for (const winner of by) counters.overriddenBy = added(counters.overriddenBy, winner.id, count);
  }
  for (const { policy, block, message } of conditionErrors) {
    const counters = countersOf(changes, policy.id, ancestorOf(policy));
    counters.errors = added(counters.errors, `${block.name}: ${message}`, count);
  }
}

/** The policies whose paths were counted. */
export const countedPolicies = (changes: TallyChanges): ReadonlySet<PolicyId> =>
  new Set([...changes.values()].flatMap((byPolicy) => [...byPolicy.keys()]));

/** The tallies of a first evaluation. */
export function firstTallies(changes: TallyChanges): Tallies {
  const tallies = new Map<PolicyId, PolicyTally>();
  for (const [ancestor, byPolicy] of changes) {
    for (const [policy, counters] of byPolicy) {
      const known = tallies.get(policy);
      const own = changedCounters(undefined, counters);
      if (own !== undefined)
        tallies.set(policy, known === undefined ? SortedMap.single(ancestor, own) : known.with(ancestor, own));
    }
  }
  return PersistentMap.from(tallies);
}

/** The tallies after a change. A policy without a path has none. */
export function changedTallies(before: Tallies, changes: TallyChanges): Tallies {
  let tallies = before;
  for (const [ancestor, byPolicy] of changes) {
    for (const [policy, counters] of byPolicy) {
      if (isZero(counters)) continue;
      const known = tallies.get(policy) ?? SortedMap.empty<ObjectId, AncestorTally>();
      const own = changedCounters(known.get(ancestor), counters);
      const tally = own === undefined ? known.without(ancestor) : known.with(ancestor, own);
      tallies = tally.size === 0 ? tallies.without(policy) : tallies.with(policy, tally);
    }
  }
  return tallies;
}

/** The counters of one policy under one ancestor, if it has paths there. */
export function tallyOf(changes: TallyChanges, ancestor: ObjectId, policy: PolicyId): AncestorTally | undefined {
  const counters = changes.get(ancestor)?.get(policy);
  return counters === undefined ? undefined : changedCounters(undefined, counters);
}

/** How far a policy takes effect on a path. */
function effectOf({ inEffect, overridden, gated }: Outcome): "full" | "partial" | "none" | "met" | "idle" {
  if (overridden > 0) return inEffect === 0 ? "none" : "partial";
  if (inEffect > 0) return "full";
  return gated ? "met" : "idle";
}

function countersOf(changes: TallyChanges, policy: PolicyId, ancestor: ObjectId): Counters {
  let byPolicy = changes.get(ancestor);
  if (byPolicy === undefined) {
    byPolicy = new Map();
    changes.set(ancestor, byPolicy);
  }
  let counters = byPolicy.get(policy);
  if (counters === undefined) {
    counters = { paths: 0, incomplete: 0, full: 0, partial: 0, none: 0, met: 0, idle: 0, ...NO_COUNTS };
    byPolicy.set(policy, counters);
  }
  return counters;
}

const NO_COUNTS = { overriddenBy: undefined, overriddenAt: undefined, errors: undefined };

function added<K>(counts: Map<K, number> | undefined, key: K, count: number): Map<K, number> {
  const sums = counts ?? new Map<K, number>();
  return sums.set(key, (sums.get(key) ?? 0) + count);
}

/** True if the added and the removed paths are as many and have the same outcome. */
function isZero({
  paths,
  incomplete,
  full,
  partial,
  none,
  met,
  idle,
  overriddenBy,
  overriddenAt,
  errors,
}: Counters): boolean {
  if (paths !== 0 || incomplete !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0 || idle !== 0)
    return false;
  return areZero(overriddenBy) && areZero(overriddenAt) && areZero(errors);
}

function areZero(counts: ReadonlyMap<string, number> | undefined): boolean {
  for (const count of counts?.values() ?? []) if (count !== 0) return false;
  return true;
}

function changedCounters(tally: AncestorTally | undefined, change: Counters): AncestorTally | undefined {
  const paths = (tally?.paths ?? 0) + change.paths;
  if (paths === 0) return undefined;
  return {
    paths,
    incomplete: (tally?.incomplete ?? 0) + change.incomplete,
    full: (tally?.full ?? 0) + change.full,
    partial: (tally?.partial ?? 0) + change.partial,
    none: (tally?.none ?? 0) + change.none,
    met: (tally?.met ?? 0) + change.met,
    idle: (tally?.idle ?? 0) + change.idle,
    overriddenBy: changedCounts(tally?.overriddenBy, change.overriddenBy),
    overriddenAt: changedCounts(tally?.overriddenAt, change.overriddenAt),
    errors: changedCounts(tally?.errors, change.errors),
  };
}

function hasZero(counts: ReadonlyMap<string, number>): boolean {
  for (const count of counts.values()) if (count === 0) return true;
  return false;
}

/** If more than one in so many keys changes, the map is built anew: each single change copies a part of it. */
const MANY = 32;

function changedCounts<K extends string>(
  before: SortedMap<K, number> | undefined,
  changes: ReadonlyMap<K, number> | undefined,
): SortedMap<K, number> {
  if (changes === undefined) return before ?? SortedMap.empty();
  if (before === undefined && !hasZero(changes)) return SortedMap.from(changes);
  if (before === undefined || changes.size * MANY > before.size) {
    const sums = new Map<K, number>();
    before?.forEach((key, count) => sums.set(key, count));
    for (const [key, count] of changes) {
      const sum = (sums.get(key) ?? 0) + count;
      if (sum === 0) sums.delete(key);
      else sums.set(key, sum);
    }
    return SortedMap.from(sums);
  }
  let result = before;
  for (const [key, count] of changes) {
    if (count === 0) continue;
    const sum = (result.get(key) ?? 0) + count;
    result = sum === 0 ? result.without(key) : result.with(key, sum);
  }
  return result;
}
