import type { EffectivePolicy, MappedField } from "../../../core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../../core/effective/paths/path-node.ts";
import type { EvaluatedPolicy, Lost, RemovalOutcome, Source, Step } from "../../../core/merge/provenance.ts";
import type { Json, JsonObject } from "../../../core/model/json.ts";
import {
  type GroupKind,
  type ObjectId,
  type ObjectRef,
  parseObjectId,
  type TargetId,
} from "../../../core/model/refs.ts";
import { type Redaction, redactPointer, redactSpec } from "../../args/redaction.ts";

export const API_VERSION = "prevail.dev/v1alpha1";

/** An object by name. `redacted`: the name is hidden. */
export type RefJson = ObjectRef | { readonly redacted: true };

/** One item of an `EffectivePolicyList`, as `docs/schemas/effective-policy-list.json` describes it. */
export interface EffectivePolicyJson {
  readonly policyKind: GroupKind;
  readonly target: PathNode;
  readonly path: readonly PathNode[];
  readonly from?: string;
  readonly incomplete?: true;
  readonly spec: JsonObject;
  readonly sources: readonly SourceJson[];
  readonly fields?: readonly FieldJson[];
  readonly removals?: readonly RemovalJson[];
  readonly order?: readonly EvaluatedJson[];
}

/** A policy at its position in the order of evaluation. */
export interface EvaluatedJson {
  readonly policy: RefJson;
  readonly group?: string;
}

export interface RemovalJson {
  readonly policy: RefJson;
  readonly block: string;
  /** Absent if the policy is hidden. */
  readonly entry?: string;
  readonly state: string;
  readonly removes: readonly string[];
  readonly by: readonly RefJson[];
}

export interface SourceJson {
  readonly pointer: string;
  readonly policy: RefJson | null;
  readonly object?: ObjectRef;
  /** The object does not have the value: the default of its CRD is filled in. Only in explanations and traces. */
  readonly crdDefault?: true;
  readonly block: string | null;
  readonly computed?: true;
  readonly decidedBy: StepJson;
  readonly lost: readonly LostJson[];
}

export interface StepJson {
  readonly policy: RefJson | null;
  readonly block: string | null;
  readonly strategy: string;
}

export interface LostJson {
  /** Null: the object's own value. */
  readonly policy: RefJson | null;
  readonly block: string | null;
  /** Absent if it is hidden. */
  readonly value?: Json;
  readonly reason: string;
  readonly by: readonly RefJson[];
}

export interface FieldJson {
  readonly object: ObjectRef;
  readonly pointer: string;
  readonly spec: JsonObject;
  readonly sources: readonly SourceJson[];
}

export function effectiveJson(effective: EffectivePolicy, redaction: Redaction): EffectivePolicyJson {
  const { policyKind, path, from, incomplete, spec, sources, fields, removals, order } = effective;
  const target = path.at(-1);
  if (target === undefined) throw new Error(`${effective.target} has an empty path`);
  return {
    policyKind,
    target,
    path,
    ...(from === undefined ? {} : { from }),
    ...(incomplete ? { incomplete } : {}),
    spec: redactSpec(spec, sources, redaction),
    sources: sources.map((source) => sourceJson(source, redaction)),
    ...(fields === undefined ? {} : { fields: fields.map((field) => fieldJson(field, redaction)) }),
    ...(removals === undefined ? {} : { removals: removals.map((removal) => removalJson(removal, redaction)) }),
    ...orderJson(order, redaction),
  };
}

/** The order of evaluation, in kinds in which all policies take effect. */
export const orderJson = (
  order: readonly EvaluatedPolicy[] | undefined,
  redaction: Redaction,
): { readonly order?: readonly EvaluatedJson[] } =>
  order === undefined
    ? {}
    : { order: order.map(({ policy, ...rest }) => ({ policy: refJson(policy, redaction), ...rest })) };

export const removalJson = (
  { policy, block, entry, state, removes, by }: RemovalOutcome,
  redaction: Redaction,
): RemovalJson => ({
  policy: refJson(policy, redaction),
  block,
  ...(redaction.isHidden(policy) ? {} : { entry }),
  state,
  removes,
  by: by.map((winner) => refJson(winner, redaction)),
});

export const refJson = (id: ObjectId, { isHidden }: Redaction): RefJson =>
  isHidden(id) ? { redacted: true } : openRef(id);

/** The parts of an object id, with keys in the order that paths use. */
export function openRef(id: ObjectId): ObjectRef {
  const { group, kind, namespace, name } = parseObjectId(id);
  return { group, kind, namespace, name };
}

/** The parts of a target id. Names contain no `#`. */
export function openTarget(id: TargetId): PathNode {
  const [object = "", sectionName] = id.split("#", 2);
  return { ...openRef(object as ObjectId), ...(sectionName === undefined ? {} : { sectionName }) };
}

export const fieldJson = ({ object, pointer, spec, sources }: MappedField, redaction: Redaction): FieldJson => ({
  object: openRef(object),
  pointer,
  spec: redactSpec(spec, sources, redaction),
  sources: sources.map((source) => sourceJson(source, redaction)),
});

export const sourceJson = (source: Source, redaction: Redaction): SourceJson => ({
  pointer: redactPointer(source, redaction),
  policy: source.policy === null ? null : refJson(source.policy, redaction),
  ...(source.object === undefined ? {} : { object: openRef(source.object) }),
  block: source.block,
  ...(source.computed ? { computed: true } : {}),
  decidedBy: stepJson(source.decidedBy, redaction),
  lost: source.lost.map((lost) => lostJson(lost, source.pointer, redaction)),
});

const stepJson = ({ policy, block, strategy }: Step, redaction: Redaction): StepJson => ({
  policy: policy === null ? null : refJson(policy, redaction),
  block,
  strategy,
});

const lostJson = ({ policy, block, value, reason, by }: Lost, pointer: string, redaction: Redaction): LostJson => ({
  policy: policy === undefined ? null : refJson(policy, redaction),
  block: block ?? null,
  ...(redaction.hidesValue(policy, pointer) ? {} : { value }),
  reason,
  by: by.map((winner) => refJson(winner, redaction)),
});
