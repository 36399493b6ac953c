/** Everything that `check` finds besides what the engine itself reports: what the evaluation shows when looked at as a whole. */
import type { World } from "../effective/world/world.ts";
import type { EvaluateCondition } from "../model/cel.ts";
import { compareText, type PolicyId } from "../model/refs.ts";
import {
  type ConditionContext,
  type ConditionOutcomes,
  checkConditions,
  listenToConditions,
  wordsOf,
} from "./check-conditions.ts";
import { checkCoverage } from "./check-coverage.ts";
import { type CheckedDataplane, checkDataplane } from "./check-dataplane.ts";
import { checkEffect } from "./check-effect.ts";
import type { CheckFinding } from "./check-finding.ts";
import { checkKinds } from "./check-kinds.ts";
import { checkRetries } from "./check-retries.ts";
import { type Companions, checkRemovals, checkRuleNames, companionsOf } from "./check-rule-names.ts";
import { checkSelectors } from "./check-selectors.ts";
import { checkSettings } from "./check-settings.ts";
import { checkStatus } from "./check-status.ts";
import { policyFates } from "./policy-fates.ts";
import { surveyFolds } from "./survey-folds.ts";

export interface CheckOptions {
  readonly cel: EvaluateCondition;
  /** Also what this one would not do as it is told. */
  readonly dataplane?: CheckedDataplane | undefined;
}

/** In a defined order: by object, code, field and message. */
export function checkWorld(world: World, { cel, dataplane }: CheckOptions): readonly CheckFinding[] {
  const findings = [
    ...checkPolicies(world, cel),
    ...checkKinds(world),
    ...checkRetries(world),
    ...checkSelectors(world),
    ...checkStatus(world),
    ...checkCoverage(world, cel),
    ...(dataplane === undefined ? [] : checkDataplane(world, dataplane)),
  ];
  const keyed = findings.map((finding) => ({
    finding,
    key: [finding.object ?? "", finding.code, finding.field ?? "", finding.message].join("\n"),
  }));
  return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ finding }) => finding);
}

function checkPolicies(world: World, cel: EvaluateCondition): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const byKind = new Map<number, PolicyId[]>();
  world.policies.forEach(({ kind }, id) => {
    const ids = byKind.get(kind.index);
    if (ids === undefined) byKind.set(kind.index, [id]);
    else ids.push(id);
  });
  for (const kind of world.rulebook.kinds) {
    const ids = byKind.get(kind.index);
    if (ids === undefined) continue;
    const folds = surveyFolds(world, kind);
    const fates = policyFates(folds);
    let heard: ConditionOutcomes | undefined;
    let known: ReadonlySet<string> | undefined;
    let met: Companions | undefined;
    const companions = (): Companions => (met ??= companionsOf(folds));
    const context: ConditionContext = {
      cel,
      outcomes: () => (heard ??= listenToConditions(world, kind)),
      words: () => (known ??= wordsOf(ids.flatMap((id) => world.policies.get(id)?.policy ?? []))),
    };
    if (!kind.definition.merge.none) findings.push(...checkRuleNames(world, folds));
    for (const id of ids) {
      const record = world.policies.get(id);
      const fate = fates.get(id);
      if (record === undefined) continue;
      findings.push(...checkEffect(world, record, fate));
      findings.push(...checkConditions(world, record, fate, context));
      if (fate !== undefined) findings.push(...checkRemovals(world, fate, companions));
      findings.push(...checkSettings(record));
    }
  }
  return findings;
}
