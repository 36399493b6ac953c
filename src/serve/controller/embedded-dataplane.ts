/** The embedded gateway in the process of the controller, as the data plane of its Gateways: for development. */
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { DataplaneConfig, PortConfig } from "../../core/dataplane/gateway-config.ts";
import { EMBEDDED_LIMITS } from "../../core/embedded/embedded-limits.ts";
import type { DataplaneLimits, DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import { EMBEDDED_FEATURES } from "../../core/gateway-status/supported-features.ts";
import { type ObjectId, objectId } from "../../core/model/refs.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import { createGateway, type Gateway, type GatewayProblem } from "../../gateway/gateway.ts";
import { createMetrics } from "../../gateway/observe/metrics.ts";
import { gatewaySecrets } from "../run/gateway-secrets.ts";
import type { DataplaneContext, DataplaneSecrets, GatewayDataplane } from "./gateway-dataplane.ts";

/** How often ports that could not be opened are attempted again. */
const AGAIN_MS = 2000;
const DRAIN_MS = 5000;

/** The embedded gateway knows no other replicas. */
type EmbeddedContext = Omit<DataplaneContext, "served" | "replicas">;

/** A configuration to serve, and its outcome. */
interface Edition {
  readonly config: DataplaneConfig;
  readonly secrets: DataplaneSecrets;
  /** By Gateway. UDP is not served. */
  readonly ports: ReadonlyMap<ObjectId, readonly PortConfig[]>;
  /** Undefined: ports are being opened. */
  problems: readonly GatewayProblem[] | undefined;
}

export class EmbeddedDataplane implements GatewayDataplane {
  readonly supportedFeatures: readonly string[] = EMBEDDED_FEATURES;
  readonly limits: DataplaneLimits = EMBEDDED_LIMITS;
  readonly families: readonly MetricFamily[];
  readonly #context: EmbeddedContext;
  readonly #gateway: Gateway;
  readonly #metrics = createMetrics();
  #edition: Edition | undefined;
  #generation = 0;
  #again: NodeJS.Timeout | undefined;
  /** Problems that were printed. */
  #printed: ReadonlySet<string> = new Set();

  constructor(context: EmbeddedContext) {
    this.#context = context;
    this.families = [{ render: this.#metrics.render }];
    this.#gateway = createGateway({
      matchRegex: createRegex({ maxPatterns: 256 }),
      bind: (gateway, port) => {
        const assigned = context.addressOf(objectId(gateway));
        return assigned !== undefined && "address" in assigned ? { host: assigned.address, port } : { port };
      },
      onEvent: this.#metrics.observe,
      drainMs: DRAIN_MS,
    });
  }

  async open(): Promise<string> {
    this.#again = setInterval(() => this.#openAgain(), AGAIN_MS);
    this.#again.unref();
    return "Gateways are served by this process";
  }

  /** Open ports use the configuration when this returns. */
  replace(config: DataplaneConfig, secrets: DataplaneSecrets): void {
    this.#metrics.noteConfig({ generation: ++this.#generation });
    this.#metrics.useConfig(config);
    this.#apply(config, secrets);
  }

  /**
   * Programmed follows what is served
   *
   * A Gateway is Programmed when all of its ports are open with the configuration of this evaluation. While a port is being opened the condition stays as it was;
   * one that cannot be opened makes it False, with the reason of the operating system.
   * Gateway API, "GatewayConditionProgrammed"
   */
  read(): (gateway: ObjectId) => DataplaneState {
    const open = new Set(this.#gateway.openPorts().map(({ gateway, port }) => `${objectId(gateway)} ${port}`));
    return (gateway) => {
      const assigned = this.#context.addressOf(gateway);
      if (assigned !== undefined && "problem" in assigned)
        return { state: "AddressNotUsable", message: assigned.problem };
      const edition = this.#edition;
      const ports = edition?.ports.get(gateway) ?? [];
      if (edition === undefined || ports.length === 0)
        return { state: "Pending", message: "no listener of the Gateway is served yet" };
      const closed = ports.filter(({ port }) => !open.has(`${gateway} ${port}`)).map(({ port }) => port);
      const addresses = assigned === undefined ? [] : [{ type: "IPAddress", value: assigned.address }];
      if (closed.length === 0) return { state: "Serving", addresses };
      if (edition.problems === undefined) return { state: "Updating" };
      return { state: "Refused", ports: closed, addresses, message: whyClosed(edition.problems, gateway, closed) };
    };
  }

  /** The counters of this process have every request; those that did not fit are reported. */
  retries(gateways: readonly ObjectId[]): RetryKnowledge {
    const report = this.#metrics.retries();
    const reason = `${report.uncounted} requests were not counted: there are more rules and backends than counters are kept for`;
    return {
      report,
      counted: new Set(gateways),
      gaps: new Map(report.uncounted === 0 ? [] : gateways.map((gateway) => [gateway, reason])),
    };
  }

  keep(): void {}

  /** Each process serves for itself. */
  async exchange(): Promise<void> {}

  async close(): Promise<void> {
    clearInterval(this.#again);
    await this.#gateway.close({ drainMs: DRAIN_MS });
  }

  #apply(config: DataplaneConfig, secrets: DataplaneSecrets): void {
    const ports = new Map(
      config.gateways.map(({ gateway, ports: all }) => [
        objectId(gateway),
        all.filter(({ protocol }) => protocol !== "UDP"),
      ]),
    );
    const edition: Edition = { config, secrets, ports, problems: undefined };
    this.#edition = edition;
    void this.#gateway.replace(config, gatewaySecrets(secrets.keyMaterial)).then(({ problems }) => {
      edition.problems = problems;
      if (edition === this.#edition) this.#report(problems);
    });
  }

  #report(problems: readonly GatewayProblem[]): void {
    for (const { message } of problems) if (!this.#printed.has(message)) this.#context.note(message);
    this.#printed = new Set(problems.map(({ message }) => message));
    this.#context.onChange();
  }

  /** A port may be free now, or the address may be there. */
  #openAgain(): void {
    const edition = this.#edition;
    if (edition?.problems === undefined || edition.problems.length === 0) return;
    const open = new Set(this.#gateway.openPorts().map(({ gateway, port }) => `${objectId(gateway)} ${port}`));
    const isClosed = [...edition.ports].some(([id, ports]) => ports.some(({ port }) => !open.has(`${id} ${port}`)));
    if (isClosed) this.#apply(edition.config, edition.secrets);
  }
}

function whyClosed(problems: readonly GatewayProblem[], gateway: ObjectId, closed: readonly number[]): string {
  const reasons = problems.filter(
    ({ gateway: ref, port, listener }) => objectId(ref) === gateway && listener === undefined && closed.includes(port),
  );
  return reasons.length === 0
    ? `port ${closed.join(", ")} is not open`
    : reasons.map(({ message }) => message).join("; ");
}
