/** The answer to "what would change?", as plain data: value by value, policy by policy, finding by finding. */
import type { MappedField, Source } from "../effective/fold/effective-policy.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import type { Finding } from "../model/finding.ts";
import type { Json } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../model/refs.ts";
import type { ExplainedPath } from "./explanation.ts";

export interface Plan {
  /** Sorted by id; objects that stay as they are in meaning are `same`. */
  readonly objects: readonly PlannedObject[];
  /** Policy kinds with paths that change, in the order of the definitions. */
  readonly kinds: readonly KindChange[];
  /** Policies whose verdict differs, or that decide more or less. Sorted by id. */
  readonly policies: readonly PolicyChange[];
  readonly findings: { readonly added: readonly Finding[]; readonly gone: readonly Finding[] };
  /** Deleted, but named by others and therefore taken as being there: a GatewayClass. */
  readonly stillImplied: ReadonlyArray<{ readonly object: ObjectRef; readonly namedBy: readonly ObjectId[] }>;
}

export interface PlannedObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly change: "created" | "changed" | "deleted" | "same";
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

export interface KindChange {
  readonly policyKind: GroupKind;
  /** Paths that have a policy of the kind, before or after. */
  readonly paths: number;
  readonly changes: readonly PathChange[];
}

/** One path on which other values hold than before, or the same by another decision. */
export interface PathChange extends ExplainedPath {
  /** Whether traffic could go that way before and after. */
  readonly change: "changed" | "came" | "went";
  /** Sorted by pointer. */
  readonly values: readonly ValueChange[];
}

export interface ValueChange {
  readonly pointer: string;
  /** Absent: nothing is set. */
  readonly before?: HeldValue;
  readonly after?: HeldValue;
}

export interface HeldValue {
  readonly value: Json;
  readonly source: Source;
  /** The item of the object's own field that it is in. */
  readonly field?: MappedField;
}

export interface PolicyChange {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  /** Absent: the policy is not there. */
  readonly before?: Verdict;
  readonly after?: Verdict;
  /** Values that it decides and did not, with the number of paths; and the other way round. */
  readonly gains: readonly PolicyShare[];
  readonly loses: readonly PolicyShare[];
}

export interface PolicyShare {
  readonly pointer: string;
  readonly paths: number;
}
