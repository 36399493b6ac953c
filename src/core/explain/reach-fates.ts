/** What becomes of a policy's units at the end of one path. */
import type { Source } from "../effective/fold/effective-policy.ts";
import type { Fold } from "../effective/fold/folds-of.ts";
import type { BlockName } from "../model/policy.ts";
import type { PolicyId } from "../model/refs.ts";
import type { PathFate, ReachLoss } from "./reach.ts";

export type UnitFate =
  | { readonly state: "decides" }
  | { readonly state: "gated" }
  | {
      readonly state: "lost";
      readonly reason: ReachLoss["reason"];
      readonly by: readonly PolicyId[];
      readonly source: Source;
      readonly fold: Fold;
    };

/** One for each level that the policy stands at on the path; what it lost to itself counts neither way. */
export function unitFates(
  fold: Fold,
  id: PolicyId,
  { block, pointer }: { readonly block: BlockName; readonly pointer: string },
): readonly UnitFate[] {
  const source = fold.sources.find((one) => one.pointer === pointer);
  if (source === undefined) return [];
  if (source.policy === id && source.block === block) return [{ state: "decides" }];
  return source.lost.flatMap((lost): readonly UnitFate[] => {
    if (lost.policy !== id || lost.block !== block) return [];
    const { reason, by } = lost;
    if (reason === "gated") return [{ state: "gated" }];
    if (by.length > 0 && by.every((winner) => winner === id)) return [];
    return [{ state: "lost", reason, by, source, fold }];
  });
}

export const isOverridden = (fate: UnitFate): boolean => fate.state === "lost" && fate.reason !== "equal";
export const isEqual = (fate: UnitFate): boolean => fate.state === "lost" && fate.reason === "equal";

export const holds = (fate: UnitFate): boolean => fate.state === "decides" || isEqual(fate);

/** As verdicts count: what is not overridden holds, also where there is nothing to hold. */
export function pathFate(fates: readonly UnitFate[]): PathFate {
  const someHold = fates.some(holds);
  if (fates.some(isOverridden)) return someHold ? "partial" : "none";
  return !someHold && fates.some(({ state }) => state === "gated") ? "met" : "full";
}
