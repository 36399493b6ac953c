/** A resource that is followed. */
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import type { FollowedChanges } from "../../adapters/cluster/follow/kind-follower.ts";
import type { CompleteKind } from "../../core/model/completeness.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { ForbiddenResource } from "./cluster-findings.ts";

/** One resource that is followed, in all namespaces or in some. */
export interface Followed {
  readonly resource: ApiResource;
  readonly objects: Map<string, JsonObject>;
  /** The part of the resource that is complete; undefined if it may not be listed at all. */
  readonly complete: CompleteKind | undefined;
  /** Why it cannot be listed, if it is not a matter of rights. */
  readonly failure: Finding | undefined;
  /** The number of namespaces in which it is polled. */
  readonly polled: number;
  readonly synced: Promise<void>;
  readonly stop: AbortController;
}

export interface FollowedScope extends Pick<Followed, "resource" | "objects"> {
  readonly stop: AbortSignal;
  readonly onChange: (changes: FollowedChanges) => void;
  readonly isPolled: boolean;
}

/** The part of a resource that may be listed. */
export const forbiddenOf = ({ resource, complete }: Followed): ForbiddenResource => ({
  resource,
  read: complete === undefined || complete.namespaces === "All" ? [] : complete.namespaces,
});
