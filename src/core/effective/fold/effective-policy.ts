/** What leaves the engine: effective policies with their provenance, and verdicts, as plain data. */
import type { Json, JsonObject } from "../../model/json.ts";
import type { BlockName } from "../../model/policy.ts";
import type { GroupKind, ObjectId, PolicyId, TargetId } from "../../model/refs.ts";

/** One node of a path, from the root (first) to the effective target (last). */
export interface PathNode extends GroupKind {
  readonly namespace: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** The step of the fold that decided: whose block, by which strategy (`AtomicDefaults`, `MergeOverrides`, `Remove`, `When`, `Own`, `Direct` …). */
export interface Step {
  readonly policy: PolicyId | null;
  readonly block: BlockName | null;
  readonly strategy: string;
}

export type LossReason = "overridden" | "replaced" | "removed" | "deleted" | "gated" | "equal";

export interface Lost {
  /** Absent: the object's own value. */
  readonly policy?: PolicyId;
  readonly block?: BlockName;
  readonly value: Json;
  readonly reason: LossReason;
  /** The policies it lost to; empty: to the object's own value or to a condition. */
  readonly by: readonly PolicyId[];
}

export interface Source {
  readonly pointer: string;
  /** The holder: a policy and block, or the object itself, or nobody (`policy` null, no `object`). */
  readonly policy: PolicyId | null;
  readonly block: BlockName | null;
  readonly object?: ObjectId;
  /** A value that a custom strategy computed: no policy wrote it. */
  readonly computed?: true;
  readonly decidedBy: Step;
  readonly lost: readonly Lost[];
}

/** A fold into one item of the object's own fields (lists of structs): `pointer` within the object. */
export interface MappedField {
  readonly object: ObjectId;
  readonly pointer: string;
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
}

export interface EffectivePolicy {
  readonly policyKind: GroupKind;
  readonly target: TargetId;
  readonly path: readonly PathNode[];
  /** Mesh: whose traffic, a namespace's or that of all `others`; the namespace of that name is `namespace/others`. */
  readonly from?: string;
  /** The path begins below a parent that the snapshot does not have. */
  readonly incomplete?: true;
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  readonly fields?: readonly MappedField[];
}
