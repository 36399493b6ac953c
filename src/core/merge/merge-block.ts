import type { MergeStrategy } from "../model/definition.ts";
import type { Unit } from "../model/policy.ts";
import type { BlockMerge } from "./block-merge.ts";
import type { FoldResult } from "./fold-result.ts";
import { atomicDefaults } from "./strategies/atomic-defaults.ts";
import { atomicOverrides } from "./strategies/atomic-overrides.ts";
import { fieldDefaults } from "./strategies/field-defaults.ts";
import { fieldOverrides } from "./strategies/field-overrides.ts";
import { mergeCustom } from "./strategies/merge-custom.ts";
import { ruleDefaults } from "./strategies/rule-defaults.ts";
import { ruleOverrides } from "./strategies/rule-overrides.ts";
import { takePointer } from "./take-or-replace.ts";

/** Merges one block of a policy into the result, by the strategy that was chosen for it. */
export function mergeBlock(result: FoldResult, merge: BlockMerge): void {
  if (merge.settings.length === 0) return;
  switch (merge.strategy.base) {
    case "Defaults":
      if (result.isEmpty && !isKeptOut(result, merge.strategy)) takeAll(result, merge);
      else mergeDefaults(result, merge);
      break;
    case "Overrides":
      mergeOverrides(result, merge);
      break;
  }
  result.noteMerged(merge.settings);
}

/** RFC 9, "Merge a `defaults` block of policy rules into a policy": where the result is empty, the whole block is taken. */
function takeAll(result: FoldResult, { settings, decision }: BlockMerge): void {
  for (const setting of settings) takePointer(result, setting, decision);
}

/** True if an empty policy keeps a whole block of defaults out of the result. */
const isKeptOut = (result: FoldResult, { granularity }: MergeStrategy): boolean =>
  granularity === "Atomic" && result.occupant !== undefined;

/** True if a default is taken into the result as it is now. What a custom strategy takes is not known. */
export function takesDefault(result: FoldResult, { pointer, rule }: Unit, strategy: MergeStrategy): boolean {
  const { granularity } = strategy;
  if (isKeptOut(result, strategy)) return false;
  if (typeof granularity !== "string" || result.isEmpty) return true;
  switch (granularity) {
    case "Atomic":
      return result.isOpen && result.conflicting(pointer).length === 0;
    case "Merge":
      return result.conflicting(rule).length === 0;
    case "Field":
    case "Patch":
      return result.conflicting(pointer).length === 0;
  }
}

function mergeDefaults(result: FoldResult, merge: BlockMerge): void {
  const { granularity } = merge.strategy;
  if (typeof granularity !== "string") {
    mergeCustom(result, merge, granularity.custom);
    return;
  }
  switch (granularity) {
    case "Atomic":
      atomicDefaults(result, merge);
      return;
    case "Merge":
      ruleDefaults(result, merge);
      return;
    case "Field":
    case "Patch":
      fieldDefaults(result, merge);
      return;
  }
}

function mergeOverrides(result: FoldResult, merge: BlockMerge): void {
  const { granularity } = merge.strategy;
  if (typeof granularity !== "string") {
    if (result.isEmpty) takeAll(result, merge);
    else mergeCustom(result, merge, granularity.custom);
    return;
  }
  switch (granularity) {
    case "Atomic":
      atomicOverrides(result, merge.settings, merge.decision);
      return;
    case "Merge":
      ruleOverrides(result, merge);
      return;
    case "Field":
    case "Patch":
      fieldOverrides(result, merge);
      return;
  }
}
