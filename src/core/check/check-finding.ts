import type { Finding } from "../model/finding.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectId } from "../model/refs.ts";

/** A further field that a finding is about. */
export interface RelatedField {
  readonly object: ObjectId;
  readonly field?: string;
  readonly message: string;
}

/** A finding with its fix and related fields. */
export interface CheckFinding extends Finding {
  readonly fix?: string;
  readonly related?: readonly RelatedField[];
}

/** A finding about an object of the snapshot. */
export function findingAt(
  object: KubeObject | undefined,
  finding: Omit<CheckFinding, "object" | "source"> & { readonly object?: ObjectId },
): CheckFinding {
  return {
    ...finding,
    ...(object === undefined ? {} : { object: object.id }),
    ...(object?.source === undefined ? {} : { source: object.source }),
  };
}
