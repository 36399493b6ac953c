/** The links of one object to its parents and to its children, the references that were refused and what the result depends on. */
import type { JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { KindId, ObjectId, ObjectRef } from "../model/refs.ts";
import type { NameLookup } from "../model/words/near-miss.ts";
import type { LinkRows } from "./compile-rows.ts";
import type { Grant } from "./reference-grants.ts";

/** The tables that links are computed from. */
export interface LinkContext {
  /** Finds valid objects only. */
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  /** All objects of a kind, in one namespace or in all; in a defined order. */
  objectsOf(kind: KindId, namespace: string | undefined): Iterable<KubeObject>;
  /** With `kubernetes.io/metadata.name`, also for a namespace that no document defines. */
  namespaceLabels(namespace: string): JsonObject;
  readonly grantsIn: (namespace: string) => readonly Grant[];
  readonly rows: LinkRows;
  /** True if an object that is not found does not exist. Absent: it is not known whether it does. */
  isKnownAbsent?(ref: ObjectRef): boolean;
  /** True if the object exists but was refused as invalid; used for messages only. */
  isInvalid?(kind: KindId, namespace: string, name: string): boolean;
  /**
   * For "did you mean" in refusal reasons. A caller that updates links leaves it out and calls `suggestName` when it formats a
   * refusal: the suggestion depends on every name of the kind, which the links do not record.
   */
  readonly names?: NameLookup;
}

export interface UpLink {
  readonly parent: ObjectId;
  /** The name of the parent's section that the object is attached to: a listener. */
  readonly section?: string;
  /** True if the parent is a mesh Service in its role as frontend (GEP-1294). */
  readonly frontend?: true;
}

/** How an object or one of its sections uses a child. */
export interface ChildUse {
  /** The index in `sectionsOf` the object; -1: the object itself. */
  readonly sectionIndex: number;
  /** The ports of the child that are used, sorted; empty if the references name none. */
  readonly ports: readonly number[];
}

export interface DownLink {
  readonly child: ObjectId;
  readonly childKind: KindId;
  /** In the order of the sections, each section once. */
  readonly uses: readonly ChildUse[];
}

/** Gateway API's own reasons where it has one. */
export type RefusalCode =
  | "NoMatchingParent"
  | "NotAllowedByListeners"
  | "NoMatchingListenerHostname"
  | "NotAllowed"
  | "UnknownNamespaceLabels"
  | "BackendNotFound"
  | "RefNotPermitted"
  | "InvalidKind"
  | "ImplementationSpecificKind"
  | "InvalidRef"
  | "ParentNotFound"
  | "SelfReference";

/** A reference that gives no link, and why. */
export interface LinkRefusal {
  readonly field: string;
  readonly reason: string;
  readonly code: RefusalCode;
  readonly parent?: ObjectRef;
  readonly child?: ObjectRef;
}

/** The links of an object to its parents. */
export interface ParentLinks {
  /** Sorted by the parent's id, then by the order of its sections. Objects with the same parents share the list. */
  readonly up: readonly UpLink[];
  readonly refusals: readonly LinkRefusal[];
  /**
   * Parents that the object names and the snapshot does not have, where the snapshot may be incomplete. Also the Namespace of the object, if its
   * labels decide whether a parent accepts it.
   */
  readonly absentParents: readonly ObjectRef[];
  /** Cluster-scoped parents that are named by their bare name and that no document defines (GatewayClass): they are linked. */
  readonly impliedParents: readonly ObjectRef[];
  /** Objects that are named as parents but not linked, whether they exist or not. */
  readonly unlinked: readonly ObjectId[];
  /** Namespaces whose labels were read. */
  readonly labelsOf: readonly string[];
  /** Namespaces whose ReferenceGrants were read. */
  readonly grantsOf: readonly string[];
}

/** The links of an object to its children. */
export interface ChildLinks {
  /** Sorted by the child's id, each child once. */
  readonly down: readonly DownLink[];
  /** The names of the object's own sections, in order. */
  readonly sections: readonly string[];
  readonly refusals: readonly LinkRefusal[];
  /** Objects that are named as children but not linked, whether they exist or not. */
  readonly unlinked: readonly ObjectId[];
  /** Namespaces whose ReferenceGrants were read. */
  readonly grantsOf: readonly string[];
}
