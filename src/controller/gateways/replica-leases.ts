/** Replicas report to each other what their Envoys acknowledge: each has a Lease of its own, with its report as annotations. */
import { setTimeout as sleep } from "node:timers/promises";
import { isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { createObject, deleteObject, getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { followKind } from "../../adapters/cluster/follow/kind-follower.ts";
import { type JsonObject, objectAt, ownValue, textAt } from "../../core/model/json.ts";
import { formatReplicaReport, type HeardReport, parseReplicaReport, type ReplicaReport } from "./replica-report.ts";

export interface ReplicaLeasesOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The Lease of the leader. Replicas of the same controller have the same one. */
  readonly leaderLease: string;
  /** The name of this process. Its last eight characters, which are random, are a part of the name of its Lease. */
  readonly identity: string;
  readonly durationSeconds: number;
  /** True if this replica writes the status itself, so that no other needs its report, or if it writes nothing at all. */
  readonly isSilent: () => boolean;
  /** The current report of the Envoys of this replica. */
  readonly report: () => ReplicaReport;
  readonly signal: AbortSignal;
  readonly monotonicMs: () => number;
  readonly nowMs: () => number;
  /** Another replica reports something else, or is gone. */
  readonly onChange: () => void;
  /** Undefined: it is over. */
  readonly onTrouble: (what: string, error: Error | undefined) => void;
}

/** A Lease of another replica. */
interface Seen {
  readonly lease: JsonObject;
  /** The annotations. */
  readonly text: string;
  readonly report: HeardReport;
  /** When it was last renewed, by our own clock. */
  readonly atMs: number;
  readonly durationMs: number;
}

const LEASES: ApiResource = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  isNamespaced: true,
  verbs: ["list", "watch"],
  shortNames: [],
  hasStatus: false,
};
/** The field that names the process. */
const OWNER = "holderIdentity";
const LABEL = "prevail.dev/envoys-of";
/** At most so often the Lease is written for a new report. */
const PAUSE_MS = 200;
/** The time from a failure to the next attempt. */
const FAILED_MS = 2000;
const LOOK_MS = 500;
const DEADLINE_MS = 5000;
/** A Lease that was not renewed for this many of its durations is deleted. */
const FORGOTTEN_AFTER = 4;

const [READING, WRITING] = ["acknowledgements of other replicas", "acknowledgements for other replicas"];

/**
 * Acknowledgements across replicas
 *
 * Each replica serves xDS from its own cache, and the leader writes the status. A replica that does not lead publishes what its Envoys have acknowledged and
 * refused, if any are connected. It renews the Lease three times in its duration. A replica whose Lease was not renewed for its duration, by the reader's clock
 * and while the reader can read, does not count any more. A report that stays the same is written only to renew it.
 * Gateway API, "GatewayConditionProgrammed"; Kubernetes, "Leases"
 */
export class ReplicaLeases {
  readonly #options: ReplicaLeasesOptions;
  readonly #name: string;
  readonly #seen = new Map<string, Seen>();
  /** The names of the Leases that counted at the last look. */
  #counted = "[]";
  /** True if a report has changed since then. */
  #hasChanged = false;
  /** True while the other Leases cannot be read: they may have been renewed. */
  #isBlind = false;
  /** Our own Lease, as it was last written. */
  #own: JsonObject | undefined;
  #written: { readonly text: string; readonly atMs: number } | undefined;
  /** The number of Gateways that did not fit into it. */
  #leftOut = 0;
  #wake: (() => void) | undefined;

  constructor(options: ReplicaLeasesOptions) {
    this.#options = options;
    this.#name = `${options.leaderLease}-envoys-${options.identity.slice(-8)}`;
  }

  /** The reports of other replicas that run. */
  others(): readonly HeardReport[] {
    return [...this.#seen.values()].filter((seen) => this.#isLive(seen)).map(({ report }) => report);
  }

  /** Notes that the report of the Envoys of this replica may have changed. */
  noteChange(): void {
    this.#wake?.();
  }

  /** Follows the other replicas, and publishes, until the signal aborts. */
  async run(): Promise<void> {
    const { client, namespace, leaderLease, signal } = this.#options;
    const following = followKind({
      client,
      resource: LEASES,
      namespace,
      labelSelector: `${LABEL}=${leaderLease}`,
      signal,
      onTrouble: (error) => this.#useTrouble(error),
      onChanges: ({ upserted, deleted }) => {
        for (const lease of upserted) this.#use(lease);
        for (const lease of deleted) this.#seen.delete(nameOf(lease));
        this.#look();
      },
    });
    while (!signal.aborted) {
      const pauseMs = (await this.#step()) ? PAUSE_MS : FAILED_MS;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      await this.#untilWoken();
      this.#look();
    }
    await following;
  }

  /** Ends what this replica has reported, at once. */
  async withdraw(): Promise<void> {
    const { client } = this.#options;
    const own = this.#own;
    this.#own = undefined;
    this.#written = undefined;
    if (own === undefined) return;
    await deleteObject(client, LEASES, own, { deadlineMs: DEADLINE_MS }).catch(() => undefined);
  }

  #use(lease: JsonObject): void {
    const name = nameOf(lease);
    if (name === this.#name) return;
    const seconds = ownValue(objectAt(lease, "spec"), "leaseDurationSeconds");
    const durationMs = (typeof seconds === "number" ? seconds : 0) * 1000;
    const text = JSON.stringify(objectAt(objectAt(lease, "metadata"), "annotations"));
    const before = this.#seen.get(name);
    const report = before?.text === text ? before.report : parseReplicaReport(lease);
    this.#hasChanged ||= before?.text !== text;
    this.#seen.set(name, { lease, text, report, atMs: this.#options.monotonicMs(), durationMs });
  }

  #useTrouble(error: Error | undefined): void {
    this.#options.onTrouble(READING, error);
    this.#isBlind = error !== undefined;
    if (error !== undefined) return;
    // Leases could not be seen being renewed: each has its whole duration again.
    const atMs = this.#options.monotonicMs();
    for (const [name, seen] of this.#seen) this.#seen.set(name, { ...seen, atMs });
  }

  #isLive({ atMs, durationMs }: Seen): boolean {
    return this.#isBlind || this.#options.monotonicMs() - atMs <= durationMs;
  }

  /** Notices replicas whose Lease has expired. */
  #look(): void {
    const live = [...this.#seen].filter(([, seen]) => this.#isLive(seen)).map(([name]) => name);
    const counted = JSON.stringify(live.sort());
    if (counted === this.#counted && !this.#hasChanged) return;
    this.#counted = counted;
    this.#hasChanged = false;
    this.#options.onChange();
  }

  /** False if it failed. */
  async #step(): Promise<boolean> {
    const { isSilent, signal, onTrouble } = this.#options;
    try {
      if (isSilent()) {
        await this.withdraw();
        await this.#deleteForgotten();
      } else if (this.#isDue()) await this.#write();
      onTrouble(WRITING, this.#leftOut === 0 ? undefined : tooMany(this.#leftOut));
      return true;
    } catch (error) {
      // After a conflict the Lease is read again.
      this.#own = undefined;
      if (!signal.aborted) onTrouble(WRITING, error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #isDue(): boolean {
    const { durationSeconds, monotonicMs, report } = this.#options;
    if (this.#written === undefined) return report().size > 0;
    const isOld = monotonicMs() - this.#written.atMs >= (durationSeconds * 1000) / 3;
    return isOld || JSON.stringify(formatReplicaReport(report()).annotations) !== this.#written.text;
  }

  async #write(): Promise<void> {
    const { client, namespace, signal, monotonicMs } = this.#options;
    const options = { deadlineMs: DEADLINE_MS, signal };
    const atMs = monotonicMs();
    const { annotations, leftOut } = formatReplicaReport(this.#options.report());
    const before = this.#own ?? (await getObject(client, LEASES, { namespace, name: this.#name }, options));
    const next = this.#leaseAfter(before, annotations);
    this.#own =
      before === undefined
        ? await createObject(client, LEASES, next, options)
        : await updateObject(client, LEASES, next, options);
    this.#written = { text: JSON.stringify(annotations), atMs };
    this.#leftOut = leftOut;
  }

  #leaseAfter(before: JsonObject | undefined, annotations: Readonly<Record<string, string>>): JsonObject {
    const { namespace, leaderLease, identity, durationSeconds, nowMs } = this.#options;
    const metadata = { ...objectAt(before ?? {}, "metadata"), name: this.#name, namespace };
    return {
      ...before,
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...metadata, labels: { [LABEL]: leaderLease }, annotations },
      spec: {
        [OWNER]: identity,
        leaseDurationSeconds: durationSeconds,
        renewTime: new Date(nowMs()).toISOString().replace("Z", "000Z"),
      },
    };
  }

  /** Replicas that were killed leave their Leases behind. */
  async #deleteForgotten(): Promise<void> {
    const { client, monotonicMs, signal } = this.#options;
    for (const [name, { lease, atMs, durationMs }] of this.#seen) {
      if (monotonicMs() - atMs <= durationMs * FORGOTTEN_AFTER) continue;
      this.#seen.delete(name);
      await deleteObject(client, LEASES, lease, { deadlineMs: DEADLINE_MS, signal }).catch((error: unknown) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    }
  }

  /** Resolves when there may be something to publish, or soon. */
  #untilWoken(): Promise<void> {
    if (this.#options.signal.aborted || (!this.#options.isSilent() && this.#isDue())) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

const tooMany = (count: number): Error =>
  new Error(
    `${count} Gateways do not fit into the Lease: what their Envoys acknowledge is known to this replica only, and the status of those without other Envoys is Unknown`,
  );

const nameOf = (lease: JsonObject): string => textAt(objectAt(lease, "metadata"), "name");
