import { BLOCK_SPELLINGS } from "../block-names.ts";
import type { EvaluateCondition } from "../cel.ts";
import { hasNoBlocks, type MergeRules, type PolicyDefinition } from "../definition.ts";
import { builtInJudging, type Judging } from "../schema/judge/judging.ts";
import { type UnitRules, unitRulesOf } from "../units.ts";
import { BlockCache } from "./block-cache.ts";
import type { CrdFacts } from "./parse-crd.ts";

/** Everything that parsing the policies of one kind needs. Built once for a definition and CRD. */
export interface PolicyReader {
  readonly definition: PolicyDefinition;
  readonly crd: CrdFacts | undefined;
  readonly judging: Judging;
  /** What is wrong with a condition, whatever it is evaluated on. */
  readonly problemOf: EvaluateCondition["problemOf"];
  readonly merge: MergeRules;
  readonly rules: UnitRules;
  readonly hasStrategy: boolean;
  readonly targetFields: readonly string[];
  /** The field of the first target in a list: one text for the many policies that have one target. */
  readonly firstTarget: string;
  /** `targetFields` as keys of `spec`. */
  readonly targetKeys: readonly string[];
  readonly blockCache: BlockCache;
  /** True if some settings are not allowed with some targets. */
  readonly forbids: boolean;
  /** Keys of `spec` that are not spec proper. */
  readonly asideInSpec: ReadonlySet<string>;
  /** Keys of a block that are not spec proper. */
  readonly asideInBlock: ReadonlySet<string>;
}

/** The fields of a block that list what it removes. */
export const REMOVALS = ["remove", "unset"] as const;

export interface PolicyReaderOptions {
  /** The CRD of the policies to parse. A definition may join several kinds. */
  readonly crd?: CrdFacts | undefined;
  readonly judging?: Judging;
  readonly problemOf?: EvaluateCondition["problemOf"];
}

export function policyReader(definition: PolicyDefinition, options: PolicyReaderOptions = {}): PolicyReader {
  const { crd, judging = builtInJudging(), problemOf } = options;
  const { merge, targeting } = definition;
  const { ref, refs, selectors } = targeting.fields;
  const { workloadSelector } = targeting.absent ?? {};
  const targetKeys = [
    ...(targeting.kinds.length === 0 ? [] : [ref, refs, selectors]),
    ...(workloadSelector === undefined ? [] : [workloadSelector]),
  ];
  const hasStrategy = Object.keys(merge.granularity.values).length > 0;
  const beside = [...REMOVALS, ...(hasStrategy ? [merge.granularity.field] : [])];
  return {
    definition,
    crd,
    judging,
    problemOf,
    merge,
    rules: unitRulesOf(definition, crd),
    hasStrategy,
    targetFields: targetKeys.map((field) => `spec.${field}`),
    firstTarget: `spec.${refs}[0]`,
    targetKeys,
    blockCache: new BlockCache(),
    forbids: targeting.kinds.some(({ forbids }) => forbids !== undefined),
    // A kind that never merges has no blocks and no strategy, so everything but its targets is spec proper.
    asideInSpec: new Set([
      ...targetKeys,
      ...(hasNoBlocks(merge) ? [] : [...BLOCK_SPELLINGS.defaults, ...BLOCK_SPELLINGS.overrides, ...beside]),
    ]),
    asideInBlock: new Set([...beside, "when"]),
  };
}
