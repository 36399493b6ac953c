import { setTimeout as sleep } from "node:timers/promises";
import type { AdminOptions } from "../../adapters/admin/admin-server.ts";
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { VIEW_GROUP, VIEW_VERSION } from "../../core/view/view-resources.ts";

/** A single failure may be that of a replica that ends. */
const FAILURES = 3;
const DEADLINE_MS = 5000;

/**
 * Decides when requests may be led to this replica: when it has read the cluster, so that a roll never leaves only replicas that cannot judge a request. A replica that is alone is ready
 * before that: while discovery of the view API fails, no namespace of the cluster can be deleted, and discovery needs no cluster.
 */
export class ReplicaReadiness {
  readonly #read = new AbortController();
  #isAlone = false;

  current(): ReturnType<AdminOptions["readiness"]> {
    if (this.#read.signal.aborted) return { isReady: true, reason: "serving" };
    return this.#isAlone
      ? { isReady: true, reason: "the cluster is being read; no other replica serves the view API" }
      : { isReady: false, reason: "the cluster is being read" };
  }

  noteRead(): void {
    this.#read.abort();
  }

  /** For a replica that serves the view API. Resolves when it has read the cluster, when it is alone, or when the signal aborts. */
  async followOthers(client: KubeClient, stop: AbortSignal, everyMs = 1000): Promise<void> {
    const signal = AbortSignal.any([stop, this.#read.signal]);
    let failures = 0;
    while (!signal.aborted && failures < FAILURES) {
      failures = (await isUnavailable(client, signal)) ? failures + 1 : 0;
      if (failures < FAILURES) await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
    this.#isAlone = failures === FAILURES;
  }
}

/** True if the API server reaches no replica of the view API. False if there is no APIService, and if the API server itself does not respond. */
async function isUnavailable(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const path = `/apis/${VIEW_GROUP}/${VIEW_VERSION}`;
  try {
    await client.request({ path, signal, deadlineMs: DEADLINE_MS });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status === 503;
  }
}
