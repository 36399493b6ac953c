/**
 * Gateway API, "GatewayBackendTLS"
 */
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { Server } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import { Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { NODE_AUTHORITY } from "../../support/gateway/node-certificates.ts";
import { PLANES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { API_CERTIFICATE, API_KEY } from "../../support/gateway/test-certificates.ts";
import { askRow } from "../behaviour/ask-row.ts";
import { askTcp } from "../streams/stream-clients.ts";
import { backendTls, route, service } from "../streams/stream-objects.ts";
import { gatewayObjects, KEYS } from "./certificate-objects.ts";

const WEB = 80;
const RAW = 5432;

const listeners: readonly JsonObject[] = [
  { name: "plain", port: WEB, protocol: "HTTP" },
  { name: "raw", port: RAW, protocol: "TCP" },
];

/** The certificate of `api.example`; connections without a certificate of the authority are refused. */
const STRICT = { cert: API_CERTIFICATE, key: API_KEY, ca: NODE_AUTHORITY, requestCert: true, rejectUnauthorized: true };

/** The common name of the certificate that a client has sent. */
const nameOf = (socket: unknown): string => {
  const { subject } = (socket as TLSSocket).getPeerCertificate();
  return String(subject?.CN ?? "nobody");
};

async function listen(cleanup: Cleanup, server: Server): Promise<number> {
  const sockets = new Set<{ destroy: () => void }>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

async function backends(cleanup: Cleanup): Promise<Readonly<Record<string, number>>> {
  const h2 = createSecureServer(STRICT, ({ stream: { session } }, response) => response.end(nameOf(session?.socket)));
  const raw = createTlsServer(STRICT, (socket) => {
    socket.on("error", () => {});
    socket.end(nameOf(socket));
  });
  return {
    h1: await listen(
      cleanup,
      createServer(STRICT, ({ socket }, response) => response.end(nameOf(socket))),
    ),
    h2: await listen(cleanup, h2),
    raw: await listen(cleanup, raw),
    plain: (await startBackend(cleanup, (_, response) => void response.end("plain"))).port,
  };
}

const web = (name: string): JsonObject =>
  route(name, { kind: "HTTPRoute", listener: "plain", hostnames: [`${name}.example`] });

const trusting = (name: string): readonly JsonObject[] =>
  backendTls(name).map((policy) => {
    const { targetRefs } = policy["spec"] as { readonly targetRefs: Json };
    const caCertificateRefs = [{ group: "", kind: "ConfigMap", name: "servers" }];
    return { ...policy, spec: { targetRefs, validation: { hostname: "api.example", caCertificateRefs } } };
  });

function objects(ports: Readonly<Record<string, number>>, backend: JsonObject): readonly JsonObject[] {
  const serviceOf = (name: string): JsonObject => service(name, [ports[name] ?? 0]);
  const spec = { ports: [{ name: "main", port: 80, appProtocol: "kubernetes.io/h2c" }] };
  return [
    ...gatewayObjects({ backend }, listeners),
    ...["h1", "raw", "plain"].map(serviceOf),
    { ...serviceOf("h2"), spec },
    ...["h1", "h2", "raw"].flatMap(trusting),
    ...["h1", "h2", "plain"].map(web),
    route("raw", { listener: "raw" }),
  ];
}

const OWN: JsonObject = { clientCertificateRef: { name: "gateway" } };

describe.each(PLANES)("the Gateway's certificate for backends, %s", (plane) => {
  const cleanup = new Cleanup();
  let served: ServedPlane;
  let ports: Readonly<Record<string, number>> = {};

  beforeAll(async () => {
    ports = await backends(cleanup);
    served = await servePlane(cleanup, plane, objects(ports, OWN), KEYS);
  }, 60_000);
  afterAll(() => cleanup.run());

  const ask = async (name: string): Promise<string> => {
    const { status, body } = await askRow(served.portOf(WEB), `${name}.example`);
    return status === 200 ? body : String(status);
  };
  const askAll = async (): Promise<readonly string[]> => [
    await ask("h1"),
    await ask("h2"),
    await askTcp(served.portOf(RAW), "hi"),
    await ask("plain"),
  ];

  test("backends with a BackendTLSPolicy get it: HTTP/1.1, HTTP/2 and TCP", async () => {
    expect(await askAll()).toEqual(["node-7", "node-7", "node-7", "plain"]);
  });

  test("without one, a backend that requires one refuses the connection", async () => {
    await served.replace(objects(ports, {}));
    await expect.poll(askAll, POLL).toEqual(["503", "503", "closed", "plain"]);
  });

  test("another one is used for the next connections", async () => {
    await served.replace(objects(ports, { clientCertificateRef: { name: "gateway-2" } }));
    await expect.poll(askAll, POLL).toEqual(["node-8", "node-8", "node-8", "plain"]);
  });

  test("a Secret that the data plane does not find is reported", async () => {
    const problems = await served.replace(objects(ports, { clientCertificateRef: { name: "lost" } }));
    expect(problems).toEqual([expect.stringMatching(/Secret s\/lost.*backends get no client certificate/)]);
    await expect.poll(askAll, POLL).toEqual(["503", "503", "closed", "plain"]);
  });

  test("a Secret of another namespace without a ReferenceGrant is not used", async () => {
    await served.replace(objects(ports, { clientCertificateRef: { name: "gateway", namespace: "other" } }));
    await expect.poll(askAll, POLL).toEqual(["503", "503", "closed", "plain"]);
  });
});

const POLL = { timeout: 10_000 };
