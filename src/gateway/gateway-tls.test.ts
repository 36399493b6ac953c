/**
 * Gateway API, "BackendTLSPolicyValidation"
 */
import {
  connect,
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttpsServer, request as httpsRequest } from "node:https";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import {
  backend,
  dataplane,
  forwardTo,
  listener,
  retry,
  route,
  rule,
  secretRef,
} from "../../test/support/gateway/dataplane-config.ts";
import { CLOSED_PORT, Cleanup, startBackend, startGateway } from "../../test/support/gateway/gateway-harness.ts";
import {
  API_CERTIFICATE,
  API_KEY,
  CA_CERTIFICATE,
  SHOP_CERTIFICATE,
  SHOP_KEY,
} from "../../test/support/gateway/test-certificates.ts";
import type { BackendTarget, BackendTlsConfig, DataplaneConfig } from "../core/dataplane/gateway-config.ts";
import type { SecretSource } from "./contract/secret-source.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const secrets: SecretSource = {
  findCertificate: ({ name }) => {
    if (name === "shop") return { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY };
    if (name === "api") return { chain: API_CERTIFICATE, privateKey: API_KEY };
    return name === "broken" ? { chain: SHOP_CERTIFICATE, privateKey: API_KEY } : undefined;
  },
  findAuthorities: ({ name }) => (name === "authority" ? CA_CERTIFICATE : undefined),
};

const hosts = (to: BackendTarget) => ({ "*": [route(rule({ to }))] });

function secureConfig(to: BackendTarget, ports: Record<string, readonly number[]>): DataplaneConfig {
  const listeners = [
    listener(hosts(to), { name: "shop", hostname: "*.shop.example", certificates: [secretRef("shop")] }),
    listener(hosts(to), { name: "api", hostname: "api.example", certificates: [secretRef("api")] }),
  ];
  return dataplane([{ port: 443, protocol: "TLS", listeners }], ports);
}

interface Http2Response {
  readonly headers: IncomingHttpHeaders & { readonly ":status"?: number | undefined };
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
  /** True if the headers were the last frame. */
  readonly isWhole: boolean;
}

function ask2(port: number, host: string, headers: OutgoingHttpHeaders = {}, body?: string): Promise<Http2Response> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { servername: host, ca: CA_CERTIFICATE });
    cleanup.add(() => session.destroy());
    session.on("error", reject);
    const stream = session.request({ ":authority": host, ...headers }, { endStream: body === undefined });
    let response: Http2Response["headers"] = {};
    let trailers: IncomingHttpHeaders = {};
    let text = "";
    let isWhole = false;
    stream.on("response", (got, flags) => {
      response = got;
      isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    });
    stream.on("trailers", (got) => (trailers = got));
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("error", reject);
    stream.on("close", () => resolve({ headers: response, trailers, body: text, isWhole }));
    if (body !== undefined) stream.end(body);
  });
}

function ask1(port: number, serverName: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: "127.0.0.1",
      servername: serverName,
      ca: CA_CERTIFICATE,
      agent: false,
      headers: { host },
    };
    const request = httpsRequest(options, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on("error", reject);
    request.end();
  });
}

describe("HTTPS", () => {
  test("HTTP/1.1 and HTTP/2, with the certificate of the listener that takes the host", async () => {
    const baker = await startBackend(cleanup, ({ headers }, response) =>
      response.end(`${String(headers["x-forwarded-proto"])} ${String(headers.via)}`),
    );
    const { port } = await startGateway(cleanup, secureConfig(forwardTo("baker"), { baker: [baker.port] }), {
      secrets,
    });
    expect(await ask1(port, "a.shop.example", "a.shop.example")).toEqual({ status: 200, body: "https 1.1 prevail" });
    expect(await ask2(port, "api.example")).toMatchObject({ headers: { ":status": 200 }, body: "https 2 prevail" });
  });

  test("a host of another listener than the one that the connection was made for: 421", async () => {
    const baker = await startBackend(cleanup);
    const { port } = await startGateway(cleanup, secureConfig(forwardTo("baker"), { baker: [baker.port] }), {
      secrets,
    });
    expect((await ask1(port, "a.shop.example", "b.shop.example")).status).toBe(200);
    expect((await ask1(port, "a.shop.example", "api.example")).status).toBe(421);
    expect(baker.seen).toHaveLength(1);
  });

  test.each(["other.example", undefined])("no listener for %s: no connection", async (servername) => {
    const { port } = await startGateway(cleanup, secureConfig(forwardTo("baker"), {}), { secrets });
    const outcome = await new Promise<string>((resolve) => {
      const options = { port, host: "127.0.0.1", rejectUnauthorized: false, ...(servername && { servername }) };
      const socket = connectTls(options, () => resolve("connected"));
      cleanup.add(() => void socket.destroy());
      socket.on("error", () => resolve("refused"));
    });
    expect(outcome).toBe("refused");
  });

  test.each([
    ["missing", "Secret bakery/missing does not exist, or has no tls.crt and tls.key"],
    ["broken", "Secret bakery/broken cannot be used: "],
  ])("a Secret that is %s is a problem, and other listeners are served", async (name, message) => {
    const baker = await startBackend(cleanup);
    const config = secureConfig(forwardTo("baker"), { baker: [baker.port] });
    const { gateway, port } = await startGateway(cleanup, config, { secrets });
    const [first, second] = config.gateways[0]?.ports[0]?.listeners ?? [];
    if (first === undefined || second === undefined) throw new Error("two listeners");
    const listeners = [{ ...first, certificates: [secretRef(name)] }, second];
    const { problems } = await gateway.replace(
      dataplane([{ port: 443, protocol: "TLS", listeners }], { baker: [baker.port] }),
      secrets,
    );
    expect(problems).toMatchObject([{ port: 443, listener: "shop", message: expect.stringContaining(message) }]);
    expect((await ask1(port, "api.example", "api.example")).status).toBe(200);
    await expect(ask1(port, "a.shop.example", "a.shop.example")).rejects.toThrow();
  });

  test("HTTP/2: a body comes through, cookies in one piece", async () => {
    const baker = await startBackend(cleanup, ({ body, headers }, response) =>
      response.end(`${String(headers.cookie)} ${body.length}`),
    );
    const { port } = await startGateway(cleanup, secureConfig(forwardTo("baker"), { baker: [baker.port] }), {
      secrets,
    });
    const headers = { ":method": "POST", cookie: ["a=1", "b=2"] };
    expect((await ask2(port, "api.example", headers, "x".repeat(200_000))).body).toBe("a=1; b=2 200000");
  });
});

describe("TLS to backends", () => {
  const start = async (tls: Partial<BackendTlsConfig>) => {
    const server = createHttpsServer({ cert: API_CERTIFICATE, key: API_KEY }, (_, response) => response.end("secure"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.add(() => server.closeAllConnections());
    cleanup.add(() => void server.close());
    const address = server.address();
    const settings = { hostname: "api.example", subjectAltNames: [], authorities: [secretRef("authority")], ...tls };
    const to = forwardTo(backend("api", { tls: settings }));
    const config = secureConfig(to, { api: [typeof address === "object" ? (address?.port ?? 0) : 0] });
    const { port } = await startGateway(cleanup, config, { secrets });
    return (await ask1(port, "api.example", "api.example")).status;
  };

  test("a certificate with the name, from the authority", async () => {
    expect(await start({})).toBe(200);
  });
  test("another name", async () => {
    expect(await start({ hostname: "other.example" })).toBe(503);
  });
  test("a name that the policy lists", async () => {
    const subjectAltNames = [{ type: "URI", value: "spiffe://bakery/api" }] as const;
    expect(await start({ hostname: "other.example", subjectAltNames })).toBe(200);
  });
  test("none of the names that the policy lists", async () => {
    expect(await start({ subjectAltNames: [{ type: "URI", value: "spiffe://bakery/other" }] })).toBe(503);
  });
  test("an authority that the system does not know", async () => {
    expect(await start({ authorities: "System" })).toBe(503);
  });
  test("an authority that is not there", async () => {
    expect(await start({ authorities: [secretRef("nobody")] })).toBe(503);
  });
});

describe("gRPC", () => {
  const grpc = { ":method": "POST", ":path": "/bakery.Oven/Bake", "content-type": "application/grpc", te: "trailers" };

  async function startGrpc(
    response: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, number: number) => void,
    server: Http2Server = createServer(),
  ): Promise<number> {
    let count = 0;
    server.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      response(stream, headers, ++count);
    });
    server.on("session", (session) => cleanup.add(() => session.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.add(() => void server.close());
    const address = server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  const start = async (ports: readonly number[], more = {}) => {
    const to = forwardTo(backend("oven", { protocol: "HTTP/2" }), more);
    return (await startGateway(cleanup, secureConfig(to, { oven: ports }), { secrets })).port;
  };

  test("trailers come through", async () => {
    const port = await startGrpc((stream, headers) => {
      expect(headers).toMatchObject({ te: "trailers", ":authority": "api.example" });
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "grpc-message": "baked" }));
      stream.pipe(stream);
    });
    const response = await ask2(await start([port]), "api.example", grpc, "dough");
    expect(response).toMatchObject({ body: "dough", trailers: { "grpc-status": "0", "grpc-message": "baked" } });
  });

  test("a failure of the gateway's is a grpc-status", async () => {
    const response = await ask2(await start([CLOSED_PORT]), "api.example", grpc, "dough");
    expect(response.headers).toMatchObject({ ":status": 200, "grpc-status": "14" });
    expect(response.headers["grpc-message"]).toContain("HTTPRoute bakery/baker");
    expect(response.isWhole).toBe(true);
  });

  test("a response that is only trailers stays one: clients do not look for grpc-status in headers that are followed by data", async () => {
    const port = await startGrpc((stream) => {
      stream.resume();
      stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "5" }, { endStream: true });
    });
    const response = await ask2(await start([port]), "api.example", grpc, "dough");
    expect(response).toMatchObject({ headers: { "grpc-status": "5" }, isWhole: true });
  });

  test("REFUSED_STREAM was not processed: retried, POST or not", async () => {
    const port = await startGrpc((stream, _, number) => {
      if (number === 1) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.respond({ ":status": 200 }, { endStream: true });
    });
    const response = await ask2(await start([port], { retry: retry({ attempts: 1 }) }), "api.example", grpc, "dough");
    expect(response.headers[":status"]).toBe(200);
  });

  test("another reset is retried by afterSend", async () => {
    let count = 0;
    const port = await startGrpc((stream) => {
      count++;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    const response = await ask2(await start([port], { retry: retry({ attempts: 1 }) }), "api.example", grpc, "dough");
    expect([response.headers["grpc-status"], count]).toEqual(["14", 1]);
  });

  test("over TLS", async () => {
    const tls = { hostname: "api.example", subjectAltNames: [], authorities: [secretRef("authority")] };
    const server = createSecureServer({ cert: API_CERTIFICATE, key: API_KEY });
    const port = await startGrpc(
      (stream) => stream.respond({ ":status": 200, "grpc-status": "0" }, { endStream: true }),
      server,
    );
    const to = forwardTo(backend("oven", { protocol: "HTTP/2", tls }));
    const gateway = await startGateway(cleanup, secureConfig(to, { oven: [port] }), { secrets });
    expect((await ask2(gateway.port, "api.example", grpc, "dough")).headers["grpc-status"]).toBe("0");
  });
});
