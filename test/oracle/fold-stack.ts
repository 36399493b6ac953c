/** The fold of one stack, from the most specific policy to the least specific (RFC 9, "Apply policies of a kind for an object"). */

import type { CustomStrategies } from "../../src/core/merge/custom-strategy.ts";
import type { Step } from "../../src/core/merge/provenance.ts";
import type { EvaluateCondition } from "../../src/core/model/cel.ts";
import type { BaseStrategy, LevelKind, MergeStrategy, PolicyDefinition } from "../../src/core/model/definition.ts";
import { FoldState, type Loss, relation, type Setting, settingsAt } from "./fold-state.ts";
import { field, fieldAt, textField, unique } from "./json-value.ts";
import { lossOfDefault, lossToOverride, mergeBlock, takesDefault } from "./merge-block.ts";
import { inOrder } from "./policy-order.ts";
import type { OracleBlock, OraclePolicy } from "./read-policy.ts";
import { isNamedBy, overrideRemoval, type Removal } from "./removal-entries.ts";
import type { TargetNode } from "./target-node.ts";

/** A policy at one level of a path. */
export interface StackEntry {
  readonly policy: OraclePolicy;
  readonly target: TargetNode;
  /** The index of its target on the path; 0 is the root. */
  readonly level: number;
  /** The index of the policy among the names that the target has, if the target names it. */
  readonly nameIndex?: number | undefined;
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

interface Fold extends FoldOptions {
  readonly state: FoldState;
  readonly allRemovals: Removal[];
  /** Removals collected so far. They remove defaults of policies that are folded later. */
  removals: readonly Removal[];
  /** Removals of the current policy (OldestWins: of the current target). */
  pending: readonly Removal[];
  /** The entries folded so far, in order, for `decidedBy: Lower`. */
  readonly folded: StackEntry[];
}

export interface FoldedStack {
  readonly state: FoldState;
  /** Every entry of `remove`, in the order in which they came up. */
  readonly removals: readonly Removal[];
}

/** `inHierarchy` begins with the lowest level, and `own` (the values in the objects on the path) with the most specific. */
export function foldStack(
  inHierarchy: readonly StackLevel[],
  own: readonly Setting[],
  options: FoldOptions,
): FoldedStack {
  const fold: Fold = { ...options, state: new FoldState(), allRemovals: [], removals: [], pending: [], folded: [] };
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
  if (options.definition.merge.accumulate !== undefined) {
    accumulate(inHierarchy, fold);
    return { state: fold.state, removals: [] };
  }
  const levels = mostSpecificFirst(inHierarchy, options.definition);
  const unmerged: StackLevel[] = [];
  for (const [depth, all] of inMergeOrder(levels, options.definition).entries()) {
    const level = all.filter(({ isReplaced }) => !isReplaced);
    if (options.definition.class === "Direct" && depth > 0) loseToSection(level, levels[0]?.[0], fold);
    else if (!isMerged(all, levels, options.definition)) unmerged.push(level);
    else if (options.definition.merge.sameTarget === "Established") foldNewestFirst(level, fold);
    else foldOldestWins(level, fold);
    loseToSection(
      all.filter(({ isReplaced }) => isReplaced),
      level[0],
      fold,
    );
  }
  if (options.definition.merge.bare === "Direct") applyDirect(levels.flat(), fold);
  for (const level of unmerged) loseToLowest(level, levels[0] ?? [], fold);
  return { state: fold.state, removals: fold.allRemovals };
}

/** Policies on some levels are more specific than all others. */
function mostSpecificFirst(levels: readonly StackLevel[], { merge }: PolicyDefinition): readonly StackLevel[] {
  const rank = ([entry]: StackLevel): number =>
    entry !== undefined && (merge.mostSpecific ?? []).some((level) => isAtLevel(entry, level)) ? 0 : 1;
  return levels.toSorted((a, b) => rank(a) - rank(b));
}

const isAtLevel = ({ target }: StackEntry, { group, kind, section }: LevelKind): boolean =>
  target.object.ref.kind === kind &&
  target.object.ref.group === group &&
  (section === undefined) === (target.section === undefined);

/** True if a level is merged: not skipped above another, and the closest one above the lowest if only that one is. */
function isMerged(level: StackLevel, levels: readonly StackLevel[], { merge }: PolicyDefinition): boolean {
  const isSkipped = ([entry]: StackLevel): boolean =>
    entry !== undefined && (merge.skip ?? []).some((one) => isAtLevel(entry, one));
  const merged = levels.filter((one, depth) => depth === 0 || !isSkipped(one));
  return (merge.parents === "Closest" ? merged.slice(0, 2) : merged).includes(level);
}

/** Policies that are not merged are replaced as a whole by the most specific ones. */
function loseToLowest(level: StackLevel, lowest: StackLevel, { state }: Fold): void {
  for (const { policy } of level) {
    for (const block of policy.blocks) {
      for (const setting of settingsOf(policy, block)) {
        state.enter([setting]);
        const loss: Loss = { reason: "replaced", to: [], byAll: lowest.map((entry) => entry.policy.id) };
        state.setAside(setting, loss, { policy: policy.id, block: block.name, strategy: "Replace" });
      }
    }
  }
}

/**
 * The levels in the order in which they are merged. Where an annotation decides between objects only and makes policies override what is
 * below, the policies on an object come before those on its section, so that these override them.
 */
function inMergeOrder(levels: readonly StackLevel[], definition: PolicyDefinition): readonly StackLevel[] {
  if (definition.merge.annotation?.between !== "Objects") return levels;
  const objectOf = ([entry]: StackLevel) => entry?.target.object.id;
  const objects = unique(levels.map(objectOf));
  return objects.flatMap((object) => {
    const own = levels.filter((level) => objectOf(level) === object);
    const target = own[0]?.[0]?.target;
    const isOverride = target !== undefined && annotated(target, definition)?.base === "Overrides";
    return isOverride ? own.toReversed() : own;
  });
}

/** The strategy that the annotation of a target gives. */
function annotated({ object }: TargetNode, { merge }: PolicyDefinition): MergeStrategy | undefined {
  const { annotation } = merge;
  if (annotation === undefined || merge.decidedBy !== "Annotation") return undefined;
  const { key, values, absent, on } = annotation;
  if (on !== undefined && !on.some(({ group, kind }) => object.ref.kind === kind && object.ref.group === group))
    return undefined;
  const value = textField(fieldAt(object.raw, "metadata.annotations"), key);
  return value !== undefined && Object.hasOwn(values, value) ? values[value] : absent;
}

/** The fields that the annotation of a target lists, and their strategy. */
function listedFields(target: TargetNode, definition: PolicyDefinition): readonly string[] {
  const { annotation } = definition.merge;
  const value = textField(fieldAt(target.object.raw, "metadata.annotations"), annotation?.key ?? "");
  if (annotation?.fields === undefined || value === undefined || Object.hasOwn(annotation.values, value)) return [];
  if (annotated(target, definition) === undefined) return [];
  return value.split(",").map((name) => name.trim());
}

/** All policies take effect: each has an entry of its own. */
function accumulate(levels: readonly StackLevel[], { state, definition }: Fold): void {
  for (const policy of evaluationOrder(levels, definition)) {
    for (const block of policy.blocks) {
      for (const setting of settingsOf(policy, block)) {
        state.enter([setting]);
        state.add(setting);
        state.contest(setting.unit.pointer, { policy: policy.id, block: block.name, strategy: "Accumulate" });
      }
    }
  }
}

/** The policies of a stack in the order of evaluation. A policy at several levels is evaluated once, at the highest one. */
export function evaluationOrder(levels: readonly StackLevel[], definition: PolicyDefinition): readonly OraclePolicy[] {
  const entries = levels.flat();
  const highest = entries.filter(
    (entry) => !entries.some((other) => other.policy === entry.policy && other.level < entry.level),
  );
  return inOrder(highest, definition);
}

/** A Direct policy on an object is never merged with the one on its section, which replaces it as a whole. */
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
    mergeEmpty(entry, fold);
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
  for (const entry of level) {
    mergeEmpty(entry, fold);
    run(entry, "Defaults");
  }
  for (const entry of [...level].reverse()) run(entry, "Overrides");
  // Removals of this target take effect from the next level on.
  collectRemovals(fold);
}

/** An empty policy may keep out atomic defaults, and replaces nothing below it. */
function mergeEmpty(entry: StackEntry, fold: Fold): void {
  const { emptyGranularity: granularity } = entry.policy;
  if (granularity === undefined) return;
  const { state } = fold;
  const { granularity: compared } = chooseStrategy(entry, { name: "bare", granularity }, fold);
  const isReplaced = compared === "Atomic" && !state.isOpen;
  const winners = isReplaced ? state.current.flatMap(({ policy }) => (policy === null ? [] : [policy])) : [];
  const empty = { policy: entry.policy, keepsOut: false, by: winners.filter((one) => one !== entry.policy) };
  state.emptyPolicies.push(empty);
  if (state.isOpen) state.occupant ??= empty;
  if (!isReplaced) fold.folded.push(entry);
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

/** Merges one block. Returns false if its condition is not met, or if it was replaced. */
function foldBlock(entry: StackEntry, block: OracleBlock, fold: Fold): boolean {
  const { state, definition } = fold;
  const { policy } = entry;
  const settings = settingsOf(policy, block);
  const strategy = chooseStrategy(entry, block, fold);
  state.enter(settings);
  if (!isActive(policy, block, strategy.base, fold)) {
    const step: Step = { policy: policy.id, block: block.name, strategy: "When" };
    for (const setting of settings) state.setAside(setting, { reason: "gated", to: [] }, step);
    for (const name of block.remove) enterRemoval({ name, policy, block: block.name, isGated: true }, fold);
    return false;
  }
  const fields = listedFields(entry.target, definition);
  const isListed = ({ unit }: Setting): boolean => fields.includes(unit.ruleName ?? unit.path[0] ?? "");
  const kept = [
    ...mergeSettings(entry, block, settings.filter(isListed), definition.merge.annotation?.fields ?? strategy, fold),
    ...mergeSettings(
      entry,
      block,
      settings.filter((one) => !isListed(one)),
      strategy,
      fold,
    ),
  ];
  const isPart = hasPart(block, kept, state);
  const added = block.remove.map((name) => enterRemoval({ name, policy, block: block.name, isGated: false }, fold));
  fold.pending = [...fold.pending, ...added];
  return isPart;
}

/** Merges settings of a block by one strategy. Returns those that were not removed. */
function mergeSettings(
  { policy }: StackEntry,
  block: OracleBlock,
  settings: readonly Setting[],
  strategy: MergeStrategy,
  fold: Fold,
): readonly Setting[] {
  const { state, definition } = fold;
  const kept = strategy.base === "Defaults" ? settings.filter((one) => !isRemoved(one, strategy, fold)) : settings;
  const step: Step = {
    policy: policy.id,
    block: block.name,
    strategy: definition.merge.none ? "None" : nameOf(strategy),
  };
  if (strategy.base === "Overrides" && settings.length > 0) {
    if (strategy.granularity === "Atomic") replaceAll(policy, fold);
    else for (const removal of [...fold.removals, ...fold.pending]) overrideRemoval(removal, settings, strategy);
  }
  mergeBlock(state, { settings: kept, policy, strategy, step }, fold);
  return kept;
}

/** True unless all that a block sets was replaced or removed. What a custom strategy makes of it is not known. */
function hasPart({ granularity, units }: OracleBlock, kept: readonly Setting[], state: FoldState): boolean {
  if (units.length === 0 || typeof granularity === "object") return true;
  return kept.some((one) => state.current.includes(one) || state.losses.get(one)?.reason === "equal");
}

function enterRemoval(entry: Omit<Removal, "keepsOut" | "overriddenBy">, { allRemovals }: Fold): Removal {
  const removal: Removal = { ...entry, keepsOut: [], overriddenBy: [] };
  allRemovals.push(removal);
  return removal;
}

/** An atomic override replaces everything, empty policies included, and discards the removals collected so far, except its own. */
function replaceAll(policy: OraclePolicy, fold: Fold): void {
  for (const empty of fold.state.emptyPolicies) {
    empty.keepsOut = false;
    if (empty.by.length === 0 && empty.policy !== policy) empty.by = [policy];
  }
  const kept = fold.pending.filter((removal) => removal.policy === policy);
  for (const removal of [...fold.removals, ...fold.pending].filter((one) => !kept.includes(one))) {
    removal.keepsOut = [];
    removal.overriddenBy.push({ policy });
  }
  fold.removals = [];
  fold.pending = kept;
}

function nameOf({ base, granularity }: MergeStrategy): string {
  return typeof granularity === "object" ? `Custom/${granularity.custom}${base}` : `${granularity}${base}`;
}

/** GEP-713: "the meta resource considered higher between two conflicting specs dictates the merge strategy". */
function chooseStrategy(
  { policy, target }: StackEntry,
  block: Pick<OracleBlock, "name" | "granularity" | "base">,
  fold: Fold,
): MergeStrategy {
  const { decidedBy, none } = fold.definition.merge;
  // A Direct policy is not a default of its target: it overrides, field by field.
  if (none && fold.definition.class === "Direct") return { base: "Overrides", granularity: "Field" };
  const byName: BaseStrategy = block.name === "overrides" ? "Overrides" : "Defaults";
  const asHigher: MergeStrategy = { base: block.base ?? byName, granularity: block.granularity };
  switch (decidedBy) {
    case "Higher":
      return asHigher;
    case "Lower": {
      const lower = strategyOfLower(policy, target, fold);
      if (lower === undefined) return asHigher;
      return { base: lower.base ?? byName, granularity: lower.granularity };
    }
    case "Annotation":
      return annotated(target, fold.definition) ?? asHigher;
  }
}

/** What the first block of the policy that was folded last selects, of those that were not replaced. */
function strategyOfLower(
  policy: OraclePolicy,
  target: TargetNode,
  fold: Fold,
): Pick<OracleBlock, "granularity" | "base"> | undefined {
  const last = fold.folded.filter((entry) => entry.policy !== policy || entry.target !== target).at(-1);
  if (last === undefined) return undefined;
  const { emptyGranularity } = last.policy;
  return emptyGranularity === undefined ? inheritedBlocks(last, fold)[0] : { granularity: emptyGranularity };
}

/** `when` fails closed: after an error, defaults do not take effect and overrides do. False or a missing key disables the block. */
function isActive({ object }: OraclePolicy, { when }: OracleBlock, base: BaseStrategy, { state, cel }: Fold): boolean {
  if (when === undefined) return true;
  const { spec } = state;
  const outcome = cel?.(when, { spec, self: { metadata: field(object.raw, "metadata") ?? {}, spec } }) ?? {
    state: "error",
  };
  switch (outcome.state) {
    case "value":
      return outcome.value;
    case "missing":
      return false;
    case "error":
      return base === "Overrides";
  }
}

/** RFC 9: "Remove from B all policy rules listed in p.remove". */
function isRemoved(setting: Setting, strategy: MergeStrategy, { removals, state }: Fold): boolean {
  const removers = removals.filter(({ name }) => isNamedBy(setting.unit, name));
  const [remover] = removers;
  if (remover === undefined) return false;
  if (takesDefault(state, setting, strategy)) for (const one of removers) one.keepsOut.push(setting);
  const step: Step = { policy: remover.policy.id, block: remover.block, strategy: "Remove" };
  state.setAside(setting, { reason: "removed", to: [], by: remover.policy.id }, step);
  return true;
}

/**
 * Policy attachment reference and GEP-713 experimental: "Direct Policies override Inherited Policies". A Direct policy takes
 * effect on its own target only. Of several, the one on the more specific node takes effect, then the oldest.
 */
function applyDirect(entries: readonly StackEntry[], fold: Fold): void {
  const { state } = fold;
  const contenders = entries
    .filter((entry) => !entry.isReplaced && fold.isAtEnd(entry) && isDirect(entry.policy, fold.definition))
    .flatMap(({ policy }) => policy.blocks.map((block) => ({ policy, block })))
    .map(({ policy, block }) => ({ policy, settings: settingsOf(policy, block) }))
    .filter(({ settings }) => settings.length > 0);
  for (const { settings } of contenders) state.enter(settings);
  const [winner, ...others] = contenders;
  if (winner === undefined) return;
  const step: Step = { policy: winner.policy.id, block: "bare", strategy: "Direct" };
  replaceAll(winner.policy, fold);
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
