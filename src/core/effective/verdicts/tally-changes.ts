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
  overriddenBy: Counts<PolicyId>;
  overriddenAt: Counts<TargetId>;
  errors: Counts<string>;
}

/** Counts by key. The first ones are mostly the only ones, and already in the form of a tally. */
type Counts<K extends string> = SortedMap<K, number> | Map<K, number> | undefined;

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
  counted: CountedPaths,
): void {
  const count = countOf(counted);
  if (count === 0) return;
  for (const outcome of outcomes) {
    const { policy, overridden, by } = outcome;
    const counters = countersOf(changes, policy.id, ancestorOf(policy));
    counters.paths += count;
    if (counted.isIncomplete) {
      counters.incomplete += count;
      continue;
    }
    counters[effectOf(outcome)] += count;
    if (overridden === 0) continue;
    counters.overriddenBy = added(counters.overriddenBy, by.map(idOf), count);
    counters.overriddenAt = added(counters.overriddenAt, targetsOf(counted), counted.pathsToEach);
  }
  for (const { policy, block, message } of conditionErrors) {
    const counters = countersOf(changes, policy.id, ancestorOf(policy));
    counters.errors = added(counters.errors, [`${block.name}: ${message}`], count);
  }
}

/** The number of paths to all effective targets together. */
const countOf = ({ sections, pathsToEach }: CountedPaths): number => (sections?.length ?? 1) * pathsToEach;

const idOf = ({ id }: Policy): PolicyId => id;

const targetsOf = ({ last, sections }: CountedPaths): readonly TargetId[] =>
  sections === undefined ? [targetOf(last)] : sections.map(({ name }) => targetId(last.id, name));

/** The policies whose paths were counted. */
export const countedPolicies = (changes: TallyChanges): ReadonlySet<PolicyId> =>
  new Set([...changes.values()].flatMap((byPolicy) => [...byPolicy.keys()]));

/** The tallies of a first evaluation. */
export function firstTallies(changes: TallyChanges): Tallies {
  const tallies = new Map<PolicyId, PolicyTally>();
  for (const [ancestor, byPolicy] of changes) {
    for (const [policy, counters] of byPolicy) {
      const known = tallies.get(policy);
      const own = tallied(counters);
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
      const change = tallied(counters);
      if (isZero(change)) continue;
      const known = tallies.get(policy) ?? SortedMap.empty<ObjectId, AncestorTally>();
      const own = changedTally(known.get(ancestor), change);
      const tally = own === undefined ? known.without(ancestor) : known.with(ancestor, own);
      tallies = tally.size === 0 ? tallies.without(policy) : tallies.with(policy, tally);
    }
  }
  return tallies;
}

/** The counters of one policy under one ancestor, if it has paths there. */
export function tallyOf(changes: TallyChanges, ancestor: ObjectId, policy: PolicyId): AncestorTally | undefined {
  const counters = changes.get(ancestor)?.get(policy);
  return counters === undefined ? undefined : tallied(counters);
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

/** Adds a count to each of the keys, which are distinct. */
function added<K extends string>(counts: Counts<K>, keys: readonly K[], count: number): Counts<K> {
  if (counts === undefined)
    return SortedMap.of(
      keys,
      keys.map(() => count),
    );
  const sums = counts instanceof Map ? counts : new Map(counts);
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** Builds a tally from the counters. */
function tallied(counters: Counters): AncestorTally {
  const { paths, incomplete, full, partial, none, met, idle, overriddenBy, overriddenAt, errors } = counters;
  return {
    paths,
    incomplete,
    full,
    partial,
    none,
    met,
    idle,
    overriddenBy: inOrder(overriddenBy),
    overriddenAt: inOrder(overriddenAt),
    errors: inOrder(errors),
  };
}

const inOrder = <K extends string>(counts: Counts<K>): SortedMap<K, number> =>
  counts instanceof Map ? SortedMap.from(counts) : (counts ?? SortedMap.empty());

/** True if the added and the removed paths are as many and have the same outcome. */
function isZero(change: AncestorTally): boolean {
  const { paths, incomplete, full, partial, none, met, idle, overriddenBy, overriddenAt, errors } = change;
  if (paths !== 0 || incomplete !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0 || idle !== 0)
    return false;
  return areZero(overriddenBy) && areZero(overriddenAt) && areZero(errors);
}

function areZero(counts: SortedMap<string, number>): boolean {
  let areAll = true;
  counts.forEach((_, count) => {
    if (count !== 0) areAll = false;
  });
  return areAll;
}

function changedTally(tally: AncestorTally | undefined, change: AncestorTally): AncestorTally | undefined {
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
    overriddenBy: changedCounts(tally?.overriddenBy ?? SortedMap.empty(), change.overriddenBy),
    overriddenAt: changedCounts(tally?.overriddenAt ?? SortedMap.empty(), change.overriddenAt),
    errors: changedCounts(tally?.errors ?? SortedMap.empty(), change.errors),
  };
}

/** If more than one in so many keys changes, the map is built anew: each single change copies a part of it. */
const MANY = 32;

function changedCounts<K extends string>(
  before: SortedMap<K, number>,
  changes: SortedMap<K, number>,
): SortedMap<K, number> {
  if (changes.size * MANY > before.size) {
    const sums = new Map<K, number>(before);
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
