import type {
  EffectiveValue,
  NamespaceChange,
  PathChange,
  Plan,
  PlannedObject,
  PolicyChange,
  ValueChange,
} from "../../core/explain/plan/result.ts";
import { keepsValue } from "../../core/explain/plan/value-changes.ts";
import type { ChangedTraffic } from "../../core/explain/worth/traffic-changed.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { GroupKind, ObjectId } from "../../core/model/refs.ts";
import { capital } from "../../core/model/words/capital.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import { type Redaction, redactPointer } from "../args/redaction.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION, openRef, type RefJson, refJson } from "../print/data/effective-json.ts";
import { verdictJson } from "../print/data/verdict-json.ts";
import { positionOf } from "../print/format/format-source.ts";
import { changedTrafficJson } from "../worth/json.ts";
import { isHiddenPolicy } from "./redact-plan.ts";
import type { PlanSide, PlanSides, PlanTextContext } from "./text-context.ts";

/** `plan -o json`; `docs/schemas/plan.json` describes it. */
export function planJson(
  plan: Plan,
  {
    sides,
    redaction,
    caveats,
    retries,
  }: Pick<PlanTextContext, "sides" | "redaction" | "caveats"> & {
    readonly retries?: ChangedTraffic | undefined;
  },
): object {
  const { objects, kinds, policies, findings, namespaces, stillImplied } = plan;
  const changes = kinds.flatMap((kind) => kind.changes);
  const values = changes.flatMap((path) => path.values);
  const kept = values.filter(keepsValue).length;
  const named = (id: ObjectId): RefJson => namedJson(id, sides, redaction);
  const count = (how: PathChange["change"]): number => changes.filter(({ change }) => change === how).length;
  return {
    apiVersion: API_VERSION,
    kind: "Plan",
    counts: {
      objects: objects.filter(({ change }) => change !== "same").length,
      values: { changed: values.length - kept, sameValueOtherSource: kept },
      paths: { changed: count("changed"), added: count("added"), removed: count("removed") },
      policies: policies.length,
      findings: { added: findings.added.length, removed: findings.removed.length },
    },
    objects: objects.map((object) => objectJson(object, sides, redaction)),
    ...(stillImplied.length === 0
      ? {}
      : { stillImplied: stillImplied.map(({ object, namedBy }) => ({ object, namedBy: namedBy.map(named) })) }),
    effective: kinds.flatMap(({ policyKind, changes: own }) =>
      own.map((path) => pathJson(path, policyKind, sides, redaction)),
    ),
    policies: policies.map((change) => policyJson(change, redaction)),
    findings: {
      added: findings.added.map((finding) => findingJson(finding, sides.after)),
      removed: findings.removed.map((finding) => findingJson(finding, sides.before)),
    },
    namespaces: namespaces.map(namespaceJson),
    ...(retries === undefined ? {} : { retries: changedTrafficJson(retries) }),
    caveats: caveatsJson(caveats),
  };
}

const namespaceJson = ({ contacts, ...counts }: NamespaceChange): object => ({
  ...counts,
  contacts: contacts.map(({ contact, object }) => ({ contact, object: openRef(object) })),
});

const namedJson = (id: ObjectId, sides: PlanSides, redaction: Redaction): RefJson =>
  isHiddenPolicy(id, sides, redaction) ? { redacted: true } : openRef(id);

function objectJson({ id, change, position }: PlannedObject, sides: PlanSides, redaction: Redaction): object {
  const at = isHiddenPolicy(id, sides, redaction) ? undefined : position;
  const object = namedJson(id, sides, redaction);
  return { change: capital(change), object, ...(at === undefined ? {} : { at }) };
}

const pathJson = (
  { nodes, from, incomplete, change, values }: PathChange,
  policyKind: GroupKind,
  sides: PlanSides,
  redaction: Redaction,
): object => ({
  policyKind,
  change: capital(change),
  target: nodes.at(-1),
  path: nodes,
  ...(from === undefined ? {} : { from }),
  ...(incomplete ? { incomplete } : {}),
  values: values.map((value) => valueJson(value, nodes, policyKind, sides, redaction)),
});

function valueJson(
  { pointer, before, after }: ValueChange,
  nodes: PathChange["nodes"],
  policyKind: GroupKind,
  sides: PlanSides,
  redaction: Redaction,
): object {
  const one = after ?? before;
  const field = one?.field;
  const held = ({ value, source, field: own }: EffectiveValue, side: PlanSide): object => {
    const at = positionOf({ policyKind, value: source, path: nodes, field: own }, side);
    const isHidden = source.policy !== null && redaction.isHidden(source.policy);
    return {
      ...(redaction.hidesValue(source.policy, source.pointer) ? {} : { value }),
      policy: source.policy === null ? null : refJson(source.policy, redaction),
      ...(source.object === undefined ? {} : { object: openRef(source.object) }),
      block: source.block,
      ...(source.computed ? { computed: true } : {}),
      ...(at === undefined || isHidden ? {} : { at }),
    };
  };
  return {
    pointer: one === undefined ? pointer : redactPointer(one.source, redaction),
    ...(field === undefined ? {} : { field: { object: openRef(field.object), pointer: field.pointer } }),
    before: before === undefined ? null : held(before, sides.before),
    after: after === undefined ? null : held(after, sides.after),
  };
}

const policyJson = (
  { policy, policyKind, before, after, nowInEffect, noLongerInEffect }: PolicyChange,
  redaction: Redaction,
): object => ({
  policy: refJson(policy, redaction),
  policyKind,
  before: before === undefined ? null : verdictJson(before, redaction),
  after: after === undefined ? null : verdictJson(after, redaction),
  nowInEffect,
  noLongerInEffect,
});

function findingJson({ code, severity, object, field, message, source }: Finding, { locate }: PlanSide): object {
  const position =
    object === undefined ? undefined : locate(object, field === undefined ? undefined : fieldPointer(field));
  const at = position ?? source;
  return {
    code,
    severity,
    ...(object === undefined ? {} : { object: openRef(object) }),
    ...(field === undefined ? {} : { field }),
    message,
    ...(at === undefined ? {} : { at }),
  };
}
