/**
 * Endpoints as the endpointslice controller of Kubernetes writes them, for Pods whose status the test writes, and which of them a real Envoy uses
 * Kubernetes, "EndpointConditions"
 */
import { createServer, get, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddressPool } from "../../src/core/gateway-status/assign-addresses.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, route } from "../support/cluster/gateway-objects.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { ownAddress, ownAddress6 } from "../support/kubernetes/own-address.ts";
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
const [PORT = 0, xdsPort = 0, adminPort = 0] = await findFreePorts(3);
const POOL = "127.91.9.0/28";
const ADDRESS = "127.91.9.1";
const canRun = parts !== undefined && envoyPath !== undefined && ownAddress !== undefined;

const node: JsonObject = { apiVersion: "v1", kind: "Node", metadata: { name: "node" } };
const service = (name: string, selector: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { selector, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
});
/** Pods give the port of that name different numbers, so each has an EndpointSlice of its own. */
const pod = (name: string, port: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { app: "tea", pod: name } },
  spec: {
    nodeName: "node",
    terminationGracePeriodSeconds: 600,
    containers: [{ name: "tea", image: "tea", ports: [{ name: "http", containerPort: port }] }],
  },
});
const to = (name: string): JsonObject =>
  route(name, "Gateway/door", { hostnames: [`${name}.example`], rules: [{ backends: [name] }] });

/** The Pod that responds, and the family of the address at which it was reached; the status if it is an error. */
const ask = (host: string): Promise<string> =>
  new Promise((resolve) => {
    const asked = get({ host: ADDRESS, port: PORT, headers: { host }, agent: false, timeout: 5000 }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      response.on("end", () => resolve(response.statusCode === 200 ? text : String(response.statusCode)));
    });
    asked.on("timeout", () => asked.destroy(new Error("timeout")));
    asked.on("error", (error) => resolve(error.message));
  });

describe.skipIf(!canRun)("endpoints of a real API server", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ReportReplica;
  let envoy: RunningEnvoy;
  const backends = new Map<string, Server>();
  const families = ownAddress6 === undefined ? [4] : [4, 6];
  const both = (...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => families.map((family) => `${name} IPv${family}`));

  const startPod = async (name: string, { isReady }: { readonly isReady: boolean }): Promise<void> => {
    const backend = createServer((asked, response) => {
      const isV4 = asked.socket.localAddress?.startsWith("::ffff:") !== false || asked.socket.localFamily === "IPv4";
      response.end(`${name} ${isV4 ? "IPv4" : "IPv6"}`);
    });
    await new Promise<void>((done) => backend.listen(0, ownAddress6 === undefined ? "0.0.0.0" : "::", done));
    backends.set(name, backend);
    const bound = backend.address();
    await applyAll(plane, [pod(name, typeof bound === "object" ? (bound?.port ?? 0) : 0)]);
    await setReady(name, { isReady });
  };
  const setReady = async (name: string, { isReady }: { readonly isReady: boolean }): Promise<void> => {
    const ips = [ownAddress, ownAddress6].flatMap((ip) => (ip === undefined ? [] : [{ ip }]));
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
    const status = { phase: "Running", podIP: ownAddress, podIPs: ips, conditions };
    const patch = JSON.stringify({ status });
    await plane.kubectl(["patch", "pod", name, "-n", "default", "--subresource=status", "--type=merge", "-p", patch]);
  };
  /** Resolves when the requests to a host are served by these, and by no others. */
  const servedBy = async (host: string, expected: readonly string[]): Promise<void> => {
    let seen: readonly string[] = [];
    await until(
      async () => {
        seen = [...new Set(await Promise.all(Array.from({ length: 40 }, () => ask(host))))].sort();
        return seen.join() === [...expected].sort().join();
      },
      () =>
        `${host} is served by ${seen.join(", ")} and not by ${expected.join(", ")}: ${replica.notes.slice(-5).join("\n")}`,
      100,
    );
  };

  beforeAll(async () => {
    if (parts === undefined || envoyPath === undefined) return;
    plane = await startControlPlane(parts, {
      users: { [CONTROLLER_USER]: ["system:masters"] },
      frontProxy: true,
      flags: ["--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112"],
      controllers: ["endpointslice-controller"],
    });
    const tea = { app: "tea" };
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      node,
      gatewayClass("class", "prevail.dev/gateway"),
      gateway("door", { listeners: [listener("http", { port: PORT })] }),
      service("tea", tea, { ipFamilyPolicy: "PreferDualStack" }),
      service("four", tea, { ipFamilies: ["IPv4"] }),
      service("six", tea, { ipFamilies: ["IPv6"] }),
      service("early", { pod: "b" }, { publishNotReadyAddresses: true }),
      ...["tea", "four", "six", "early"].map(to),
    ]);
    const server = { host: "127.0.0.1", port: xdsPort };
    const addresses = parseAddressPool(POOL);
    replica = await startReportReplica(
      plane,
      {},
      { gateways: { dataplane: "Envoy", xds: server, tls: undefined, addresses } },
    );
    const bootstrap = compileBootstrap({ nodeId: "envoy", gateway: "*/*", server, tls: undefined, adminPort });
    envoy = await startEnvoy(envoyPath, bootstrapJson(bootstrap), adminPort);
  }, CLUSTER_START);
  afterAll(async () => {
    await replica?.close();
    await envoy?.close();
    await plane?.close();
    for (const backend of backends.values()) {
      backend.closeAllConnections();
      backend.close();
    }
  });

  test("dual stack, several slices of one Service, and a Service of one family", async () => {
    await startPod("a", { isReady: true });
    await startPod("b", { isReady: true });
    await servedBy("tea.example", both("a", "b"));
    const args = ["get", "endpointslices", "-n", "default", "-l", "kubernetes.io/service-name=tea", "-o", "name"];
    expect((await plane.kubectl(args)).trim().split("\n").length).toBeGreaterThanOrEqual(both("a", "b").length);
    await servedBy("four.example", ["a IPv4", "b IPv4"]);
    if (ownAddress6 !== undefined) await servedBy("six.example", ["a IPv6", "b IPv6"]);
  });

  test("a Pod that is not ready gets no requests, unless its Service publishes addresses that are not ready", async () => {
    await setReady("b", { isReady: false });
    await servedBy("tea.example", both("a"));
    await servedBy("early.example", ["b IPv4"]);
  });

  test("a Pod that terminates and still serves gets requests while none is ready, and none after that", async () => {
    // The last ready Pod is deleted: nothing else can serve.
    await plane.kubectl(["delete", "pod", "a", "-n", "default", "--wait=false"]);
    const path = "jsonpath={.items[*].endpoints[*].conditions.terminating}";
    const slices = ["get", "endpointslices", "-n", "default", "-l", "kubernetes.io/service-name=four", "-o", path];
    await until(async () => (await plane.kubectl(slices)).includes("true"));
    await servedBy("tea.example", both("a"));
    await startPod("c", { isReady: true });
    await servedBy("tea.example", both("c"));
  });

  test("a Pod that terminates and does not serve any more gets none: requests fail at once while nothing serves", async () => {
    await setReady("c", { isReady: false });
    await servedBy("tea.example", both("a"));
    await setReady("a", { isReady: false });
    await servedBy("tea.example", ["503"]);
    await setReady("b", { isReady: true });
    await servedBy("tea.example", both("b"));
  });
});
