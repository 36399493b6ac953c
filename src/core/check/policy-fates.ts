/** How every part of every policy of a kind fares over all its paths. */
import type { Candidate, Loss } from "../merge/fold-result.ts";
import type { Block, BlockName, Policy, Unit } from "../model/policy.ts";
import type { PolicyId } from "../model/refs.ts";
import type { SurveyedFold } from "./survey-folds.ts";

/** One value of a block. */
export interface UnitFate {
  readonly block: Block;
  readonly unit: Unit;
  /** It holds somewhere, or its value does. */
  prevails: boolean;
  /** The policies that it lost to, others than its own. */
  readonly lostTo: Set<PolicyId>;
  /** It lost to an object's own value. */
  lostToObject: boolean;
}

export interface PolicyFate {
  readonly policy: Policy;
  paths: number;
  readonly units: Map<string, UnitFate>;
  /** Blocks whose condition did not hold on some path; blocks that acted on some. */
  readonly gated: Set<BlockName>;
  readonly acted: Set<BlockName>;
  /** Its overrides took the place of something, or met the same value. */
  overridesMeet: boolean;
  /** Values of others that its removals kept out. */
  readonly removed: Unit[];
}

export function policyFates(folds: readonly SurveyedFold[]): ReadonlyMap<PolicyId, PolicyFate> {
  const fates = new Map<PolicyId, PolicyFate>();
  for (const { effective, paths, states } of folds) {
    for (const { policy } of effective.outcomes) fateOf(fates, policy).paths += paths;
    for (const fold of states()) {
      for (const { holder, losses } of fold) {
        if (holder !== undefined) noteHolder(fates, holder);
        for (const loss of losses) noteLoss(fates, loss, holder);
      }
    }
  }
  return fates;
}

function fateOf(fates: Map<PolicyId, PolicyFate>, policy: Policy): PolicyFate {
  let fate = fates.get(policy.id);
  if (fate === undefined) {
    fate = {
      policy,
      paths: 0,
      units: new Map(),
      gated: new Set(),
      acted: new Set(),
      overridesMeet: false,
      removed: [],
    };
    fates.set(policy.id, fate);
  }
  return fate;
}

function unitFateOf(fate: PolicyFate, block: Block, unit: Unit): UnitFate {
  const key = `${block.name}${unit.pointer}`;
  let own = fate.units.get(key);
  if (own === undefined) {
    own = { block, unit, prevails: false, lostTo: new Set(), lostToObject: false };
    fate.units.set(key, own);
  }
  return own;
}

function noteHolder(fates: Map<PolicyId, PolicyFate>, { policy, block, unit, computed }: Candidate): void {
  if (policy === undefined || block === undefined || computed) return;
  const fate = fateOf(fates, policy);
  fate.acted.add(block.name);
  unitFateOf(fate, block, unit).prevails = true;
}

function noteLoss(fates: Map<PolicyId, PolicyFate>, loss: Loss, holder: Candidate | undefined): void {
  const { candidate, reason, by } = loss;
  noteWinners(fates, loss, holder);
  const { policy, block, unit } = candidate;
  if (policy === undefined || block === undefined) return;
  const fate = fateOf(fates, policy);
  if (reason === "gated") {
    fate.gated.add(block.name);
    return;
  }
  fate.acted.add(block.name);
  const own = unitFateOf(fate, block, unit);
  if (reason === "equal") own.prevails = true;
  else if (by.length === 0) own.lostToObject = true;
  else for (const winner of by) if (winner !== policy) own.lostTo.add(winner.id);
}

/** What the loss says about those that won. */
function noteWinners(fates: Map<PolicyId, PolicyFate>, { candidate, reason, by }: Loss, holder?: Candidate): void {
  if (reason === "gated" || reason === "overridden") return;
  for (const winner of by) {
    if (winner === candidate.policy) continue;
    const fate = fateOf(fates, winner);
    if (reason === "removed") fate.removed.push(candidate.unit);
    else if (reason !== "equal" || holder?.block?.name === "overrides") fate.overridesMeet = true;
  }
}
