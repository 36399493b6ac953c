/** The findings of `check` beyond those of the engine: mistakes that only the evaluation as a whole shows. */
import type { World } from "../effective/world/world.ts";
import type { EvaluateCondition } from "../model/cel.ts";
import { compareText, type PolicyId } from "../model/refs.ts";
import type { CheckFinding } from "./check-finding.ts";
import { checkCoverage } from "./coverage/check-coverage.ts";
import { type CheckedDataplane, checkDataplane } from "./dataplane/check-dataplane.ts";
import { checkRetries } from "./dataplane/check-retries.ts";
import { checkStreams } from "./dataplane/check-streams.ts";
import { checkCrdRules } from "./objects/check-crd-rules.ts";
import { checkGateways } from "./objects/check-gateways.ts";
import { checkIgnoredCodes } from "./objects/check-ignored-codes.ts";
import { checkKinds } from "./objects/check-kinds.ts";
import { checkPolicyCrds } from "./objects/check-policy-crds.ts";
import { checkSelectors } from "./objects/check-selectors.ts";
import { checkStatus } from "./objects/check-status.ts";
import {
  type ConditionContext,
  type ConditionOutcomes,
  checkConditions,
  keysOf,
  recordConditions,
} from "./policies/check-conditions.ts";
import { checkCrdDefaults } from "./policies/check-crd-defaults.ts";
import { checkEffect } from "./policies/check-effect.ts";
import { type Companions, checkRemovals, checkRuleNames, companionsOf } from "./policies/check-rule-names.ts";
import { checkSettings } from "./policies/check-settings.ts";
import { distinctFolds } from "./policies/distinct-folds.ts";
import { policyEffects } from "./policies/policy-effects.ts";

export interface CheckWorldOptions {
  readonly cel: EvaluateCondition;
  /** Adds findings about what this data plane would not do as configured. */
  readonly dataplane?: CheckedDataplane | undefined;
}

/** In a defined order: by object, code, field and message. */
export function checkWorld(world: World, { cel, dataplane }: CheckWorldOptions): readonly CheckFinding[] {
  const findings = [
    ...checkPolicies(world, cel),
    ...checkKinds(world),
    ...checkIgnoredCodes(world),
    ...checkPolicyCrds(world),
    ...checkCrdRules(world),
    ...checkGateways(world),
    ...checkRetries(world),
    ...checkStreams(world),
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
    const folds = distinctFolds(world, kind);
    const effects = policyEffects(folds);
    let outcomes: ConditionOutcomes | undefined;
    let known: ReadonlySet<string> | undefined;
    let met: Companions | undefined;
    const companions = (): Companions => (met ??= companionsOf(folds));
    const context: ConditionContext = {
      cel,
      outcomes: () => (outcomes ??= recordConditions(world, kind)),
      keys: () => (known ??= keysOf(ids.flatMap((id) => world.policies.get(id)?.policy ?? []))),
    };
    const { none, ruleNames = "Free" } = kind.definition.merge;
    if (!none && ruleNames === "Free") findings.push(...checkRuleNames(world, folds));
    findings.push(...checkCrdDefaults(world, kind, folds));
    for (const id of ids) {
      const record = world.policies.get(id);
      const effect = effects.get(id);
      if (record === undefined) continue;
      findings.push(...checkEffect(world, record, effect));
      findings.push(...checkConditions(world, record, effect, context));
      if (effect !== undefined) findings.push(...checkRemovals(world, effect, companions));
      findings.push(...checkSettings(record));
    }
  }
  return findings;
}
