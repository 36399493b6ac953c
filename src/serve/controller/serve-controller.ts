/** `prevail controller`: the view API over a cluster that is followed, until a signal stops it. */
import { type AdminServer, startAdminServer } from "../../adapters/admin/admin-server.ts";
import { createProcessMetrics } from "../../adapters/admin/process-metrics.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listWhole } from "../../adapters/cluster/client/list-whole.ts";
import { reviewAccess } from "../../adapters/cluster/client/reviews.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import type { FollowCounts } from "../../adapters/cluster/follow/kind-follower.ts";
import { formatListenError } from "../../adapters/sockets/format-listen-error.ts";
import type { ServingCertificate } from "../../adapters/sockets/start-tls-server.ts";
import { type AccessReviews, createAccessReviews } from "../../api/rights/access-reviews.ts";
import type { FrontProxy } from "../../api/serve/front-proxy.ts";
import { startViewServer, type ViewServer } from "../../api/serve/view-server.ts";
import type { GatewaySettings } from "../../cli/controller/gateway-settings.ts";
import type { ReportSettings } from "../../cli/controller/report-settings.ts";
import type { ControllerSettings } from "../../cli/controller/settings.ts";
import type { WebhookSettings } from "../../cli/controller/webhook-settings.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import type { ServeOutput } from "../../cli/run/settings.ts";
import { followEvaluation, type LiveState } from "../../controller/live-evaluation.ts";
import { worldOf } from "../../core/evaluation.ts";
import type { ViewContext } from "../../core/view/view-context.ts";
import { type ClusterConnection, connectCluster } from "../../sources/cluster/load-cluster.ts";
import { untilSignal } from "../until-signal.ts";
import {
  CERTIFICATE_TIMING,
  type CertificateSource,
  type CertificateTiming,
  createCertificateSource,
  followCertificate,
  loadFirstCertificate,
} from "./certificate-source.ts";
import { type ControllerMetrics, createControllerMetrics } from "./controller-metrics.ts";
import { createEvaluationMetrics } from "./evaluation-metrics.ts";
import { followFrontProxy, loadFrontProxy } from "./front-proxy-source.ts";
import { GatewayPart, type GatewayPartOptions } from "./gateway-part.ts";
import { ReplicaReadiness } from "./replica-readiness.ts";
import { createReplicaName, ReportPart, type ReportPartOptions } from "./report-part.ts";
import { runCleanup } from "./run-cleanup.ts";
import { WebhookPart, type WebhookPartOptions } from "./webhook-part.ts";

export const serveController =
  (version: string) =>
  async (settings: ControllerSettings, output: ServeOutput): Promise<ExitCode> => {
    const stop = untilSignal();
    try {
      const connection = await connectCluster({ ...settings.access, env: process.env, isInteractive: false, version });
      if (settings.isCleanup === true) return await runCleanup(connection, settings, output, stop.signal);
      return await runController(connection, settings, output, stop.signal, version);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return output.fail(error.message, ...error.hints);
    } finally {
      stop.forget();
    }
  };

/** Runs until the signal aborts. */
export async function runController(
  connection: ClusterConnection,
  settings: ControllerSettings,
  output: ServeOutput,
  signal: AbortSignal,
  version = "unknown",
  timing: CertificateTiming = CERTIFICATE_TIMING,
): Promise<ExitCode> {
  const controller = new Controller(connection, settings, output, signal, { version, timing });
  const opened = await controller.open();
  if (opened.state === "failed") return output.fail(opened.message);
  if (opened.state === "stopped") return exitCodes.ok;
  try {
    await controller.follow();
    return exitCodes.ok;
  } finally {
    await controller.close();
  }
}

/** The parts of the served Gateways that the status needs. */
const ownGateways = (part: GatewayPart | undefined): ReportPartOptions["gateways"] =>
  part && {
    ownStatuses: (world, scope) => part.statuses(world, scope),
    isOwnGateway: (world, gateway) => part.isOwn(world, gateway),
  };

type Opened = { readonly state: "open" | "stopped" } | { readonly state: "failed"; readonly message: string };

/** The version of the program, and how often certificates are looked at. */
interface ControllerFacts {
  readonly version: string;
  readonly timing: CertificateTiming;
}

class Controller {
  readonly #client: KubeClient;
  readonly #settings: ControllerSettings;
  readonly #output: ServeOutput;
  readonly #signal: AbortSignal;
  readonly #namespace: string;
  readonly #certificates: CertificateSource;
  readonly #reviews: AccessReviews;
  readonly #metrics: ControllerMetrics;
  readonly #report: ReportPart | undefined;
  readonly #gateways: GatewayPart | undefined;
  readonly #counts: FollowCounts = { lists: 0, watches: 0 };
  readonly #processMetrics = createProcessMetrics();
  #live: LiveState | undefined;
  readonly #webhook: WebhookPart | undefined;
  readonly #timing: CertificateTiming;
  #context: ViewContext | undefined;
  readonly #readiness = new ReplicaReadiness();
  #certificate: ServingCertificate | undefined;
  #server: ViewServer | undefined;
  #admin: AdminServer | undefined;
  /** Troubles that have been reported and are not over. */
  readonly #troubles = new Map<string, string>();

  constructor(
    { client, access }: ClusterConnection,
    settings: ControllerSettings,
    output: ServeOutput,
    signal: AbortSignal,
    { version, timing }: ControllerFacts,
  ) {
    this.#client = client;
    this.#timing = timing;
    this.#settings = settings;
    this.#output = output;
    this.#signal = signal;
    this.#namespace = settings.service.namespace ?? access.namespace;
    this.#webhook = settings.webhook && this.#createWebhook(settings.webhook);
    this.#certificates = createCertificateSource({
      client,
      settings,
      namespace: this.#namespace,
      nowMs: Date.now,
      note: output.note,
      publish: async (authorities) => (await this.#webhook?.publish(authorities)) ?? true,
      timing,
    });
    this.#reviews = createAccessReviews({
      review: async (user, action) => (await reviewAccess(client, user, action)).allowed,
      nowMs: () => performance.now(),
    });
    const { gateways, report } = settings;
    const replicaName = createReplicaName();
    this.#gateways = gateways && report && this.#createGateways(gateways, report, replicaName);
    this.#report = report && this.#createReport(report, replicaName);
    this.#metrics = this.#createMetrics(version);
  }

  #createWebhook(settings: WebhookSettings): WebhookPart {
    return new WebhookPart({
      ...this.#partContext(),
      settings,
      retries: () => this.#gateways?.retries(),
    });
  }

  #createGateways(settings: GatewaySettings, report: ReportSettings, replicaName: string): GatewayPart {
    return new GatewayPart({
      ...this.#partContext(),
      namespace: this.#namespace,
      signal: this.#signal,
      settings,
      controllerName: report.controllerName,
      remainingMs: () => (report.isDryRun ? 0 : (this.#report?.remainingMs() ?? 0)),
      onChange: () => this.#report?.refresh(),
      replicas: this.#replicaOptions(report, replicaName),
    });
  }

  #createReport(settings: ReportSettings, replicaName: string): ReportPart {
    return new ReportPart({
      ...this.#partContext(),
      gateways: ownGateways(this.#gateways),
      onLeading: () => this.#gateways?.lead(),
      identity: replicaName,
      settings,
      namespace: this.#namespace,
      signal: this.#signal,
    });
  }

  /** The options that every part gets. */
  #partContext(): Pick<WebhookPartOptions, "client" | "note" | "trouble" | "over"> {
    return {
      client: this.#client,
      note: this.#output.note,
      trouble: (what, message) => this.#trouble(what, message),
      over: (what) => this.#over(what),
    };
  }

  #createMetrics(version: string): ControllerMetrics {
    return createControllerMetrics({
      version,
      reviews: this.#reviews.counts,
      objects: () => this.#context?.world.objects.size ?? 0,
      isSynced: () => this.#context !== undefined,
      counts: this.#counts,
      parts: [
        ...createEvaluationMetrics({ current: () => this.#live, nowMs: () => performance.now() }),
        ...(this.#report?.families ?? []),
        ...(this.#webhook?.families ?? []),
        ...(this.#gateways?.families ?? []),
        ...this.#processMetrics.families,
      ],
    });
  }

  /** A replica that leads, and a dry run, report nothing to the others. */
  #replicaOptions({ lease, isDryRun }: ReportSettings, identity: string): GatewayPartOptions["replicas"] {
    return {
      client: this.#client,
      namespace: this.#namespace,
      leaderLease: lease.name,
      identity,
      durationSeconds: lease.durationSeconds,
      isSilent: () => isDryRun || this.#report?.isLeading() === true,
      signal: this.#signal,
      monotonicMs: () => performance.now(),
      nowMs: Date.now,
      onTrouble: (what, error) => {
        if (error === undefined) this.#over(what);
        else this.#trouble(what, error.message);
      },
    };
  }

  /** Opens the ports. Discovery is served from then on. */
  async open(): Promise<Opened> {
    const { view, admin, webhook } = this.#settings;
    const frontProxy = view === undefined ? undefined : await this.#loadFrontProxy();
    const certificate = view === undefined && webhook === undefined ? undefined : await this.#loadCertificate();
    if (this.#signal.aborted) return { state: "stopped" };
    this.#certificate = certificate;
    let where = "";
    try {
      if (view !== undefined && frontProxy !== undefined && certificate !== undefined) {
        where = `${view.host}:${view.port}`;
        this.#server = await this.#startServer(view, frontProxy, certificate);
      }
      if (webhook !== undefined && certificate !== undefined) {
        where = `${webhook.host}:${webhook.port}`;
        const port = await this.#webhook?.open(certificate);
        this.#output.note(`the webhooks are served at ${webhook.host}:${port}`);
      }
      const gateways = await this.#gateways?.open();
      if (gateways !== undefined) this.#output.note(gateways);
      where = `${admin?.host ?? ""}:${admin?.port ?? ""}`;
      if (admin !== undefined) this.#admin = await this.#startAdmin(admin);
    } catch (error) {
      await this.close();
      return { state: "failed", message: formatListenError(error, where) };
    }
    const served = this.#server === undefined ? "not served" : `served at ${view?.host ?? ""}:${this.#server.port}`;
    this.#output.note(`the view API is ${served}${this.#adminText()}`);
    return { state: "open" };
  }

  #adminText(): string {
    const { admin } = this.#settings;
    return admin === undefined || this.#admin === undefined
      ? ""
      : `; metrics and health at ${admin.host}:${this.#admin.port}`;
  }

  #loadFrontProxy(): Promise<FrontProxy | undefined> {
    return loadFrontProxy(this.#client, this.#signal, (message) => this.#trouble("front proxy", message));
  }

  #loadCertificate(): Promise<ServingCertificate | undefined> {
    return loadFirstCertificate(this.#certificates, this.#signal, (message) => this.#trouble("certificate", message));
  }

  #startServer(
    { host, port }: NonNullable<ControllerSettings["view"]>,
    frontProxy: FrontProxy,
    certificate: ServingCertificate,
  ): Promise<ViewServer> {
    return startViewServer({
      host,
      port,
      certificate,
      frontProxy,
      context: () => this.#context,
      reviews: this.#reviews,
      loadWhole: (ids, signal) => listWhole(this.#client, this.#live?.resources ?? new Map(), ids, signal),
      onRequest: (status, seconds) => this.#metrics.noteRequest(status, seconds),
      onHandshakeFailure: ({ reason, client, message }) => {
        this.#metrics.noteHandshake(reason);
        if (reason === "certificate" || reason === "protocol")
          this.#output.note(`${client === "" ? "a client" : client} was turned away: TLS: ${message}`);
      },
      onError: (error) =>
        this.#output.note(`a request failed: ${error instanceof Error ? error.message : String(error)}`),
    });
  }

  #startAdmin({ host, port }: NonNullable<ControllerSettings["admin"]>): Promise<AdminServer> {
    const [webhook, gateways] = [this.#webhook, this.#gateways];
    return startAdminServer({
      host,
      port,
      metrics: this.#metrics.render,
      readiness: () => this.#readiness.current(),
      parts: {
        ...(webhook === undefined ? {} : { webhook: () => webhook.readiness() }),
        ...(gateways === undefined ? {} : { gateways: () => gateways.readiness() }),
      },
    });
  }

  /** Follows the cluster, the front proxy and the certificate until the signal. */
  async follow(): Promise<void> {
    const [server, certificate, signal] = [this.#server, this.#certificate, this.#signal];
    await Promise.all([
      followEvaluation({
        client: this.#client,
        namespaces: [this.#namespace],
        signal,
        counts: this.#counts,
        gateways: this.#gateways?.buildNeeds(),
        onEvaluated: this.#metrics.noteEvaluated,
        onState: (state, step) => {
          const { evaluation, unread, pluralOf } = state;
          const world = worldOf(evaluation);
          if (this.#context === undefined)
            this.#output.note(`the cluster has been read: ${world.objects.size} objects`);
          this.#live = state;
          this.#gateways?.useState(state, step);
          const { redactsNames } = this.#settings;
          this.#context = {
            world,
            unread,
            pluralOf,
            redactsNames,
            retries: () => this.#gateways?.retries(),
            stoppedStatus: (id) => this.#report?.stoppedStatus(id),
          };
          this.#report?.useState(state, step);
          this.#webhook?.useState(state);
          this.#readiness.noteRead();
        },
        onTrouble: (what, error) => {
          if (error === undefined) this.#over(what);
          else this.#trouble(what, error.message);
          this.#report?.useTrouble(what, error !== undefined);
        },
      }),
      this.#report?.run(),
      this.#gateways?.run(),
      server === undefined ? undefined : this.#readiness.followOthers(this.#client, signal),
      server === undefined
        ? undefined
        : followFrontProxy(this.#client, signal, server.useFrontProxy, (message) =>
            this.#trouble("front proxy", message),
          ),
      certificate === undefined ? undefined : this.#followCertificate(certificate),
    ]);
  }

  #followCertificate(certificate: ServingCertificate): Promise<void> {
    return followCertificate(this.#certificates, certificate, this.#signal, {
      onChange: (next) => {
        this.#output.note("the certificate has changed");
        this.#server?.useCertificate(next);
        this.#webhook?.useCertificate(next);
      },
      everyMs: this.#timing.everyMs,
      nowMs: Date.now,
      onTrouble: (message) => this.#trouble("certificate", message),
    });
  }

  /** A trouble is printed once until it is over. */
  #trouble(what: string, message: string): void {
    this.#metrics.noteTrouble(what);
    if (this.#troubles.get(what) === message) return;
    this.#troubles.set(what, message);
    this.#output.note(`${what}: ${message}`);
  }

  #over(what: string): void {
    if (this.#troubles.delete(what)) this.#output.note(`${what}: works again`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#server?.close(), this.#webhook?.close(), this.#gateways?.close(), this.#admin?.close()]);
    this.#processMetrics.close();
    this.#client.close();
  }
}
