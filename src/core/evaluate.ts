/** Evaluates a snapshot, and reads the result. `apply.ts` applies changes; `explain.ts` and its siblings explain the result. Pure. */

import { findingsOf } from "./effective/findings/findings-of.ts";
import { effectivePoliciesOf } from "./effective/fold/effective-policies.ts";
import type { EffectivePolicy } from "./effective/fold/effective-policy.ts";
import { unenforcedPolicies } from "./effective/paths/unenforced-paths.ts";
import { type Affected, affectedTargets } from "./effective/verdicts/affected-targets.ts";
import { countTallies } from "./effective/verdicts/count-tallies.ts";
import type { PolicyVerdict } from "./effective/verdicts/verdict.ts";
import { verdictOf } from "./effective/verdicts/verdict-of.ts";
import { buildRulebook, type RulebookOptions } from "./effective/world/build-rulebook.ts";
import { buildWorld, type Readings } from "./effective/world/build-world.ts";
import { libraryDefinitions } from "./effective/world/collect-definitions.ts";
import { RULES } from "./effective/world/rulebook.ts";
import type { World } from "./effective/world/world.ts";
import { Evaluation, worldOf } from "./evaluation.ts";
import type { CustomStrategies } from "./merge/custom-strategy.ts";
import { createCel } from "./model/cel/create-cel.ts";
import type { EvaluateCondition } from "./model/cel.ts";
import type { DefinitionLibrary, PolicyDefinition } from "./model/definition.ts";
import type { Finding } from "./model/finding.ts";
import { compareText, type GroupKind, kindId, type ObjectId, type PolicyId } from "./model/refs.ts";
import { type Snapshot, tablesOf } from "./model/snapshot.ts";

export type { Evaluation };

/**
 * Everything that an evaluation needs beside the snapshot.
 *
 * @example
 * ```ts
 * const options: EvaluateOptions = { cel: createCel({ maxCost: 1000 }) };
 * console.log(findings(evaluate(buildSnapshot(objects), options)).length);
 * ```
 */
export interface EvaluateOptions {
  /** In addition to the definitions in the snapshot. */
  readonly definitions?: readonly PolicyDefinition[];
  /** More definitions, used only where the snapshot has objects or CRDs of their kinds. A definition in the snapshot is used instead. */
  readonly library?: DefinitionLibrary | undefined;
  /** Evaluates `when` conditions. The default has no regular expressions: `matches()` is an error and fails closed. */
  readonly cel?: EvaluateCondition;
  /** Custom merge strategies by name. */
  readonly strategies?: CustomStrategies;
}

export function evaluate(snapshot: Snapshot, options: EvaluateOptions = {}): Evaluation {
  const rulebookOptions: RulebookOptions = {
    definitions: options.definitions ?? [],
    library: options.library,
    evaluateCondition: options.cel ?? createCel(),
    strategies: options.strategies ?? {},
  };
  return evaluateWith(snapshot, rulebookOptions);
}

const readings: Readings = { countTallies, findUnenforced: unenforcedPolicies };

export function evaluateWith(snapshot: Snapshot, options: RulebookOptions): Evaluation {
  const tables = tablesOf(snapshot);
  const rules = RULES.flatMap((kind) => tables.objects.ofKind(kindId(kind)));
  const definitions = [...options.definitions, ...libraryDefinitions(options.library, tables, rules)];
  return new Evaluation({
    world: buildWorld(tables, buildRulebook(rules, tables.judging, { ...options, definitions }), readings),
    options,
  });
}

/**
 * Selects the effective policies to compute.
 *
 * @example
 * ```ts
 * const filter: EffectiveFilter = { policyKind: { group: "prevail.dev", kind: "RetryPolicy" } };
 * for (const { target, spec } of effectivePolicies(evaluation, filter)) console.log(target, spec);
 * ```
 */
export interface EffectiveFilter {
  /** Only policies of this kind. */
  readonly policyKind?: GroupKind;
  /** Only paths that end at this object or at a section of it. */
  readonly object?: ObjectId;
}

/**
 * One effective policy per path that has a policy, in a defined order. Each iteration starts anew and computes one at a time: there is
 * never a list of all of them.
 *
 * @example
 * ```ts
 * const policyKind = { group: "prevail.dev", kind: "RetryPolicy" };
 * for (const { target, spec, sources } of effectivePolicies(evaluation, { policyKind })) console.log(target, spec, sources.length);
 * ```
 */
export function effectivePolicies(evaluation: Evaluation, filter: EffectiveFilter = {}): Iterable<EffectivePolicy> {
  const world = worldOf(evaluation);
  const wanted = filter.policyKind === undefined ? undefined : kindId(filter.policyKind);
  const kinds = world.rulebook.kinds.filter(({ policyKind }) => wanted === undefined || kindId(policyKind) === wanted);
  return effectivePoliciesOf(world, kinds, filter.object);
}

/**
 * The verdict of each policy, in the order of their ids. Each iteration starts anew and computes one at a time.
 *
 * @example
 * ```ts
 * for (const { policy, verdict } of verdicts(evaluation))
 *   console.log(policy, verdict.state === "Accepted" ? verdict.enforcement : verdict.reason);
 * ```
 */
export function verdicts(evaluation: Evaluation): Iterable<PolicyVerdict> {
  const world = worldOf(evaluation);
  return { [Symbol.iterator]: () => verdictsIn(world) };
}

function* verdictsIn(world: World): IterableIterator<PolicyVerdict> {
  const { objects, policies, rulebook } = world;
  // The order of kinds in ids, where they are followed by a slash.
  const kinds = [...rulebook.byPolicyKind.keys()].sort((a, b) => compareText(`${a}/`, `${b}/`));
  for (const kind of kinds) {
    for (const object of objects.ofKind(kind)) {
      const record = policies.get(object.id as PolicyId);
      if (record === undefined) continue;
      const policy = object.id as PolicyId;
      yield { policy, policyKind: record.kind.policyKind, verdict: verdictOf(world, record) };
    }
  }
}

/**
 * The findings that the evaluation itself reports about objects and policies. `check` reports more.
 *
 * @example
 * ```ts
 * for (const { severity, message, source } of findings(evaluation)) console.log(severity, source?.file, message);
 * ```
 */
export const findings = (evaluation: Evaluation): readonly Finding[] => findingsOf(worldOf(evaluation));

/**
 * The objects and sections that policies take effect on, each with these policies.
 *
 * @example
 * ```ts
 * for (const { target, policies } of affected(evaluation)) console.log(target, policies);
 * ```
 */
export const affected = (evaluation: Evaluation): readonly Affected[] => affectedTargets(worldOf(evaluation));
