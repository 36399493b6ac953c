import type { Finding } from "../model/finding.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectId } from "../model/refs.ts";

/** A place that has part in a finding, besides the one that the finding is at. */
export interface RelatedPlace {
  readonly object: ObjectId;
  readonly field?: string;
  readonly message: string;
}

/** A finding with what to do about it here, and with whatever else has part in it. */
export interface CheckFinding extends Finding {
  readonly fix?: string;
  readonly related?: readonly RelatedPlace[];
}

/** A finding about an object that is there. */
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
