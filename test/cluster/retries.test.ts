/**
 * Retries from kubectl to Envoy: the stanza of a route and RetryPolicies on every level, as docs/guide/retries.md shows them
 * GEP-1731, "API"; GEP-713, "Hierarchical" policies
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddressPool } from "../../src/core/gateway-status/assign-addresses.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, reference, route, service } from "../support/cluster/gateway-objects.ts";
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
const [PORT = 0, CLOSED_PORT = 0, xdsPort = 0, adminPort = 0, metricsPort = 0] = await findFreePorts(5);
const POOL = "127.91.8.0/26";

const page = readFileSync(new URL("../../docs/guide/retries.md", import.meta.url), "utf8");
const shownObjects = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) =>
  text.replaceAll("8080", String(PORT)),
);
/** The cells of the rows of a table of the page. */
const rowsOf = (first: string): readonly (readonly string[])[] =>
  [...page.matchAll(new RegExp(`^\\| (${first}) \\|.*$`, "gm"))].map(([row]) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** An attempt that reached the backend: when it did, and when the response began. */
interface Attempt {
  readonly arrivedMs: number;
  doneMs: number;
}

/** The attempts of each request, by the id that the client sends. */
const attempts = new Map<string, Attempt[]>();

/** Does what the request says for this attempt: `503,reset,stall,200`. The last one is for all that follow. */
function serve(asked: IncomingMessage, response: ServerResponse): void {
  const id = String(asked.headers["x-case"]);
  const plan = String(asked.headers["x-plan"] ?? "200").split(",");
  const seen = attempts.get(id) ?? [];
  const attempt = { arrivedMs: performance.now(), doneMs: Number.NaN };
  attempts.set(id, [...seen, attempt]);
  const deed = plan[Math.min(seen.length, plan.length - 1)] ?? "200";
  if (deed === "stall") return;
  if (deed === "reset") return void asked.socket.resetAndDestroy();
  attempt.doneMs = performance.now();
  response.writeHead(Number(deed)).end();
}

let sent = 0;

/** The status, and the attempts that the backend saw. */
async function send(
  address: string,
  host: string,
  plan: string,
  method = "GET",
): Promise<{ readonly status: number; readonly attempts: readonly Attempt[] }> {
  const id = `case-${++sent}`;
  const status = await new Promise<number>((resolve, reject) => {
    const headers = { host, "x-case": id, "x-plan": plan };
    const one = request(
      { host: address, port: PORT, path: "/", method, headers, agent: false, timeout: 60_000 },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    one.on("timeout", () => one.destroy(new Error("timeout")));
    one.on("error", reject);
    one.end();
  });
  return { status, attempts: attempts.get(id) ?? [] };
}

const slice = (name: string, of: string, namespace: string, port: number): JsonObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, namespace, labels: { "kubernetes.io/service-name": of } },
  addressType: "IPv4",
  ports: [{ name: "http", port }],
  endpoints: [{ addresses: [ownAddress ?? ""], conditions: { ready: true } }],
});

type Block = "defaults" | "overrides";

const policy = (name: string, namespace: string, target: string, block: Block, times: number): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: target.startsWith("GatewayClass") ? "ClusterRetryPolicy" : "RetryPolicy",
  metadata: { name, ...(target.startsWith("GatewayClass") ? {} : { namespace }) },
  spec: { targetRefs: [reference(target)], [block]: { retry: { codes: [503], attempts: times } } },
});

/** The levels, by their words in the page, and what a policy targets there. */
const LEVELS: Readonly<Record<string, (name: string, block: Block) => string>> = {
  GatewayClass: (name) => `GatewayClass/${name}`,
  Namespace: (name) => `Namespace/${name}`,
  Gateway: () => "Gateway/door",
  listener: () => "Gateway/door#http",
  HTTPRoute: () => "HTTPRoute/all",
  rule: () => "HTTPRoute/all#only",
  Service: (_, block) => (block === "defaults" ? "Service/plain" : "Service/own"),
};

const caseName = (level: string, block: Block): string => `${level.toLowerCase()}-${block}`;

/** One namespace with a Gateway, and two hosts: the Service of one has no policy, that of the other has `attempts: 3`. */
function caseObjects(level: string, block: Block, backendPort: number): readonly JsonObject[] {
  const name = caseName(level, block);
  const inside = { namespace: name };
  const hostRoute = (routeName: string, host: string, backend: string): JsonObject =>
    route(routeName, "Gateway/door", { ...inside, hostnames: [host], rules: [{ name: "only", backends: [backend] }] });
  const isOfRoute = level === "HTTPRoute" || level === "rule";
  const target = LEVELS[level]?.(name, block) ?? "";
  return [
    namespaceObject(name),
    gatewayClass(name, "prevail.dev/gateway"),
    gateway("door", { ...inside, class: name, listeners: [listener("http", { port: PORT })] }),
    ...["plain", "own"].flatMap((backend) => [service(backend, inside), slice(backend, backend, name, backendPort)]),
    hostRoute("all", "plain.example", "plain"),
    hostRoute("own", "own.example", "own"),
    policy(name, name, target, block, 1),
    // On the level of routes each route has its own policy.
    ...(isOfRoute ? [policy(`${name}-own`, name, target.replace("/all", "/own"), block, 1)] : []),
    // What the overrides of a Service are compared with is less specific.
    policy(
      "service",
      name,
      level === "Service" && block === "overrides" ? "HTTPRoute/own#only" : "Service/own",
      "defaults",
      3,
    ),
  ];
}

describe.skipIf(parts === undefined || envoyPath === undefined)("retries in a cluster", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ReportReplica;
  let envoy: RunningEnvoy;
  const backend = createServer(serve);

  const addressOf = async (namespace: string): Promise<string> => {
    let found = "";
    await until(async () => {
      const args = ["get", "gateway", "door", "-n", namespace, "-o", "jsonpath={.status.addresses[0].value}"];
      found = await plane.kubectl(args);
      return found !== "";
    });
    return found;
  };
  /** Resolves when the host is served. */
  const served = async (namespace: string, host: string): Promise<string> => {
    const address = await addressOf(namespace);
    let last = 0;
    await until(
      async () => {
        last = (await send(address, host, "200")).status;
        return last === 200;
      },
      () => `${namespace} ${host} at ${address}: ${last}\n${replica.notes.slice(-20).join("\n")}`,
      100,
    );
    return address;
  };

  beforeAll(async () => {
    if (parts === undefined || envoyPath === undefined || ownAddress === undefined) return;
    await new Promise<void>((done) => backend.listen(0, ownAddress, done));
    const bound = backend.address();
    const backendPort = typeof bound === "object" ? (bound?.port ?? 0) : 0;
    plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: ["system:masters"] } });
    const cases = Object.keys(LEVELS).flatMap((level) =>
      (["defaults", "overrides"] as const).flatMap((block) => caseObjects(level, block, backendPort)),
    );
    const half = route("half", "Gateway/door", {
      hostnames: ["half.example"],
      rules: [{ backends: ["half"], fields: { retry: { attempts: 1 } } }],
    });
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      ...shownObjects,
      slice("baker", "baker", "default", backendPort),
      service("half"),
      slice("half", "half", "default", backendPort),
      slice("dead", "half", "default", CLOSED_PORT),
      half,
      ...cases,
    ]);
    const server = { host: "127.0.0.1", port: xdsPort };
    const addresses = parseAddressPool(POOL);
    replica = await startReportReplica(
      plane,
      {},
      { gateways: { dataplane: "Envoy", xds: server, tls: undefined, addresses }, adminPort: metricsPort },
    );
    const bootstrap = compileBootstrap({ nodeId: "envoy", gateway: "*/*", server, tls: undefined, adminPort });
    envoy = await startEnvoy(envoyPath, bootstrapJson(bootstrap), adminPort);
  }, CLUSTER_START);
  afterAll(async () => {
    await replica?.close();
    await envoy?.close();
    await plane?.close();
    backend.closeAllConnections();
    backend.close();
  });

  const hasAddress = ownAddress !== undefined;

  test.skipIf(!hasAddress).each(rowsOf("Support\\w+").map((row) => [row.slice(0, 3).join(", "), row] as const))(
    "%s",
    async (_, [, host = "", plan = "", status = "", count = ""]) => {
      const address = await served("default", host);
      const got = await send(address, host, plan.replaceAll(" ", ""));
      expect({ status: got.status, attempts: got.attempts.length }).toEqual({
        status: Number(status),
        attempts: Number(count),
      });
    },
  );

  test.skipIf(!hasAddress)("backoff is a minimum, and waits grow", async () => {
    const address = await served("default", "backoff.example");
    const got = await send(address, "backoff.example", "503,503,200");
    const gaps = got.attempts.slice(1).map(({ arrivedMs }, at) => arrivedMs - (got.attempts[at]?.doneMs ?? 0));
    expect(gaps).toHaveLength(2);
    expect(gaps[0]).toBeGreaterThanOrEqual(200);
    expect(gaps[1]).toBeGreaterThanOrEqual(400);
  });

  test.skipIf(!hasAddress).each([
    ["GET", "reset,200", 200, 2],
    ["POST", "reset,200", 503, 1],
    ["DELETE", "reset,200", 200, 2],
    ["POST", "503,200", 200, 2],
  ] as const)(
    "afterSend: %s %s: a request that may have been processed is sent again if its method is idempotent; a response that is listed always is",
    async (method, plan, status, count) => {
      const address = await served("default", "codes.example");
      const got = await send(address, "codes.example", plan, method);
      expect({ status: got.status, attempts: got.attempts.length }).toEqual({ status, attempts: count });
    },
  );

  test.skipIf(!hasAddress)("the controller knows what retries are worth: the Envoy sends its counters", async () => {
    const address = await served("default", "codes.example");
    expect((await send(address, "codes.example", "503,200")).status).toBe(200);
    const series = 'route="default/codes",rule="rule-1",backend="default/baker:80",retry="succeeded"';
    let text = "";
    await until(
      async () => {
        text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        return new RegExp(`^prevail_forwarded_requests_total\\{.*${series}\\} [1-9]`, "m").test(text);
      },
      () =>
        text
          .split("\n")
          .filter((line) => line.startsWith("prevail_forwarded"))
          .join("\n"),
      300,
    );
  });

  test.skipIf(!hasAddress)(
    "refused connections: one of two endpoints does not listen, and every request is served",
    async () => {
      const address = await served("default", "codes.example");
      const admin = async (page: string): Promise<string> =>
        (await fetch(`http://127.0.0.1:${adminPort}${page}`)).text();
      await until(async () => (await admin("/clusters")).includes(`${ownAddress}:${CLOSED_PORT}`));
      // Envoy avoids an endpoint that refused connections, so the first requests count.
      let status = 404;
      await until(async () => {
        ({ status } = await send(address, "half.example", "200"));
        return status !== 404;
      });
      const statuses = new Set([status]);
      for (let at = 0; at < 20; at++) statuses.add((await send(address, "half.example", "200")).status);
      expect(statuses).toEqual(new Set([200]));
      const refused = /default\/half.*upstream_cx_connect_fail: ([1-9]\d*)/;
      expect(await admin("/stats?filter=upstream_cx_connect_fail")).toMatch(refused);
    },
  );

  test.skipIf(!hasAddress).each(rowsOf(Object.keys(LEVELS).join("|")).map((row) => [row[0] ?? "", row] as const))(
    "a RetryPolicy on the level %s: defaults and overrides",
    async (level, [, ...cells]) => {
      const asked = [
        ["defaults", "plain.example"],
        ["defaults", "own.example"],
        ["overrides", "own.example"],
      ] as const;
      const seen: string[] = [];
      for (const [block, host] of asked) {
        const address = await served(caseName(level, block), host);
        seen.push(`${(await send(address, host, "503")).attempts.length} attempts`);
      }
      expect(seen).toEqual(cells);
    },
  );
});
