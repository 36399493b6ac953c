import { blockNamesOf, hasNoBlocks, wordsOf } from "../../block-names.ts";
import type { EvaluateCondition } from "../../cel.ts";
import type { MergeRules, PolicyDefinition, ReservedWords } from "../../definition.ts";
import { builtInJudging, type Judging } from "../../schema/judge/judging.ts";
import { type UnitRules, unitRulesOf } from "../../units.ts";
import type { CrdFacts } from "../definition/parse-crd.ts";
import { BlockCache } from "./block-cache.ts";

/** Everything that parsing the policies of one kind needs. Built once for a definition and CRD. */
export interface PolicyReader {
  readonly definition: PolicyDefinition;
  readonly crd: CrdFacts | undefined;
  readonly judging: Judging;
  /** The problem of a condition, whatever it is evaluated on. */
  readonly problemOf: EvaluateCondition["problemOf"];
  readonly merge: MergeRules;
  readonly rules: UnitRules;
  /** The keys of the field that selects a strategy. Empty: there is none. */
  readonly strategyKeys: readonly string[];
  readonly targetFields: readonly string[];
  /** The field of the first target in a list: one text for the many policies that have one target. */
  readonly firstTarget: string;
  /** `targetFields` as keys of `spec`. */
  readonly targetKeys: readonly string[];
  readonly blockCache: BlockCache;
  readonly words: ReservedWords;
  /** The parts with merge rules of their own. */
  readonly parts: readonly PartReader[];
  /** True if some settings are not allowed with some targets. */
  readonly forbids: boolean;
  /** Keys of `spec` that are not spec proper. */
  readonly asideInSpec: ReadonlySet<string>;
  /** Keys of a block that are not spec proper. */
  readonly asideInBlock: ReadonlySet<string>;
}

/** Everything that parsing the settings of a part needs. */
export interface PartReader {
  readonly name: string;
  readonly merge: MergeRules;
  readonly rules: UnitRules;
  /** The keys that lead to its settings. */
  readonly keys: readonly (readonly string[])[];
}

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
  const strategyKeys = hasStrategy ? merge.granularity.field.split(".") : [];
  // A key beside a field that is inside of another is a setting.
  const words = wordsOf(merge);
  const beside = [...words.remove, ...(strategyKeys.length === 1 ? strategyKeys : [])];
  return {
    definition,
    crd,
    judging,
    problemOf,
    merge,
    rules: unitRulesOf(definition, crd),
    strategyKeys,
    targetFields: targetKeys.map((field) => `spec.${field}`),
    firstTarget: `spec.${refs}[0]`,
    targetKeys,
    blockCache: new BlockCache(),
    parts: (definition.parts ?? []).flatMap(({ name, paths, merge: own }) =>
      own === undefined
        ? []
        : [{ name, merge: own, rules: unitRulesOf({ merge: own }, crd), keys: paths.map((path) => path.split(".")) }],
    ),
    forbids:
      targeting.kinds.some(({ forbids }) => forbids !== undefined) ||
      definition.parts?.some(({ targets }) => targets !== undefined) === true,
    // A kind that never merges has no blocks and no strategy, so everything but its targets is spec proper.
    asideInSpec: new Set([...targetKeys, ...(hasNoBlocks(merge) ? [] : [...blockNamesOf(merge), ...beside])]),
    asideInBlock: new Set([...beside, ...words.when]),
    words,
  };
}
