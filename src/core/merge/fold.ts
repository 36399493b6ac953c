import type { EvaluateCondition } from "../model/cel.ts";
import type { MergeRules, MergeStrategy, PolicyDefinition } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { Block, Policy, Unit } from "../model/policy.ts";
import type { UnitRules } from "../model/units.ts";
import { chooseStrategy, strategyName } from "./choose-strategy.ts";
import { Contenders } from "./contenders.ts";
import type { CustomStrategies } from "./custom-strategy.ts";
import type { ConditionError } from "./effective-spec.ts";
import { type Candidate, FoldResult, type PointerState } from "./fold-result.ts";
import { isDirect } from "./is-direct.ts";
import { mergeBlock } from "./merge-block.ts";
import type { Step } from "./provenance.ts";
import { Removals } from "./removals.ts";
import { atomicOverrides } from "./strategies/atomic-overrides.ts";
import { loseDefault, loseTo, NO_OTHERS, takePointer } from "./take-or-lose.ts";

/** The policies on one target that have a part in the fold. A Direct policy has one only if the path ends at its target. */
export interface FoldLevel {
  /** Highest first (`comparePrecedence`). */
  readonly policies: readonly Policy[];
  /** The strategy that an annotation on the target names. */
  readonly annotated: MergeStrategy | undefined;
  /** Strategy None: policies for all requests that those of one consumer namespace replace on its requests. */
  readonly replaced?: readonly Policy[];
}

export interface FoldTools {
  readonly evaluateCondition: EvaluateCondition;
  readonly strategies: CustomStrategies;
  readonly unitRules: UnitRules;
}

export interface Folded {
  /** The state of each pointer, in the order in which they came up. */
  readonly states: readonly PointerState[];
  readonly conditionErrors: readonly ConditionError[];
}

/**
 * The fold runs bottom-up
 *
 * Policies are merged most specific first, each into the result so far: its defaults, its bare rules, then its overrides. That
 * gives "A override > B override > C override > C default > B default > A default" at any depth. `levels`: most specific first.
 * `own`: the own values of objects on the path, the most specific defaults of all.
 * RFC 9, "Apply policies of a kind for an object"
 */
export function fold(
  levels: readonly FoldLevel[],
  own: readonly Unit[],
  definition: Pick<PolicyDefinition, "class" | "merge">,
  tools: FoldTools,
): Folded {
  const run = new Fold(definition, tools);
  run.beginWith(own);
  const [lowest, ...above] = levels;
  const folded = definition.class === "Direct" && lowest !== undefined ? [lowest] : levels;
  for (const level of folded) run.foldLevel(level);
  if (definition.merge.bare === "Direct") run.applyDirect(levels);
  run.result.settleLosses();
  if (folded !== levels) for (const { policies } of above) run.replaceWhole(policies, lowest?.policies ?? NOBODY);
  for (const { policies, replaced } of levels) if (replaced !== undefined) run.replaceWhole(replaced, policies);
  const { result, conditionErrors } = run;
  return { states: result.states, conditionErrors: conditionErrors.length === 0 ? NO_ERRORS : conditionErrors };
}

class Fold {
  readonly result: FoldResult = new FoldResult();
  readonly conditionErrors: ConditionError[] = [];
  readonly #rules: MergeRules;
  readonly #tools: FoldTools;
  readonly #isDirectKind: boolean;
  /** Undefined until a policy removes something. */
  #removals: Removals | undefined;
  /** The policies merged so far, in order: for kinds in which the lower policy dictates the strategy. */
  readonly #folded: { readonly policy: Policy; readonly depth: number }[] = [];
  /** The number of levels merged before: a policy may be at several levels. */
  #depth = -1;

  constructor({ class: policyClass, merge }: Pick<PolicyDefinition, "class" | "merge">, tools: FoldTools) {
    this.#rules = merge;
    this.#tools = tools;
    this.#isDirectKind = policyClass === "Direct";
  }

  beginWith(own: readonly Unit[]): void {
    for (const unit of own) {
      const candidate: Candidate = { policy: undefined, block: undefined, unit };
      const conflicting = this.result.conflicting(unit.pointer);
      if (conflicting.length === 0) takePointer(this.result, candidate, OWN);
      else loseDefault(this.result, candidate, conflicting, NO_OTHERS, OWN);
    }
  }

  foldLevel(level: FoldLevel): void {
    this.#depth++;
    const { policies } = level;
    switch (this.#rules.sameTarget) {
      case "Established":
        for (let i = policies.length - 1; i >= 0; i--) {
          const policy = policies[i] as Policy;
          this.#mergeBlocksOf(policy, policy.blocks, level);
          this.#removals?.collect();
        }
        return;
      case "OldestWins":
        // Policy attachment reference, "Conflict Resolution": the first created wins, for defaults as for overrides.
        for (const policy of policies) {
          const defaults = policy.blocks.filter((block) => !this.#overrides(block, level));
          this.#mergeBlocksOf(policy, defaults, level);
        }
        for (let i = policies.length - 1; i >= 0; i--) {
          const policy = policies[i] as Policy;
          const overrides = policy.blocks.filter((block) => this.#overrides(block, level));
          this.#mergeBlocksOf(policy, overrides, level);
        }
        this.#removals?.collect();
        return;
    }
  }

  /**
   * A Direct policy whose sections all have their own is Overridden
   *
   * Policies of a Direct kind are never merged: the policy on a section replaces the whole policy on its object, whatever both set.
   * GEP-713, "Classes of meta resources"
   */
  replaceWhole(policies: readonly Policy[], by: readonly Policy[]): void {
    for (const policy of policies)
      for (const block of policy.blocks)
        for (const candidate of candidatesOf(policy, block)) {
          this.result.lose(candidate, { reason: "replaced" }, by);
          this.result.decideIfOpen(candidate.unit.pointer, decisionOf(policy, block, "None"));
        }
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
    const candidates = candidatesOf(winner.policy, winner.block);
    atomicOverrides(this.result, candidates, decision);
    const winners = new Contenders(candidates);
    for (const { policy, block } of others)
      for (const candidate of candidatesOf(policy, block)) loseTo(this.result, winners, candidate, decision);
  }

  #mergeBlocksOf(policy: Policy, blocks: readonly Block[], level: FoldLevel): void {
    // Direct policies are merged after all others.
    if (isDirect(policy, this.#rules)) return;
    let acts = false;
    for (const block of blocks) if (this.#mergeBlockOf(policy, block, level)) acts = true;
    if (acts && this.#rules.decidedBy === "Lower") this.#folded.push({ policy, depth: this.#depth });
  }

  /** The first block of the policy that was merged last. */
  #lowerThan(policy: Policy): Block | undefined {
    const lower = this.#folded.findLast((other) => other.policy !== policy || other.depth !== this.#depth);
    return lower?.policy.blocks[0];
  }

  /** The strategy of a block. A Direct kind without merging sets the fields of its target: own values are no obstacle to it. */
  #strategyOf(policy: Policy, block: Block, { annotated }: FoldLevel): MergeStrategy {
    if (this.#isDirectKind && this.#rules.none) return EACH_LEAF;
    const lower = this.#rules.decidedBy === "Lower" ? this.#lowerThan(policy) : undefined;
    return chooseStrategy(this.#rules, block, lower, annotated);
  }

  /** Returns false if the condition of the block is not met. */
  #mergeBlockOf(policy: Policy, block: Block, level: FoldLevel): boolean {
    const strategy = this.#strategyOf(policy, block, level);
    if (!this.#conditionHolds(policy, block, strategy)) {
      for (const candidate of candidatesOf(policy, block)) {
        this.result.lose(candidate, { reason: "gated" }, []);
        this.result.decideIfOpen(candidate.unit.pointer, decisionOf(policy, block, "When"));
      }
      return false;
    }
    const candidates = strategy.base === "Defaults" ? this.#notRemoved(policy, block) : candidatesOf(policy, block);
    if (strategy.base === "Overrides" && strategy.granularity === "Atomic" && candidates.length > 0)
      this.#removals?.discard(policy);
    const decision = decisionOf(policy, block, this.#rules.none ? "None" : strategyName(strategy));
    mergeBlock(this.result, { policy, block, strategy, candidates, decision, custom: this.#tools });
    for (const entry of block.remove) {
      this.#removals ??= new Removals();
      this.#removals.add({ entry, policy, block });
    }
    return true;
  }

  /**
   * `when` fails closed
   *
   * A condition gates its block. A missing key means that it is not met; with any other error defaults are not merged and
   * overrides are, so that no policy escapes a constraint by provoking an error.
   * RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions"
   */
  #conditionHolds(policy: Policy, block: Block, strategy: MergeStrategy): boolean {
    if (block.when === undefined) return true;
    const spec: JsonObject = this.result.toSpec();
    const outcome = this.#tools.evaluateCondition(block.when, { spec, self: { spec } });
    switch (outcome.state) {
      case "value":
        return outcome.holds;
      case "missing":
        return false;
      case "error":
        this.conditionErrors.push({ policy, block, message: outcome.message });
        return strategy.base === "Overrides";
    }
  }

  /** The candidates of a block that no lower policy removes. */
  #notRemoved(policy: Policy, block: Block): readonly Candidate[] {
    const candidates = candidatesOf(policy, block);
    const removals = this.#removals;
    if (removals === undefined || removals.isEmpty) return candidates;
    return candidates.filter((candidate) => {
      const removal = removals.find(candidate.unit);
      if (removal === undefined) return true;
      this.result.lose(candidate, { reason: "removed" }, [removal.policy]);
      this.result.decideIfOpen(candidate.unit.pointer, decisionOf(removal.policy, removal.block, "Remove"));
      return false;
    });
  }
}

const OWN: Step = { policy: null, block: null, strategy: "Own" };

const decisionOf = ({ id }: Policy, { name }: Block, strategy: string): Step => ({
  policy: id,
  block: name,
  strategy,
});

const NO_ERRORS: readonly ConditionError[] = [];
const NOBODY: readonly Policy[] = [];
const EACH_LEAF: MergeStrategy = { base: "Overrides", granularity: "Field" };

const candidatesOf = (policy: Policy, block: Block): readonly Candidate[] =>
  block.units.map((unit) => ({ policy, block, unit }));
