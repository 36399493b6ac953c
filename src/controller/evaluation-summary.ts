/** The counts about an evaluation that metrics report. */
import type { CaveatCode, CaveatSeverity } from "../core/caveats/caveat-codes.ts";
import { findCaveats } from "../core/caveats/find-caveats.ts";
import { distinctFolds } from "../core/check/policies/distinct-folds.ts";
import { policyEffects } from "../core/check/policies/policy-effects.ts";
import { checkedFindings } from "../core/check.ts";
import type { Verdict } from "../core/effective/verdicts/verdict.ts";
import { verdictOf } from "../core/effective/verdicts/verdict-of.ts";
import type { World } from "../core/effective/world/world.ts";
import { type Evaluation, optionsOf, worldOf } from "../core/evaluation.ts";
import type { Finding, Severity } from "../core/model/finding.ts";
import type { FindingCode } from "../core/model/finding-code.ts";
import { type GroupKind, type KindId, kindId, type ObjectId, parseObjectId } from "../core/model/refs.ts";

export interface EvaluationSummary {
  readonly policies: readonly PolicyKindSummary[];
  readonly findings: readonly { readonly code: FindingCode; readonly severity: Severity; readonly count: number }[];
  /** Targets that do not meet a CoverageRule, by the name of the rule; rules that are met are there with 0. */
  readonly uncovered: ReadonlyMap<string, number>;
  readonly caveats: readonly { readonly code: CaveatCode; readonly severity: CaveatSeverity; readonly count: number }[];
}

/** The policies of one kind. */
export interface PolicyKindSummary {
  readonly policyKind: GroupKind;
  /** The number of policies by verdict: an enforcement, the reason why they are not accepted, or Unknown. */
  readonly verdicts: ReadonlyMap<string, number>;
  /** Settings of policies of the kind that another policy overrides on at least one path. */
  readonly overriddenSettings: number;
}

/** Listed for each kind also if their number is 0, so that a series does not end when the last policy leaves it. */
const VERDICTS = [
  "Enforced",
  "PartiallyEnforced",
  "Overridden",
  "NoPath",
  "Incomplete",
  "Invalid",
  "TargetNotFound",
  "Conflicted",
  "Unknown",
] as const;

export function summarizeEvaluation(evaluation: Evaluation, unread: readonly Finding[]): EvaluationSummary {
  const world = worldOf(evaluation);
  const findings = checkedFindings(world, optionsOf(evaluation).evaluateCondition);
  return {
    policies: policySummaries(world),
    findings: countByCode(findings),
    uncovered: countUncovered(world, findings),
    caveats: countByCode(findCaveats(world, { about: "Input", unread })),
  };
}

function policySummaries(world: World): readonly PolicyKindSummary[] {
  const byKind = new Map<KindId, { readonly policyKind: GroupKind; readonly verdicts: Map<string, number> }>();
  world.policies.forEach((record, id) => {
    const { group, kind } = parseObjectId(id);
    const key = kindId({ group, kind });
    const found = byKind.get(key) ?? {
      policyKind: { group, kind },
      verdicts: new Map<string, number>(VERDICTS.map((verdict) => [verdict, 0])),
    };
    byKind.set(key, found);
    increment(found.verdicts, wordOf(verdictOf(world, record)));
  });
  const overridden = overriddenSettings(world);
  return [...byKind]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => ({ ...one, overriddenSettings: overridden.get(key) ?? 0 }));
}

function wordOf(verdict: Verdict): string {
  switch (verdict.state) {
    case "Accepted":
      return verdict.enforcement;
    case "NotAccepted":
      return verdict.reason;
    case "Unknown":
      return "Unknown";
  }
}

function overriddenSettings(world: World): ReadonlyMap<KindId, number> {
  const counts = new Map<KindId, number>();
  for (const kind of world.rulebook.kinds) {
    for (const [id, { units }] of policyEffects(distinctFolds(world, kind))) {
      const lost = [...units.values()].filter(({ lostTo }) => lostTo.size > 0).length;
      if (lost > 0) increment(counts, kindId(parseObjectId(id)), lost);
    }
  }
  return counts;
}

interface Coded<Code, Level> {
  readonly code: Code;
  readonly severity: Level;
}

/** By code and severity, in order of the code. */
function countByCode<Code extends string, Level extends string>(
  coded: readonly Coded<Code, Level>[],
): readonly (Coded<Code, Level> & { readonly count: number })[] {
  const counts = new Map<string, Coded<Code, Level> & { count: number }>();
  for (const { code, severity } of coded) {
    const key = `${code} ${severity}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { code, severity, count: 1 });
    else found.count++;
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

const COVERAGE_RULE: KindId = kindId({ group: "prevail.dev", kind: "CoverageRule" });

function countUncovered(world: World, findings: readonly Finding[]): ReadonlyMap<string, number> {
  const nameOf = (rule: ObjectId): string => parseObjectId(rule).name;
  const counts = new Map<string, number>();
  world.objects.ofKind(COVERAGE_RULE).forEach(({ id }) => void counts.set(nameOf(id), 0));
  for (const { rule } of findings) if (rule !== undefined) increment(counts, nameOf(rule));
  return counts;
}

function increment<Key>(counts: Map<Key, number>, key: Key, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
