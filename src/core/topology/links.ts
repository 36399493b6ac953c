/** What one object is linked to, what it asked for in vain, and what the answer rested on. */
import type { KindFacts } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { NameLookup } from "../model/near-miss.ts";
import type { KindId, ObjectId, ObjectRef } from "../model/refs.ts";
import type { LinkRows } from "./compile-rows.ts";
import type { Grant } from "./reference-grants.ts";

/** What an object's links are looked up in. */
export interface LinkContext {
  /** Valid objects only. */
  find(id: ObjectId): KubeObject | undefined;
  /** Of an object that is named, there or not. */
  idOf(kind: KindId, namespace: string, name: string): ObjectId;
  /** In any case; the group may be left out where the kind is unambiguous, and may carry a version. */
  kind(group: string | undefined, kind: string): KindFacts | undefined;
  /** With `kubernetes.io/metadata.name`, for implied namespaces too. */
  namespaceLabels(namespace: string): JsonObject;
  grantsIn(namespace: string): readonly Grant[];
  readonly rows: LinkRows;
  /** The same list for objects that hang under the same: routes mostly do as the one before. */
  shareUp(up: readonly UpLink[]): readonly UpLink[];
  /** Whether such an object exists but was refused as invalid; asked only for messages. */
  isInvalid?(kind: KindId, namespace: string, name: string): boolean;
  /**
   * For near misses in the reasons. Whoever keeps links up to date leaves it out, and calls `suggestName` when a refusal
   * is shown: the guess depends on every name of the kind, which `mentions` cannot say.
   */
  readonly names?: NameLookup;
}

export interface UpLink {
  readonly parent: ObjectId;
  /** Name of the parent's section that it hangs under: a listener. */
  readonly section?: string;
  /** The parent is a mesh Service, in its role as frontend (GEP-1294). */
  readonly frontend?: true;
}

export interface DownLink {
  /** Position in `sectionsOf` the object; -1: the object itself. */
  readonly sectionIndex: number;
  readonly child: ObjectId;
  /** The child's ports that are used, sorted; empty where none was named. */
  readonly ports: readonly number[];
}

/** Reasons that Gateway API has are its own words. */
export type RefusalCode =
  | "NoMatchingParent"
  | "NotAllowedByListeners"
  | "NoMatchingListenerHostname"
  | "NotAllowed"
  | "BackendNotFound"
  | "RefNotPermitted"
  | "InvalidKind"
  | "InvalidRef"
  | "ParentNotFound"
  | "SelfReference";

/** A link that the object asks for and does not get. */
export interface LinkRefusal {
  readonly field: string;
  readonly reason: string;
  readonly code: RefusalCode;
  readonly parent?: ObjectRef;
  readonly child?: ObjectRef;
}

export interface ObjectLinks {
  /** Sorted by the parent's id, then by the order of its sections. */
  readonly up: readonly UpLink[];
  /** Sorted by section, then by the child's id. */
  readonly down: readonly DownLink[];
  readonly refusals: readonly LinkRefusal[];
  /** Parents that the object names and the snapshot does not have. */
  readonly absentParents: readonly ObjectRef[];
  /** Cluster-scoped parents named by their bare name that no document defines (GatewayClass): linked all the same. */
  readonly impliedParents: readonly ObjectRef[];
  /** Every object named, there or not. */
  readonly mentions: readonly ObjectId[];
  /** Namespaces whose labels were read. */
  readonly labelsOf: readonly string[];
  /** Namespaces whose ReferenceGrants were read. */
  readonly grantsOf: readonly string[];
}
