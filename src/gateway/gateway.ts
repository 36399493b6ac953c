/**
 * The embedded gateway: opens the ports that a configuration describes, and serves them. A new configuration takes the place of the one before
 * in one step: requests under way end as they began, and all later ones see the new one.
 */
import type { DataplaneConfig, GatewayConfig, PortConfig } from "../core/dataplane/gateway-config.ts";
import { displayRef, type ObjectRef, objectId } from "../core/model/refs.ts";
import type { MatchRegex } from "../core/model/regex.ts";
import { buildHostIndex } from "../core/routing/host-index.ts";
import { createBackendLookup } from "./backend-lookup.ts";
import { createBudgetBook } from "./budget-book.ts";
import { type GatewayClock, type GatewayTimer, SYSTEM_CLOCK } from "./gateway-clock.ts";
import type { GatewayEvent } from "./gateway-event.ts";
import { DEFAULT_LIMITS, type GatewayLimits } from "./gateway-limits.ts";
import { type BindAddress, PortServer } from "./port-server.ts";
import type { SecretSource } from "./secret-source.ts";
import { createRouteLookup, type RouteLookup, type ServedPort } from "./served-port.ts";
import { type CertificateCache, readServerCertificates } from "./server-certificates.ts";
import type { BackendLookup, ServingContext } from "./serving-context.ts";
import { createUpstreamTable } from "./upstream-table.ts";

export interface GatewayOptions {
  /** Must take time linear in the text: patterns are written by tenants, and texts by anybody. */
  readonly matchRegex: MatchRegex;
  /** Where a port of the configuration is opened. Port 0: any that is free. By default the same port on all addresses. */
  readonly bind?: (gateway: ObjectRef, port: number) => BindAddress;
  /** Called as things happen, in between requests: it must return at once and never throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
  readonly limits?: Partial<GatewayLimits>;
  /** Answers carry `x-prevail-route`, `-rule`, `-backend` and `-attempts`. */
  readonly debugHeaders?: boolean;
  /** What becomes of `X-Forwarded-*` that clients send: they are dropped, or the gateway appends to them. */
  readonly forwarded?: "Overwrite" | "Append";
  /** How long the requests of a port that is given up may still take. */
  readonly drainMs?: number;
  readonly clock?: GatewayClock;
}

export interface Gateway {
  /**
   * Serves this configuration from now on. Ports that stay change over at once, before this returns; those that come are opened by the time
   * it resolves; those that go take no new connections and are drained. Never rejects for what a configuration or a machine can have
   * wrong: that is told as problems, and everything else is served.
   */
  readonly replace: (config: DataplaneConfig, secrets: SecretSource) => Promise<ReplaceOutcome>;
  /** By gateway and port, those that are open. */
  readonly openPorts: () => readonly OpenPort[];
  /** Takes no new connections, lets requests end, and cuts what is left after that time. */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

export interface ReplaceOutcome {
  /** All problems there are now, not only new ones. */
  readonly problems: readonly GatewayProblem[];
}

export interface GatewayProblem {
  readonly gateway: ObjectRef;
  readonly port: number;
  /** Undefined: all of the port's listeners. */
  readonly listener: string | undefined;
  readonly message: string;
}

export interface OpenPort {
  readonly gateway: ObjectRef;
  /** As the configuration has it. */
  readonly port: number;
  readonly protocol: "HTTP" | "HTTPS";
  /** Where it really listens. */
  readonly address: string;
  readonly boundPort: number;
}

const DRAIN_MS = 30_000;
const SWEEP_MS = 2000;

export function createGateway(options: GatewayOptions): Gateway {
  const gateway = new PortKeeper(options);
  return {
    replace: (config, secrets) => gateway.replace(config, secrets),
    openPorts: () => gateway.openPorts(),
    close: ({ drainMs } = {}) => gateway.close(drainMs ?? options.drainMs ?? DRAIN_MS),
  };
}

/** A port that is open, or being opened. */
interface Row {
  readonly server: PortServer;
  readonly bind: BindAddress;
  /** Undefined: not yet, or not at all. */
  open: OpenPort | undefined;
  problem: GatewayProblem | undefined;
  opened: Promise<void>;
}

class PortKeeper {
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
      budgets: createBudgetBook(),
      upstreams: createUpstreamTable(limits, clock),
      keptBytes: { limit: limits.maxKeptBytes, used: 0 },
      mirrors: { limit: limits.maxMirrors, running: 0 },
      debugHeaders: options.debugHeaders ?? false,
      forwarded: options.forwarded ?? "Overwrite",
    };
    this.#sweeper = this.#startSweeper();
  }

  async replace(config: DataplaneConfig, secrets: SecretSource): Promise<ReplaceOutcome> {
    if (this.#isClosed) throw new Error("the gateway is closed");
    const lookup = createBackendLookup(config, secrets);
    this.#certificates = { before: this.#certificates.now, now: new Map() };
    const wanted = new Map<string, ServedPort>();
    const problems: GatewayProblem[] = [];
    const taken = new Map<number, GatewayConfig>();
    for (const gateway of config.gateways) {
      for (const port of gateway.ports) {
        const other = taken.get(port.port);
        if (other === undefined || other === gateway) {
          taken.set(port.port, gateway);
          wanted.set(rowKey(gateway.gateway, port), this.#serve(gateway.gateway, port, { lookup, secrets }));
        } else problems.push(takenBy(gateway.gateway, port, other.gateway));
      }
    }
    this.#drainUnwanted(wanted);
    const rows = [...wanted].map(([key, served]) => this.#serveRow(key, served));
    await Promise.all(rows.map(({ opened }) => opened));
    const unopened = rows.flatMap(({ problem }) => problem ?? []);
    return { problems: [...problems, ...[...wanted.values()].flatMap(certificateProblems), ...unopened] };
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
  ): ServedPort {
    const certificates =
      config.protocol === "HTTPS" ? readServerCertificates(config, secrets, this.#certificates) : undefined;
    return { gateway, config, listeners: buildHostIndex(config.listeners), routes: this.#routes, lookup, certificates };
  }

  /** A row that failed to open is tried again: the port may be free by now. */
  #serveRow(key: string, served: ServedPort): Row {
    const known = this.#rows.get(key);
    if (known !== undefined && known.problem === undefined) {
      known.server.serve(served);
      return known;
    }
    const server = new PortServer(this.#context, served);
    const bind = this.#options.bind?.(served.gateway, served.config.port) ?? { port: served.config.port };
    const row: Row = { server, bind, open: undefined, problem: undefined, opened: Promise.resolve() };
    row.opened = this.#open(row);
    this.#rows.set(key, row);
    return row;
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

  #drainUnwanted(wanted: ReadonlyMap<string, unknown>): void {
    for (const key of this.#rows.keys()) if (!wanted.has(key)) this.#drain(key, this.#options.drainMs ?? DRAIN_MS);
  }

  #drain(key: string, drainMs: number): void {
    const row = this.#rows.get(key);
    this.#rows.delete(key);
    if (row === undefined) return;
    const drain = (): Promise<void> => (row.open === undefined ? Promise.resolve() : row.server.drain(drainMs));
    // At once if it can be: who comes next may want the same port.
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

const namesOf = ({ listeners }: PortConfig): string => listeners.map(({ name }) => name).join(", ");

function certificateProblems({ gateway, config, certificates }: ServedPort): readonly GatewayProblem[] {
  const { port } = config;
  return (certificates?.problems ?? []).map(({ listener, message }) => ({
    gateway,
    port,
    listener,
    message: `listener ${listener} of ${displayRef(gateway)}, port ${port}: ${message}`,
  }));
}

function takenBy(gateway: ObjectRef, config: PortConfig, other: ObjectRef): GatewayProblem {
  const { port } = config;
  const message = `port ${port} (listener ${namesOf(config)}) of ${displayRef(gateway)} is not opened: ${displayRef(other)} has it; give one of them another port`;
  return { gateway, port, listener: undefined, message };
}

function cannotOpen(gateway: ObjectRef, config: PortConfig, bind: BindAddress, error: unknown): GatewayProblem {
  const { port } = config;
  const where = bind.host === undefined ? `port ${bind.port}` : `${bind.host}, port ${bind.port}`;
  const message = `port ${port} (listener ${namesOf(config)}) of ${displayRef(gateway)} cannot be opened: ${whyNot(error, where)}`;
  return { gateway, port, listener: undefined, message };
}

function whyNot(error: unknown, where: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `another program uses ${where}; stop it, or choose another port`;
    case "EACCES":
      return `this user may not open ${where}; choose one above 1023`;
    case "EADDRNOTAVAIL":
      return `this machine does not have ${where}`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
