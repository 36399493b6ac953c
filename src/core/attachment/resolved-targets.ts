/** The result of resolving the targets of a policy. */
import type { FindingCode } from "../model/finding-code.ts";
import type { KindId, ObjectId } from "../model/refs.ts";

/** A policy on a declared target. */
export interface Attachment {
  readonly object: ObjectId;
  readonly sectionName?: string;
  /** The policy takes effect only on traffic from there: `trafficFrom` a namespace (GEP-713 experimental, "Policy Attachment for Mesh"). */
  readonly consumer?: string;
  /** True if the object or section names the policy: the policy is below those that target it. */
  readonly isNamed?: boolean;
  /** The index of the policy among the names of the object or section, if their order counts. */
  readonly nameIndex?: number;
  /** True if the policy is attached to every Namespace: it is above those that target the Namespace. */
  readonly isMeshWide?: boolean;
}

export interface Rejection {
  readonly field: string;
  readonly code: FindingCode;
  readonly message: string;
  /**
   * The object that was not found. The message gets its "did you mean" when it is formatted, because that depends on all
   * names of the kind. Only the first rejections of a policy have it.
   */
  readonly missing?: { readonly kind: KindId; readonly namespace: string; readonly name: string };
  /** The kind and namespace that a selector selects from, if the snapshot has no such object. Without a namespace: all namespaces. */
  readonly selected?: { readonly kind: KindId; readonly namespace?: string };
  /** A Namespace that is not in the snapshot: whether a selector of namespaces matches its labels is not known. */
  readonly unknownNamespace?: string;
}

export interface ResolvedTargets {
  readonly attachments: readonly Attachment[];
  readonly rejections: readonly Rejection[];
  /** Objects that the result depends on: those that are named, whether they exist or not. An object may be there twice. */
  readonly named: readonly ObjectId[];
  /** Namespaces that the result depends on: those whose ReferenceGrants were read. A namespace may be there twice. */
  readonly grantsOf: readonly string[];
  /** Kinds that the result depends on: those that are selected by label. A kind may be there twice. */
  readonly selects: readonly KindId[];
}

export const NO_TARGETS: ResolvedTargets = {
  attachments: [],
  rejections: [],
  named: [],
  grantsOf: [],
  selects: [],
};
