/** How policies fare over all their paths, counted: adding or taking away one path costs that path. */
import type { Policy } from "../model/policy.ts";
import type { ObjectId, PolicyId } from "../model/refs.ts";
import { SortedMap } from "../model/sorted-map.ts";
import { BEATEN_NOWHERE, type BeatenAt, BeatenChanges, type Ends } from "./beaten-ends.ts";
import { Counts } from "./counts.ts";
import type { EffectiveCore } from "./effective-core.ts";
import type { OutcomePattern } from "./fold-pattern.ts";

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

interface Counters {
  paths: number;
  full: number;
  partial: number;
  none: number;
  met: number;
  beatenBy: Counts<PolicyId> | undefined;
  beatenAt: BeatenChanges | undefined;
  errors: Counts<string> | undefined;
}

/** Changes to tallies, collected while paths are walked. */
export class TallyChanges {
  readonly #changes: Map<PolicyId, ChangesOfPolicy> = new Map();

  /** At each of some targets, `count` paths with this effective policy come (1, 2, …) or go (-1, …). */
  add(core: EffectiveCore, ancestorOf: (policy: Policy) => ObjectId, ends: Ends, count: number): void {
    const { outcomes, conditionErrors } = core.pattern;
    for (const outcome of outcomes) {
      const policy = core.policyAt(outcome.policy);
      const counters = this.#countersOf(policy.id, ancestorOf(policy));
      addFate(counters, outcome, count * ends.sections.length);
      if (outcome.beaten === 0) continue;
      counters.beatenAt ??= new BeatenChanges();
      counters.beatenAt.add(ends, count);
      counters.beatenBy ??= new Counts();
      for (const winner of outcome.by) counters.beatenBy.add(core.policyAt(winner).id, count * ends.sections.length);
    }
    for (const { policy: place, block, message } of conditionErrors) {
      const policy = core.policyAt(place);
      const counters = this.#countersOf(policy.id, ancestorOf(policy));
      counters.errors ??= new Counts();
      counters.errors.add(`${block.name}: ${message}`, count * ends.sections.length);
    }
  }

  policies(): Iterable<PolicyId> {
    return this.#changes.keys();
  }

  /** The tally after the changes; undefined: nothing is left. */
  applyTo(policy: PolicyId, tally: PolicyTally | undefined): PolicyTally | undefined {
    const changes = this.#changes.get(policy);
    if (changes === undefined) return tally;
    let result: PolicyTally = tally ?? SortedMap.empty();
    for (const [ancestor, counters] of changes.entries()) {
      if (saysNothing(counters)) continue;
      const next = applyCounters(result.get(ancestor), counters);
      result = next === undefined ? result.without(ancestor) : result.with(ancestor, next);
    }
    return result.size === 0 ? undefined : result;
  }

  #countersOf(policy: PolicyId, ancestor: ObjectId): Counters {
    const known = this.#changes.get(policy);
    if (known !== undefined) return known.of(ancestor);
    const made = new ChangesOfPolicy(ancestor);
    this.#changes.set(policy, made);
    return made.of(ancestor);
  }
}

/** By ancestor, of which most policies have one. */
class ChangesOfPolicy {
  readonly #first: ObjectId;
  readonly #counters: Counters = zero();
  #others: Map<ObjectId, Counters> | undefined;

  constructor(first: ObjectId) {
    this.#first = first;
  }

  of(ancestor: ObjectId): Counters {
    if (ancestor === this.#first) return this.#counters;
    this.#others ??= new Map();
    const known = this.#others.get(ancestor);
    if (known !== undefined) return known;
    const made = zero();
    this.#others.set(ancestor, made);
    return made;
  }

  entries(): readonly (readonly [ObjectId, Counters])[] {
    return [[this.#first, this.#counters], ...(this.#others ?? [])];
  }
}

const zero = (): Counters => ({
  paths: 0,
  full: 0,
  partial: 0,
  none: 0,
  met: 0,
  beatenBy: undefined,
  beatenAt: undefined,
  errors: undefined,
});

function addFate(counters: Counters, { prevailing, beaten, gated }: OutcomePattern, count: number): void {
  counters.paths += count;
  if (beaten > 0) {
    if (prevailing === 0) counters.none += count;
    else counters.partial += count;
  } else if (prevailing === 0 && gated) counters.met += count;
  else counters.full += count;
}

/** As many paths came as went, and they say the same. */
function saysNothing({ paths, full, partial, none, met, beatenBy, beatenAt, errors }: Counters): boolean {
  if (paths !== 0 || full !== 0 || partial !== 0 || none !== 0 || met !== 0) return false;
  return (beatenBy?.isLevel ?? true) && (beatenAt?.isLevel ?? true) && (errors?.isLevel ?? true);
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
    beatenAt: change.beatenAt?.addTo(tally?.beatenAt ?? BEATEN_NOWHERE) ?? tally?.beatenAt ?? BEATEN_NOWHERE,
    errors: applyCounts(tally?.errors, change.errors),
  };
}

const applyCounts = <K extends string>(
  before: SortedMap<K, number> | undefined,
  change: Counts<K> | undefined,
): SortedMap<K, number> => change?.addTo(before) ?? before ?? SortedMap.empty();
