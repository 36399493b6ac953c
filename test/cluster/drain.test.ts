/**
 * Requests that are under way when a listener or a Gateway is removed, through a real Envoy
 * Gateway API, "Listener"
 */
import { Agent, createServer, get, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddressPool } from "../../src/core/gateway-status/assign-addresses.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { ownAddress } from "../support/kubernetes/own-address.ts";
import {
  CONTROLLER_USER,
  REPORT_NAMESPACE,
  type ReportReplica,
  startReportReplica,
} from "../support/kubernetes/report-replica.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { applyAll, namespaceObject } from "./status-objects.ts";

const parts = await findKubernetes();
const envoyPath = findEnvoy();
const [KEPT = 0, REMOVED = 0, xdsPort = 0, adminPort = 0] = await findFreePorts(4);
const POOL = "127.91.10.0/28";
const ADDRESS = "127.91.10.1";
interface Answer {
  /** The status, or the code of the error. */
  readonly result: number | string;
  /** `close`: the connection cannot be used again. */
  readonly connection: string | undefined;
}

/** The backend responds to `/held` only when the test releases it. */
const ask = (port: number, path: "/" | "/held" = "/", agent: Agent | false = false): Promise<Answer> =>
  new Promise((resolve) => {
    const asked = get({ host: ADDRESS, port, path, agent, timeout: 120_000 }, (response) => {
      const connection = response.headers.connection;
      response.resume();
      response.on("end", () => resolve({ result: response.statusCode ?? 0, connection }));
      response.on("error", (error) => resolve({ result: error.message, connection }));
    });
    asked.on("timeout", () => asked.destroy(new Error("timeout")));
    asked.on("error", (error) =>
      resolve({ result: "code" in error ? String(error.code) : error.message, connection: undefined }),
    );
  });

describe.skipIf(parts === undefined || envoyPath === undefined || ownAddress === undefined)(
  "requests that are under way",
  CLUSTER_TEST,
  () => {
    let plane: ControlPlane;
    let replica: ReportReplica;
    let envoy: RunningEnvoy;
    const held: ServerResponse[] = [];
    const backend = createServer((asked, response) => {
      if (asked.url === "/held") held.push(response);
      else response.end("hot");
    });
    const door = (...ports: readonly number[]): JsonObject =>
      gateway("door", { listeners: ports.map((port) => listener(`port-${port}`, { port })) });

    beforeAll(async () => {
      if (parts === undefined || envoyPath === undefined || ownAddress === undefined) return;
      await new Promise<void>((done) => backend.listen(0, ownAddress, done));
      const bound = backend.address();
      const port = typeof bound === "object" ? (bound?.port ?? 0) : 0;
      plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: ["system:masters"] } });
      await applyAll(plane, [
        namespaceObject(REPORT_NAMESPACE),
        gatewayClass("class", "prevail.dev/gateway"),
        door(KEPT, REMOVED),
        routeTo("tea", "Gateway/door", "tea"),
        service("tea"),
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { name: "tea", namespace: "default", labels: { "kubernetes.io/service-name": "tea" } },
          addressType: "IPv4",
          ports: [{ name: "http", port }],
          endpoints: [{ addresses: [ownAddress] }],
        },
      ]);
      const server = { host: "127.0.0.1", port: xdsPort };
      const addresses = parseAddressPool(POOL);
      const gateways = { dataplane: "Envoy", xds: server, tls: undefined, addresses } as const;
      replica = await startReportReplica(plane, {}, { gateways });
      const bootstrap = compileBootstrap({ nodeId: "envoy", gateway: "*/*", server, tls: undefined, adminPort });
      // As the controller runs Envoys.
      const args = ["--drain-strategy", "immediate"];
      envoy = await startEnvoy(envoyPath, bootstrapJson(bootstrap), adminPort, { args });
      for (const open of [KEPT, REMOVED]) await until(async () => (await ask(open)).result === 200);
    }, CLUSTER_START);
    afterAll(async () => {
      await replica?.close();
      await envoy?.close();
      await plane?.close();
      backend.closeAllConnections();
      backend.close();
    });

    /** Removes something while a request is under way, and resolves with the answer to that request. */
    const whileUnderWay = async (port: number, remove: () => Promise<unknown>): Promise<Answer> => {
      const underWay = ask(port, "/held", new Agent({ keepAlive: true }));
      await until(() => held.length === 1);
      await remove();
      // New connections are refused before it has ended.
      await until(async () => (await ask(port)).result === "ECONNREFUSED");
      held.pop()?.end("hot");
      return underWay;
    };

    test("a listener is removed: they end well and close their connection; another listener is not affected", async () => {
      const answer = await whileUnderWay(REMOVED, () => applyAll(plane, [door(KEPT)]));
      expect(answer).toEqual({ result: 200, connection: "close" });
      expect(await ask(KEPT, "/", new Agent({ keepAlive: true }))).toEqual({ result: 200, connection: undefined });
    });

    test("the Gateway is removed: they end well, and nothing listens any more", async () => {
      const remove = (): Promise<string> => plane.kubectl(["delete", "gateway", "door", "-n", "default"]);
      expect(await whileUnderWay(KEPT, remove)).toEqual({ result: 200, connection: "close" });
    });
  },
);
