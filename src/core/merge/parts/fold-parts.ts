import type { Policy, Unit } from "../../model/policy.ts";
import { type Folded, type FoldRules, type FoldTools, fold } from "../fold.ts";
import type { FoldLevel } from "../fold-level.ts";
import type { PartsAtEnd } from "./compile-parts.ts";

/**
 * Parts are merged on their own
 *
 * A part of a kind with merge rules of its own is folded by these rules, and the settings of no part by those of the kind. The effective
 * policy is all of them together. A policy without settings in a part has no say in it, unless it has no settings at all. Settings of parts
 * that take effect elsewhere are left out.
 * GEP-713, "Combined merge strategies"
 *
 * `parts`: undefined if all settings have the same rules.
 */
export function foldParts(
  levels: readonly FoldLevel[],
  own: readonly Unit[],
  { definition, tools }: { readonly definition: FoldRules; readonly tools: FoldTools },
  parts: PartsAtEnd | undefined,
): Folded {
  if (parts === undefined) return fold(levels, own, definition, tools);
  const { class: policyClass, merge } = definition;
  const rest = fold(levelsWith(levels, ""), own, { class: policyClass, merge, part: "" }, tools);
  const others = parts.merged.map(({ name, merge: rules, tools: ownTools }) =>
    fold(levelsWith(levels, name), NO_UNITS, { class: policyClass, merge: rules, part: name }, ownTools),
  );
  return {
    ...rest,
    states: [...rest.states.filter(({ pointer }) => parts.isHere(pointer)), ...others.flatMap(({ states }) => states)],
  };
}

/** The levels with policies that have settings in a part. */
function levelsWith(levels: readonly FoldLevel[], part: string): readonly FoldLevel[] {
  const counts = ({ blocks }: Policy): boolean =>
    blocks.length === 0 || blocks.some(({ part: own = "" }) => own === part);
  return levels
    .map((level): FoldLevel => {
      const policies = level.policies.filter(counts);
      return level.replaced === undefined
        ? { ...level, policies }
        : { ...level, policies, replaced: level.replaced.filter(counts) };
    })
    .filter(({ policies, replaced = [] }) => policies.length + replaced.length > 0);
}

const NO_UNITS: readonly Unit[] = [];
