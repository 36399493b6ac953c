/** How policies fare over all their paths, counted: adding or taking away one path costs that path. */

import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import type { EffectiveCore } from "../fold/effective-core.ts";
import type { OutcomePattern } from "../fold/fold-pattern.ts";
import { BEATEN_NOWHERE, type BeatenAt, BeatenChanges, beatenOnlyAt, type Ends, SharedCounts } from "./beaten-ends.ts";
import { Counts } from "./counts.ts";

/** Counters over the paths through one ancestor. */
export interface AncestorTally {
  readonly paths: number;
  readonly full: number;
  readonly partial: number;
  readonly none: number;
  readonly met: number;
  readonly beatenBy: SortedMap<PolicyId, number>;
  readonly beatenAt: BeatenAt;
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
  beatenBy: Counts<PolicyId> | undefined = undefined;
  beatenAt: BeatenChanges | undefined = undefined;
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
      if (outcome.beaten === 0) continue;
      if (counters.beatenAt === undefined) counters.beatenAt = new BeatenChanges(ends, count);
      else counters.beatenAt.add(ends, count);
      for (const winner of outcome.by) addBeatenBy(counters, core.policyAt(winner).id, count * ends.sections.length);
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
function fateOf({ prevailing, beaten, gated }: OutcomePattern): "full" | "partial" | "none" | "met" {
  if (beaten > 0) return prevailing === 0 ? "none" : "partial";
  return prevailing === 0 && gated ? "met" : "full";
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
  let beatenBy: SortedMap<PolicyId, number> = SortedMap.empty();
  for (const winner of outcome.by) beatenBy = beatenBy.with(core.policyAt(winner).id, paths);
  return {
    paths,
    full: fate === "full" ? paths : 0,
    partial: fate === "partial" ? paths : 0,
    none: fate === "none" ? paths : 0,
    met: fate === "met" ? paths : 0,
    beatenBy,
    beatenAt: outcome.beaten === 0 ? BEATEN_NOWHERE : beatenOnlyAt(ends, count, shared),
    errors: SortedMap.empty(),
  };
}

function addBeatenBy(counters: Counters, winner: PolicyId, count: number): void {
  if (counters.beatenBy === undefined) counters.beatenBy = new Counts(winner, count);
  else counters.beatenBy.add(winner, count);
}

function applied(tally: PolicyTally, counters: Counters, shared: SharedCounts): PolicyTally {
  if (saysNothing(counters)) return tally;
  const { ancestor } = counters;
  const next = applyCounters(tally.get(ancestor), counters, shared);
  return next === undefined ? tally.without(ancestor) : tally.with(ancestor, next);
}

/** As many paths came as went, and they say the same. */
function saysNothing({ paths, full, partial, none, met, beatenBy, beatenAt, errors }: Counters): boolean {
  if (paths !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0) return false;
  return (beatenBy?.isLevel ?? true) && (beatenAt?.isLevel ?? true) && (errors?.isLevel ?? true);
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
    beatenBy: applyCounts(tally?.beatenBy, change.beatenBy),
    beatenAt: change.beatenAt?.addTo(tally?.beatenAt ?? BEATEN_NOWHERE, shared) ?? tally?.beatenAt ?? BEATEN_NOWHERE,
    errors: applyCounts(tally?.errors, change.errors),
  };
}

const applyCounts = <K extends string>(
  before: SortedMap<K, number> | undefined,
  change: Counts<K> | undefined,
): SortedMap<K, number> => change?.addTo(before) ?? before ?? SortedMap.empty();
