/** The fold of one stack, bottom-up (RFC 9, "Apply policies of a kind for an object"): from the most specific policy to the least. */
import type { Step } from "../../src/core/effective/fold/effective-policy.ts";
import type { CustomStrategies } from "../../src/core/merge/custom-strategy.ts";
import type { EvaluateCondition } from "../../src/core/model/cel.ts";
import type { BaseStrategy, Granularity, MergeStrategy, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import { type Candidate, FoldState, holdersAt, relation } from "./fold-state.ts";
import { fieldAt, textField } from "./json-value.ts";
import { lossOfDefault, lossToOverride, mergeBlock } from "./merge-block.ts";
import type { OracleBlock, OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./split-units.ts";
import type { TargetNode } from "./target-node.ts";

/** A policy at one level of a path. */
export interface StackEntry {
  readonly policy: OraclePolicy;
  readonly target: TargetNode;
  /** The place of its target on the path; 0 is the root. */
  readonly level: number;
}

/** The policies on one target, highest first (oldest first). */
export type StackLevel = readonly StackEntry[];

export interface FoldOptions {
  readonly definition: PolicyDefinition;
  readonly cel: EvaluateCondition | undefined;
  readonly strategies: CustomStrategies;
  /** Whether the path ends at the entry's target, or at a section of it: bare rules as Direct act there only. */
  readonly isAtEnd: (entry: StackEntry) => boolean;
}

interface Removal {
  readonly name: string;
  readonly policy: OraclePolicy;
  readonly block: BlockName;
}

interface Fold extends FoldOptions {
  readonly state: FoldState;
  /** Collected from below: they act on the defaults of what comes. */
  removals: readonly Removal[];
  /** Collected from the policy at hand (OldestWins: from the target at hand). */
  pending: readonly Removal[];
  /** Who was folded in, in order, for `decidedBy: Lower`. */
  readonly folded: StackEntry[];
}

/** `levels`: most specific first. `own`: what the objects on the path say themselves, the most specific first. */
export function foldStack(levels: readonly StackLevel[], own: readonly Candidate[], options: FoldOptions): FoldState {
  const fold: Fold = { ...options, state: new FoldState(), removals: [], pending: [], folded: [] };
  fold.state.enter(own);
  for (const candidate of own) {
    const inTheWay = holdersAt(candidate.unit, fold.state.held);
    if (inTheWay.length === 0) fold.state.hold(candidate);
    else fold.state.losses.set(candidate, lossOfDefault(candidate, inTheWay, []));
    fold.state.contest(candidate.unit.pointer, { policy: null, block: null, strategy: "Own" });
  }
  for (const level of levels) {
    if (options.definition.merge.sameTarget === "Established") foldNewestFirst(level, fold);
    else foldOldestWins(level, fold);
  }
  if (options.definition.merge.bare === "Direct") applyDirect(levels.flat(), fold);
  return fold.state;
}

/** GEP-713: on one target the older policy is higher, so the newer one is folded first. */
function foldNewestFirst(level: StackLevel, fold: Fold): void {
  for (const entry of [...level].reverse()) {
    const acted = foldedBlocks(entry, fold).filter((block) => foldBlock(entry, block, fold));
    if (acted.length > 0) fold.folded.push(entry);
    collectRemovals(fold);
  }
}

/** REF, "first created wins": "all defaults and bare rules oldest first, then all overrides newest first". */
function foldOldestWins(level: StackLevel, fold: Fold): void {
  const run = (entry: StackEntry, base: BaseStrategy) => {
    const blocks = foldedBlocks(entry, fold).filter((block) => chooseStrategy(entry, block, fold).base === base);
    const acted = blocks.filter((block) => foldBlock(entry, block, fold));
    if (acted.length > 0) fold.folded.push(entry);
  };
  for (const entry of level) run(entry, "Defaults");
  for (const entry of [...level].reverse()) run(entry, "Overrides");
  // "Removals collected on that target act from the next level on."
  collectRemovals(fold);
}

function collectRemovals(fold: Fold): void {
  fold.removals = [...fold.removals, ...fold.pending];
  fold.pending = [];
}

/** Direct policies stand outside the fold. */
const foldedBlocks = ({ policy }: StackEntry, { definition }: Fold): readonly OracleBlock[] =>
  isDirect(policy, definition) ? [] : policy.blocks;

/** REF: "policy resources that omit both `Override` and `Default` fields" are Direct, in kinds that say so; what only removes sets nothing. */
export const isDirect = ({ blocks }: OraclePolicy, { merge }: PolicyDefinition): boolean =>
  merge.bare === "Direct" &&
  blocks.every(({ name }) => name === "bare") &&
  blocks.some(({ units }) => units.length > 0);

const candidatesOf = (policy: OraclePolicy, { name, units }: OracleBlock): readonly Candidate[] =>
  units.map((unit) => ({ unit, policy, block: name }));

/** Merges one block; false if its condition does not hold. */
function foldBlock(entry: StackEntry, block: OracleBlock, fold: Fold): boolean {
  const { state, definition } = fold;
  const { policy } = entry;
  const candidates = candidatesOf(policy, block);
  const strategy = chooseStrategy(entry, block, fold);
  state.enter(candidates);
  if (!doesAct(block, strategy.base, fold)) {
    const step: Step = { policy: policy.id, block: block.name, strategy: "When" };
    for (const candidate of candidates) state.setAside(candidate, { reason: "gated", to: [] }, step);
    return false;
  }
  const kept = strategy.base === "Defaults" ? candidates.filter((one) => !isRemoved(one, fold)) : candidates;
  const step: Step = {
    policy: policy.id,
    block: block.name,
    strategy: definition.merge.none ? "None" : nameOf(strategy),
  };
  // "Atomic replaces everything, and discards the removals collected so far", not its own.
  if (strategy.base === "Overrides" && strategy.granularity === "Atomic" && candidates.length > 0) {
    fold.removals = [];
    fold.pending = fold.pending.filter((removal) => removal.policy === policy);
  }
  mergeBlock(state, { candidates: kept, policy, strategy, step }, fold);
  fold.pending = [...fold.pending, ...block.remove.map((name) => ({ name, policy, block: block.name }))];
  return true;
}

function nameOf({ base, granularity }: MergeStrategy): string {
  return typeof granularity === "object" ? `Custom/${granularity.custom}${base}` : `${granularity}${base}`;
}

/** GEP-713: "the meta resource considered higher between two conflicting specs dictates the merge strategy". */
function chooseStrategy({ policy, target }: StackEntry, block: OracleBlock, fold: Fold): MergeStrategy {
  const { decidedBy, annotation, none } = fold.definition.merge;
  // What does not flow is no default to its target: it sets what it says there, field by field.
  if (none && fold.definition.class === "Direct") return { base: "Overrides", granularity: "Field" };
  const asHigher: MergeStrategy = {
    base: block.name === "overrides" ? "Overrides" : "Defaults",
    granularity: block.granularity,
  };
  switch (decidedBy) {
    case "Higher":
      return asHigher;
    case "Lower":
      return { ...asHigher, granularity: granularityOfLower(policy, target, fold) ?? block.granularity };
    case "Annotation": {
      const value = textField(fieldAt(target.object.raw, "metadata.annotations"), annotation?.key ?? "");
      const values = annotation?.values ?? {};
      return value !== undefined && Object.hasOwn(values, value) ? (values[value] ?? asHigher) : asHigher;
    }
  }
}

/** "The granularity is that of the policy last folded in (its first block)." */
function granularityOfLower(policy: OraclePolicy, target: TargetNode, fold: Fold): Granularity | undefined {
  const others = fold.folded.filter((entry) => entry.policy !== policy || entry.target !== target);
  const last = others.at(-1);
  return last === undefined ? undefined : foldedBlocks(last, fold)[0]?.granularity;
}

/** False or a missing key: the block does not act. "An error fails closed: defaults do not act, overrides do." */
function doesAct({ when }: OracleBlock, base: BaseStrategy, { state, cel }: Fold): boolean {
  if (when === undefined) return true;
  const { spec } = state;
  const outcome = cel?.(when, { spec, self: { spec } }) ?? { state: "error" };
  switch (outcome.state) {
    case "value":
      return outcome.holds;
    case "missing":
      return false;
    case "error":
      return base === "Overrides";
  }
}

/** RFC 9: "Remove from B all policy rules listed in p.remove". */
function isRemoved(candidate: Candidate, { removals, state }: Fold): boolean {
  const remover = removals.find(({ name }) => isNamedBy(candidate.unit, name));
  if (remover === undefined) return false;
  const step: Step = { policy: remover.policy.id, block: remover.block, strategy: "Remove" };
  state.setAside(candidate, { reason: "removed", to: [], by: remover.policy.id }, step);
  return true;
}

/** "An entry is a rule's name (in every rule map), or a dotted path of a unit or of something above units." */
function isNamedBy({ path, ruleName }: OracleUnit, name: string): boolean {
  return ruleName === name || path.some((_, i) => path.slice(0, i + 1).join(".") === name);
}

/**
 * REF and GEP-713x: a policy with neither block is a Direct one; "Direct Policies override Inherited Policies". It acts
 * on its own target only; of several the one on the more specific node, then the oldest.
 */
function applyDirect(entries: readonly StackEntry[], fold: Fold): void {
  const { state } = fold;
  const contenders = entries
    .filter((entry) => fold.isAtEnd(entry) && isDirect(entry.policy, fold.definition))
    .flatMap(({ policy }) => policy.blocks.map((block) => ({ policy, block })))
    .map(({ policy, block }) => ({ policy, candidates: candidatesOf(policy, block) }))
    .filter(({ candidates }) => candidates.length > 0);
  for (const { candidates } of contenders) state.enter(candidates);
  const [winner, ...others] = contenders;
  if (winner === undefined) return;
  const step: Step = { policy: winner.policy.id, block: "bare", strategy: "Direct" };
  for (const one of state.held) {
    const takers = winner.candidates.filter((taker) => relation(taker.unit, one.unit) !== "apart");
    if (one.policy === null && takers.length === 0) continue;
    state.drop(one, lossToOverride(one, takers, winner.candidates));
    state.contest(one.unit.pointer, step);
  }
  for (const candidate of winner.candidates) {
    state.hold(candidate);
    state.contest(candidate.unit.pointer, step);
  }
  for (const candidate of others.flatMap(({ candidates }) => candidates)) {
    const inTheWay = holdersAt(candidate.unit, winner.candidates);
    state.losses.set(candidate, lossOfDefault(candidate, inTheWay, winner.candidates));
    state.contest(candidate.unit.pointer, step);
  }
}
