/** Merging one block into the result (semantics §4; RFC 9, "Merge a defaults / an overrides block of policy rules into a policy"). */
import type { Step } from "../../src/core/effective/fold/effective-policy.ts";
import type { CustomStrategies, PolicyMetadata } from "../../src/core/merge/custom-strategy.ts";
import type { BaseStrategy, MergeStrategy, PolicyDefinition } from "../../src/core/model/definition.ts";
import {
  type Candidate,
  equalsAmong,
  type FoldState,
  holdersAt,
  isTombstone,
  type Loss,
  relation,
} from "./fold-state.ts";
import { field, isEqual, isMap, mapOf, unique } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import { splitUnits } from "./split-units.ts";

export interface BlockToMerge {
  /** The units that take part: neither gated nor removed. */
  readonly candidates: readonly Candidate[];
  readonly policy: OraclePolicy;
  readonly strategy: MergeStrategy;
  readonly step: Step;
}

interface MergeOptions {
  readonly definition: PolicyDefinition;
  readonly strategies: CustomStrategies;
}

export function mergeBlock(state: FoldState, block: BlockToMerge, options: MergeOptions): void {
  if (block.candidates.length === 0) return;
  const { base, granularity } = block.strategy;
  for (const { unit } of block.candidates) state.contest(unit.pointer, block.step);
  // RFC 9: "p.empty?" → "p.rules ← B".
  if (state.held.length === 0) for (const candidate of block.candidates) state.hold(candidate);
  else if (typeof granularity === "object") mergeCustom(state, block, granularity.custom, options);
  else if (base === "Defaults") mergeDefaults(state, block);
  else mergeOverrides(state, block);
  state.hasSpoken ||= block.candidates.some(({ unit }) => !unit.isEmptyMap);
}

/**
 * Atomic takes nothing where a policy has set anything; Merge the rules of which the result holds nothing; Field and Patch the
 * leaves that it does not hold. With what objects say themselves, and with empty maps, every strategy merges leaf by leaf.
 */
function mergeDefaults(state: FoldState, { candidates, strategy }: BlockToMerge): void {
  const before = state.held;
  for (const candidate of candidates) {
    const inTheWay = holdersAt(candidate.unit, before);
    const inTheRule = before.filter((one) => strategy.granularity === "Merge" && one.unit.rule === candidate.unit.rule);
    if (strategy.granularity === "Atomic" && state.hasSpoken) {
      // "Under Atomic without a holder at that place, every policy then holding the result."
      state.losses.set(candidate, lossOfDefault(candidate, inTheWay, before));
    } else if (inTheWay.length > 0 || inTheRule.length > 0) {
      state.losses.set(candidate, lossOfDefault(candidate, inTheWay, inTheRule));
    } else {
      for (const empty of state.held.filter((one) => relation(one.unit, candidate.unit) === "above")) {
        state.drop(empty, { reason: "equal", to: [candidate] });
      }
      state.hold(candidate);
    }
  }
}

export function lossOfDefault(
  candidate: Candidate,
  inTheWay: readonly Candidate[],
  others: readonly Candidate[],
): Loss {
  const equals = equalsAmong(candidate, inTheWay);
  if (equals.length > 0) return { reason: "equal", to: equals };
  if (inTheWay.length > 0 && inTheWay.every(isTombstone)) return { reason: "deleted", to: inTheWay };
  return { reason: "overridden", to: inTheWay.length > 0 ? inTheWay : others };
}

/** Atomic replaces everything; Merge each of its rules; Field and Patch each leaf, with whatever stood above or below it. */
function mergeOverrides(state: FoldState, { candidates, strategy, step }: BlockToMerge): void {
  const before = state.held;
  const isWhole = ({ unit }: Candidate) =>
    strategy.granularity === "Atomic" || (strategy.granularity === "Merge" && unit.ruleName !== undefined);
  const isAbsorbed = (candidate: Candidate) =>
    !isWhole(candidate) &&
    candidate.unit.isEmptyMap &&
    before.some((one) => relation(one.unit, candidate.unit) === "below");
  const setting = candidates.filter((candidate) => !isAbsorbed(candidate));
  for (const one of before) {
    const takers = setting.filter((candidate) => relation(candidate.unit, one.unit) !== "apart");
    const isInRule = setting.some((candidate) => isWhole(candidate) && candidate.unit.rule === one.unit.rule);
    // REF: what an object says itself is "overridden on a per-field basis".
    const isAtomic = strategy.granularity === "Atomic" && one.policy !== null;
    if (!isAtomic && takers.length === 0 && !isInRule) continue;
    state.drop(one, lossToOverride(one, takers, setting));
    // An empty map that something comes to stand in is absorbed, not replaced.
    const isOpened = one.unit.isEmptyMap && takers.some((taker) => relation(taker.unit, one.unit) === "below");
    if (strategy.granularity === "Atomic" || isInRule || !isOpened) state.contest(one.unit.pointer, step);
  }
  for (const candidate of setting) state.hold(candidate);
  for (const candidate of candidates.filter(isAbsorbed)) {
    state.losses.set(candidate, { reason: "equal", to: equalsAmong(candidate, before) });
  }
}

export function lossToOverride(one: Candidate, takers: readonly Candidate[], setting: readonly Candidate[]): Loss {
  const equals = equalsAmong(one, takers);
  if (equals.length > 0) return { reason: "equal", to: equals };
  if (takers.length > 0 && takers.every(isTombstone)) return { reason: "deleted", to: takers };
  return { reason: "replaced", to: takers.length > 0 ? takers : setting };
}

/**
 * "Custom strategies get both specs (established: the block's, challenger: the result) and both policies' metadata, and
 * return a spec. Each unit of it is credited to whoever had that value, else it is computed and credited to the
 * established policy."
 */
function mergeCustom(
  state: FoldState,
  block: BlockToMerge,
  name: string,
  { definition, strategies }: MergeOptions,
): void {
  const { candidates, policy, strategy, step } = block;
  const before = state.held;
  const holders = unique(before.flatMap((one) => (one.policy === null ? [] : [one.policy])));
  const returned = strategies[name]?.({
    base: strategy.base,
    established: { spec: mapOf(candidates.map(({ unit }) => [unit.path, unit.value])), policy: metadataOf(policy) },
    challenger: { spec: specOf(before), policies: holders.map(metadataOf) },
  });
  const units = splitUnits(returned ?? {}, definition);
  const inOrder: Readonly<Record<BaseStrategy, readonly Candidate[]>> = {
    Defaults: [...before, ...candidates],
    Overrides: [...candidates, ...before],
  };
  const credited = units.map((unit): Candidate => {
    const writer = inOrder[strategy.base].find(
      (one) => one.unit.pointer === unit.pointer && isEqual(one.unit.value, unit.value),
    );
    return writer ?? { unit, policy, block: step.block, computed: true };
  });
  const arriving = credited.filter((one) => !before.includes(one));
  for (const one of before.filter((held) => !credited.includes(held))) {
    const takers = arriving.filter((taker) => relation(taker.unit, one.unit) !== "apart");
    state.drop(one, lossToOverride(one, takers, candidates));
    state.contest(one.unit.pointer, step);
  }
  for (const one of arriving) {
    state.hold(one);
    state.contest(one.unit.pointer, step);
  }
  for (const candidate of candidates.filter((one) => !credited.includes(one))) {
    state.losses.set(candidate, lossOfDefault(candidate, holdersAt(candidate.unit, credited), credited));
  }
}

const specOf = (candidates: readonly Candidate[]) =>
  mapOf(candidates.filter((one) => !isTombstone(one)).map(({ unit }) => [unit.path, unit.value]));

function metadataOf({ id, object }: OraclePolicy): PolicyMetadata {
  const metadata = field(object.raw, "metadata");
  return { id, namespace: object.ref.namespace, name: object.ref.name, metadata: isMap(metadata) ? metadata : {} };
}
