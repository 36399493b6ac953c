import type { EvaluateCondition } from "../model/cel.ts";
import type { Accumulation } from "../model/definition/policy-order.ts";
import type {
  AnnotatedStrategy,
  Granularity,
  MergeRules,
  MergeStrategy,
  PolicyDefinition,
} from "../model/definition.ts";
import type { Block, Policy, Unit } from "../model/policy.ts";
import type { UnitRules } from "../model/units.ts";
import { chooseStrategy, type LowerStrategy, strategyName } from "./choose-strategy.ts";
import { conditionOutcome } from "./condition-outcome.ts";
import { Contenders } from "./contenders.ts";
import type { CustomStrategies } from "./custom-strategy.ts";
import type { ConditionError } from "./effective-spec.ts";
import { EmptyPolicies } from "./empty-policies.ts";
import { evaluationOrder } from "./evaluation-order.ts";
import type { FoldLevel } from "./fold-level.ts";
import { FoldResult, type PointerState, type Setting } from "./fold-result.ts";
import { isDirect } from "./is-direct.ts";
import { mostSpecificFirst, sectionsLast, takingPart } from "./levels-taking-part.ts";
import { mergeBlock, takesDefault } from "./merge-block.ts";
import type { Step } from "./provenance.ts";
import { OWN } from "./provenance-of.ts";
import { Removals } from "./removals.ts";
import { atomicOverrides } from "./strategies/atomic-overrides.ts";
import { NO_OTHERS, replaceBy, replaceDefault, takePointer } from "./take-or-replace.ts";

export interface FoldTools {
  readonly evaluateCondition: EvaluateCondition;
  readonly strategies: CustomStrategies;
  readonly unitRules: UnitRules;
}

/** The facts about a policy kind that a fold needs. */
export interface FoldRules extends Pick<PolicyDefinition, "class" | "merge"> {
  /** The part of the kind whose blocks are merged; empty: the blocks of no part. Absent: the kind has no parts. */
  readonly part?: string;
}

export interface Folded {
  /** The state of each pointer, in the order in which they were first used. */
  readonly states: readonly PointerState[];
  readonly conditionErrors: readonly ConditionError[];
  /** Undefined if no policy removes anything. */
  readonly removals: Removals | undefined;
  /** Undefined if no empty policy keeps out defaults. */
  readonly emptyPolicies: EmptyPolicies | undefined;
  /** Accumulate: the policies in the order in which they are evaluated. */
  readonly order?: readonly Policy[];
}

/**
 * The fold runs bottom-up
 *
 * Policies are merged most specific first, each into the result so far: its defaults, its bare rules, then its overrides. That
 * gives "A override > B override > C override > C default > B default > A default" at any depth. `inHierarchy`: lowest level first.
 * `own`: the own values of objects on the path, the most specific defaults of all.
 * RFC 9, "Apply policies of a kind for an object"
 */
export function fold(
  inHierarchy: readonly FoldLevel[],
  own: readonly Unit[],
  definition: FoldRules,
  tools: FoldTools,
): Folded {
  const run = new Fold(definition, tools);
  run.beginWith(own);
  if (definition.merge.accumulate !== undefined) return run.accumulate(inHierarchy, definition.merge.accumulate);
  const levels = mostSpecificFirst(inHierarchy, definition.merge);
  const [lowest] = levels;
  const part = definition.class === "Direct" ? LOWEST : takingPart(levels, definition.merge);
  const folded = part === undefined ? levels : levels.filter((_, depth) => part.includes(depth));
  for (const level of sectionsLast(folded, definition.merge)) run.foldLevel(level);
  if (definition.merge.bare === "Direct") run.applyDirect(levels);
  run.result.settleLosses();
  levels.forEach(({ policies, replaced }, depth) => {
    if (part !== undefined && !part.includes(depth))
      run.replaceWhole(policies, lowest?.policies ?? NO_POLICIES, definition.class === "Direct" ? "None" : "Replace");
    if (replaced !== undefined) run.replaceWhole(replaced, policies, "None");
  });
  const { result, conditionErrors, removals, emptyPolicies } = run;
  const errors = conditionErrors.length === 0 ? NO_ERRORS : conditionErrors;
  return { states: result.states, conditionErrors: errors, removals, emptyPolicies };
}

class Fold {
  readonly result: FoldResult = new FoldResult();
  readonly conditionErrors: ConditionError[] = [];
  readonly #rules: MergeRules;
  readonly #tools: FoldTools;
  readonly #isDirectKind: boolean;
  readonly #part: FoldRules["part"];
  /** Undefined until a policy removes something. */
  removals: Removals | undefined;
  /** Undefined until there is an empty policy that keeps out defaults. */
  emptyPolicies: EmptyPolicies | undefined;
  /** The policies with a part in the result so far, in order: for kinds in which the lower policy dictates the strategy. */
  readonly #folded: { readonly policy: Policy; readonly depth: number; readonly strategy: LowerStrategy }[] = [];
  /** The number of levels merged before: a policy may be at several levels. */
  #depth = -1;

  constructor({ class: policyClass, merge, part }: FoldRules, tools: FoldTools) {
    this.#rules = merge;
    this.#part = part;
    this.#tools = tools;
    this.#isDirectKind = policyClass === "Direct";
  }

  beginWith(own: readonly Unit[]): void {
    for (const unit of own) {
      const setting: Setting = { policy: undefined, block: undefined, unit };
      const conflicting = this.result.conflicting(unit.pointer);
      if (conflicting.length === 0) takePointer(this.result, setting, OWN);
      else replaceDefault(this.result, setting, conflicting, NO_OTHERS, OWN);
    }
  }

  /** All policies take effect: each setting has a pointer of its own. */
  accumulate(levels: readonly FoldLevel[], rules: Accumulation): Folded {
    const order = evaluationOrder(levels, rules);
    for (const policy of order)
      for (const block of this.#blocksOf(policy))
        for (const setting of settingsOf(policy, block))
          takePointer(this.result, setting, decisionOf(policy, block, "Accumulate"));
    const { states } = this.result;
    return { states, conditionErrors: NO_ERRORS, removals: undefined, emptyPolicies: undefined, order };
  }

  foldLevel(level: FoldLevel): void {
    this.#depth++;
    const { policies } = level;
    switch (this.#rules.sameTarget) {
      case "Established":
        for (let i = policies.length - 1; i >= 0; i--) {
          const policy = policies[i] as Policy;
          if (policy.emptyGranularity !== undefined) this.#mergeEmpty(policy, policy.emptyGranularity, level);
          this.#mergeBlocksOf(policy, this.#blocksOf(policy), level);
          this.removals?.collect();
        }
        return;
      case "OldestWins":
      case "Conflicted":
      case "ConflictedWhereBothSet":
      case "NoneWins":
      case "Undefined":
        // Policy attachment reference, "Conflict Resolution": the first created wins, for defaults as for overrides.
        for (const policy of policies) {
          if (policy.emptyGranularity !== undefined) this.#mergeEmpty(policy, policy.emptyGranularity, level);
          const defaults = this.#blocksOf(policy).filter((block) => !this.#overrides(block, level));
          this.#mergeBlocksOf(policy, defaults, level);
        }
        for (let i = policies.length - 1; i >= 0; i--) {
          const policy = policies[i] as Policy;
          const overrides = this.#blocksOf(policy).filter((block) => this.#overrides(block, level));
          this.#mergeBlocksOf(policy, overrides, level);
        }
        this.removals?.collect();
        return;
    }
  }

  /**
   * A Direct policy whose sections all have their own is Overridden
   *
   * Policies of a Direct kind are never merged: the policy on a section replaces the whole policy on its object, whatever both set.
   * GEP-713, "Classes of meta resources"
   */
  replaceWhole(policies: readonly Policy[], by: readonly Policy[], step: "None" | "Replace"): void {
    for (const policy of policies)
      for (const block of this.#blocksOf(policy))
        for (const setting of settingsOf(policy, block)) {
          this.result.lose(setting, { reason: "replaced" }, by);
          this.result.decideIfOpen(setting.unit.pointer, decisionOf(policy, block, step));
        }
  }

  /** The blocks of a policy that are merged here. */
  #blocksOf({ blocks }: Policy): readonly Block[] {
    return this.#part === undefined ? blocks : blocks.filter(({ part = "" }) => part === this.#part);
  }

  /** True if a block is merged as overrides: by its name, unless an annotation says otherwise. */
  #overrides(block: Block, { annotated }: FoldLevel): boolean {
    return chooseStrategy(this.#rules, block, undefined, annotated).base === "Overrides";
  }

  /** A Direct policy overrides even overrides, and never mixes with other policies. The most specific one takes effect. */
  applyDirect(levels: readonly FoldLevel[]): void {
    const direct: Array<{ policy: Policy; block: Block }> = [];
    for (const level of levels) {
      for (const policy of level.policies)
        if (isDirect(policy, this.#rules)) for (const block of policy.blocks) direct.push({ policy, block });
    }
    const [winner, ...others] = direct;
    if (winner === undefined) return;
    const decision = decisionOf(winner.policy, winner.block, "Direct");
    const settings = settingsOf(winner.policy, winner.block);
    this.removals?.discard(winner.policy);
    this.emptyPolicies?.override(winner.policy);
    atomicOverrides(this.result, settings, decision);
    const winners = new Contenders(settings);
    for (const { policy, block } of others)
      for (const setting of settingsOf(policy, block)) replaceBy(this.result, winners, setting, decision);
  }

  #mergeBlocksOf(policy: Policy, blocks: readonly Block[], level: FoldLevel): void {
    // Direct policies are merged after all others.
    if (isDirect(policy, this.#rules)) return;
    let hasPart = false;
    for (const block of blocks) if (this.#mergeBlockOf(policy, block, level)) hasPart = true;
    const [first] = this.#blocksOf(policy);
    if (hasPart && first !== undefined && this.#rules.decidedBy === "Lower")
      this.#folded.push({ policy, depth: this.#depth, strategy: first });
  }

  /** An empty policy may keep out atomic defaults. It replaces nothing below it. */
  #mergeEmpty(policy: Policy, granularity: Granularity, { annotated }: FoldLevel): void {
    const block: Block = { name: "bare", granularity, remove: [], units: [] };
    const strategy = chooseStrategy(this.#rules, block, this.#lowerThan(policy), annotated);
    const isReplaced = strategy.granularity === "Atomic" && !this.result.isOpen;
    this.emptyPolicies ??= new EmptyPolicies();
    this.emptyPolicies.take(policy, this.result, strategy.granularity === "Atomic");
    if (!isReplaced && this.#rules.decidedBy === "Lower")
      this.#folded.push({ policy, depth: this.#depth, strategy: { granularity } });
  }

  /**
   * A replaced policy dictates no strategy
   *
   * Where the lower policy dictates the strategy, it is the one that was merged last and has a part in the result. A policy that was
   * itself replaced does not dictate it for the policies above it.
   * GEP-713, "Conflict resolution"
   */
  #lowerThan(policy: Policy): LowerStrategy | undefined {
    if (this.#rules.decidedBy !== "Lower") return undefined;
    return this.#folded.findLast((other) => other.policy !== policy || other.depth !== this.#depth)?.strategy;
  }

  /** The strategy of a block. A Direct kind without merging sets the fields of its target: own values are no obstacle to it. */
  #strategyOf(policy: Policy, block: Block, { annotated }: FoldLevel): AnnotatedStrategy {
    if (this.#isDirectKind && this.#rules.none) return EACH_LEAF;
    return chooseStrategy(this.#rules, block, this.#lowerThan(policy), annotated);
  }

  /** Returns true if the block has a part in the result: it is not gated, and not replaced. */
  #mergeBlockOf(policy: Policy, block: Block, level: FoldLevel): boolean {
    const strategy = this.#strategyOf(policy, block, level);
    if (!this.#conditionHolds(policy, block, strategy)) {
      for (const setting of settingsOf(policy, block)) {
        this.result.lose(setting, { reason: "gated" }, []);
        this.result.decideIfOpen(setting.unit.pointer, decisionOf(policy, block, "When"));
      }
      for (const entry of entriesOf(block)) {
        this.removals ??= new Removals();
        this.removals.addGated({ entry, policy, block });
      }
      return false;
    }
    const all = settingsOf(policy, block);
    const { listed } = strategy;
    const settings =
      listed === undefined
        ? this.#mergeSettings(policy, block, strategy, all)
        : this.#mergeListed(policy, block, strategy, listed, all);
    for (const entry of entriesOf(block)) {
      this.removals ??= new Removals();
      this.removals.add({ entry, policy, block });
    }
    return this.#rules.decidedBy !== "Lower" || this.#hasPart(block, settings);
  }

  /** Merges the settings of the fields that an annotation lists, then the others, each by their strategy. Returns those that were not removed. */
  #mergeListed(
    policy: Policy,
    block: Block,
    others: MergeStrategy,
    listed: Required<AnnotatedStrategy>["listed"],
    all: readonly Setting[],
  ): readonly Setting[] {
    const isListed = ({ unit }: Setting): boolean => listed.fields.includes(unit.ruleName ?? unit.path[0] ?? "");
    const rest = all.filter((setting) => !isListed(setting));
    return [
      ...this.#mergeSettings(policy, block, listed.strategy, all.filter(isListed)),
      ...this.#mergeSettings(policy, block, others, rest),
    ];
  }

  /** Merges settings of a block by one strategy. Returns those that were not removed. */
  #mergeSettings(policy: Policy, block: Block, strategy: MergeStrategy, all: readonly Setting[]): readonly Setting[] {
    const settings = strategy.base === "Defaults" ? this.#notRemoved(all, strategy) : all;
    if (strategy.base === "Overrides" && settings.length > 0) this.#overrideWithoutValues(policy, settings, strategy);
    const { occupant } = this.result;
    const decision = decisionOf(policy, block, this.#rules.none ? "None" : strategyName(strategy));
    mergeBlock(this.result, { policy, block, strategy, settings, decision, custom: this.#tools });
    if (occupant !== undefined && settings.length > 0) this.#keepOut(occupant, settings, strategy);
    return settings;
  }

  /** True unless all that a block sets was replaced or removed. The result of a custom strategy is not known: true. */
  #hasPart({ granularity, units }: Block, settings: readonly Setting[]): boolean {
    if (units.length === 0 || typeof granularity !== "string") return true;
    return settings.some((setting) => this.result.isInResultOrEqual(setting));
  }

  /** Records that an empty policy keeps out an atomic default. */
  #keepOut(occupant: Policy, settings: readonly Setting[], { base, granularity }: MergeStrategy): void {
    if (granularity !== "Atomic" || base === "Overrides") return;
    if (settings.some(({ unit }) => this.result.conflicting(unit.pointer).length === 0))
      this.emptyPolicies?.keepOut(occupant);
  }

  #conditionHolds(policy: Policy, block: Block, strategy: MergeStrategy): boolean {
    const outcome = conditionOutcome(policy, block, strategy, this.result, this.#tools.evaluateCondition);
    if (outcome.error !== undefined) this.conditionErrors.push({ policy, block, message: outcome.error });
    return outcome.isMerged;
  }

  /** The settings of a block that no lower policy removes. */
  #notRemoved(settings: readonly Setting[], strategy: MergeStrategy): readonly Setting[] {
    const { removals } = this;
    if (removals === undefined || removals.isEmpty) return settings;
    return settings.filter((setting) => {
      const naming = removals.find(setting.unit);
      const [removal] = naming;
      if (removal === undefined) return true;
      if (takesDefault(this.result, setting.unit, strategy)) removals.keepOut(setting, naming);
      this.result.lose(setting, { reason: "removed" }, [removal.policy]);
      this.result.decideIfOpen(setting.unit.pointer, decisionOf(removal.policy, removal.block, "Remove"));
      return false;
    });
  }

  /** An atomic override replaces empty policies and discards all removals but its own; any other overrides those that name what it sets. */
  #overrideWithoutValues(policy: Policy, settings: readonly Setting[], { granularity }: MergeStrategy): void {
    if (granularity === "Atomic") {
      this.removals?.discard(policy);
      this.emptyPolicies?.override(policy);
    } else
      this.removals?.overrideBy(policy, settings, ({ unit }) => granularity === "Merge" && unit.ruleName !== undefined);
  }
}

const decisionOf = ({ id }: Policy, { name }: Block, strategy: string): Step => ({
  policy: id,
  block: name,
  strategy,
});

const LOWEST: readonly number[] = [0];
const NO_ERRORS: readonly ConditionError[] = [];
const NO_POLICIES: readonly Policy[] = [];
const EACH_LEAF: MergeStrategy = { base: "Overrides", granularity: "Field" };

/** The entries of `remove`, each once. */
const entriesOf = ({ remove }: Block): Iterable<string> => (remove.length < 2 ? remove : new Set(remove));

const settingsOf = (policy: Policy, block: Block): readonly Setting[] =>
  block.units.map((unit) => ({ policy, block, unit }));
