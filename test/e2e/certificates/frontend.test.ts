/**
 * Gateway API, "FrontendTLSConfig"
 * Gateway API, "FrontendTLSValidation"
 */
import { request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { NODE_7, NODE_8 } from "../../support/gateway/node-certificates.ts";
import { PLANES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { API_CERTIFICATE, API_KEY, CA_CERTIFICATE } from "../../support/gateway/test-certificates.ts";
import { route, service } from "../streams/stream-objects.ts";
import { gatewayObjects, https, KEYS } from "./certificate-objects.ts";

const clients = (refs: readonly JsonObject[], mode?: string): JsonObject => ({
  validation: { caCertificateRefs: [...refs], ...(mode === undefined ? {} : { mode }) },
});
const configMap = (name: string, namespace?: string): JsonObject => ({
  group: "",
  kind: "ConfigMap",
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

const [STRICT, LOOSE, OPEN, GRANTED, BLIND, PART] = [443, 444, 445, 446, 447, 448] as const;

const frontend: JsonObject = {
  default: clients([configMap("clients")]),
  perPort: [
    { port: LOOSE, tls: clients([configMap("clients")], "AllowInsecureFallback") },
    { port: OPEN, tls: {} },
    { port: GRANTED, tls: clients([configMap("clients", "other")]) },
    { port: BLIND, tls: clients([configMap("absent", "forbidden")]) },
    { port: PART, tls: clients([configMap("absent", "forbidden"), configMap("clients")]) },
  ],
};

const listeners: readonly JsonObject[] = [
  https("strict", STRICT, "strict.shop.example"),
  https("strict-2", STRICT, "second.shop.example"),
  https("loose", LOOSE),
  https("open", OPEN),
  https("granted", GRANTED),
  https("blind", BLIND),
  https("part", PART),
];

const grant: JsonObject = {
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { name: "grant", namespace: "other" },
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "s" }],
    to: [{ group: "", kind: "ConfigMap" }],
  },
};

interface ClientKey {
  readonly cert: string;
  readonly key: string;
}

const VALID: ClientKey = { cert: NODE_7.certificate, key: NODE_7.key };
const ALSO_VALID: ClientKey = { cert: NODE_8.certificate, key: NODE_8.key };
/** Signed by another authority. */
const INVALID: ClientKey = { cert: API_CERTIFICATE, key: API_KEY };

/** The status, or `refused`. With TLS 1.3 a client may learn only after its request that its certificate was refused. */
function ask(port: number, client: Partial<ClientKey>, host = "a.shop.example"): Promise<number | "refused"> {
  return new Promise((resolve) => {
    const options = { port, host: "127.0.0.1", servername: host, ca: CA_CERTIFICATE, agent: false, ...client };
    const asked = request({ ...options, headers: { host } }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    asked.on("error", () => resolve("refused"));
    asked.setTimeout(5000, () => asked.destroy());
    asked.end();
  });
}

describe.each(PLANES)("certificates of clients, %s", (plane) => {
  const cleanup = new Cleanup();
  let served: ServedPlane;
  let backendPort = 0;
  const objects = (tls: JsonObject): readonly JsonObject[] => [
    ...gatewayObjects(tls, listeners),
    ...listeners.flatMap(({ name }) =>
      typeof name === "string" ? [route(name, { kind: "HTTPRoute", listener: name, to: { web: 1 } })] : [],
    ),
    service("web", [backendPort]),
    grant,
  ];

  beforeAll(async () => {
    backendPort = (await startBackend(cleanup, (_, response) => void response.end("web"))).port;
    served = await servePlane(cleanup, plane, objects({ frontend }), KEYS);
  }, 60_000);
  afterAll(() => cleanup.run());

  test.each<[string, number, string, Partial<ClientKey>, number | "refused"]>([
    ["AllowValidOnly: a valid certificate", STRICT, "strict.shop.example", VALID, 200],
    ["AllowValidOnly: one of another authority", STRICT, "strict.shop.example", INVALID, "refused"],
    ["AllowValidOnly: none", STRICT, "strict.shop.example", {}, "refused"],
    ["every HTTPS listener of the port: a valid certificate", STRICT, "second.shop.example", VALID, 200],
    ["every HTTPS listener of the port: none", STRICT, "second.shop.example", {}, "refused"],
    ["AllowInsecureFallback: a valid certificate", LOOSE, "a.shop.example", VALID, 200],
    ["AllowInsecureFallback: one of another authority", LOOSE, "a.shop.example", INVALID, 200],
    ["AllowInsecureFallback: none", LOOSE, "a.shop.example", {}, 200],
    ["a port with settings of its own that ask for none", OPEN, "a.shop.example", {}, 200],
    ["CA certificates of another namespace, with a ReferenceGrant: valid", GRANTED, "a.shop.example", VALID, 200],
    ["CA certificates of another namespace, with a ReferenceGrant: none", GRANTED, "a.shop.example", {}, "refused"],
    ["no valid reference to CA certificates: not served", BLIND, "a.shop.example", VALID, "refused"],
    ["one valid reference of two: valid", PART, "a.shop.example", VALID, 200],
    ["one valid reference of two: none", PART, "a.shop.example", {}, "refused"],
  ])("%s", async (_, port, host, client, expected) => {
    expect(await ask(served.portOf(port), client, host)).toBe(expected);
  });

  test("a client without a server name needs a certificate, too", async () => {
    const askUnnamed = (client: Partial<ClientKey>): Promise<string> =>
      new Promise((resolve) => {
        const socket: TLSSocket = connect({ port: served.portOf(GRANTED), host: "127.0.0.1", ...client, ...TRUSTING });
        socket.on("error", () => resolve("refused"));
        socket.on("end", () => resolve("refused"));
        socket.on("data", (chunk: Buffer) => {
          resolve(chunk.toString().slice(0, 12));
          socket.destroy();
        });
        socket.write("GET / HTTP/1.1\r\nHost: a.shop.example\r\n\r\n");
      });
    expect(await askUnnamed(VALID)).toBe("HTTP/1.1 200");
    expect(await askUnnamed({})).toBe("refused");
  });

  test("other CA certificates: sessions that began with those of before are not resumed", async () => {
    const session = await sessionOf(served.portOf(STRICT), ALSO_VALID);
    expect(await askResuming(served.portOf(STRICT), session, ALSO_VALID)).toBe("200, resumed");
    const other = { frontend: { ...frontend, default: clients([configMap("servers")]) } };
    await served.replace(objects(other));
    await expect.poll(() => ask(served.portOf(STRICT), VALID, "strict.shop.example"), POLL).toBe("refused");
    expect(await ask(served.portOf(STRICT), INVALID, "strict.shop.example")).toBe(200);
    expect(await askResuming(served.portOf(STRICT), session, ALSO_VALID)).toBe("refused");
    await served.replace(objects({ frontend }));
    await expect.poll(() => ask(served.portOf(STRICT), VALID, "strict.shop.example"), POLL).toBe(200);
  });

  test("CA certificates that the data plane does not find: not served, and reported", async () => {
    const lost = { ...KEYS, authorities: new Map<string, string>() };
    const problems = await served.replace(objects({ frontend }), lost);
    expect(problems.join("\n")).toMatch(/strict.*clients/);
    await expect.poll(() => ask(served.portOf(STRICT), VALID, "strict.shop.example"), POLL).toBe("refused");
    expect(await ask(served.portOf(STRICT), {}, "strict.shop.example")).toBe("refused");
    expect(await ask(served.portOf(OPEN), {})).toBe(200);
    await served.replace(objects({ frontend }));
    await expect.poll(() => ask(served.portOf(STRICT), VALID, "strict.shop.example"), POLL).toBe(200);
  });
});

const POLL = { timeout: 10_000 };
const TRUSTING = { rejectUnauthorized: false };

const connectTo = (port: number, client: ClientKey, session?: Buffer): TLSSocket =>
  connect({
    port,
    host: "127.0.0.1",
    servername: "strict.shop.example",
    ca: CA_CERTIFICATE,
    ...client,
    ...(session === undefined ? {} : { session }),
  });

const REQUEST = "GET / HTTP/1.1\r\nHost: strict.shop.example\r\n\r\n";

/** The ticket of a session. */
function sessionOf(port: number, client: ClientKey): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(port, client);
    let session: Buffer | undefined;
    socket.on("session", (ticket: Buffer) => (session = ticket));
    socket.on("error", reject);
    socket.on("data", () => {
      socket.destroy();
      if (session === undefined) reject(new Error("the server sent no session ticket"));
      else resolve(session);
    });
    socket.write(REQUEST);
  });
}

function askResuming(port: number, session: Buffer, client: ClientKey): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTo(port, client, session);
    socket.on("error", () => resolve("refused"));
    socket.on("end", () => resolve("refused"));
    socket.on("data", (chunk: Buffer) => {
      resolve(`${chunk.toString().slice(9, 12)}, ${socket.isSessionReused() ? "resumed" : "new"}`);
      socket.destroy();
    });
    socket.write(REQUEST);
  });
}
