/** The result of `plan`: what a change would change, by value, by policy and by finding. Plain data. */
import type { MappedField } from "../../effective/fold/effective-policy.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { Verdict } from "../../effective/verdicts/verdict.ts";
import type { Source } from "../../merge/provenance.ts";
import type { Finding } from "../../model/finding.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { SourcePosition } from "../../model/kube-object.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../../model/refs.ts";
import type { NamespaceContact } from "../contacts.ts";
import type { ExplainedPath } from "../explain/result.ts";

/** The result of `plan`. */
export interface Plan {
  /** The changed objects, sorted by id. */
  readonly objects: readonly PlannedObject[];
  /** Policy kinds with paths that change, in the order of the definitions. */
  readonly kinds: readonly KindChange[];
  /** Policies whose verdict changes, or whose settings take effect on more or fewer paths. Sorted by id. */
  readonly policies: readonly PolicyChange[];
  readonly findings: { readonly added: readonly Finding[]; readonly removed: readonly Finding[] };
  /** The namespaces whose objects change, sorted by name. */
  readonly namespaces: readonly NamespaceChange[];
  /** Deleted objects that count as present because other objects name them, such as a GatewayClass. */
  readonly stillImplied: ReadonlyArray<{ readonly object: ObjectRef; readonly namedBy: readonly ObjectId[] }>;
}

/** One object of the change. */
export interface PlannedObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  /** `same`: the new object means the same as the old one. */
  readonly change: "created" | "changed" | "deleted" | "same";
  /** The plain object before and after the change. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** The position of the new object, or of the deleted one. */
  readonly position?: SourcePosition;
}

/** The changes of one policy kind. */
export interface KindChange {
  readonly policyKind: GroupKind;
  /** The number of paths that have a policy of the kind before or after the change. */
  readonly paths: number;
  readonly changes: readonly PathChange[];
}

/** One path where other values take effect, or the same values from another source. */
export interface PathChange extends ExplainedPath {
  /** `added`: the path is new. `removed`: the path is gone. */
  readonly change: "changed" | "added" | "removed";
  /** Sorted by pointer. */
  readonly values: readonly ValueChange[];
  /** Entries of `remove` that begin or cease to take effect. */
  readonly removals: readonly RemovalChange[];
}

/** An entry of `remove` of a policy that begins or ceases to take effect on a path. */
export interface RemovalChange {
  readonly policy: PolicyId;
  readonly entry: string;
  readonly change: "nowInEffect" | "noLongerInEffect";
}

/** One value that changes on a path, or whose source changes. */
export interface ValueChange {
  readonly pointer: string;
  /** Absent: no value is set. */
  readonly before?: EffectiveValue;
  readonly after?: EffectiveValue;
}

/** A value that takes effect, and its source. */
export interface EffectiveValue {
  readonly value: Json;
  readonly source: Source;
  /** The item of the object's own list that the value is mapped onto. */
  readonly field?: MappedField;
}

/** A policy that takes effect on more or fewer paths, or whose verdict changes. */
export interface PolicyChange {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  /** Absent: the policy does not exist. */
  readonly before?: Verdict;
  readonly after?: Verdict;
  /** Settings that take effect on more paths after the change. */
  readonly nowInEffect: readonly PolicyShare[];
  /** Settings that take effect on fewer paths after the change. */
  readonly noLongerInEffect: readonly PolicyShare[];
}

/** A value of a policy, or an entry of its `remove`, and on how many paths it changes. */
export type PolicyShare =
  | { readonly pointer: string; readonly paths: number }
  | { readonly remove: string; readonly paths: number };

/** The changes for the objects of one namespace, and whom to ask about it. */
export interface NamespaceChange {
  /** Empty: cluster-scoped objects. A Namespace is in its own namespace. */
  readonly namespace: string;
  /** The contact of the Namespace, then those of its policies that change. Each once; empty if no object names one. */
  readonly contacts: readonly NamespaceContact[];
  /** Objects of the namespace that the change itself creates, changes or deletes. */
  readonly objects: { readonly created: number; readonly changed: number; readonly deleted: number };
  /** Paths through its routes and backends on which a value changes. A path from a route of one namespace to a backend of another counts for both. */
  readonly paths: number;
  /** Values that change on these paths, and values that stay the same and come from another source. */
  readonly values: { readonly changed: number; readonly sameValueOtherSource: number };
  /** The namespace's routes, rules, Services and ports on these paths, in the order of the hierarchy. */
  readonly targets: readonly PathNode[];
  /** Policies of the namespace that change. */
  readonly policies: number;
  readonly findings: { readonly added: number; readonly removed: number };
}
