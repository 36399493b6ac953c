/** How policies fare over all their paths, counted: adding or taking away one path costs that path. */

import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import type { EffectiveCore } from "../fold/effective-core.ts";
import type { OutcomePattern } from "../fold/fold-pattern.ts";
import { Counts } from "./counts.ts";
import {
  type Ends,
  OVERRIDDEN_NOWHERE,
  type OverriddenAt,
  OverriddenChanges,
  overriddenOnlyAt,
  SharedCounts,
} from "./overridden-ends.ts";

/** Counters over the paths through one ancestor. */
export interface AncestorTally {
  readonly paths: number;
  readonly full: number;
  readonly partial: number;
  readonly none: number;
  readonly met: number;
  readonly overriddenBy: SortedMap<PolicyId, number>;
  readonly overriddenAt: OverriddenAt;
  /** Conditions that could not be evaluated, by message. */
  readonly errors: SortedMap<string, number>;
}

export type PolicyTally = SortedMap<ObjectId, AncestorTally>;

class Counters {
  readonly policy: Policy;
  readonly ancestor: ObjectId;
  paths = 0;
  full = 0;
  partial = 0;
  none = 0;
  met = 0;
  overriddenBy: Counts<PolicyId> | undefined = undefined;
  overriddenAt: OverriddenChanges | undefined = undefined;
  errors: Counts<string> | undefined = undefined;
  /** Of the policy's other ancestors: most have none. */
  others: Map<ObjectId, Counters> | undefined = undefined;

  constructor(policy: Policy, ancestor: ObjectId) {
    this.policy = policy;
    this.ancestor = ancestor;
  }
}

/** Changes to tallies, collected while paths are walked. */
export class TallyChanges {
  readonly #changes: Map<PolicyId, Counters> = new Map();
  readonly #shared: SharedCounts = new SharedCounts();

  /**
   * At each of some targets, `count` paths with this effective policy come (1, 2, …) or go (-1, …). `lone`: a policy whose
   * tally is not kept.
   */
  add(core: EffectiveCore, ancestorOf: (policy: Policy) => ObjectId, ends: Ends, count: number, lone?: Policy): void {
    const { outcomes, conditionErrors } = core.pattern;
    for (const outcome of outcomes) {
      const policy = core.policyAt(outcome.policy);
      if (policy === lone) continue;
      const counters = this.#countersOf(policy, ancestorOf(policy));
      counters.paths += count * ends.sections.length;
      counters[fateOf(outcome)] += count * ends.sections.length;
      if (outcome.overridden === 0) continue;
      if (counters.overriddenAt === undefined) counters.overriddenAt = new OverriddenChanges(ends, count);
      else counters.overriddenAt.add(ends, count);
      for (const winner of outcome.by)
        addOverriddenBy(counters, core.policyAt(winner).id, count * ends.sections.length);
    }
    for (const { policy: place, block, message } of conditionErrors) {
      const policy = core.policyAt(place);
      const counters = this.#countersOf(policy, ancestorOf(policy));
      const error = `${block.name}: ${message}`;
      if (counters.errors === undefined) counters.errors = new Counts(error, count * ends.sections.length);
      else counters.errors.add(error, count * ends.sections.length);
    }
  }

  policies(): Iterable<PolicyId> {
    return this.#changes.keys();
  }

  /** The tally after the changes; undefined: nothing is left. */
  applyTo(policy: PolicyId, tally: PolicyTally | undefined): PolicyTally | undefined {
    const changes = this.#changes.get(policy);
    if (changes === undefined) return tally;
    let result = applied(tally ?? SortedMap.empty(), changes, this.#shared);
    if (changes.others !== undefined)
      for (const counters of changes.others.values()) result = applied(result, counters, this.#shared);
    return result.size === 0 ? undefined : result;
  }

  /** What is counted where nothing was before. */
  forEach(visit: (policy: Policy, tally: PolicyTally) => void): void {
    for (const [id, { policy }] of this.#changes) {
      const tally = this.applyTo(id, undefined);
      if (tally !== undefined) visit(policy, tally);
    }
  }

  #countersOf(policy: Policy, ancestor: ObjectId): Counters {
    const first = this.#changes.get(policy.id);
    if (first === undefined) {
      const made = new Counters(policy, ancestor);
      this.#changes.set(policy.id, made);
      return made;
    }
    if (ancestor === first.ancestor) return first;
    first.others ??= new Map();
    let known = first.others.get(ancestor);
    if (known === undefined) {
      known = new Counters(policy, ancestor);
      first.others.set(ancestor, known);
    }
    return known;
  }
}

/** How a policy fares on a path. */
function fateOf({ inEffect, overridden, gated }: OutcomePattern): "full" | "partial" | "none" | "met" {
  if (overridden > 0) return inEffect === 0 ? "none" : "partial";
  return inEffect === 0 && gated ? "met" : "full";
}

/** The tally of a policy that has no other paths than these, `count` to each of the ends. */
export function wholeTally(
  core: EffectiveCore,
  outcome: OutcomePattern,
  ends: Ends,
  count: number,
  shared: SharedCounts,
): AncestorTally {
  const paths = count * ends.sections.length;
  const fate = fateOf(outcome);
  let overriddenBy: SortedMap<PolicyId, number> = SortedMap.empty();
  for (const winner of outcome.by) overriddenBy = overriddenBy.with(core.policyAt(winner).id, paths);
  return {
    paths,
    full: fate === "full" ? paths : 0,
    partial: fate === "partial" ? paths : 0,
    none: fate === "none" ? paths : 0,
    met: fate === "met" ? paths : 0,
    overriddenBy,
    overriddenAt: outcome.overridden === 0 ? OVERRIDDEN_NOWHERE : overriddenOnlyAt(ends, count, shared),
    errors: SortedMap.empty(),
  };
}

function addOverriddenBy(counters: Counters, winner: PolicyId, count: number): void {
  if (counters.overriddenBy === undefined) counters.overriddenBy = new Counts(winner, count);
  else counters.overriddenBy.add(winner, count);
}

function applied(tally: PolicyTally, counters: Counters, shared: SharedCounts): PolicyTally {
  if (saysNothing(counters)) return tally;
  const { ancestor } = counters;
  const next = applyCounters(tally.get(ancestor), counters, shared);
  return next === undefined ? tally.without(ancestor) : tally.with(ancestor, next);
}

/** As many paths came as went, and they say the same. */
function saysNothing({ paths, full, partial, none, met, overriddenBy, overriddenAt, errors }: Counters): boolean {
  if (paths !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0) return false;
  return (overriddenBy?.isLevel ?? true) && (overriddenAt?.isLevel ?? true) && (errors?.isLevel ?? true);
}

function applyCounters(
  tally: AncestorTally | undefined,
  change: Counters,
  shared: SharedCounts,
): AncestorTally | undefined {
  const paths = (tally?.paths ?? 0) + change.paths;
  if (paths === 0) return undefined;
  return {
    paths,
    full: (tally?.full ?? 0) + change.full,
    partial: (tally?.partial ?? 0) + change.partial,
    none: (tally?.none ?? 0) + change.none,
    met: (tally?.met ?? 0) + change.met,
    overriddenBy: applyCounts(tally?.overriddenBy, change.overriddenBy),
    overriddenAt:
      change.overriddenAt?.addTo(tally?.overriddenAt ?? OVERRIDDEN_NOWHERE, shared) ??
      tally?.overriddenAt ??
      OVERRIDDEN_NOWHERE,
    errors: applyCounts(tally?.errors, change.errors),
  };
}

const applyCounts = <K extends string>(
  before: SortedMap<K, number> | undefined,
  change: Counts<K> | undefined,
): SortedMap<K, number> => change?.addTo(before) ?? before ?? SortedMap.empty();
