import type { PolicyDefinition, TargetKind } from "../definition.ts";
import type { CrdFacts } from "../parse/definition/parse-crd.ts";
import type { StrategyField } from "./find-strategy.ts";
import type { TargetFields } from "./find-targets.ts";

/** Everything that the parts of a sketch are made from. */
export interface SketchInput {
  readonly facts: CrdFacts;
  readonly targets: TargetFields;
  readonly strategy: StrategyField | undefined;
  readonly kinds: readonly TargetKind[];
  /** The definition that is inferred for a CRD of this class. */
  readonly inferred: PolicyDefinition;
}
