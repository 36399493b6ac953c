/**
 * Gateway API, "HTTPExternalAuthFilter"
 * Gateway API, "HTTPAuthConfig"
 */
import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { type Backend, CLOSED_PORT, Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { PLANES_AND_SHAPES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { askRow, type RowResponse } from "../behaviour/ask-row.ts";
import type { RowRequest } from "../behaviour/behaviour-row.ts";
import { gateway, service } from "../streams/stream-objects.ts";
import { type AuthServer, type GrpcAuthServer, startGrpcAuth, startHttpAuth } from "./auth-servers.ts";

const PORT = 80;
const API = "gateway.networking.k8s.io";

const byHttp = (more: JsonObject = {}, http: JsonObject = {}): JsonObject => ({
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: { name: "auth", port: 80 }, http, ...more },
});
const byGrpc = (grpc: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  type: "ExternalAuth",
  externalAuth: { protocol: "GRPC", backendRef: { name: "grpc-auth", port: 80 }, grpc, ...more },
});

const route = (name: string, filters: readonly JsonObject[], hasBackend = true): JsonObject => ({
  apiVersion: `${API}/v1`,
  kind: "HTTPRoute",
  metadata: { name: name.replace("*.", ""), namespace: "s" },
  spec: {
    parentRefs: [{ name: "g" }],
    hostnames: [`${name}.example`],
    rules: [{ filters: [...filters], ...(hasBackend ? { backendRefs: [{ name: "web", port: 80 }] } : {}) }],
  },
});

const addHeader: JsonObject = {
  type: "RequestHeaderModifier",
  requestHeaderModifier: { set: [{ name: "x-set", value: "1" }] },
};
const cors: JsonObject = { type: "CORS", cors: { allowOrigins: ["https://shop.example"] } };
const redirect: JsonObject = { type: "RequestRedirect", requestRedirect: { hostname: "elsewhere.example" } };

const routes: readonly JsonObject[] = [
  route("plain", [byHttp()]),
  route("prefix", [byHttp({}, { path: "/check", allowedHeaders: ["X-Cart"] })]),
  route("chosen", [byHttp({}, { allowedResponseHeaders: ["X-User"] })]),
  route("changed", [addHeader, byHttp()]),
  route("redirected", [byHttp(), redirect], false),
  route("shared", [cors, byHttp()]),
  route("dead", [byHttp({ backendRef: { name: "dead", port: 80 } })]),
  route("empty", [byHttp({ backendRef: { name: "empty", port: 80 } })]),
  route("missing", [byHttp({ backendRef: { name: "nowhere", port: 80 } })]),
  route("forbidden", [byHttp({ backendRef: { name: "auth", namespace: "other", port: 80 } })]),
  route("grpc", [byGrpc()]),
  route("grpc-chosen", [byGrpc({ allowedHeaders: ["authorization"] })]),
  route("body", [byHttp({ forwardBody: { maxSize: 10 } })]),
];

const YES = { authorization: "yes" };

describe.each(PLANES_AND_SHAPES)("ExternalAuth, %s", (plane) => {
  const cleanup = new Cleanup();
  let served: ServedPlane;
  let backend: Backend;
  let auth: AuthServer;
  let grpcAuth: GrpcAuthServer;
  const objects = (more: readonly JsonObject[] = routes): readonly JsonObject[] => [
    ...gateway([{ name: "http", port: PORT, protocol: "HTTP" }]),
    service("web", [backend.port]),
    service("auth", [auth.port]),
    service("auth", [auth.port], { namespace: "other" }),
    service("grpc-auth", [grpcAuth.port]),
    service("dead", [CLOSED_PORT]),
    service("empty", []),
    ...more,
  ];

  beforeAll(async () => {
    backend = await startBackend(cleanup, (_, response) => void response.end("web"));
    auth = await startHttpAuth(cleanup);
    grpcAuth = await startGrpcAuth(cleanup);
    served = await servePlane(cleanup, plane, objects());
  }, 60_000);
  afterAll(() => cleanup.run());

  const ask = (name: string, asked: RowRequest = {}): Promise<RowResponse> =>
    askRow(served.portOf(PORT), `${name}.example`, asked);
  /** The response, and what reached the backend. */
  const forwarded = async (name: string, asked: RowRequest): Promise<[RowResponse, Backend["seen"]]> => {
    const before = backend.seen.length;
    const response = await ask(name, asked);
    return [response, backend.seen.slice(before)];
  };

  test("200 of the server: the request is forwarded with the server's headers, its own message is its own", async () => {
    const headers = { ...YES, "content-type": "text/mine", "x-user": "mallory", "x-cart": "7" };
    const [response, seen] = await forwarded("plain", { method: "POST", path: "/a?b=c", headers, bodyBytes: 5 });
    expect(response).toMatchObject({ status: 200, body: "web" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", url: "/a?b=c", body: "bbbbb" });
    expect(seen[0]?.headers).toMatchObject({ "x-user": "alice", "x-team": "bakers", "content-type": "text/mine" });
    expect(seen[0]?.headers.etag).toBeUndefined();
    const asked = auth.seen.at(-1);
    expect(asked).toMatchObject({ method: "POST", url: "/a?b=c", body: "" });
    expect(asked?.headers).toMatchObject({ host: "plain.example", authorization: "yes", "content-length": "0" });
    expect(asked?.headers["x-cart"]).toBeUndefined();
    expect(asked?.headers["x-user"]).toBeUndefined();
  });

  test("a prefix of the path, and headers that the server may see", async () => {
    const [response] = await forwarded("prefix", {
      path: "/a?b=c",
      headers: { ...YES, "x-cart": "7", "x-other": "8" },
    });
    expect(response.status).toBe(200);
    expect(auth.seen.at(-1)?.url).toBe("/check/a?b=c");
    expect(auth.seen.at(-1)?.headers).toMatchObject({ "x-cart": "7" });
    expect(auth.seen.at(-1)?.headers["x-other"]).toBeUndefined();
  });

  test("headers that the request may get", async () => {
    const [, seen] = await forwarded("chosen", { headers: YES });
    expect(seen[0]?.headers).toMatchObject({ "x-user": "alice" });
    expect(seen[0]?.headers["x-team"]).toBeUndefined();
  });

  test("the server sees the request before other filters", async () => {
    const [, seen] = await forwarded("changed", { headers: YES });
    expect(seen[0]?.headers).toMatchObject({ "x-set": "1", "x-user": "alice" });
  });

  test.each([401, 403, 302, 201])("status %d of the server: the client gets its response", async (status) => {
    const [response, seen] = await forwarded("plain", { headers: { authorization: String(status) } });
    expect(response).toMatchObject({ status, body: "who are you?" });
    expect(response.headers).toMatchObject({ "www-authenticate": "Basic", "content-type": "text/auth" });
    expect(seen).toEqual([]);
  });

  test.each([
    ["an error of the server", "plain", { headers: { authorization: "503" } }, 403],
    ["a server that cannot be reached", "dead", { headers: YES }, 403],
    ["a server without endpoints", "empty", { headers: YES }, 403],
    ["a Service that does not exist", "missing", { headers: YES }, 500],
    ["a Service of another namespace without a ReferenceGrant", "forbidden", { headers: YES }, 500],
  ])("%s: refused", async (_, name, asked, status) => {
    const [response, seen] = await forwarded(name, asked);
    expect(response.status).toBe(status);
    expect(seen).toEqual([]);
  });

  test("a host in capital letters is not a way around the server", async () => {
    for (const name of ["PLAIN", "redirected".toUpperCase(), "Grpc"]) {
      const [response, seen] = await forwarded(name, {});
      expect([400, 401, 418, 500]).toContain(response.status);
      expect(seen).toEqual([]);
    }
  });

  test("hosts of a wildcard need authorization, too", async () => {
    await served.replace(objects([...routes, route("*.wild", [byHttp()])]));
    await expect.poll(async () => (await ask("any.wild")).status, { timeout: 10_000 }).toBe(401);
    const before = auth.seen.length;
    const [response, seen] = await forwarded("any.wild", {});
    expect(response.status).toBe(401);
    expect(seen).toEqual([]);
    const [allowed] = await forwarded("any.wild", { headers: YES });
    expect(allowed.status).toBe(200);
    expect(auth.seen.length).toBe(before + 2);
    await served.replace(objects());
  });

  test("a redirect needs authorization, too", async () => {
    expect((await ask("redirected")).status).toBe(401);
    expect((await ask("redirected", { headers: YES })).status).toBe(302);
  });

  test("the server is not asked about CORS preflights", async () => {
    const before = auth.seen.length;
    const headers = { origin: "https://shop.example", "access-control-request-method": "GET" };
    const { status } = await ask("shared", { method: "OPTIONS", headers });
    expect([200, 204]).toContain(status);
    expect(auth.seen.length).toBe(before);
    expect((await ask("shared")).status).toBe(401);
  });

  test("a filter that is added takes effect on connections that are open", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.add(() => agent.destroy());
    const askKept = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const options = { host: "127.0.0.1", port: served.portOf(PORT), agent, headers: { host: "later.example" } };
        const asked = request(options, (response) => {
          response.resume();
          response.on("end", () => resolve(`${response.statusCode} ${asked.reusedSocket}`));
        });
        asked.on("error", reject);
        asked.end();
      });
    await served.replace(objects([...routes, route("later", [])]));
    await expect.poll(askKept, { timeout: 10_000 }).toBe("200 true");
    await served.replace(objects([...routes, route("later", [byHttp()])]));
    await expect.poll(askKept, { timeout: 10_000 }).toBe("401 true");
  });

  if (plane !== "the embedded gateway") {
    test("GRPC: the server allows and adds headers, or denies with a response of its own", async () => {
      const [allowed, seen] = await forwarded("grpc", { headers: { ...YES, "x-cart": "7" } });
      expect(allowed.status).toBe(200);
      expect(seen[0]?.headers).toMatchObject({ "x-user": "alice" });
      expect(grpcAuth.seen.at(-1)).toMatch(/^\/envoy\.service\.auth\.v3\.Authorization\/Check .*x-cart/s);
      const [denied, none] = await forwarded("grpc", {});
      expect(denied).toMatchObject({ status: 418, body: "a teapot" });
      expect(denied.headers).toMatchObject({ "x-why": "tea" });
      expect(none).toEqual([]);
    });

    test("GRPC: headers that the server may see", async () => {
      expect((await ask("grpc-chosen", { headers: { ...YES, "x-cart": "7" } })).status).toBe(200);
      expect(grpcAuth.seen.at(-1)).not.toContain("x-cart");
    });

    test("forwardBody: the server gets the body; a longer one is refused", async () => {
      const [response, seen] = await forwarded("body", { method: "POST", headers: YES, bodyBytes: 10 });
      expect(response.status).toBe(200);
      expect(seen[0]?.body).toBe("b".repeat(10));
      expect(auth.seen.at(-1)).toMatchObject({ body: "b".repeat(10) });
      const [longer, none] = await forwarded("body", { method: "POST", headers: YES, bodyBytes: 11 });
      expect(longer.status).toBe(413);
      expect(none).toEqual([]);
    });
  } else {
    test.each(["grpc", "grpc-chosen", "body"])("%s: not carried out, so requests get a 500", async (name) => {
      const [response, seen] = await forwarded(name, { headers: YES });
      expect(response.status).toBe(500);
      expect(seen).toEqual([]);
      expect(served.problems.join("\n")).toMatch(new RegExp(`HTTPRoute s/${name}#rule-1 .*ExternalAuth`));
    });
  }
});
