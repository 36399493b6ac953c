/**
 * The controller as an implementation of Gateway API: Envoy serves what is applied with kubectl, and the status says so
 * Gateway API, "GatewayController"
 */
import { createServer as createHttp, type Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CertifiedKey,
  makeAuthority,
  signCertificate,
} from "../../src/adapters/certificates/make-certificates.ts";
import type { GatewaySettings } from "../../src/cli/controller/gateway-settings.ts";
import { parseAddressPool } from "../../src/core/gateway-status/assign-addresses.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, route, routeTo, service } from "../support/cluster/gateway-objects.ts";
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
import { applyAll, getWritten, namespaceObject, type WrittenObject } from "./status-objects.ts";

const parts = await findKubernetes();
const envoyPath = findEnvoy();
const [PORT = 0, TLS_PORT = 0] = await findFreePorts(2);
const POOL = "127.91.7.0/28";
const ADDRESS = "127.91.7.1";
const TAKEN = "127.91.7.2";

/** May do everything that a controller does, but read EndpointSlices. */
const LIMITED_USER = "limited-controller";
const everythingIn = (name: string, apiGroups: readonly string[]): readonly JsonObject[] => [
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [{ apiGroups, resources: ["*"], verbs: ["*"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: LIMITED_USER }],
  },
];

const wordsOf = (conditions: readonly { type: string; status: string; reason: string }[] = []): readonly string[] =>
  conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).sort();

const redirect = (name: string, host: string): JsonObject =>
  route(name, "Gateway/door", {
    hostnames: [host],
    rules: [{ fields: { filters: [{ type: "RequestRedirect", requestRedirect: { hostname: `new.${host}` } }] } }],
  });

const secret = (name: string, { certificate, privateKey }: CertifiedKey): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  type: "kubernetes.io/tls",
  metadata: { name, namespace: "default" },
  stringData: { "tls.crt": certificate, "tls.key": privateKey },
});

/** The location that a request is redirected to; the status if it is not. */
async function askFor(host: string, address = ADDRESS): Promise<string> {
  const { request } = await import("node:http");
  return new Promise((resolve) => {
    const asked = request({ host: address, port: PORT, path: "/", headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers.location ?? String(response.statusCode));
    });
    asked.on("error", (error) => resolve(error.message));
    asked.setTimeout(5000, () => asked.destroy(new Error("timeout")));
    asked.end();
  });
}

/** The common name of the certificate that is served. */
const servedName = (): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: ADDRESS, port: TLS_PORT, servername: "door.example", rejectUnauthorized: false });
    socket.on("secureConnect", () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", (error) => resolve(error.message));
  });

/** A backend that responds with 418. */
async function startTea(host: string): Promise<{ readonly backend: HttpServer; readonly port: number }> {
  const backend = createHttp((_, response) => response.writeHead(418).end());
  await new Promise<void>((done) => backend.listen(0, host, done));
  const bound = backend.address();
  return { backend, port: typeof bound === "object" ? (bound?.port ?? 0) : 0 };
}

const teaSlice = (
  name: string,
  address: string,
  { port, ready }: { readonly port: number; readonly ready: boolean },
): JsonObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": "tea" } },
  addressType: "IPv4",
  ports: [{ name: "http", port }],
  endpoints: [{ addresses: [address], conditions: { ready } }],
});

describe.skipIf(parts === undefined || envoyPath === undefined)("Gateways of the controller", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ReportReplica;
  let settings: GatewaySettings;
  let envoy: RunningEnvoy;
  let authority: CertifiedKey;
  const door = (): JsonObject =>
    gateway("door", {
      listeners: [listener("http", { port: PORT }), listener("https", { port: TLS_PORT, protocol: "HTTPS" })],
    });
  const certificateFor = (commonName: string): Promise<CertifiedKey> =>
    signCertificate(authority, { commonName, dnsNames: ["door.example"], usage: "Server", nowMs: Date.now(), days: 2 });
  const written = (resource: string, name: string): Promise<WrittenObject> =>
    getWritten(plane, resource, name, resource === "gatewayclass" ? "" : "default");
  const untilProgrammed = (name: string, word: string): Promise<void> => {
    let last: WrittenObject | undefined;
    return until(
      async () => {
        last = await written("gateway", name);
        const found = last.status?.conditions?.find(({ type }) => type === "Programmed");
        return `${found?.status}/${found?.reason}` === word && found?.observedGeneration === last.metadata.generation;
      },
      () => `Gateway ${name} is not Programmed=${word}: ${JSON.stringify(last?.status)}\n${replica.notes.join("\n")}`,
      100,
    );
  };

  beforeAll(async () => {
    if (parts === undefined || envoyPath === undefined) return;
    plane = await startControlPlane(parts, {
      frontProxy: true,
      users: { [CONTROLLER_USER]: ["system:masters"], [LIMITED_USER]: [] },
    });
    authority = await makeAuthority({ commonName: "test", nowMs: Date.now(), days: 2 });
    const [xdsPort = 0, adminPort = 0] = await findFreePorts(2);
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", "prevail.dev/gateway"),
      secret("certificate", await certificateFor("first")),
      door(),
      redirect("move", "old.example"),
    ]);
    const server = { host: "127.0.0.1", port: xdsPort };
    settings = { dataplane: "Envoy", xds: server, tls: undefined, addresses: parseAddressPool(POOL) };
    replica = await startReportReplica(plane, {}, { gateways: settings });
    const bootstrap = compileBootstrap({ nodeId: "envoy", gateway: "*/*", server, tls: undefined, adminPort });
    envoy = await startEnvoy(envoyPath, bootstrapJson(bootstrap), adminPort);
  }, CLUSTER_START);
  afterAll(async () => {
    await replica?.close();
    await envoy?.close();
    await plane?.close();
  });

  test("a Gateway and a route are served, and their status is that of Gateway API", async () => {
    await untilProgrammed("door", "True/Programmed");
    await until(async () => (await askFor("old.example")) === `http://new.old.example:${PORT}/`);
    const { status, metadata } = await written("gateway", "door");
    expect(status).toMatchObject({ addresses: [{ type: "IPAddress", value: ADDRESS }] });
    expect(wordsOf(status?.conditions)).toEqual([
      "Accepted=True/Accepted",
      "Programmed=True/Programmed",
      "ResolvedRefs=True/ResolvedRefs",
    ]);
    expect(status?.listeners).toMatchObject([
      { name: "http", attachedRoutes: 1, supportedKinds: [{ kind: "HTTPRoute" }, { kind: "GRPCRoute" }] },
      { name: "https", attachedRoutes: 1 },
    ]);
    const all = [status?.conditions ?? [], ...(status?.listeners ?? []).map(({ conditions }) => conditions)].flat();
    expect(new Set(all.map(({ observedGeneration }) => observedGeneration))).toEqual(new Set([metadata.generation]));
    const ofRoute = await written("httproute", "move");
    expect(ofRoute.status?.parents?.map(({ conditions }) => wordsOf(conditions))).toEqual([
      ["Accepted=True/Accepted", "ResolvedRefs=True/ResolvedRefs"],
    ]);
    const ofClass = await written("gatewayclass", "class");
    expect(wordsOf(ofClass.status?.conditions)).toEqual([
      "Accepted=True/Accepted",
      "SupportedVersion=True/SupportedVersion",
    ]);
    expect(JSON.stringify(ofClass.status)).toContain('{"name":"HTTPRoute"}');
  });

  test("endpoints come from EndpointSlices: ready ones of every slice", async (context) => {
    if (ownAddress === undefined) return context.skip("this machine has no address beside the loopback");
    const { backend, port } = await startTea(ownAddress);
    try {
      await applyAll(plane, [
        service("tea"),
        routeTo("pot", "Gateway/door", "tea"),
        teaSlice("tea-1", "192.0.2.1", { port, ready: false }),
      ]);
      await until(async () => (await askFor("tea.example")) === "503");
      await applyAll(plane, [teaSlice("tea-2", ownAddress, { port, ready: true })]);
      await until(async () => (await askFor("tea.example")) === "418");
    } finally {
      backend.closeAllConnections();
      backend.close();
    }
  });

  test("a rotated certificate is served, and an unusable one is reported", async () => {
    await until(async () => (await servedName()) === "first");
    await applyAll(plane, [secret("certificate", await certificateFor("second"))]);
    await until(async () => (await servedName()) === "second");
    await applyAll(plane, [secret("certificate", { certificate: "none", privateKey: "none" })]);
    await until(async () => {
      const { status } = await written("gateway", "door");
      return wordsOf(status?.listeners?.find(({ name }) => name === "https")?.conditions).includes(
        "ResolvedRefs=False/InvalidCertificateRef",
      );
    });
    await applyAll(plane, [secret("certificate", await certificateFor("third"))]);
    await until(async () => (await servedName()) === "third");
    await untilProgrammed("door", "True/Programmed");
  });

  test("conditions of others stay, at the Gateway and at a listener", async () => {
    const foreign = {
      type: "example.com/Foreign",
      status: "True",
      reason: "Foreign",
      message: "",
      lastTransitionTime: "2024-12-20T18:47:00Z",
    };
    const { status } = await written("gateway", "door");
    const [first, ...others] = status?.listeners ?? [];
    const patch = {
      status: {
        conditions: [...(status?.conditions ?? []), foreign],
        listeners: [{ ...first, conditions: [...(first?.conditions ?? []), foreign] }, ...others],
      },
    };
    await plane.kubectl([
      "patch",
      "gateway",
      "door",
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify(patch),
    ]);
    // A new generation: every condition of ours is written again.
    const more = listener("more", { port: PORT, hostname: "more.example" });
    await applyAll(plane, [
      gateway("door", {
        listeners: [listener("http", { port: PORT }), listener("https", { port: TLS_PORT, protocol: "HTTPS" }), more],
      }),
    ]);
    await untilProgrammed("door", "True/Programmed");
    await until(async () => (await written("gateway", "door")).status?.listeners?.length === 3);
    const after = (await written("gateway", "door")).status;
    expect(after?.conditions).toContainEqual(foreign);
    expect(after?.listeners?.find(({ name }) => name === "http")?.conditions).toContainEqual(foreign);
  });

  test("what Envoy refuses is not Programmed, and other Gateways are", async () => {
    const thief: Server = createServer();
    await new Promise<void>((done) => thief.listen(PORT, TAKEN, done));
    try {
      const asking: JsonObject = gateway("refused", { listeners: [listener("http", { port: PORT })] });
      const spec = asking["spec"];
      await applyAll(plane, [
        { ...asking, spec: { ...(spec as JsonObject), addresses: [{ type: "IPAddress", value: TAKEN }] } },
      ]);
      await untilProgrammed("refused", "False/Invalid");
      const { status } = await written("gateway", "refused");
      expect(status?.conditions?.find(({ type }) => type === "Programmed")?.message).toContain("in use");
      await untilProgrammed("door", "True/Programmed");
      expect(await askFor("old.example")).toBe(`http://new.old.example:${PORT}/`);
    } finally {
      await new Promise((done) => thief.close(done));
    }
  });

  test("after a restart without a kind that cannot be read, Envoy keeps its configuration and the Gateway stays Programmed", async (context) => {
    if (ownAddress === undefined) return context.skip("this machine has no address beside the loopback");
    const { backend, port } = await startTea(ownAddress);
    const [adminPort = 0] = await findFreePorts(1);
    const readiness = async (): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${adminPort}/readyz/gateways`);
      return `${response.status} ${(await response.text()).trim()}`;
    };
    try {
      await applyAll(plane, [teaSlice("tea-2", ownAddress, { port, ready: true })]);
      await until(async () => (await askFor("tea.example")) === "418");
      await replica.close();
      const groups = ["", "apiextensions.k8s.io", "gateway.networking.k8s.io", "gateway.networking.x-k8s.io"];
      const ours = ["prevail.dev", "coordination.k8s.io", "apiregistration.k8s.io", "authorization.k8s.io"];
      await applyAll(plane, everythingIn("but-endpoint-slices", [...groups, ...ours, "events.k8s.io"]));
      replica = await startReportReplica(plane, {}, { gateways: settings, adminPort, user: LIMITED_USER });
      await until(async () => (await readiness()).startsWith("503 "));
      expect(await readiness()).toMatch(/^503 .*EndpointSlice.* cannot be read$/);
      await applyAll(plane, [redirect("late", "late.example")]);
      // Envoy is connected to the new process by then: what it must not do has had its time.
      await new Promise((done) => setTimeout(done, 5000));
      // The route to the tea is for every host, so also for the one that is not served yet.
      expect([await askFor("tea.example"), await askFor("late.example")]).toEqual(["418", "418"]);
      expect(wordsOf((await written("gateway", "door")).status?.conditions)).toContain("Programmed=True/Programmed");
      await applyAll(plane, everythingIn("endpoint-slices", ["discovery.k8s.io"]));
      await until(async () => (await askFor("late.example")) === `http://new.late.example:${PORT}/`);
      expect([await askFor("tea.example"), (await readiness()).slice(0, 3)]).toEqual(["418", "200"]);
    } finally {
      backend.closeAllConnections();
      backend.close();
    }
  });
});
