/** One of several replicas leads: it owns a Lease and renews it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseState } from "../../adapters/cluster/client/lease-claim.ts";
import type { CallOptions } from "../../adapters/cluster/client/object-requests.ts";

/** A Lease that can be claimed. */
export interface Claimable {
  readonly claim: (options: CallOptions) => Promise<LeaseState>;
  readonly release: (options: CallOptions) => Promise<void>;
}

export interface LeaderElectionOptions {
  readonly lease: Claimable;
  /** How long a leader that cannot renew its Lease goes on: less than the duration of the Lease. */
  readonly renewDeadlineMs: number;
  /** How often the Lease is claimed or renewed. */
  readonly retryMs: number;
  readonly monotonicMs: () => number;
  readonly onLeading: () => void;
  /** Another replica leads, or the Lease could not be renewed in time. */
  readonly onLost: () => void;
  /** Why the Lease could not be claimed; undefined when it could again. */
  readonly onTrouble: (error: Error | undefined) => void;
  readonly random?: () => number;
}

const RELEASE_DEADLINE_MS = 3000;

/**
 * Leader election
 *
 * The leader may write until its deadline, which is counted from before the last successful renewal was sent, by a clock that never jumps. A
 * process that was stopped finds its deadline passed when it continues. The Lease is longer than the deadline, so no other replica leads before that.
 * Kubernetes, "Leases"; the times and rules are those of client-go.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  #untilMs = Number.NEGATIVE_INFINITY;
  #isLeading = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  /** How much longer this replica may write, in milliseconds; 0 if it does not lead. Asked before every write. */
  remainingMs(): number {
    return this.#isLeading ? Math.max(0, this.#untilMs - this.#options.monotonicMs()) : 0;
  }

  /** Claims the Lease until the signal aborts. The Lease is still owned afterwards: `release` gives it up. */
  async run(signal: AbortSignal): Promise<void> {
    const { retryMs, random = Math.random } = this.#options;
    while (!signal.aborted) {
      await this.#claim(signal);
      if (this.#isLeading && this.remainingMs() === 0) this.#lose();
      await sleep(retryMs * (0.8 + random() * 0.4), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Hands the Lease over, so that another replica need not wait until it ends. */
  async release(): Promise<void> {
    if (!this.#isLeading) return;
    this.#lose();
    await this.#options.lease.release({ deadlineMs: RELEASE_DEADLINE_MS }).catch(() => undefined);
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const { lease, renewDeadlineMs, monotonicMs, onLeading, onTrouble } = this.#options;
    const startedMs = monotonicMs();
    try {
      const state = await lease.claim({ deadlineMs: Math.max(500, Math.floor(renewDeadlineMs / 2)), signal });
      onTrouble(undefined);
      if (!state.isOwned) return this.#lose();
      this.#untilMs = startedMs + renewDeadlineMs;
      if (this.#isLeading) return;
      this.#isLeading = true;
      onLeading();
    } catch (error) {
      if (!signal.aborted) onTrouble(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #lose(): void {
    if (!this.#isLeading) return;
    this.#isLeading = false;
    this.#options.onLost();
  }
}
