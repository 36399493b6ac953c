/** Envoys that connect to the controller over xDS, as the data plane of its Gateways. */
import { readFileSync } from "node:fs";
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { EnvoySettings } from "../../cli/controller/gateway-settings.ts";
import { DEFAULT_SYSTEM_AUTHORITIES } from "../../cli/xds/settings.ts";
import { envoysElsewhere } from "../../controller/gateways/envoys-elsewhere.ts";
import { GatewayStates } from "../../controller/gateways/gateway-states.ts";
import { ReplicaLeases } from "../../controller/gateways/replica-leases.ts";
import type { ReplicaReport } from "../../controller/gateways/replica-report.ts";
import type { DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import type { World } from "../../core/effective/world/world.ts";
import { formatXdsAddress } from "../../core/envoy/xds-address.ts";
import type { DataplaneLimits, DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import { SUPPORTED_FEATURES } from "../../core/gateway-status/supported-features.ts";
import type { InfrastructureState } from "../../core/infrastructure/infrastructure-state.ts";
import { type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import { type ControlPlane, startControlPlane } from "../../xds/serve/control-plane.ts";
import type { XdsEvent } from "../../xds/serve/xds-event.ts";
import { createXdsMetrics, type XdsMetrics } from "../../xds/serve/xds-metrics.ts";
import type { XdsServerTls } from "../../xds/serve/xds-port.ts";
import { formatEvent } from "../xds/format-event.ts";
import { slackMs } from "../xds/timer-slack.ts";
import { EnvoyCounts } from "./envoy-counts.ts";
import type { DataplaneContext, DataplaneSecrets, GatewayDataplane } from "./gateway-dataplane.ts";

const ALL_INTERFACES = "0.0.0.0";
const NO_REPORT: ReplicaReport = new Map();
/** Events after which Envoys may say something else. */
const ABOUT_ENVOYS: ReadonlySet<XdsEvent["type"]> = new Set(["Connected", "Current", "Refused", "Disconnected"]);

/** The facts that the controller knows about Envoys that it runs. */
export interface RunEnvoys {
  /** The certificate of the xDS server. Undefined: the controller ends. */
  loadTls(): Promise<XdsServerTls | undefined>;
  /** The port that Envoys open for a port of a listener. */
  podPort(gateway: ObjectId, port: number): number;
  stateOf(world: World, gateway: ObjectId): InfrastructureState | undefined;
}

export class EnvoysDataplane implements GatewayDataplane {
  readonly supportedFeatures: readonly string[] = SUPPORTED_FEATURES;
  readonly limits: DataplaneLimits = {};
  readonly families: readonly MetricFamily[];
  readonly #settings: EnvoySettings;
  readonly #context: DataplaneContext;
  /** Undefined: they run already. */
  readonly #run: RunEnvoys | undefined;
  readonly #states: GatewayStates;
  readonly #replicas: ReplicaLeases;
  readonly #metrics: XdsMetrics;
  readonly #counts: EnvoyCounts;
  #plane: ControlPlane | undefined;
  #generation = 0;

  constructor(settings: EnvoySettings, context: DataplaneContext, run?: RunEnvoys) {
    this.#settings = settings;
    this.#run = run;
    this.#context = context;
    this.#metrics = createXdsMetrics({ nodes: () => this.#plane?.nodes() ?? [], nowMs: Date.now });
    this.#counts = new EnvoyCounts({
      nodes: () => this.#plane?.nodes() ?? [],
      nowMs: () => performance.now(),
      elsewhere: (gateway) =>
        envoysElsewhere(gateway, { leads: context.replicas.isSilent(), others: this.#replicas.others() }),
    });
    this.families = [...this.#metrics.families, ...this.#counts.families];
    this.#replicas = new ReplicaLeases({
      ...context.replicas,
      report: () => this.#report(),
      onChange: context.onChange,
    });
    this.#states = new GatewayStates({
      controllerName: context.controllerName,
      acknowledgements: () => this.#plane?.acknowledgements() ?? new Map(),
      others: () => this.#replicas.others(),
      addressOf: context.addressOf,
      ...(run === undefined ? {} : { infrastructureOf: (world, gateway) => run.stateOf(world, gateway) }),
      monotonicMs: () => performance.now(),
    });
  }

  /** Opens the port for Envoys. They wait until the cluster has been read. */
  async open(): Promise<string> {
    const { xds, tls, addresses } = this.#settings;
    this.#plane = await startControlPlane({
      address: xds,
      tls: tls === undefined ? await this.#run?.loadTls() : readTls(tls),
      onEvent: (event) => this.#note(event),
      onCounts: (counts) => this.#counts.receive(counts),
      sharesEnvoys: addresses !== undefined,
      compile: {
        bind: (gateway, port) => ({ host: this.#hostOf(gateway), port: this.#portOf(gateway, port) }),
        // Envoys that the controller runs have the precise timer.
        slackMs: slackMs(this.#run === undefined ? "coarse" : "precise"),
        systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
        matchRegex: createRegex(),
        accessLog: "Counters",
      },
    });
    return `Envoys are served at ${formatXdsAddress("host" in xds ? { ...xds, port: this.#plane.port } : xds)}`;
  }

  replace(config: DataplaneConfig, { usable }: DataplaneSecrets): void {
    this.#plane?.replace(config, usable);
    this.#counts.use(config);
    this.#metrics.noteConfig({ generation: ++this.#generation });
    this.#replicas.noteChange();
  }

  read(world: World): (gateway: ObjectId) => DataplaneState {
    return this.#states.read(world);
  }

  retries(gateways: readonly ObjectId[]): RetryKnowledge {
    return this.#counts.knowledge(gateways);
  }

  keep(isThere: (gateway: ObjectId) => boolean): void {
    this.#states.keep(isThere);
  }

  /** New streams get this certificate. */
  useTls(tls: XdsServerTls): void {
    this.#plane?.useTls(tls);
  }

  exchange(): Promise<void> {
    return this.#replicas.run();
  }

  async close(): Promise<void> {
    await this.#plane?.close();
    await this.#replicas.withdraw();
  }

  /** The report of the Envoys of this replica, for the replica that writes the status. */
  #report(): ReplicaReport {
    const served = this.#context.served();
    return served === undefined ? NO_REPORT : this.#states.report(served.world, served.gateways);
  }

  #portOf(gateway: ObjectRef, port: number): number {
    return this.#run?.podPort(objectId(gateway), port) ?? port;
  }

  #hostOf(gateway: ObjectRef): string {
    const assigned = this.#context.addressOf(objectId(gateway));
    return assigned !== undefined && "address" in assigned ? assigned.address : ALL_INTERFACES;
  }

  #note(event: XdsEvent): void {
    this.#metrics.observe(event);
    const line = formatEvent(event);
    if (line !== undefined) this.#context.note(line);
    if (!ABOUT_ENVOYS.has(event.type)) return;
    this.#context.onChange();
    this.#replicas.noteChange();
  }
}

function readTls({ certificateFile, keyFile, authorityFile }: NonNullable<EnvoySettings["tls"]>) {
  const read = (path: string): string => readFileSync(path, "utf8");
  return { certificate: read(certificateFile), privateKey: read(keyFile), authorities: read(authorityFile) };
}
