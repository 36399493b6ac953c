/**
 * The controller as an implementation of Gateway API: Envoy serves what is applied with kubectl, and the status says so
 * Gateway API, "GatewayController"
 */
import { createServer, type Server } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CertifiedKey,
  makeAuthority,
  signCertificate,
} from "../../src/adapters/certificates/make-certificates.ts";
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

describe.skipIf(parts === undefined || envoyPath === undefined)("Gateways of the controller", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ReportReplica;
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
    plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: ["system:masters"] } });
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
    const { createServer: createHttp } = await import("node:http");
    const backend = createHttp((_, response) => response.writeHead(418).end());
    await new Promise<void>((done) => backend.listen(0, ownAddress, done));
    const bound = backend.address();
    const port = typeof bound === "object" ? (bound?.port ?? 0) : 0;
    const slice = (name: string, address: string, ready: boolean): JsonObject => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": "tea" } },
      addressType: "IPv4",
      ports: [{ name: "http", port }],
      endpoints: [{ addresses: [address], conditions: { ready } }],
    });
    try {
      await applyAll(plane, [
        service("tea"),
        routeTo("pot", "Gateway/door", "tea"),
        slice("tea-1", "192.0.2.1", false),
      ]);
      await until(async () => (await askFor("tea.example")) === "503");
      await applyAll(plane, [slice("tea-2", ownAddress, true)]);
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
});
