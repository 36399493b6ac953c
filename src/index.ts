/**
 * The library: build a snapshot, evaluate it, ask which policy settings take effect and why, apply changes. docs/library.md has examples.
 *
 * Nothing here reads a file, a clock or a network. `prevail/files` reads files; `prevail/dataplane` compiles gateway configuration.
 */
import { createRegex } from "./adapters/regex/create-regex.ts";
import { weighPattern } from "./adapters/regex/weigh-pattern.ts";
import { type EvaluateOptions, type Evaluation, evaluate as evaluateSnapshot } from "./core/evaluate.ts";
import type { GatewayTrace, MeshTrace } from "./core/explain/trace/result.ts";
import { createCel as createCelWith } from "./core/model/cel/create-cel.ts";
import type { EvaluateCondition } from "./core/model/cel.ts";
import type { MatchRegex } from "./core/model/regex.ts";
import { buildSnapshot as readSnapshot, type Snapshot, type SnapshotOptions } from "./core/model/snapshot.ts";
import {
  type MeshTraceOptions,
  type TracedRequest,
  type TraceOptions,
  traceMesh as traceMeshWith,
  trace as traceWith,
} from "./core/trace.ts";
import { builtInDefinitions } from "./definitions/built-in-definitions.ts";
import { knownDefinitions } from "./definitions/known-definitions.ts";
import { vendorDefinitions } from "./definitions/vendor-definitions.ts";

/**
 * Reads plain Kubernetes objects. A value that is not one becomes a finding, and an object that the API server would refuse counts as
 * absent, with a finding. The objects must not change while the snapshot is in use.
 *
 * @example
 * ```ts
 * const snapshot = buildSnapshot(objects, { positions: objects.map((_, index) => ({ file: "a.yaml", line: index + 1, column: 1 })) });
 * console.log(findings(evaluate(snapshot)).length);
 * ```
 */
export const buildSnapshot = (values: Iterable<unknown>, options: SnapshotOptions = {}): Snapshot =>
  readSnapshot(values, { matchRegex: defaultRegex(), ...options });

/**
 * Evaluates a snapshot. PolicyDefinitions and labelled CRDs in the snapshot always count. Without `definitions` the built-in ones are
 * known, and those of implementations (`vendorDefinitions`) where the snapshot has such kinds; without `cel` conditions are evaluated by `createCel()`. `strategies` are GEP-713's custom ones, by the name that definitions use.
 *
 * @example
 * ```ts
 * const snapshot = buildSnapshot(objects);
 * const evaluation = evaluate(snapshot);
 * console.log(findings(evaluation).length);
 * ```
 */
export function evaluate(snapshot: Snapshot, options: EvaluateOptions = {}): Evaluation {
  const known = options.definitions === undefined ? knownDefinitions() : { definitions: options.definitions };
  return evaluateSnapshot(snapshot, {
    ...known,
    ...options,
    definitions: known.definitions,
    cel: options.cel ?? defaultCel(),
  });
}

/**
 * Says what each Gateway does with a request: the listener, the rule, the backends, and the policies in effect on that path. Gateways that
 * route the request are first. Empty if the named Gateway does not exist.
 *
 * @example
 * ```ts
 * const [first] = trace(evaluation, { method: "POST", host: "baker.bakery.example", port: 8080, path: "/orders" });
 * console.log(first?.gateway.name, first?.outcome);
 * ```
 */
export const trace = (
  evaluation: Evaluation,
  request: TracedRequest,
  options: TraceOptions = {},
): readonly GatewayTrace[] => traceWith(evaluation, request, { ...options, matchRegex: defaultRegex() });

/**
 * Says what happens in a mesh to a request from a namespace to the Service that the host names (`foo`, `foo.prod`,
 * `foo.prod.svc.cluster.local`): the route and rule that carry it, the backends, and the policies in effect on that path. A request that
 * no route carries goes to the Service itself. Requests are distinguished by their namespace; workloads are not modelled. Undefined if
 * no Service has the host.
 *
 * @example
 * ```ts
 * const request = { method: "GET", host: "baker.bakery", port: 8080, path: "/menu" };
 * const traced = traceMesh(evaluation, request, { from: "shop" });
 * console.log(traced?.service.name, traced?.outcome);
 * ```
 */
export const traceMesh = (
  evaluation: Evaluation,
  request: TracedRequest,
  options: MeshTraceOptions,
): MeshTrace | undefined => traceMeshWith(evaluation, request, { ...options, matchRegex: defaultRegex() });

/**
 * Limits for the evaluation of conditions.
 *
 * @example
 * ```ts
 * const limits: CelLimits = { maxCost: 1000, maxDepth: 20 };
 * console.log(findings(evaluate(buildSnapshot(objects), { cel: createCel(limits) })).length);
 * ```
 */
export interface CelLimits {
  /** Units of cost for one evaluation: about one for each operator, call or field. */
  readonly maxCost?: number;
  /** UTF-16 code units. */
  readonly maxExpressionLength?: number;
  /** Levels of nesting. */
  readonly maxDepth?: number;
}

/**
 * Creates an evaluator for `when` conditions, for the option `cel`. `matches()` accepts RE2's regular expressions. Evaluations can share
 * one evaluator.
 *
 * @example
 * ```ts
 * const cel = createCel({ maxCost: 1000 });
 * const evaluation = evaluate(buildSnapshot(objects), { cel });
 * console.log(findings(evaluation).length);
 * ```
 */
export function createCel(limits: CelLimits = {}): EvaluateCondition {
  return createCelWith({ ...limits, matchRegex: createRegex(), weighPattern });
}

/** Shared by all evaluations: it caches parsed expressions, and its results depend on nothing else. */
let sharedCel: EvaluateCondition | undefined;
function defaultCel(): EvaluateCondition {
  sharedCel ??= createCel();
  return sharedCel;
}

/** Shared by all traces: its results depend on the pattern and the text alone. */
let sharedRegex: MatchRegex | undefined;
function defaultRegex(): MatchRegex {
  sharedRegex ??= createRegex();
  return sharedRegex;
}

export { type Applied, apply } from "./core/apply.ts";
export { buildStatus } from "./core/build-status.ts";
export type {
  Caveat,
  CaveatDataplane,
  CaveatObject,
  CaveatQuestion,
  CaveatScope,
  CountedPolicies,
} from "./core/caveats/caveat.ts";
export type { CaveatCode, CaveatSeverity } from "./core/caveats/caveat-codes.ts";
export { caveatsFor } from "./core/caveats.ts";
export type { CheckFinding, RelatedField } from "./core/check/check-finding.ts";
export { type CheckOptions, check } from "./core/check.ts";
export type { EffectivePolicy, MappedField } from "./core/effective/fold/effective-policy.ts";
export type { PathNode } from "./core/effective/paths/path-node.ts";
export type { Delta, EffectiveChange, VerdictChange } from "./core/effective/update/delta.ts";
export type { Change } from "./core/effective/update/object-changes.ts";
export type { Affected } from "./core/effective/verdicts/affected-targets.ts";
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
  type EffectiveFilter,
  type EvaluateOptions,
  type Evaluation,
  effectivePolicies,
  findings,
  verdicts,
} from "./core/evaluate.ts";
export type { NamespaceContact } from "./core/explain/contacts.ts";
export type {
  ConnectedBackend,
  ConnectedListener,
  Connections,
  ExplainedPath,
  Explanation,
  IneffectivePolicy,
  KindExplanation,
  PathOutcome,
  PolicyPart,
  ReportedCondition,
} from "./core/explain/explain/result.ts";
export type {
  ChangedObject,
  CurrentValue,
  ForbiddingPolicy,
  How,
  HowChange,
  HowProblem,
  HowReach,
  HowStep,
  KindAnswer,
  Rights,
  ValueCount,
  WantedSetting,
  Way,
} from "./core/explain/how/result.ts";
export type {
  EffectiveValue,
  KindChange,
  NamespaceChange,
  PathChange,
  Plan,
  PlannedObject,
  PolicyChange,
  PolicyShare,
  ValueChange,
} from "./core/explain/plan/result.ts";
export type {
  MissingLink,
  Reach,
  ReachedPath,
  ReachedTarget,
  ReachedValue,
  ReachLoss,
  ReachOutcome,
  ReachTarget,
} from "./core/explain/reach/result.ts";
export type {
  GatewayTrace,
  MeshTrace,
  NearMiss,
  RoutedTrace,
  TracedBackend,
  TracedListener,
  TracedRule,
} from "./core/explain/trace/result.ts";
export { explain } from "./core/explain.ts";
export { findTargets, type TargetName, type TargetRef } from "./core/find-target.ts";
export { type HowOptions, how } from "./core/how.ts";
export type { CustomContest, CustomStrategies, CustomStrategy, PolicyMetadata } from "./core/merge/custom-strategy.ts";
export type { LossReason, Lost, Source, Step } from "./core/merge/provenance.ts";
export type { ConditionOutcome, EvaluateCondition } from "./core/model/cel.ts";
export type { CompleteKind, Completeness } from "./core/model/completeness.ts";
export type { BaseStrategy, DefinitionLibrary, PolicyDefinition } from "./core/model/definition.ts";
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
export type { Snapshot, SnapshotOptions } from "./core/model/snapshot.ts";
export { plan } from "./core/plan.ts";
export { type ReachOptions, reach } from "./core/reach.ts";
export type {
  AncestorRef,
  AncestorStatus,
  Condition,
  PolicyStatus,
  StatusLocation,
  StatusOptions,
  StatusReport,
  TargetStatus,
} from "./core/status/status-report.ts";
export type { ConditionProblem, GatewayReason } from "./core/topology/gateway-reason.ts";
export type { RefusalCode } from "./core/topology/links.ts";
export type { MeshTraceOptions, TracedRequest, TraceOptions };
export { builtInDefinitions, vendorDefinitions };
