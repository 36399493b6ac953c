/** The effect of each unit of each policy of a kind over all its paths. */
import type { Loss, Setting } from "../../merge/fold-result.ts";
import type { Block, BlockName, Policy, Unit } from "../../model/policy.ts";
import type { PolicyId } from "../../model/refs.ts";
import type { DistinctFold } from "./distinct-folds.ts";

/** One unit of a block. */
export interface UnitEffect {
  readonly block: Block;
  readonly unit: Unit;
  /** True if it takes effect on some path, or another policy sets the same value there. */
  takesEffect: boolean;
  /** Other policies that override it on some path. */
  readonly lostTo: Set<PolicyId>;
  /** True if an object's own value overrides it on some path. */
  lostToObject: boolean;
}

export interface PolicyEffect {
  readonly policy: Policy;
  paths: number;
  readonly units: Map<string, UnitEffect>;
  /** Blocks whose condition is false on some path, and blocks that are merged on some path. */
  readonly gated: Set<BlockName>;
  readonly acted: Set<BlockName>;
  /** True if its overrides replace a value on some path, or find the same value there. */
  overridesMeet: boolean;
  /** The entries of `remove` that take effect on some path, by block: `bare limits.a`. */
  readonly removing: Set<string>;
}

export const removalKey = (block: BlockName, entry: string): string => `${block} ${entry}`;

export function policyEffects(folds: readonly DistinctFold[]): ReadonlyMap<PolicyId, PolicyEffect> {
  const effects = new Map<PolicyId, PolicyEffect>();
  for (const { effective, paths, states } of folds) {
    for (const { policy } of effective.outcomes) effectOf(effects, policy).paths += paths;
    for (const { policy, block, entry, state } of effective.removals)
      if (state === "inEffect") effects.get(policy)?.removing.add(removalKey(block, entry));
    for (const fold of states()) {
      for (const { current, losses } of fold) {
        if (current !== undefined) noteInEffect(effects, current);
        for (const loss of losses) noteLoss(effects, loss, current);
      }
    }
  }
  return effects;
}

function effectOf(effects: Map<PolicyId, PolicyEffect>, policy: Policy): PolicyEffect {
  let effect = effects.get(policy.id);
  if (effect === undefined) {
    effect = {
      policy,
      paths: 0,
      units: new Map(),
      gated: new Set(),
      acted: new Set(),
      overridesMeet: false,
      removing: new Set(),
    };
    effects.set(policy.id, effect);
  }
  return effect;
}

function unitEffectOf(effect: PolicyEffect, block: Block, unit: Unit): UnitEffect {
  const key = `${block.name}${unit.pointer}`;
  let own = effect.units.get(key);
  if (own === undefined) {
    own = { block, unit, takesEffect: false, lostTo: new Set(), lostToObject: false };
    effect.units.set(key, own);
  }
  return own;
}

function noteInEffect(effects: Map<PolicyId, PolicyEffect>, { policy, block, unit, computed }: Setting): void {
  if (policy === undefined || block === undefined || computed) return;
  const effect = effectOf(effects, policy);
  effect.acted.add(block.name);
  unitEffectOf(effect, block, unit).takesEffect = true;
}

function noteLoss(effects: Map<PolicyId, PolicyEffect>, loss: Loss, current: Setting | undefined): void {
  const { setting, reason, by } = loss;
  noteWinners(effects, loss, current);
  const { policy, block, unit } = setting;
  if (policy === undefined || block === undefined) return;
  const effect = effectOf(effects, policy);
  if (reason === "gated") {
    effect.gated.add(block.name);
    return;
  }
  effect.acted.add(block.name);
  const own = unitEffectOf(effect, block, unit);
  if (reason === "equal") own.takesEffect = true;
  else if (by.length === 0) own.lostToObject = true;
  else for (const winner of by) if (winner !== policy) own.lostTo.add(winner.id);
}

/** Records a loss at the policies that caused it. */
function noteWinners(effects: Map<PolicyId, PolicyEffect>, { setting, reason, by }: Loss, current?: Setting): void {
  if (reason === "gated" || reason === "replaced") return;
  for (const winner of by) {
    if (winner === setting.policy) continue;
    const effect = effectOf(effects, winner);
    if (reason === "removed") continue;
    if (reason !== "equal" || current?.block?.name === "overrides") effect.overridesMeet = true;
  }
}
