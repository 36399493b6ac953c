import { type JsonObject, objectAt, textAt } from "../../../core/model/json.ts";
import { isConflict } from "./api-error.ts";
import type { KubeClient } from "./kube-client.ts";
import { type CallOptions, createObject, getObject, updateObject } from "./object-requests.ts";

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** The name of the process that claims it: every process has another one. */
  readonly identity: string;
  readonly durationSeconds: number;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
}

export type LeaseState =
  /** Until then, by the monotonic clock, no other process takes the Lease. It is counted from before the request was sent. */
  { readonly isOwned: true; readonly untilMs: number } | { readonly isOwned: false; readonly owner: string };

/** The field that names the process. */
const OWNER = "holderIdentity";
const MOST_RELEASES = 3;
const LEASES = { group: "coordination.k8s.io", version: "v1", plural: "leases" };

/**
 * Leases
 *
 * At most one process owns a Lease. The owner renews it; another process takes it after it has seen no renewal for the duration of the Lease,
 * measured by its own clock, as the clocks of two machines differ. Every write has the version that was read, so of two claims one fails.
 * Kubernetes, "Leases"; the rules are those of client-go's leader election.
 */
export class LeaseClaim {
  readonly #options: LeaseOptions;
  #seen: { readonly resourceVersion: string; readonly atMs: number } | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Takes or renews the Lease if that is allowed. */
  async claim(options: CallOptions = {}): Promise<LeaseState> {
    const { client, identity, durationSeconds, monotonicMs } = this.#options;
    const untilMs = monotonicMs() + durationSeconds * 1000;
    const lease = await this.#read(options);
    const spec = objectAt(lease, "spec");
    const owner = textAt(spec, OWNER);
    if (lease !== undefined && owner !== "" && owner !== identity && !this.#isExpired(lease, spec))
      return { isOwned: false, owner };
    try {
      if (lease === undefined) await createObject(client, LEASES, this.#leaseAfter(undefined), options);
      else await updateObject(client, LEASES, this.#leaseAfter(lease), options);
      return { isOwned: true, untilMs };
    } catch (error) {
      if (!isConflict(error)) throw error;
      return { isOwned: false, owner: textAt(objectAt(await this.#read(options), "spec"), OWNER) };
    }
  }

  /** Gives the Lease up, so that another process need not wait. It does nothing for the Lease of another one. */
  async release(options: CallOptions = {}): Promise<void> {
    const { client, identity } = this.#options;
    for (let attempt = 0; attempt < MOST_RELEASES; attempt++) {
      const lease = await this.#read(options);
      const spec = objectAt(lease, "spec");
      if (lease === undefined || textAt(spec, OWNER) !== identity) return;
      const released = { ...spec, [OWNER]: "", leaseDurationSeconds: 1, renewTime: formatMicroTime(new Date()) };
      try {
        await updateObject(client, LEASES, { ...lease, spec: released }, options);
        return;
      } catch (error) {
        // A renewal of our own that was given up may still have arrived.
        if (!isConflict(error)) throw error;
      }
    }
  }

  #read(options: CallOptions): Promise<JsonObject | undefined> {
    const { client, namespace, name } = this.#options;
    return getObject(client, LEASES, { namespace, name }, options);
  }

  #isExpired(lease: JsonObject, spec: JsonObject): boolean {
    const nowMs = this.#options.monotonicMs();
    const resourceVersion = textAt(objectAt(lease, "metadata"), "resourceVersion");
    if (this.#seen?.resourceVersion !== resourceVersion) this.#seen = { resourceVersion, atMs: nowMs };
    const seconds = spec["leaseDurationSeconds"];
    return nowMs - this.#seen.atMs > (typeof seconds === "number" ? seconds : 0) * 1000;
  }

  #leaseAfter(lease: JsonObject | undefined): JsonObject {
    const { namespace, name, identity, durationSeconds } = this.#options;
    const spec = objectAt(lease, "spec");
    const now = formatMicroTime(new Date());
    const isRenewal = textAt(spec, OWNER) === identity;
    const transitions = typeof spec["leaseTransitions"] === "number" ? spec["leaseTransitions"] : 0;
    return {
      ...(lease ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } }),
      spec: {
        ...spec,
        [OWNER]: identity,
        leaseDurationSeconds: durationSeconds,
        acquireTime: isRenewal ? textAt(spec, "acquireTime") || now : now,
        renewTime: now,
        leaseTransitions: lease === undefined || isRenewal ? transitions : transitions + 1,
      },
    };
  }
}

/** Kubernetes writes these times with microseconds. */
const formatMicroTime = (time: Date): string => time.toISOString().replace("Z", "000Z");
