/** The façade: a snapshot in, an evaluation out; a change in, the next evaluation and what differs out. Pure. */

import { type Affected, affectedTargets } from "./effective/affected.ts";
import { buildWorld } from "./effective/build-world.ts";
import type { CompiledKind } from "./effective/compiled-kind.ts";
import { endObjects, forEachPathTo } from "./effective/count-paths.ts";
import { effectivePolicy } from "./effective/effective-at.ts";
import type { EffectivePolicy } from "./effective/effective-policy.ts";
import { findingsOf } from "./effective/findings-of.ts";
import { type Path, PathFinder } from "./effective/path-finder.ts";
import { buildRulebook, isRule, type RulebookOptions } from "./effective/rulebook.ts";
import type { PolicyVerdict } from "./effective/verdict.ts";
import { verdictOf } from "./effective/verdict-of.ts";
import type { World } from "./effective/world.ts";
import type { CustomStrategies } from "./merge/custom-strategy.ts";
import type { EvaluateCondition } from "./model/cel.ts";
import type { PolicyDefinition } from "./model/definition.ts";
import type { Finding } from "./model/finding.ts";
import type { KubeObject } from "./model/kube-object.ts";
import { type GroupKind, kindId, type ObjectId, type PolicyId, parseObjectId } from "./model/refs.ts";
import type { Snapshot } from "./model/snapshot.ts";
import type { StatusOptions, StatusReport } from "./status/status-report.ts";
import { statusReportOf } from "./status/status-report-of.ts";

export interface EvaluateOptions {
  /** Beside those that the snapshot itself contains. */
  readonly definitions?: readonly PolicyDefinition[];
  /** Without one, every `when` is an error, and fails closed. */
  readonly cel?: EvaluateCondition;
  readonly strategies?: CustomStrategies;
}

/** Opaque: read it with `effectivePolicies`, `verdicts`, `findings`, `affected`; change it with `apply`. */
export interface Evaluation {
  readonly world: World;
  readonly options: RulebookOptions;
}

const noCel: EvaluateCondition = () => ({ state: "error", message: "no CEL evaluator was given" });

export function evaluate(snapshot: Snapshot, options: EvaluateOptions = {}): Evaluation {
  const rulebookOptions: RulebookOptions = {
    definitions: options.definitions ?? [],
    evaluateCondition: options.cel ?? noCel,
    strategies: options.strategies ?? {},
  };
  return evaluateWith(snapshot, rulebookOptions);
}

export function evaluateWith(snapshot: Snapshot, options: RulebookOptions): Evaluation {
  const rules: KubeObject[] = [];
  for (const object of snapshot.objects.values()) if (isRule(object.ref)) rules.push(object);
  return { world: buildWorld(snapshot, buildRulebook(rules, options)), options };
}

export interface EffectiveFilter {
  readonly policyKind?: GroupKind;
  /** Paths that end at this object, or at a section of it. */
  readonly object?: ObjectId;
}

/** One per path that has a policy, in a defined order. */
export function* effectivePolicies(
  { world }: Evaluation,
  filter: EffectiveFilter = {},
): IterableIterator<EffectivePolicy> {
  for (const kind of world.rulebook.kinds) {
    if (filter.policyKind !== undefined && kindId(filter.policyKind) !== kindId(kind.policyKind)) continue;
    yield* effectiveOf(world, kind, filter.object);
  }
}

/** One object at a time: of a hundred thousand routes no more paths are held than one of them has. */
function* effectiveOf(world: World, kind: CompiledKind, only: ObjectId | undefined): IterableIterator<EffectivePolicy> {
  const finder = new PathFinder(world, kind);
  let found: Path[] = [];
  const collect = (path: Path): void => void found.push(path);
  for (const end of only === undefined ? endObjects(world, kind) : [{ id: only, ref: parseObjectId(only) }]) {
    found = [];
    forEachPathTo(finder, kind, end, collect);
    for (const path of found) yield effectivePolicy(path, kind);
  }
}

export function verdicts({ world }: Evaluation): readonly PolicyVerdict[] {
  const found: PolicyVerdict[] = [];
  const ids: PolicyId[] = [];
  world.policies.forEach((_, id) => {
    ids.push(id);
  });
  for (const id of ids.sort()) {
    const record = world.policies.get(id);
    if (record !== undefined)
      found.push({ policy: id, policyKind: record.kind.policyKind, verdict: verdictOf(world, id, record) });
  }
  return found;
}

export const findings = ({ world }: Evaluation): readonly Finding[] => findingsOf(world);

export const affected = ({ world }: Evaluation): readonly Affected[] => affectedTargets(world);

/** What a controller of that name writes into policies and targets (GEP-713, "Status reporting"). */
export const status = ({ world }: Evaluation, options: StatusOptions): StatusReport => statusReportOf(world, options);
