/**
 * The embedded gateway: opens and serves the ports of a configuration. A new configuration replaces the old one atomically: running
 * requests keep the old one, later requests use the new one.
 */
import { formatListenError } from "../adapters/sockets/format-listen-error.ts";
import { assignPorts, formatAddress, type PortAddress, portProblem } from "../core/dataplane/assign-ports.ts";
import type { DataplaneConfig, GatewayConfig, PortConfig } from "../core/dataplane/gateway-config.ts";
import { type EmbeddedLimit, embeddedLimits } from "../core/embedded/embedded-limits.ts";
import { formatRef, type ObjectRef, objectId } from "../core/model/refs.ts";
import type { MatchRegex } from "../core/model/regex.ts";
import { buildHostIndex } from "../core/routing/host-index.ts";
import { type GatewayClock, type GatewayTimer, SYSTEM_CLOCK } from "./contract/gateway-clock.ts";
import { DEFAULT_LIMITS, type GatewayLimits } from "./contract/gateway-limits.ts";
import { createPieceQueue } from "./contract/piece-meter.ts";
import type { SecretSource } from "./contract/secret-source.ts";
import type { GatewayEvent } from "./observe/gateway-event.ts";
import { PortServer } from "./serve/port-server.ts";
import { createRouteLookup, type PreparedPort, type RouteLookup } from "./serve/prepared-port.ts";
import { type CertificateCache, readServerCertificates } from "./serve/server-certificates.ts";
import type { ServingContext } from "./serve/serving-context.ts";
import { createSessions } from "./serve/sessions.ts";
import { type BackendLookup, createBackendLookup } from "./upstream/backend-lookup.ts";
import { createRetryBudgets } from "./upstream/retry-budgets.ts";
import { createUpstreamTable } from "./upstream/upstream-table.ts";

export interface GatewayOptions {
  /** Must take time linear in the text, because patterns and texts are untrusted. */
  readonly matchRegex: MatchRegex;
  /** The address of a port of the configuration; port 0 is any free port. Default: the same port on all addresses. */
  readonly bind?: (gateway: ObjectRef, port: number) => PortAddress;
  /** Called synchronously: it must return quickly and must not throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
  readonly limits?: Partial<GatewayLimits>;
  /** Adds `x-prevail-route`, `-rule`, `-backend` and `-attempts` to responses. */
  readonly debugHeaders?: boolean;
  /** The number of trusted proxies in front, whose `X-Forwarded-*` headers are used. Default: 0. */
  readonly trustedHops?: number;
  /** How long the requests of a removed port may take to finish. */
  readonly drainMs?: number;
  readonly clock?: GatewayClock;
}

export interface Gateway {
  /**
   * Serves this configuration from now on. Ports that stay use it before this returns, new ports are open when it resolves, and removed
   * ports are drained. Invalid configuration and ports that cannot be opened are returned as problems; the rest is served.
   */
  readonly replace: (config: DataplaneConfig, secrets: SecretSource) => Promise<ReplaceOutcome>;
  /** The open ports, by gateway and port. */
  readonly openPorts: () => readonly OpenPort[];
  /** Accepts no new connections and aborts the requests that are not finished after `drainMs`. */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

export interface ReplaceOutcome {
  /** All current problems, not only new ones. */
  readonly problems: readonly GatewayProblem[];
}

export interface GatewayProblem {
  readonly gateway: ObjectRef;
  readonly port: number;
  /** Undefined: all listeners of the port. */
  readonly listener: string | undefined;
  readonly message: string;
}

export interface OpenPort {
  readonly gateway: ObjectRef;
  /** The port in the configuration. */
  readonly port: number;
  readonly protocol: PortConfig["protocol"];
  /** The address on which the server listens. */
  readonly address: string;
  readonly boundPort: number;
}

const DRAIN_MS = 30_000;
const SWEEP_MS = 2000;

export function createGateway(options: GatewayOptions): Gateway {
  const gateway = new PortTable(options);
  return {
    replace: (config, secrets) => gateway.replace(config, secrets),
    openPorts: () => gateway.openPorts(),
    close: ({ drainMs } = {}) => gateway.close(drainMs ?? options.drainMs ?? DRAIN_MS),
  };
}

/** A port that is open or being opened. */
interface Row {
  readonly server: PortServer;
  readonly bind: PortAddress;
  /** Undefined: the port is not open. */
  open: OpenPort | undefined;
  problem: GatewayProblem | undefined;
  opened: Promise<void>;
}

class PortTable {
  readonly #options: GatewayOptions;
  readonly #context: ServingContext;
  readonly #routes: RouteLookup;
  /** By gateway, port and protocol. */
  readonly #rows = new Map<string, Row>();
  #certificates: CertificateCache = { before: new Map(), now: new Map() };
  readonly #draining = new Set<Promise<void>>();
  #sweeper: GatewayTimer;
  #isClosed = false;

  constructor(options: GatewayOptions) {
    const clock = options.clock ?? SYSTEM_CLOCK;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#options = options;
    this.#routes = createRouteLookup(options.matchRegex);
    this.#context = {
      clock,
      limits,
      emit: options.onEvent ?? (() => {}),
      budgets: createRetryBudgets(),
      sessions: createSessions(),
      upstreams: createUpstreamTable(limits, clock),
      pieces: createPieceQueue(clock),
      bufferedBytes: { limit: limits.maxKeptBytes, used: 0 },
      mirrors: { limit: limits.maxMirrors, running: 0 },
      debugHeaders: options.debugHeaders ?? false,
      trustedHops: options.trustedHops ?? 0,
    };
    this.#sweeper = this.#startSweeper();
  }

  async replace(config: DataplaneConfig, secrets: SecretSource): Promise<ReplaceOutcome> {
    if (this.#isClosed) throw new Error("the gateway is closed");
    const lookups = new Map(
      config.gateways.map((gateway) => [objectId(gateway.gateway), createBackendLookup(config, gateway, secrets)]),
    );
    this.#certificates = { before: this.#certificates.now, now: new Map() };
    const wanted = new Map<string, PreparedPort>();
    const limits = config.gateways.flatMap((gateway) =>
      embeddedLimits(gateway).map((limit) => unserved(gateway.gateway, limit)),
    );
    const { assigned, conflicts } = assignPorts(config.gateways.map(withoutUdp), (gateway, port) =>
      this.#bindOf(gateway, port),
    );
    for (const { gateway, config: port } of assigned) {
      const lookup = lookups.get(objectId(gateway));
      if (lookup !== undefined) wanted.set(rowKey(gateway, port), this.#serve(gateway, port, { lookup, secrets }));
    }
    this.#drainUnwanted(wanted);
    const rows = [...wanted].map(([key, served]) => this.#serveRow(key, served));
    await Promise.all(rows.map(({ opened }) => opened));
    const unopened = rows.flatMap(({ problem }) => problem ?? []);
    const problems = conflicts.map((conflict) => ({ ...conflict, listener: undefined }));
    const own = config.gateways.flatMap((gateway) => ownProblems(gateway, lookups.get(objectId(gateway.gateway))));
    return {
      problems: [...limits, ...problems, ...own, ...[...wanted.values()].flatMap(certificateProblems), ...unopened],
    };
  }

  openPorts(): readonly OpenPort[] {
    return [...this.#rows.values()].flatMap(({ open }) => open ?? []);
  }

  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.cancel();
    for (const key of this.#rows.keys()) this.#drain(key, drainMs);
    await Promise.all(this.#draining);
    this.#context.upstreams.close();
  }

  #serve(
    gateway: ObjectRef,
    config: PortConfig,
    { lookup, secrets }: { readonly lookup: BackendLookup; readonly secrets: SecretSource },
  ): PreparedPort {
    const certificates =
      config.protocol === "TLS" ? readServerCertificates(config, secrets, this.#certificates) : undefined;
    return { gateway, config, listeners: buildHostIndex(config.listeners), routes: this.#routes, lookup, certificates };
  }

  /** Opening a port that failed before is attempted again, because the port may be free now. */
  #serveRow(key: string, served: PreparedPort): Row {
    const known = this.#rows.get(key);
    if (known !== undefined && known.problem === undefined) {
      known.server.serve(served);
      return known;
    }
    const server = new PortServer(this.#context, served);
    const bind = this.#bindOf(served.gateway, served.config.port);
    const row: Row = { server, bind, open: undefined, problem: undefined, opened: Promise.resolve() };
    row.opened = this.#open(row);
    this.#rows.set(key, row);
    return row;
  }

  #bindOf(gateway: ObjectRef, port: number): PortAddress {
    return this.#options.bind?.(gateway, port) ?? { port };
  }

  async #open(row: Row): Promise<void> {
    const { gateway, config } = row.server.served;
    const { port, protocol } = config;
    try {
      const { address, port: boundPort } = await row.server.listen(row.bind);
      row.open = { gateway, port, protocol, address, boundPort };
    } catch (error) {
      row.problem = cannotOpen(gateway, config, row.bind, error);
    }
  }

  /** A port that moves to another address is opened anew. */
  #drainUnwanted(wanted: ReadonlyMap<string, PreparedPort>): void {
    for (const [key, { bind }] of this.#rows) {
      const served = wanted.get(key);
      if (served === undefined || !hasSameAddress(bind, this.#bindOf(served.gateway, served.config.port)))
        this.#drain(key, this.#options.drainMs ?? DRAIN_MS);
    }
  }

  #drain(key: string, drainMs: number): void {
    const row = this.#rows.get(key);
    this.#rows.delete(key);
    if (row === undefined) return;
    const drain = (): Promise<void> => (row.open === undefined ? Promise.resolve() : row.server.drain(drainMs));
    // Closes an open port at once, because the new configuration may open the same port.
    const drained = row.open === undefined ? row.opened.then(drain) : drain();
    this.#draining.add(drained);
    void drained.finally(() => this.#draining.delete(drained));
  }

  #startSweeper(): GatewayTimer {
    return this.#context.clock.startTimer(SWEEP_MS, () => {
      this.#context.upstreams.sweep();
      this.#sweeper = this.#startSweeper();
    });
  }
}

const rowKey = (gateway: ObjectRef, { port, protocol }: PortConfig): string =>
  `${objectId(gateway)} ${port} ${protocol}`;

const hasSameAddress = (a: PortAddress, b: PortAddress): boolean => a.host === b.host && a.port === b.port;

function certificateProblems({ gateway, config, certificates }: PreparedPort): readonly GatewayProblem[] {
  const { port } = config;
  return (certificates?.problems ?? []).map(({ listener, message }) => ({
    gateway,
    port,
    listener,
    message: `listener ${listener} of ${formatRef(gateway)}, port ${port}: ${message}`,
  }));
}

function ownProblems({ gateway, ports }: GatewayConfig, lookup: BackendLookup | undefined): readonly GatewayProblem[] {
  if (lookup?.problem === undefined) return [];
  const message = `${formatRef(gateway)}: ${lookup.problem}: backends get no client certificate`;
  return [{ gateway, port: ports[0]?.port ?? 0, listener: undefined, message }];
}

function unserved(gateway: ObjectRef, { port, listener, rule, message }: EmbeddedLimit): GatewayProblem {
  const at = `listener ${listener.name} of ${formatRef(gateway)}, port ${port}`;
  const text = rule === undefined ? `${at}: ${message}` : `${formatRef(rule.route, rule.rule)} at ${at}: ${message}`;
  return { gateway, port, listener: listener.name, message: text };
}

/** Only Envoy serves UDP (`embeddedLimits`). */
const withoutUdp = (gateway: GatewayConfig): GatewayConfig => ({
  ...gateway,
  ports: gateway.ports.filter(({ protocol }) => protocol !== "UDP"),
});

function cannotOpen(gateway: ObjectRef, config: PortConfig, address: PortAddress, error: unknown): GatewayProblem {
  const reason = formatListenError(error, formatAddress(address));
  return { ...portProblem({ gateway, config, address }, `cannot be opened: ${reason}`), listener: undefined };
}
