/** Merges one block into the result (docs/semantics.md §4; RFC 9, "Merge a defaults / an overrides block of policy rules into a policy"). */

import type { CustomStrategies, PolicyMetadata } from "../../src/core/merge/custom-strategy.ts";
import type { Step } from "../../src/core/merge/provenance.ts";
import type { BaseStrategy, MergeStrategy, PolicyDefinition } from "../../src/core/model/definition.ts";
import {
  equalsAmong,
  type FoldState,
  isTombstone,
  type Loss,
  relation,
  type Setting,
  settingsAt,
  specOf,
} from "./fold-state.ts";
import { field, isEqual, isMap, mapOf, unique } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import { unitsOf } from "./spec-units.ts";

export interface BlockToMerge {
  /** The settings to merge, without those that are gated or removed. */
  readonly settings: readonly Setting[];
  readonly policy: OraclePolicy;
  readonly strategy: MergeStrategy;
  readonly step: Step;
}

interface MergeOptions {
  readonly definition: PolicyDefinition;
  readonly strategies: CustomStrategies;
}

export function mergeBlock(state: FoldState, block: BlockToMerge, options: MergeOptions): void {
  if (block.settings.length === 0) return;
  const { base, granularity } = block.strategy;
  for (const { unit } of block.settings) state.contest(unit.pointer, block.step);
  // RFC 9: "p.empty?" → "p.rules ← B".
  if (state.current.length === 0 && !isKeptOut(state, block.strategy))
    for (const setting of block.settings) state.add(setting);
  else if (typeof granularity === "object") mergeCustom(state, block, granularity.custom, options);
  else if (base === "Defaults") mergeDefaults(state, block);
  else mergeOverrides(state, block);
  state.hasPolicyValue = true;
}

/**
 * Atomic adds nothing if a policy has set a value; Merge adds the rules that the result does not contain; Field and Patch add the
 * leaves that it does not contain. Objects' own values and empty maps are merged leaf by leaf under every strategy.
 */
function mergeDefaults(state: FoldState, { settings, strategy }: BlockToMerge): void {
  const before = state.current;
  for (const setting of settings) {
    const overlapping = settingsAt(setting.unit, before);
    const inTheRule = before.filter((one) => strategy.granularity === "Merge" && one.unit.rule === setting.unit.rule);
    if (isKeptOut(state, strategy)) {
      state.losses.set(setting, keptOut(setting, overlapping, state));
    } else if (strategy.granularity === "Atomic" && state.hasPolicyValue) {
      // Under Atomic, without a value at that pointer, all policies of the result override it.
      state.losses.set(setting, lossOfDefault(setting, overlapping, before));
    } else if (overlapping.length > 0 || inTheRule.length > 0) {
      state.losses.set(setting, lossOfDefault(setting, overlapping, inTheRule));
    } else {
      for (const empty of state.current.filter((one) => relation(one.unit, setting.unit) === "above")) {
        state.remove(empty, { reason: "equal", to: [setting] });
      }
      state.add(setting);
    }
  }
}

/** True if an empty policy keeps out the whole block. */
const isKeptOut = (state: FoldState, { base, granularity }: MergeStrategy): boolean =>
  base === "Defaults" && granularity === "Atomic" && state.isOpen && state.occupant !== undefined;

/** True if the result as it is takes a default. What a custom strategy takes is not known. */
export function takesDefault(state: FoldState, { unit }: Setting, strategy: MergeStrategy): boolean {
  const { current, hasPolicyValue } = state;
  const { granularity } = strategy;
  if (isKeptOut(state, strategy)) return false;
  if (typeof granularity === "object" || current.length === 0) return true;
  const isInRule = (one: Setting): boolean => granularity === "Merge" && one.unit.rule === unit.rule;
  if (settingsAt(unit, current).length > 0 || current.some(isInRule)) return false;
  return granularity !== "Atomic" || !hasPolicyValue;
}

/** The loss of a default that an object's own value, or an empty policy, keeps out. */
function keptOut(setting: Setting, overlapping: readonly Setting[], { occupant }: FoldState): Loss {
  if (overlapping.length > 0 || occupant === undefined) return lossOfDefault(setting, overlapping, []);
  occupant.keepsOut = true;
  return { reason: "replaced", to: [], occupant: occupant.policy.id };
}

export function lossOfDefault(setting: Setting, overlapping: readonly Setting[], others: readonly Setting[]): Loss {
  const equals = equalsAmong(setting, overlapping);
  if (equals.length > 0) return { reason: "equal", to: equals };
  if (overlapping.length > 0 && overlapping.every(isTombstone)) return { reason: "deleted", to: overlapping };
  return { reason: "replaced", to: overlapping.length > 0 ? overlapping : others };
}

/** Atomic replaces everything; Merge replaces each of its rules; Field and Patch replace each leaf, with the values above and below it. */
function mergeOverrides(state: FoldState, { settings, strategy, step }: BlockToMerge): void {
  const before = state.current;
  const isWhole = ({ unit }: Setting) =>
    strategy.granularity === "Atomic" || (strategy.granularity === "Merge" && unit.ruleName !== undefined);
  const isAbsorbed = (setting: Setting) =>
    !isWhole(setting) && setting.unit.isEmptyMap && before.some((one) => relation(one.unit, setting.unit) === "below");
  const writing = settings.filter((setting) => !isAbsorbed(setting));
  for (const one of before) {
    const overriding = writing.filter((setting) => relation(setting.unit, one.unit) !== "apart");
    const isInRule = writing.some((setting) => isWhole(setting) && setting.unit.rule === one.unit.rule);
    // Policy attachment reference: an object's own values are "overridden on a per-field basis".
    const isAtomic = strategy.granularity === "Atomic" && one.policy !== null;
    if (!isAtomic && overriding.length === 0 && !isInRule) continue;
    state.remove(one, lossToOverride(one, overriding, writing));
    // An empty map that gets entries is not replaced.
    const isOpened =
      one.unit.isEmptyMap && overriding.some((override) => relation(override.unit, one.unit) === "below");
    if (strategy.granularity === "Atomic" || isInRule || !isOpened) state.contest(one.unit.pointer, step);
  }
  for (const setting of writing) state.add(setting);
  for (const setting of settings.filter(isAbsorbed)) {
    state.losses.set(setting, { reason: "equal", to: equalsAmong(setting, before) });
  }
}

export function lossToOverride(one: Setting, overriding: readonly Setting[], writing: readonly Setting[]): Loss {
  const equals = equalsAmong(one, overriding);
  if (equals.length > 0) return { reason: "equal", to: equals };
  if (overriding.length > 0 && overriding.every(isTombstone)) return { reason: "deleted", to: overriding };
  return { reason: "overridden", to: overriding.length > 0 ? overriding : writing };
}

/**
 * A custom strategy gets both specs (established: the block, challenger: the result) and the metadata of the policies, and
 * returns a spec. Each unit of it is credited to the policy that had this value, else it is computed and credited to the
 * established policy.
 */
function mergeCustom(
  state: FoldState,
  block: BlockToMerge,
  name: string,
  { definition, strategies }: MergeOptions,
): void {
  const { settings, policy, strategy, step } = block;
  const before = state.current;
  const policies = unique(before.flatMap((one) => (one.policy === null ? [] : [one.policy])));
  const returned = strategies[name]?.({
    base: strategy.base,
    established: { spec: mapOf(settings.map(({ unit }) => [unit.path, unit.value])), policy: metadataOf(policy) },
    challenger: { spec: specOf(before), policies: policies.map(metadataOf) },
  });
  const units = unitsOf(returned ?? {}, definition);
  const inOrder: Readonly<Record<BaseStrategy, readonly Setting[]>> = {
    Defaults: [...before, ...settings],
    Overrides: [...settings, ...before],
  };
  const credited = units.map((unit): Setting => {
    const writer = inOrder[strategy.base].find(
      (one) => one.unit.pointer === unit.pointer && isEqual(one.unit.value, unit.value),
    );
    return writer ?? { unit, policy, block: step.block, computed: true };
  });
  const arriving = credited.filter((one) => !before.includes(one));
  for (const one of before.filter((current) => !credited.includes(current))) {
    const overriding = arriving.filter((override) => relation(override.unit, one.unit) !== "apart");
    state.remove(one, lossToOverride(one, overriding, settings));
    state.contest(one.unit.pointer, step);
  }
  for (const one of arriving) {
    state.add(one);
    state.contest(one.unit.pointer, step);
  }
  for (const setting of settings.filter((one) => !credited.includes(one))) {
    state.losses.set(setting, lossOfDefault(setting, settingsAt(setting.unit, credited), credited));
  }
}

function metadataOf({ id, object }: OraclePolicy): PolicyMetadata {
  const metadata = field(object.raw, "metadata");
  return { id, namespace: object.ref.namespace, name: object.ref.name, metadata: isMap(metadata) ? metadata : {} };
}
