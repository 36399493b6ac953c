import type { MappedField } from "../../core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../core/effective/paths/path-node.ts";
import { type GovernedKind, groupByGoverned, sourcesOf } from "../../core/explain/explain/group-by-governed.ts";
import type {
  Explanation,
  IneffectivePolicy,
  KindExplanation,
  PathOutcome,
  PolicyPart,
} from "../../core/explain/explain/result.ts";
import { isCrdDefault, mappedPointer, sectionPointer, sourcePointer } from "../../core/explain/value-pointer.ts";
import type { Source as ValueSource } from "../../core/merge/provenance.ts";
import type { SourcePosition } from "../../core/model/kube-object.ts";
import type { WrittenValue } from "../../core/model/managed-fields.ts";
import { type GroupKind, objectId } from "../../core/model/refs.ts";
import type { RetryReport, TrafficCounts } from "../../core/retry/retry-counts.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { type Redaction, redactPointer, redactSpec } from "../args/redaction.ts";
import { caveatsJson } from "../caveats/json.ts";
import {
  API_VERSION,
  type FieldJson,
  fieldJson,
  openRef,
  orderJson,
  refJson,
  removalJson,
  type SourceJson,
  sourceJson,
} from "../print/data/effective-json.ts";
import type { TextContext } from "../print/text-context.ts";
import { trafficCountsJson } from "../worth/json.ts";

/** The counts of gateways for the requests through the target. */
export interface ExplainedTraffic {
  readonly traffic: readonly TrafficCounts[];
  readonly report: RetryReport;
}

interface ExplanationContext extends Pick<TextContext, "source" | "redaction" | "caveats"> {
  readonly retries: ExplainedTraffic | undefined;
}

/** `explain -o json`, with the position of each effective value; `docs/schemas/explanation.json` describes it. */
export function explanationJson(
  explanation: Explanation,
  { source, redaction, caveats, retries }: ExplanationContext,
): object {
  const { target, kinds, failures, refusals, problems, absentParents, connections, conditions } = explanation;
  const { sectionName } = target;
  const id = objectId(target);
  const section = sectionName === undefined ? undefined : sectionPointer(source.world, id, sectionName);
  const at = source.locate(id, section?.pointer);
  return {
    apiVersion: API_VERSION,
    kind: "Explanation",
    target,
    ...(at === undefined ? {} : { at }),
    complete: absentParents.length === 0,
    absentParents,
    connections,
    policyKinds: kinds.map((kind) => kindJson(kind, source, redaction)),
    ...groupsJson(kinds, source, redaction),
    failures: failuresJson(failures, redaction),
    refusals,
    problems,
    conditions,
    ...(retries === undefined ? {} : { retries: trafficCountsJson(retries.traffic, retries.report) }),
    caveats: caveatsJson(caveats),
  };
}

/** The groups that the text has titles for: the kinds in each, and the pointers of their settings. Absent if there is one group. */
function groupsJson(kinds: readonly KindExplanation[], { world }: LoadedSource, redaction: Redaction): object {
  const groups = groupByGoverned(world, kinds);
  if (groups === undefined) return {};
  const pointersOf = ({ kind, includes }: GovernedKind): readonly string[] => {
    const sources = kind.outcomes.flatMap(sourcesOf).filter(includes);
    return [...new Set(sources.map((source) => redactPointer(source, redaction)))].sort();
  };
  return {
    groups: groups.map(({ governs = null, kinds: members }) => ({
      governs,
      policyKinds: members.map((member) => ({ ...member.kind.policyKind, pointers: pointersOf(member) })),
    })),
  };
}

export const failuresJson = (failures: readonly IneffectivePolicy[], redaction: Redaction): readonly object[] =>
  failures
    .filter(({ policy }) => !redaction.isHidden(policy))
    .map(({ policy, ...rest }) => ({ policy: openRef(policy), ...rest }));

export const kindJson = (
  { policyKind, paths, outcomes }: KindExplanation,
  source: LoadedSource,
  redaction: Redaction,
): object => ({
  policyKind,
  paths,
  outcomes: outcomes.map((outcome) => outcomeJson(outcome, policyKind, source, redaction)),
});

function outcomeJson(outcome: PathOutcome, policyKind: GroupKind, source: LoadedSource, redaction: Redaction): object {
  const { paths, spec, sources, fields, removals, policies, order } = outcome;
  const [first] = paths;
  return {
    paths: paths.map(({ nodes, ...rest }) => ({ path: nodes, ...rest })),
    spec: redactSpec(spec, sources, redaction),
    sources: sources.map((value) => sourceWithPosition(value, first?.nodes ?? [], policyKind, source, redaction)),
    ...(fields.length === 0
      ? {}
      : { fields: fields.map((field) => fieldWithMarks(field, policyKind, source, redaction)) }),
    ...(removals.length === 0 ? {} : { removals: removals.map((removal) => removalJson(removal, redaction)) }),
    ...orderJson(order, redaction),
    policies: policies.map((part) => partJson(part, redaction)),
  };
}

function sourceWithPosition(
  value: ValueSource,
  path: readonly PathNode[],
  policyKind: GroupKind,
  source: LoadedSource,
  redaction: Redaction,
): SourceJson & { readonly at?: SourcePosition; readonly written?: WrittenValue } {
  const json = sourceJson(value, redaction);
  if (value.policy !== null && redaction.isHidden(value.policy)) return json;
  const location = sourcePointer(source.world, policyKind, value, path);
  const at = location === undefined ? undefined : source.locate(location.object, location.pointer);
  const written = location === undefined ? undefined : source.writtenAt?.(location);
  const marked = value.object !== undefined && isCrdDefault(source.world, location) ? withMark(json) : json;
  return { ...marked, ...(at === undefined ? {} : { at }), ...(written === undefined ? {} : { written }) };
}

/** An item of the object's own field, with defaults of the CRD marked. */
function fieldWithMarks(
  field: MappedField,
  policyKind: GroupKind,
  { world }: LoadedSource,
  redaction: Redaction,
): FieldJson {
  const json = fieldJson(field, redaction);
  const isFilled = ({ pointer, object }: SourceJson): boolean =>
    object !== undefined && isCrdDefault(world, mappedPointer(world, policyKind, field, pointer));
  return { ...json, sources: json.sources.map((source) => (isFilled(source) ? withMark(source) : source)) };
}

const withMark = ({ pointer, policy, object, ...rest }: SourceJson): SourceJson => ({
  pointer,
  policy,
  ...(object === undefined ? {} : { object }),
  crdDefault: true,
  ...rest,
});

const partJson = (
  { policy, at, inEffect, overridden, gated, removes, by }: PolicyPart,
  redaction: Redaction,
): object => ({
  policy: refJson(policy, redaction),
  attachedTo: at,
  inEffect,
  overridden,
  gated,
  removes,
  by: by.map((winner) => refJson(winner, redaction)),
});
