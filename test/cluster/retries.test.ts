/**
 * Retries from kubectl to Envoy: the stanza of a route and RetryPolicies on every level, as docs/guide/retries.md shows them
 * GEP-1731, "API"; GEP-713, "Hierarchical" policies
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddressPool } from "../../src/core/gateway-status/assign-addresses.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { gateway, gatewayClass, listener, reference, route, service } from "../support/cluster/gateway-objects.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { type ControlPlane, kubeconfigText, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { ownAddress } from "../support/kubernetes/own-address.ts";
import { CONTROLLER_USER, type ReportReplica, startReportReplica } from "../support/kubernetes/report-replica.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { installViewApi, untilServed } from "../support/kubernetes/view-replica.ts";
import { applyAll, namespaceObject } from "./status-objects.ts";

const parts = await findKubernetes();
const envoyPath = findEnvoy();
const [PORT = 0, CLOSED_PORT = 0, xdsPort = 0, adminPort = 0, metricsPort = 0, viewPort = 0] = await findFreePorts(6);
const POOL = "127.91.8.0/26";

/** May read everything but the view API. */
const READER = "reader";
const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
const readerRights: readonly JsonObject[] = [
  {
    ...rbac,
    kind: "ClusterRole",
    metadata: { name: READER },
    rules: [
      "",
      "gateway.networking.k8s.io",
      "gateway.networking.x-k8s.io",
      "prevail.dev",
      "apiextensions.k8s.io",
      "discovery.k8s.io",
    ].map((group) => ({
      apiGroups: [group],
      resources: ["*"],
      verbs: ["get", "list"],
    })),
  },
  {
    ...rbac,
    kind: "ClusterRoleBinding",
    metadata: { name: READER },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: READER },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: READER }],
  },
];

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
    plane = await startControlPlane(parts, {
      frontProxy: true,
      users: { [CONTROLLER_USER]: ["system:masters"], [READER]: [] },
    });
    const cases = Object.keys(LEVELS).flatMap((level) =>
      (["defaults", "overrides"] as const).flatMap((block) => caseObjects(level, block, backendPort)),
    );
    const half = route("half", "Gateway/door", {
      hostnames: ["half.example"],
      rules: [{ backends: ["half"], fields: { retry: { attempts: 1 } } }],
    });
    await installViewApi(plane, viewPort);
    await applyAll(plane, [
      ...readerRights,
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
      { gateways: { dataplane: "Envoy", xds: server, tls: undefined, addresses }, adminPort: metricsPort, viewPort },
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

  describe.skipIf(!hasAddress)("what retries are worth, where the view API can be asked", () => {
    const more = `kind: RetryPolicy
apiVersion: prevail.dev/v1alpha1
metadata: {name: more, namespace: default}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: codes}]
  overrides: {retry: {attempts: 5}}
`;
    const ask = async (
      line: string,
      user = CONTROLLER_USER,
    ): Promise<{ readonly stdout: string; readonly stderr: string }> => {
      const kubeconfig = join(plane.folder, `kubeconfig-${user}`);
      writeFileSync(kubeconfig, kubeconfigText({ ...plane, token: plane.token(user) }));
      return runCli(`${line} --kubeconfig ${kubeconfig} -n default`, { files: { "more.yaml": more } });
    };
    const row = { rule: "rule-1", backend: { name: "baker", port: 80 }, route: { name: "codes" } };
    type WithRetries = {
      readonly retries?: { readonly traffic?: readonly { readonly succeededByRetry: number }[] };
      readonly caveats: readonly JsonObject[];
    };
    interface Traced {
      readonly gateways: readonly Pick<WithRetries, "retries">[];
      readonly caveats: readonly JsonObject[];
    }
    const retriesIn = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): WithRetries => {
      if (!stdout.startsWith("{")) throw new Error(stderr);
      return JSON.parse(stdout) as WithRetries;
    };
    beforeAll(() => untilServed(plane), CLUSTER_START);

    test("explain and trace print it, with no option", async () => {
      const explained = retriesIn(await ask("explain httproute/codes -o json"));
      const trace = JSON.parse((await ask(`trace GET http://codes.example:${PORT}/ -o json`)).stdout) as Traced;
      const [traced, ...others] = trace.gateways.flatMap(({ retries }) => retries ?? []);
      expect(others).toEqual([]);
      for (const retries of [explained.retries, traced]) {
        expect(retries).toMatchObject({ traffic: [row] });
        expect(retries?.traffic?.[0]?.succeededByRetry).toBeGreaterThan(0);
      }
      expect([explained.caveats, trace.caveats]).toEqual([[], []]);
      const direct = await ask("explain httproute/codes --via direct -o json");
      expect(retriesIn(direct).retries).toBeUndefined();
    });

    test("plan prints it where retries change", async () => {
      const { stdout } = await ask("plan --apply more.yaml");
      expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
        /What retries are worth where they change In the \d+ \w+ since counting began \d+ % of the \d+ requests to Service default\/baker:80 succeeded only by a retry/,
      );
    });

    test("a user who may not read views gets a caveat, and no zero", async () => {
      const { retries, caveats } = retriesIn(await ask("plan --apply more.yaml -o json", READER));
      expect(retries).toBeUndefined();
      expect(caveats).toEqual([
        expect.objectContaining({
          code: "CountersNotRead",
          message: expect.stringMatching(/Gateway default\/door: .*forbidden.*and 1 more/),
        }),
      ]);
    });
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
