/**
 * The library: build a snapshot, evaluate it, read what prevails and why, apply changes. docs/library.md shows it at work.
 *
 * Nothing here reads a file, a clock or a network: objects in, answers out. `prevail/files` reads files.
 */
import { createCel as createCelAdapter } from "./adapters/cel/create-cel.ts";
import { createRegex } from "./adapters/regex/create-regex.ts";
import { weighPattern } from "./adapters/regex/weigh-pattern.ts";
import { type EvaluateOptions, type Evaluation, evaluate as evaluateSnapshot } from "./core/evaluate.ts";
import type { EvaluateCondition } from "./core/model/cel.ts";
import type { Snapshot } from "./core/model/snapshot.ts";
import { builtInDefinitions } from "./definitions/built-in-definitions.ts";

/**
 * Evaluates a snapshot. Without `definitions`: the built-in ones; PolicyDefinitions and labelled CRDs in the snapshot count
 * always. Without `cel`: `createCel()`. `strategies`: GEP-713's `<Custom>` ones, by the name that definitions use.
 */
export function evaluate(snapshot: Snapshot, options: EvaluateOptions = {}): Evaluation {
  return evaluateSnapshot(snapshot, {
    ...options,
    definitions: options.definitions ?? builtInDefinitions(),
    cel: options.cel ?? defaultCel(),
  });
}

export interface CelLimits {
  /** Units of cost that one evaluation may take: about one for each operator, call or field. */
  readonly maxCost?: number;
  /** UTF-16 code units. */
  readonly maxExpressionLength?: number;
  /** Levels of nesting. */
  readonly maxDepth?: number;
}

/** Evaluates `when` conditions; `matches()` takes RE2's regular expressions. To be shared between evaluations. */
export function createCel(limits: CelLimits = {}): EvaluateCondition {
  return createCelAdapter({ ...limits, matchRegex: createRegex(), weighPattern });
}

/** One for all: it keeps parsed expressions, and its answers depend on nothing else. */
let sharedCel: EvaluateCondition | undefined;
function defaultCel(): EvaluateCondition {
  sharedCel ??= createCel();
  return sharedCel;
}

export { type Applied, apply } from "./core/apply.ts";
export type {
  EffectivePolicy,
  LossReason,
  Lost,
  MappedField,
  PathNode,
  Source,
  Step,
} from "./core/effective/fold/effective-policy.ts";
export type { Delta, EffectiveChange, VerdictChange } from "./core/effective/update/delta.ts";
export type { Change } from "./core/effective/update/object-changes.ts";
export type { Affected } from "./core/effective/verdicts/affected.ts";
export type {
  AncestorVerdict,
  Enforcement,
  NotAcceptedReason,
  PolicyVerdict,
  Tally,
  Verdict,
} from "./core/effective/verdicts/verdict.ts";
export {
  affected,
  buildStatus,
  type EffectiveFilter,
  type EvaluateOptions,
  type Evaluation,
  effectivePolicies,
  findings,
  verdicts,
} from "./core/evaluate.ts";
export type { CustomContest, CustomStrategies, CustomStrategy, PolicyMetadata } from "./core/merge/custom-strategy.ts";
export type { ConditionOutcome, EvaluateCondition } from "./core/model/cel.ts";
export type { BaseStrategy, PolicyDefinition } from "./core/model/definition.ts";
export type { Finding, Severity } from "./core/model/finding.ts";
export type { FindingCode } from "./core/model/finding-code.ts";
export type { Json, JsonObject } from "./core/model/json.ts";
export type { SourcePosition } from "./core/model/kube-object.ts";
export type { BlockName } from "./core/model/policy.ts";
export {
  type GroupKind,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseObjectId,
  parseTargetId,
  type TargetId,
} from "./core/model/refs.ts";
export { buildSnapshot, type Snapshot, type SnapshotOptions } from "./core/model/snapshot.ts";
export type {
  AncestorRef,
  AncestorStatus,
  Condition,
  PolicyStatus,
  StatusOptions,
  StatusPlace,
  StatusReport,
  TargetStatus,
} from "./core/status/status-report.ts";
export { builtInDefinitions };
