/** Connections that never finish their TLS handshake are closed, or ten thousand of them would fill a port for good. */
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import type { XdsEvent } from "../../../src/xds/serve/xds-event.ts";
import { startXdsServer } from "../../../src/xds/serve/xds-server.ts";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { dataplane, listener, secretRef } from "../../support/gateway/dataplane-config.ts";
import { Cleanup, startGateway, waitUntil } from "../../support/gateway/gateway-harness.ts";
import { CA_CERTIFICATE, SHOP_CERTIFICATE, SHOP_KEY } from "../../support/gateway/test-certificates.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const certificates = { shop: { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY } };
const limits = { headersMs: 300 };

const config = dataplane([
  {
    port: 443,
    protocol: "TLS",
    listeners: [listener({}, { hostname: "a.shop.example", certificates: [secretRef("shop")] })],
  },
]);

/** The first message of a client. */
function clientHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const recorder = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _, done) => {
        resolve(chunk);
        done();
      },
    });
    connectTls({ socket: recorder, servername }).on("error", () => {});
  });
}

/** Sends bytes and then nothing. Resolves when the other side closes the connection. */
function silence(port: number, bytes: Buffer | undefined): Promise<"closed"> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, "127.0.0.1");
    cleanup.add(() => void socket.destroy());
    socket.on("connect", () => bytes !== undefined && socket.write(bytes));
    socket.on("error", () => {});
    socket.resume();
    socket.on("close", () => resolve("closed"));
  });
}

const clients: Readonly<Record<string, () => Promise<Buffer | undefined>>> = {
  "that sends nothing": async () => undefined,
  "that sends half of its first message": async () => (await clientHello("a.shop.example")).subarray(0, 60),
  "that never replies to the server's message": () => clientHello("a.shop.example"),
};

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name closes a connection", (plane) => {
  test.each(Object.entries(clients))("%s", async (_, bytes) => {
    const port = await plane.start(cleanup, config, { certificates, limits });
    expect(await silence(port, await bytes())).toBe("closed");
  });
});

test("the embedded gateway counts them by reason", async () => {
  const secrets = { findCertificate: () => certificates.shop, findAuthorities: () => undefined };
  const { port, events } = await startGateway(cleanup, config, { secrets, limits });
  await silence(port, undefined);
  await silence(port, await clientHello("unknown.example"));
  await silence(port, Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  const reasons = () => events.flatMap((event) => (event.type === "HandshakeFailed" ? event.failure.reason : []));
  await waitUntil(() => reasons().length === 3);
  expect(reasons()).toEqual(["timed_out", "server_name", "protocol"]);
});

describe("the xDS server closes a connection", () => {
  const startServer = async (): Promise<{ readonly port: number; readonly events: readonly XdsEvent[] }> => {
    const events: XdsEvent[] = [];
    const server = await startXdsServer({
      address: { host: "127.0.0.1", port: 0 },
      tls: { certificate: SHOP_CERTIFICATE, privateKey: SHOP_KEY, authorities: CA_CERTIFICATE },
      limits: { handshakeMs: 300 },
      onEvent: (event) => events.push(event),
    });
    cleanup.add(() => server.close());
    return { port: server.port, events };
  };
  const reasonsIn = (events: readonly XdsEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === "HandshakeFailed" ? event.failure.reason : []));

  test.each(Object.entries(clients))("%s", async (_, bytes) => {
    const { port, events } = await startServer();
    expect(await silence(port, await bytes())).toBe("closed");
    expect(reasonsIn(events)).toEqual(["timed_out"]);
  });

  test("of a client without a certificate, and says so", async () => {
    const { port, events } = await startServer();
    const socket = connectTls({ host: "127.0.0.1", port, ALPNProtocols: ["h2"], rejectUnauthorized: false });
    await new Promise<void>((resolve) => socket.on("error", () => {}).on("close", () => resolve()));
    await waitUntil(() => reasonsIn(events).length > 0);
    expect(reasonsIn(events)).toEqual(["certificate"]);
  });
});
