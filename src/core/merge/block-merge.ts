import type { MergeStrategy } from "../model/definition.ts";
import type { Block, Policy } from "../model/policy.ts";
import type { UnitRules } from "../model/units.ts";
import type { CustomStrategies } from "./custom-strategy.ts";
import type { Setting } from "./fold-result.ts";
import type { Step } from "./provenance.ts";

/** One step of the fold: this block of this policy, by this strategy. */
export interface BlockMerge {
  readonly policy: Policy;
  readonly block: Block;
  readonly strategy: MergeStrategy;
  /** The block's units that were not removed. */
  readonly settings: readonly Setting[];
  readonly decision: Step;
  readonly custom: { readonly strategies: CustomStrategies; readonly unitRules: UnitRules };
}
