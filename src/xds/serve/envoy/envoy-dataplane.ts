/**
 * Local Envoys as the data plane: a control plane and an Envoy process per gateway. They talk over a Unix socket that only this user can open,
 * because the configuration contains private keys. A configuration is served once the Envoys have acknowledged it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssignedPort } from "../../../core/dataplane/assign-ports.ts";
import type { EdgeLimits } from "../../../core/dataplane/edge-limits.ts";
import type { DataplaneConfig } from "../../../core/dataplane/gateway-config.ts";
import { formatRef, type ObjectRef } from "../../../core/model/refs.ts";
import type { MatchRegex } from "../../../core/model/regex.ts";
import type { ListenerAddress } from "../../compile/backends/compile-load-assignment.ts";
import { compileBootstrap } from "../../compile/compile-bootstrap.ts";
import type { EnvoySecrets } from "../../compile/envoy-secrets.ts";
import { type ControlPlane, gatewayKey, startControlPlane } from "../control-plane.ts";
import type { NodeStatus } from "../xds-server.ts";
import { type EnvoyProcess, startEnvoyProcess } from "./envoy-process.ts";
import type { EnvoyAccess } from "./parse-access-line.ts";
import { createPortClaims } from "./port-claims.ts";

export interface EnvoyDataplaneOptions {
  /** The path of the Envoy binary. */
  readonly envoyPath: string;
  readonly bind: (gateway: ObjectRef, port: number) => ListenerAddress;
  readonly matchRegex: MatchRegex;
  readonly systemAuthorities: string;
  /** Receives Envoy's log, and messages about its process. */
  readonly onLine: (line: string) => void;
  /** Receives an entry per request. Undefined: no access log. */
  readonly onAccess?: (gateway: ObjectRef, access: EnvoyAccess) => void;
  /** The worker threads of each Envoy. Undefined: one per processor. */
  readonly concurrency?: number;
  /** The admin port of a gateway's Envoy, on the loopback. Undefined: none. */
  readonly adminPort?: (gateway: ObjectRef) => number | undefined;
  /** The option of `CompileOptions` of that name. */
  readonly scopesFrom?: number;
  readonly limits?: Partial<EdgeLimits>;
  /** The number of trusted proxies in front. Default: 0. */
  readonly trustedHops?: number;
  /** The memory of each Envoy. Undefined: a default. */
  readonly heapMib?: number;
}

export interface EnvoyDataplane {
  /** Resolves when all Envoys have acknowledged the configuration, or after a timeout, with the problems. */
  readonly replace: (config: DataplaneConfig, secrets: EnvoySecrets) => Promise<readonly string[]>;
  readonly nodes: () => readonly NodeStatus[];
  /** The gateways (`namespace/name`) whose Envoy has not acknowledged its whole configuration. */
  readonly unsettled: () => readonly string[];
  /** Without those that were not free. */
  readonly openPorts: () => readonly AssignedPort[];
  readonly close: (drainMs: number) => Promise<void>;
}

/** A precise timer may still fire a millisecond early. */
const SLACK_MS = 1;
const PATIENCE_MS = 15_000;
const LOOK_MS = 10;

export async function startEnvoyDataplane(options: EnvoyDataplaneOptions): Promise<EnvoyDataplane> {
  const folder = await mkdtemp(join(tmpdir(), "prevail-xds-"));
  const socketPath = join(folder, "xds.sock");
  const plane = await startPlane(socketPath, options).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const envoys = new Map<string, EnvoyProcess>();
  const ports = createPortClaims(options.bind);
  return {
    nodes: plane.nodes,
    unsettled: () => unsettled(plane, [...envoys.keys()]),
    openPorts: ports.claimed,
    replace: async (wholeConfig, secrets) => {
      const wanted = new Map(wholeConfig.gateways.map(({ gateway }) => [gatewayKey(gateway), gateway]));
      await Promise.all([...envoys.keys()].filter((key) => !wanted.has(key)).map((key) => stop(envoys, key, 0)));
      const kept = ports.keep(wholeConfig);
      if (kept.hasMoved) {
        // The Envoy that has the port now must close it before another one can open it.
        plane.replace(kept.config, secrets);
        await untilSettled(plane, [...envoys.keys()]);
      }
      const { config, problems: unopened } = await ports.claim(wholeConfig);
      const problems = plane.replace(config, secrets);
      for (const [key, gateway] of wanted) {
        if (!envoys.has(key)) envoys.set(key, await startEnvoy(gateway, socketPath, options));
      }
      const refused = await untilSettled(plane, [...wanted.keys()]);
      const reported = problems.map(({ object, field, message }) => `${formatRef(object)}: ${field}: ${message}`);
      return [...unopened.map(({ message }) => message), ...reported, ...refused];
    },
    close: async (drainMs) => {
      await Promise.all([...envoys.keys()].map((key) => stop(envoys, key, drainMs)));
      await plane.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startPlane(socketPath: string, options: EnvoyDataplaneOptions): Promise<ControlPlane> {
  const { bind, matchRegex, systemAuthorities, onLine } = options;
  return startControlPlane({
    address: { socketPath },
    tls: undefined,
    compile: {
      bind,
      matchRegex,
      systemAuthorities,
      slackMs: SLACK_MS,
      sharesPorts: false,
      trustedHops: options.trustedHops ?? 0,
      accessLog: options.onAccess === undefined ? "None" : "Stdout",
      ...(options.scopesFrom === undefined ? {} : { scopesFrom: options.scopesFrom }),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    },
    onEvent: (event) => {
      if (event.type === "Refused") onLine(`Envoy refuses ${event.refusal.name}: ${event.refusal.reason}`);
    },
  });
}

async function stop(envoys: Map<string, EnvoyProcess>, key: string, drainMs: number): Promise<void> {
  const envoy = envoys.get(key);
  envoys.delete(key);
  await envoy?.close(drainMs);
}

function startEnvoy(
  gateway: ObjectRef,
  socketPath: string,
  { envoyPath, onLine, onAccess, concurrency, adminPort, heapMib }: EnvoyDataplaneOptions,
): Promise<EnvoyProcess> {
  const key = gatewayKey(gateway);
  return startEnvoyProcess({
    path: envoyPath,
    bootstrap: compileBootstrap({
      nodeId: key,
      gateway: key,
      server: { socketPath },
      tls: undefined,
      adminPort: adminPort?.(gateway),
      heapMib,
    }),
    onLine,
    onAccess: onAccess === undefined ? undefined : (access) => onAccess(gateway, access),
    onExit: (reason) => onLine(`${formatRef(gateway)}: ${reason}; it is started again`),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
}

function unsettled({ nodes }: ControlPlane, gateways: readonly string[]): readonly string[] {
  const settled = new Set(nodes().flatMap(({ gateway, isSettled }) => (isSettled ? gateway : [])));
  return gateways.filter((key) => !settled.has(key));
}

/** The rejected resources, and the Envoys that have not responded. */
async function untilSettled(plane: ControlPlane, gateways: readonly string[]): Promise<readonly string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const open = unsettled(plane, gateways);
    if (open.length === 0 || performance.now() > deadline) {
      const refused = plane
        .nodes()
        .flatMap(({ gateway, refusals }) =>
          refusals.map(({ name, reason }) => `Gateway ${gateway}: Envoy refuses ${name}: ${reason}`),
        );
      return [...refused, ...open.map((key) => `Gateway ${key}: its Envoy has not taken the configuration yet`)];
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
