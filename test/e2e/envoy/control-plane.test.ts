/** The control plane with real Envoys: edits under traffic, restarts of either side, and what an Envoy refuses. */
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig, Endpoint } from "../../../src/core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../../src/xds/compile/compile-bootstrap.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from "../../../src/xds/serve/control-plane.ts";
import type { XdsEvent } from "../../../src/xds/serve/xds-event.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { Cleanup } from "../../support/gateway/gateway-harness.ts";
import { NODE_7, nodeFiles, XDS_SERVER_TLS } from "../../support/gateway/node-certificates.ts";
import { startTraffic } from "./constant-traffic.ts";
import { createEditedGateway, createRandom, STEADY_HOSTS } from "./edited-gateway.ts";

const envoyPath = findEnvoy();
/** More of everything, for who has the time: PREVAIL_EDITS=10000. */
const EDITS = Number(process.env["PREVAIL_EDITS"] ?? 300);
const RESTARTS = Math.max(3, Math.floor(EDITS / 200));
const CONNECTIONS = 32;

const planeOptions = (port: number, onEvent: (event: XdsEvent) => void = () => {}): ControlPlaneOptions => ({
  address: { host: "127.0.0.1", port },
  tls: undefined,
  onEvent,
  compile: {
    bind: (_, listening) => ({ host: "127.0.0.1", port: listening }),
    slackMs: 1,
    systemAuthorities: "/none",
    matchRegex: createRegex(),
    // So few that hosts travel now in this way and now in that.
    scopesFrom: 10,
  },
});

const startPlane = (port: number, onEvent?: (event: XdsEvent) => void): Promise<ControlPlane> =>
  startControlPlane(planeOptions(port, onEvent));

const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) expect.fail(`not so after 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const isSettled = (plane: ControlPlane): boolean => {
  const nodes = plane.nodes();
  return nodes.length > 0 && nodes.every((node) => node.isSettled);
};

describe.skipIf(envoyPath === undefined)("real Envoys", () => {
  let servers: readonly Server[] = [];
  let alive: readonly Endpoint[] = [];

  beforeAll(async () => {
    servers = [0, 1, 2].map(() => createServer((_, response) => response.end("here you are")));
    await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))));
    alive = servers.map((server) => {
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
      // Longer than Envoy keeps idle connections.
      server.keepAliveTimeout = 60_000;
      return { address: "127.0.0.1", port: address.port };
    });
  });

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const bootstrap = (adminPort: number, xdsPort: number): unknown =>
    bootstrapJson(
      compileBootstrap({
        nodeId: "envoy-1",
        gateway: "bakery/door",
        server: { host: "127.0.0.1", port: xdsPort },
        tls: undefined,
        adminPort,
      }),
    );

  const boot = async (plane: ControlPlane, adminPort: number): Promise<RunningEnvoy> => {
    const envoy = await startEnvoy(envoyPath ?? "", bootstrap(adminPort, plane.port), adminPort);
    await until("Envoy has its configuration", () => isSettled(plane));
    return envoy;
  };

  test(
    `${EDITS} edits and ${RESTARTS} restarts of the control plane under traffic: no request fails`,
    async () => {
      const [port = 0, adminPort = 0, xdsPort = 0] = await findFreePorts(3);
      const refusals: XdsEvent[] = [];
      const note = (event: XdsEvent): void => void (event.type === "Refused" && refusals.push(event));
      const gateway = createEditedGateway(port, alive, createRandom(7));
      let plane = await startPlane(xdsPort, note);
      plane.replace(gateway.config(), NO_KEYS);
      const envoy = await boot(plane, adminPort);
      const traffic = startTraffic(port, STEADY_HOSTS, CONNECTIONS);
      try {
        for (let count = 1; count <= EDITS; count++) {
          gateway.edit();
          if (count % Math.floor(EDITS / RESTARTS) === 0) {
            await plane.close();
            plane = await startPlane(xdsPort, note);
          }
          plane.replace(gateway.config(), NO_KEYS);
          // Some edits come while the one before is still on its way.
          if (count % 3 === 0) await until("the edit has arrived", () => isSettled(plane));
        }
        await until("Envoy has what was edited last", () => isSettled(plane));
        await traffic.stop();
        expect(traffic.failures()).toEqual([]);
        expect(refusals).toEqual([]);
        expect(traffic.responses()).toBeGreaterThan(EDITS);
      } finally {
        await traffic.stop();
        await envoy.close();
        await plane.close();
      }
    },
    60_000 + EDITS * 300,
  );

  test("Envoy goes on serving while there is no control plane, and starts again from nothing", async () => {
    const [port = 0, adminPort = 0, xdsPort = 0] = await findFreePorts(3);
    const gateway = createEditedGateway(port, alive, createRandom(1));
    let plane = await startPlane(xdsPort);
    plane.replace(gateway.config(), NO_KEYS);
    let envoy = await boot(plane, adminPort);
    const ask = async (): Promise<number> => {
      const traffic = startTraffic(port, STEADY_HOSTS, 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await traffic.stop();
      return traffic.failures().length;
    };
    try {
      await plane.close();
      expect(await ask()).toBe(0);
      await envoy.close();
      plane = await startPlane(xdsPort);
      plane.replace(gateway.config(), NO_KEYS);
      envoy = await boot(plane, adminPort);
      expect(await ask()).toBe(0);
    } finally {
      await envoy.close();
      await plane.close();
    }
  });

  test("an Envoy that connects while a control plane still reads its files keeps what it has", async () => {
    const [port = 0, adminPort = 0, xdsPort = 0] = await findFreePorts(3);
    const gateway = createEditedGateway(port, alive, createRandom(5));
    let plane = await startPlane(xdsPort);
    plane.replace(gateway.config(), NO_KEYS);
    const envoy = await boot(plane, adminPort);
    const traffic = startTraffic(port, STEADY_HOSTS, 2);
    try {
      await plane.close();
      plane = await startPlane(xdsPort);
      const connected = /^cluster\.prevail-xds\.upstream_cx_total: ([2-9])/m;
      await until("Envoy has connected again", async () =>
        connected.test(await envoy.admin("/stats?filter=prevail-xds")),
      );
      await new Promise((resolve) => setTimeout(resolve, 1000));
      plane.replace(gateway.config(), NO_KEYS);
      await until("Envoy has its configuration", () => isSettled(plane));
      await traffic.stop();
      expect(traffic.failures()).toEqual([]);
    } finally {
      await traffic.stop();
      await envoy.close();
      await plane.close();
    }
  });

  test("an Envoy that wants the state of the world gets the same", async () => {
    const [port = 0, adminPort = 0] = await findFreePorts(2);
    const plane = await startPlane(0);
    const gateway = createEditedGateway(port, alive, createRandom(3));
    plane.replace(gateway.config(), NO_KEYS);
    const sotw: unknown = JSON.parse(JSON.stringify(bootstrap(adminPort, plane.port)).replace("DELTA_GRPC", "GRPC"));
    const envoy = await startEnvoy(envoyPath ?? "", sotw, adminPort);
    const traffic = startTraffic(port, STEADY_HOSTS, 4);
    try {
      await until("Envoy has its configuration", () => isSettled(plane));
      for (let count = 0; count < 30; count++) {
        gateway.edit();
        plane.replace(gateway.config(), NO_KEYS);
        await until("the edit has arrived", () => isSettled(plane));
      }
      expect(plane.nodes()).toMatchObject([{ protocol: "StateOfTheWorld", refusals: [] }]);
      await traffic.stop();
      expect(traffic.failures()).toEqual([]);
    } finally {
      await traffic.stop();
      await envoy.close();
      await plane.close();
    }
  });

  describe("certificates", () => {
    const cleanup = new Cleanup();
    afterEach(() => cleanup.run());

    test.each([
      ["a node that its certificate names is served", "node-7", "tenant-a/gw-a", undefined],
      ["a node with the certificate of another node is refused", "node-8", "tenant-a/gw-a", "not for node node-8"],
      ["a node for another Gateway is refused", "node-7", "tenant-b/gw-b", "not for Gateway tenant-b/gw-b"],
    ])("%s", async (_, nodeId, gateway, refusal) => {
      const [port = 0, adminPort = 0] = await findFreePorts(2);
      const events: XdsEvent[] = [];
      const options = planeOptions(0, (event) => void events.push(event));
      const plane = await startControlPlane({ ...options, tls: XDS_SERVER_TLS });
      cleanup.add(() => plane.close());
      const { gateways, ...config } = createEditedGateway(port, alive, createRandom(4)).config();
      const [namespace = "", name = ""] = gateway.split("/");
      const renamed = gateways.map((one) => ({ ...one, gateway: { ...one.gateway, namespace, name } }));
      plane.replace({ ...config, gateways: renamed }, NO_KEYS);
      const server = { host: "127.0.0.1", port: plane.port };
      const tls = nodeFiles(cleanup, NODE_7);
      const bootstrap = bootstrapJson(compileBootstrap({ nodeId, gateway, server, tls, adminPort }));
      const envoy = await startEnvoy(envoyPath ?? "", bootstrap, adminPort, { isReady: false });
      cleanup.add(() => envoy.close());
      if (refusal === undefined) return until("Envoy has its configuration", () => isSettled(plane));
      const reasons = (): readonly string[] => events.flatMap((one) => (one.type === "Rejected" ? one.reason : []));
      await until("the node was refused", () => reasons().length > 0);
      expect(reasons()[0]).toContain(refusal);
      expect(plane.nodes()).toEqual([]);
      expect(events.filter(({ type }) => type === "Connected" || type === "Sent")).toEqual([]);
    });

    test("without them only the loopback is served", async () => {
      await expect(startControlPlane({ ...planeOptions(0), address: { host: "0.0.0.0", port: 0 } })).rejects.toThrow(
        "not the loopback",
      );
    });
  });

  test("what Envoy refuses is reported by name, and everything else is served", async () => {
    const [port = 0, adminPort = 0, taken = 0] = await findFreePorts(3);
    const occupant = createServer().listen(taken, "127.0.0.1");
    const events: XdsEvent[] = [];
    const plane = await startPlane(0, (event) => void events.push(event));
    const config = createEditedGateway(port, alive, createRandom(2)).config();
    const withTaken: DataplaneConfig = {
      ...config,
      gateways: config.gateways.map((one) => ({
        ...one,
        ports: [...one.ports, ...one.ports.map((other) => ({ ...other, port: taken }))],
      })),
    };
    plane.replace(withTaken, NO_KEYS);
    const envoy = await startEnvoy(envoyPath ?? "", bootstrap(adminPort, plane.port), adminPort);
    try {
      await until("the refusal is reported", () => events.some(({ type }) => type === "Refused"));
      const [node] = plane.nodes();
      expect(node?.refusals).toMatchObject([{ type: "Listener", name: `bakery/door:${taken}` }]);
      const traffic = startTraffic(port, STEADY_HOSTS, 4);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await traffic.stop();
      expect(traffic.failures()).toEqual([]);
    } finally {
      occupant.close();
      await envoy.close();
      await plane.close();
    }
  });
});
