/** The fold of one stack, from the most specific policy to the least specific (RFC 9, "Apply policies of a kind for an object"). */

import type { CustomStrategies } from "../../src/core/merge/custom-strategy.ts";
import type { Step } from "../../src/core/merge/provenance.ts";
import type { EvaluateCondition } from "../../src/core/model/cel.ts";
import type { BaseStrategy, Granularity, MergeStrategy, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import { FoldState, type Loss, relation, type Setting, settingsAt } from "./fold-state.ts";
import { fieldAt, textField } from "./json-value.ts";
import { lossOfDefault, lossToOverride, mergeBlock } from "./merge-block.ts";
import type { OracleBlock, OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./spec-units.ts";
import type { TargetNode } from "./target-node.ts";

/** A policy at one level of a path. */
export interface StackEntry {
  readonly policy: OraclePolicy;
  readonly target: TargetNode;
  /** The index of its target on the path; 0 is the root. */
  readonly level: number;
  /** Strategy None: it takes effect on other requests; on these a consumer's policy replaces it. */
  readonly isReplaced?: true;
}

/** The policies on one target, highest first (oldest first). */
export type StackLevel = readonly StackEntry[];

export interface FoldOptions {
  readonly definition: PolicyDefinition;
  readonly cel: EvaluateCondition | undefined;
  readonly strategies: CustomStrategies;
  /** True if the path ends at the entry's target or at a section of it. A Direct policy takes effect only there. */
  readonly isAtEnd: (entry: StackEntry) => boolean;
}

interface Removal {
  readonly name: string;
  readonly policy: OraclePolicy;
  readonly block: BlockName;
}

interface Fold extends FoldOptions {
  readonly state: FoldState;
  /** Removals collected so far. They remove defaults of policies that are folded later. */
  removals: readonly Removal[];
  /** Removals of the current policy (OldestWins: of the current target). */
  pending: readonly Removal[];
  /** The entries folded so far, in order, for `decidedBy: Lower`. */
  readonly folded: StackEntry[];
}

/** `levels` and `own` (the values in the objects on the path) begin with the most specific. */
export function foldStack(levels: readonly StackLevel[], own: readonly Setting[], options: FoldOptions): FoldState {
  const fold: Fold = { ...options, state: new FoldState(), removals: [], pending: [], folded: [] };
  fold.state.enter(own);
  for (const setting of own) {
    const overlapping = settingsAt(setting.unit, fold.state.current);
    if (overlapping.length === 0) {
      // An empty map that another object fills.
      for (const empty of fold.state.current.filter((one) => relation(one.unit, setting.unit) === "above"))
        fold.state.remove(empty, { reason: "equal", to: [setting] });
      fold.state.add(setting);
    } else fold.state.losses.set(setting, lossOfDefault(setting, overlapping, []));
    fold.state.contest(setting.unit.pointer, { policy: null, block: null, strategy: "Own" });
  }
  for (const [depth, all] of levels.entries()) {
    const level = all.filter(({ isReplaced }) => !isReplaced);
    if (options.definition.class === "Direct" && depth > 0) loseToSection(level, levels[0]?.[0], fold);
    else if (options.definition.merge.sameTarget === "Established") foldNewestFirst(level, fold);
    else foldOldestWins(level, fold);
    loseToSection(
      all.filter(({ isReplaced }) => isReplaced),
      level[0],
      fold,
    );
  }
  if (options.definition.merge.bare === "Direct") applyDirect(levels.flat(), fold);
  return fold.state;
}

/** A Direct policy on an object is never merged with the one on its section: it loses everything. */
function loseToSection(level: StackLevel, winner: StackEntry | undefined, { state }: Fold): void {
  for (const { policy } of level) {
    for (const block of policy.blocks) {
      for (const setting of settingsOf(policy, block)) {
        state.enter([setting]);
        const loss: Loss = { reason: "replaced", to: [], ...(winner && { by: winner.policy.id }) };
        state.setAside(setting, loss, { policy: policy.id, block: block.name, strategy: "None" });
      }
    }
  }
}

/** GEP-713: on one target the older policy is higher, so the newer one is folded first. */
function foldNewestFirst(level: StackLevel, fold: Fold): void {
  for (const entry of [...level].reverse()) {
    const acted = inheritedBlocks(entry, fold).filter((block) => foldBlock(entry, block, fold));
    if (acted.length > 0) fold.folded.push(entry);
    collectRemovals(fold);
  }
}

/** Policy attachment reference, "first created wins": all defaults and bare rules oldest first, then all overrides newest first. */
function foldOldestWins(level: StackLevel, fold: Fold): void {
  const run = (entry: StackEntry, base: BaseStrategy) => {
    const blocks = inheritedBlocks(entry, fold).filter((block) => chooseStrategy(entry, block, fold).base === base);
    const acted = blocks.filter((block) => foldBlock(entry, block, fold));
    if (acted.length > 0) fold.folded.push(entry);
  };
  for (const entry of level) run(entry, "Defaults");
  for (const entry of [...level].reverse()) run(entry, "Overrides");
  // Removals of this target take effect from the next level on.
  collectRemovals(fold);
}

function collectRemovals(fold: Fold): void {
  fold.removals = [...fold.removals, ...fold.pending];
  fold.pending = [];
}

/** The blocks to fold. A Direct policy is not folded. */
const inheritedBlocks = ({ policy }: StackEntry, { definition }: Fold): readonly OracleBlock[] =>
  isDirect(policy, definition) ? [] : policy.blocks;

/** Policy attachment reference: in kinds with `bare: Direct`, a policy that sets something and has neither block is Direct. */
export const isDirect = ({ blocks }: OraclePolicy, { merge }: PolicyDefinition): boolean =>
  merge.bare === "Direct" &&
  blocks.every(({ name }) => name === "bare") &&
  blocks.some(({ units }) => units.length > 0);

const settingsOf = (policy: OraclePolicy, { name, units }: OracleBlock): readonly Setting[] =>
  units.map((unit) => ({ unit, policy, block: name }));

/** Merges one block. Returns false if its condition is not met. */
function foldBlock(entry: StackEntry, block: OracleBlock, fold: Fold): boolean {
  const { state, definition } = fold;
  const { policy } = entry;
  const settings = settingsOf(policy, block);
  const strategy = chooseStrategy(entry, block, fold);
  state.enter(settings);
  if (!isActive(block, strategy.base, fold)) {
    const step: Step = { policy: policy.id, block: block.name, strategy: "When" };
    for (const setting of settings) state.setAside(setting, { reason: "gated", to: [] }, step);
    return false;
  }
  const kept = strategy.base === "Defaults" ? settings.filter((one) => !isRemoved(one, fold)) : settings;
  const step: Step = {
    policy: policy.id,
    block: block.name,
    strategy: definition.merge.none ? "None" : nameOf(strategy),
  };
  // An atomic override replaces everything and discards the removals collected so far, except its own.
  if (strategy.base === "Overrides" && strategy.granularity === "Atomic" && settings.length > 0) {
    fold.removals = [];
    fold.pending = fold.pending.filter((removal) => removal.policy === policy);
  }
  mergeBlock(state, { settings: kept, policy, strategy, step }, fold);
  fold.pending = [...fold.pending, ...block.remove.map((name) => ({ name, policy, block: block.name }))];
  return true;
}

function nameOf({ base, granularity }: MergeStrategy): string {
  return typeof granularity === "object" ? `Custom/${granularity.custom}${base}` : `${granularity}${base}`;
}

/** GEP-713: "the meta resource considered higher between two conflicting specs dictates the merge strategy". */
function chooseStrategy({ policy, target }: StackEntry, block: OracleBlock, fold: Fold): MergeStrategy {
  const { decidedBy, annotation, none } = fold.definition.merge;
  // A Direct policy is not a default of its target: it overrides, field by field.
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

/** The granularity of the first block of the policy that was folded last. */
function granularityOfLower(policy: OraclePolicy, target: TargetNode, fold: Fold): Granularity | undefined {
  const others = fold.folded.filter((entry) => entry.policy !== policy || entry.target !== target);
  const last = others.at(-1);
  return last === undefined ? undefined : inheritedBlocks(last, fold)[0]?.granularity;
}

/** `when` fails closed: after an error, defaults do not take effect and overrides do. False or a missing key disables the block. */
function isActive({ when }: OracleBlock, base: BaseStrategy, { state, cel }: Fold): boolean {
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
function isRemoved(setting: Setting, { removals, state }: Fold): boolean {
  const remover = removals.find(({ name }) => isNamedBy(setting.unit, name));
  if (remover === undefined) return false;
  const step: Step = { policy: remover.policy.id, block: remover.block, strategy: "Remove" };
  state.setAside(setting, { reason: "removed", to: [], by: remover.policy.id }, step);
  return true;
}

/** An entry of `remove` is a rule's name (in every rule map), or the dotted path of a unit or of a map that contains units. */
function isNamedBy({ path, ruleName }: OracleUnit, name: string): boolean {
  return ruleName === name || path.some((_, i) => path.slice(0, i + 1).join(".") === name);
}

/**
 * Policy attachment reference and GEP-713 experimental: "Direct Policies override Inherited Policies". A Direct policy takes
 * effect on its own target only. Of several, the one on the more specific node takes effect, then the oldest.
 */
function applyDirect(entries: readonly StackEntry[], fold: Fold): void {
  const { state } = fold;
  const contenders = entries
    .filter((entry) => fold.isAtEnd(entry) && isDirect(entry.policy, fold.definition))
    .flatMap(({ policy }) => policy.blocks.map((block) => ({ policy, block })))
    .map(({ policy, block }) => ({ policy, settings: settingsOf(policy, block) }))
    .filter(({ settings }) => settings.length > 0);
  for (const { settings } of contenders) state.enter(settings);
  const [winner, ...others] = contenders;
  if (winner === undefined) return;
  const step: Step = { policy: winner.policy.id, block: "bare", strategy: "Direct" };
  for (const one of state.current) {
    const overriding = winner.settings.filter((override) => relation(override.unit, one.unit) !== "apart");
    if (one.policy === null && overriding.length === 0) continue;
    state.remove(one, lossToOverride(one, overriding, winner.settings));
    state.contest(one.unit.pointer, step);
  }
  for (const setting of winner.settings) {
    state.add(setting);
    state.contest(setting.unit.pointer, step);
  }
  for (const setting of others.flatMap(({ settings }) => settings)) {
    const overlapping = settingsAt(setting.unit, winner.settings);
    state.losses.set(setting, lossOfDefault(setting, overlapping, winner.settings));
    state.contest(setting.unit.pointer, step);
  }
}
