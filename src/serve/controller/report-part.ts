/** The part of the controller that writes status: of several replicas one, which owns a Lease. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { LeaseClaim } from "../../adapters/cluster/client/lease-claim.ts";
import type { KindName, ReportSettings } from "../../cli/controller/report-settings.ts";
import { LeftFinalizers } from "../../controller/gateways/left-finalizers.ts";
import { type Claimable, LeaderElection } from "../../controller/leader/leader-election.ts";
import type { LiveState, LiveStep } from "../../controller/live-evaluation.ts";
import { StatusReporter, type StatusReporterOptions } from "../../controller/report/status-reporter.ts";
import type { WriteEvent } from "../../controller/report/status-writer.ts";
import { BACKEND_TLS_POLICY } from "../../core/dataplane/compile/compile-backend.ts";
import { worldOf } from "../../core/evaluation.ts";
import { formatRef, type GroupKind, type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import type { StoppedStatus } from "../../core/view/view-context.ts";
import { createReportMetrics, type ReportMetrics } from "./report-metrics.ts";

export interface ReportPartOptions {
  readonly client: KubeClient;
  /** The name of this replica. */
  readonly identity: string;
  readonly settings: ReportSettings;
  /** The namespace of the Lease. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
  /** Prints a trouble once until it is over. */
  readonly trouble: (what: string, message: string) => void;
  readonly over: (what: string) => void;
  /** This replica is the one that writes from now on. */
  readonly onLeading?: () => void;
  /** The Gateways that this controller serves. */
  readonly gateways: Required<Pick<StatusReporterOptions, "ownStatuses" | "isOwnGateway">> | undefined;
}

const LEASE_TROUBLE = "leader election";

export class ReportPart {
  readonly #options: ReportPartOptions;
  readonly #reporter: StatusReporter;
  readonly #election: LeaderElection;
  readonly #metrics: ReportMetrics;
  /** Undefined in the mode gateway, which removes them. */
  readonly #leftFinalizers: LeftFinalizers | undefined;
  /** Refusals that have been printed, by resource and reason. */
  readonly #noted = new Set<string>();

  constructor(options: ReportPartOptions) {
    this.#options = options;
    const { client, identity, settings, signal, note, trouble, over, gateways } = options;
    const { controllerName, own, reportAffected, isDryRun, lease } = settings;
    this.#leftFinalizers = gateways === undefined ? new LeftFinalizers({ controllerName, note }) : undefined;
    this.#reporter = new StatusReporter({
      client,
      controllerName,
      isOwned: isOneOf(gateways === undefined ? own : [...own, BACKEND_TLS_POLICY]),
      isReported: isOneOf(reportAffected),
      isDryRun,
      remainingMs: () => this.#election.remainingMs(),
      report: (event) => this.#note(event),
      instance: identity,
      onEvent: (outcome, error) => {
        this.#metrics.noteEvent(outcome);
        if (error !== undefined) this.#noteOnce("events", `Events are not written: ${error.message}`);
      },
      signal,
      ...gateways,
    });
    this.#election = new LeaderElection({
      lease: isDryRun ? ALWAYS_OWNED : createLease(options),
      renewDeadlineMs: lease.renewDeadlineMs,
      retryMs: lease.retryMs,
      monotonicMs: () => performance.now(),
      onLeading: () => {
        note(
          isDryRun ? "dry run: no status is written, and no Event" : `this replica writes the status, as ${identity}`,
        );
        this.#reporter.lead();
        options.onLeading?.();
      },
      onLost: () => {
        note("this replica does not write the status any more");
        void this.#reporter.follow();
      },
      onTrouble: (error) => (error === undefined ? over(LEASE_TROUBLE) : trouble(LEASE_TROUBLE, error.message)),
    });
    this.#metrics = createReportMetrics({
      counts: () => this.#reporter.counts(),
      isLeading: () => this.isLeading(),
    });
  }

  /** True if this replica writes the status. */
  isLeading(): boolean {
    return this.#election.remainingMs() > 0;
  }

  get families(): readonly MetricFamily[] {
    return this.#metrics.families;
  }

  /** How much longer this replica may write. */
  remainingMs(): number {
    return this.#election.remainingMs();
  }

  /** Undefined unless this replica leaves the status of the object alone, because another writer resets it. */
  stoppedStatus(id: ObjectId): StoppedStatus | undefined {
    return this.#reporter.stoppedStatus(id);
  }

  useState(state: LiveState, step: LiveStep | undefined): void {
    this.#reporter.use(state, step);
    this.#leftFinalizers?.use(worldOf(state.evaluation));
  }

  /** Computes the status again after acknowledgements of data planes have changed. */
  refresh(): void {
    this.#reporter.refresh();
  }

  /** A resource cannot be followed now; or it can again. */
  useTrouble(resource: string, isTroubled: boolean): void {
    this.#reporter.noteTrouble(resource, isTroubled);
  }

  /** Runs until the signal aborts. Then writes under way end, and the Lease is handed over. */
  async run(): Promise<void> {
    await this.#election.run(this.#options.signal);
    await this.#reporter.follow();
    await this.#election.release();
  }

  #note(event: WriteEvent): void {
    const { note } = this.#options;
    this.#metrics.note(event);
    const object = formatRef(parseObjectId(event.object));
    switch (event.type) {
      case "WouldWrite":
        return note(`dry run: the status of ${object} would be written`);
      case "Refused":
        // One line for many objects with the same problem; metrics count them.
        return this.#noteOnce(
          `${event.resource} ${reasonOf(event.error)}`,
          `the status of ${object} is not written: ${event.error.message}; there are further attempts, and other ${event.resource} with the same problem are not printed`,
        );
      case "LeftOut":
        return this.#noteOnce(`${event.resource} ${event.message}`, `${object}: ${event.message}`);
      case "Stopped":
        return note(
          `${object}: '${event.manager}' has removed or changed what was written three times in ten minutes, so its status is not written for an hour`,
        );
      case "Written":
      case "Conflict":
      case "Reset":
        return;
    }
  }

  #noteOnce(key: string, message: string): void {
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.#options.note(message);
  }
}

/** The name of a replica: no other has the same one, also on this machine. */
export const createReplicaName = (): string => `${hostname()}-${randomUUID().slice(0, 8)}`;

const reasonOf = (error: Error): string =>
  "status" in error && "reason" in error ? `${String(error.status)} ${String(error.reason)}` : error.name;

export const isOneOf =
  (names: readonly KindName[]) =>
  ({ group, kind }: GroupKind): boolean =>
    names.some((name) => name.kind === kind && (name.group ?? group) === group);

function createLease({ client, identity, settings, namespace }: ReportPartOptions): Claimable {
  const { name, durationSeconds } = settings.lease;
  return new LeaseClaim({
    client,
    namespace,
    name,
    identity,
    durationSeconds,
    monotonicMs: () => performance.now(),
  });
}

/** A dry run leads beside other replicas: it writes nothing. */
const ALWAYS_OWNED: Claimable = {
  claim: async () => ({ isOwned: true, untilMs: Number.POSITIVE_INFINITY }),
  release: async () => undefined,
};
