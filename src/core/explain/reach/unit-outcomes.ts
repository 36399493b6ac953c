/** The outcome of each setting of a policy on one path. */

import type { SpecOrField } from "../../effective/fold/spec-and-fields.ts";
import type { Outcome, RemovalOutcome, Source } from "../../merge/provenance.ts";
import { takesEffectAt } from "../../merge/takes-effect-at.ts";
import type { BlockName } from "../../model/policy.ts";
import type { PolicyId } from "../../model/refs.ts";
import type { ReachLoss, ReachOutcome } from "./result.ts";

export type UnitOutcome =
  | { readonly state: "inEffect" }
  | { readonly state: "gated" }
  /** An entry of `remove` that an override replaces. */
  | { readonly state: "discarded" }
  | {
      readonly state: "lost";
      readonly reason: ReachLoss["reason"];
      readonly by: readonly PolicyId[];
      readonly source: Source;
      readonly fold: SpecOrField;
    };

/** One outcome per level of the path that the policy is attached to. A policy does not override itself. */
export function unitOutcomes(
  fold: SpecOrField,
  id: PolicyId,
  { block, pointer }: { readonly block: BlockName; readonly pointer: string },
): readonly UnitOutcome[] {
  const source = fold.sources.find((one) => one.pointer === pointer);
  if (source === undefined) return [];
  if (source.policy === id && source.block === block) return [{ state: "inEffect" }];
  return source.lost.flatMap((lost): readonly UnitOutcome[] => {
    if (lost.policy !== id || lost.block !== block) return [];
    const { reason, by } = lost;
    if (reason === "gated") return [{ state: "gated" }];
    if (reason !== "equal" && takesEffectAt(source, id)) return [];
    if (by.length > 0 && by.every((winner) => winner === id)) return [];
    return [{ state: "lost", reason, by, source, fold }];
  });
}

/** The outcome of an entry of `remove`. One that finds nothing to remove has none. */
export function removalOutcomes({ state }: RemovalOutcome): readonly UnitOutcome[] {
  switch (state) {
    case "inEffect":
    case "gated":
      return [{ state }];
    case "overridden":
      return [{ state: "discarded" }];
    case "neutral":
      return [];
  }
}

/** The outcome of a policy without settings: it keeps out defaults, is replaced, or does nothing. */
export function outcomesOfEmpty({ inEffect, overridden }: Outcome): readonly UnitOutcome[] {
  if (inEffect > 0) return [{ state: "inEffect" }];
  return overridden > 0 ? [{ state: "discarded" }] : [];
}

export const isOverridden = (outcome: UnitOutcome): boolean =>
  outcome.state === "discarded" || (outcome.state === "lost" && outcome.reason !== "equal");
export const isEqual = (outcome: UnitOutcome): boolean => outcome.state === "lost" && outcome.reason === "equal";

export const takesEffect = (outcome: UnitOutcome): boolean => outcome.state === "inEffect" || isEqual(outcome);

/** Counts as verdicts do: a path without overridden settings is `full`, unless nothing of the policy takes effect there. */
export function pathOutcome(outcomes: readonly UnitOutcome[]): ReachOutcome {
  const isPartlyInEffect = outcomes.some(takesEffect);
  if (outcomes.some(isOverridden)) return isPartlyInEffect ? "partial" : "none";
  if (isPartlyInEffect) return "full";
  return outcomes.some(({ state }) => state === "gated") ? "met" : "idle";
}
