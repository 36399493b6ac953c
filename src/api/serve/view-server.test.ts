import { once } from "node:events";
import { request as plainRequest } from "node:http";
import { type RequestOptions, request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CertifiedKey, makeAuthority, signCertificate } from "../../adapters/certificates/make-certificates.ts";
import { createAccessReviews } from "../rights/access-reviews.ts";
import type { FrontProxy } from "./front-proxy.ts";
import { startViewServer, type ViewServer } from "./view-server.ts";

const validity = { nowMs: Date.now(), days: 1 };
const HOST = "prevail-view.prevail-system.svc";
const GROUP = "/apis/view.prevail.dev/v1alpha1";

let server: ViewServer;
let serving: CertifiedKey;
let proxyAuthority: CertifiedKey;
let proxyClient: CertifiedKey;
let frontProxy: FrontProxy;
/** SubjectAccessReviews that fail. */
let isReviewDown = false;

beforeAll(async () => {
  const authority = await makeAuthority({ commonName: "view", ...validity });
  serving = await signCertificate(authority, { commonName: HOST, dnsNames: [HOST], usage: "Server", ...validity });
  proxyAuthority = await makeAuthority({ commonName: "front-proxy", ...validity });
  const client = { usage: "Client" as const, ...validity };
  proxyClient = await signCertificate(proxyAuthority, { commonName: "front-proxy-client", ...client });
  frontProxy = {
    authority: proxyAuthority.certificate,
    allowedNames: ["front-proxy-client"],
    userHeaders: ["x-remote-user"],
    uidHeaders: ["x-remote-uid"],
    groupHeaders: ["x-remote-group"],
    extraPrefixes: ["x-remote-extra-"],
  };
  server = await startViewServer({
    host: "127.0.0.1",
    port: 0,
    certificate: serving,
    frontProxy,
    context: () => undefined,
    loadWhole: async () => new Map(),
    reviews: createAccessReviews({
      review: async ({ user }) => {
        if (isReviewDown) throw new Error("the API server is down");
        return user !== "nobody";
      },
      nowMs: () => 0,
      ttlMs: 0,
    }),
  });
});
afterAll(() => server.close());

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

async function ask(path: string, options: RequestOptions = {}): Promise<Reply> {
  const { headers = { "x-remote-user": "ana" }, ...others } = options;
  const sent = request({
    host: "127.0.0.1",
    port: server.port,
    path,
    agent: false,
    rejectUnauthorized: false,
    cert: proxyClient.certificate,
    key: proxyClient.privateKey,
    headers,
    ...others,
  });
  sent.end();
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  const header = (name: string): string | undefined => response.headers[name] as string | undefined;
  return { status: response.statusCode ?? 0, body, header };
}

describe("who can connect", () => {
  test("the front proxy", async () => expect((await ask(GROUP)).status).toBe(200));

  test("no client without a certificate, with one of another authority, or with plain HTTP", async () => {
    const other = await makeAuthority({ commonName: "front-proxy", ...validity });
    const stranger = await signCertificate(other, { commonName: "front-proxy-client", usage: "Client", ...validity });
    await expect(ask(GROUP, { cert: undefined, key: undefined })).rejects.toThrow();
    await expect(ask(GROUP, { cert: stranger.certificate, key: stranger.privateKey })).rejects.toThrow();
    const plain = plainRequest({ host: "127.0.0.1", port: server.port, path: GROUP });
    plain.end();
    await expect(once(plain, "response")).rejects.toThrow();
  });

  test("no server certificate of the same authority, and no other name", async () => {
    const asServer = await signCertificate(proxyAuthority, {
      commonName: "front-proxy-client",
      usage: "Server",
      ...validity,
    });
    await expect(ask(GROUP, { cert: asServer.certificate, key: asServer.privateKey })).rejects.toThrow();
    const other = await signCertificate(proxyAuthority, { commonName: "kubelet", usage: "Client", ...validity });
    expect((await ask(GROUP, { cert: other.certificate, key: other.privateKey })).status).toBe(401);
  });

  test.each([
    ["without a user", {}],
    ["with two users", { "x-remote-user": ["ana", "admin"] }],
    ["with impersonation", { "x-remote-user": "ana", "impersonate-user": "admin" }],
    ["with a token instead", { authorization: "Bearer abc" }],
  ])("a request %s is refused, also for discovery", async (_, headers) => {
    const { status, body } = await ask(GROUP, { headers });
    expect([status, JSON.parse(body)]).toEqual([
      401,
      expect.objectContaining({ kind: "Status", reason: "Unauthorized" }),
    ]);
  });

  test("headers over 64 KiB are refused", async () => {
    const headers = { "x-remote-user": "ana", "x-remote-group": "g".repeat(70_000) };
    // The server closes the connection, so the client may see that before it has read the response.
    const outcome = await ask(GROUP, { headers }).then(
      ({ status }) => status,
      () => "closed",
    );
    expect([431, "closed"]).toContain(outcome);
  });

  test("a new authority of the front proxy counts from the next connection on", async () => {
    const next = await makeAuthority({ commonName: "front-proxy", ...validity });
    const client = await signCertificate(next, { commonName: "front-proxy-client", usage: "Client", ...validity });
    server.useFrontProxy({ ...frontProxy, authority: next.certificate });
    await expect(ask(GROUP)).rejects.toThrow();
    expect((await ask(GROUP, { cert: client.certificate, key: client.privateKey })).status).toBe(200);
    server.useFrontProxy(frontProxy);
    expect((await ask(GROUP)).status).toBe(200);
  });
});

describe("before the cluster has been read", () => {
  test("discovery and OpenAPI are served", async () => {
    const headers = { "x-remote-user": "ana", accept: AGGREGATED };
    expect(JSON.parse((await ask("/apis", { headers })).body)).toMatchObject({ kind: "APIGroupDiscoveryList" });
    expect(JSON.parse((await ask("/apis")).body)).toMatchObject({ kind: "APIGroupList" });
    expect(JSON.parse((await ask(GROUP)).body)).toMatchObject({ kind: "APIResourceList" });
    const index = JSON.parse((await ask("/openapi/v3")).body) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = index.paths["apis/view.prevail.dev/v1alpha1"]?.serverRelativeURL ?? "";
    expect(JSON.parse((await ask(url)).body)).toMatchObject({ openapi: "3.0.0" });
  });

  test("objects get a 503 that says when to ask again", async () => {
    const { status, header } = await ask(`${GROUP}/effectivepolicies`);
    expect([status, header("retry-after")]).toEqual([503, "1"]);
  });
});

describe("what is refused", () => {
  const path = `${GROUP}/namespaces/bakery/effectivepolicies`;
  test.each([
    ["DELETE", path, 405],
    ["DELETE", `${path}/httproute.baker`, 405],
    ["POST", path, 405],
    ["GET", `${path}?watch=true`, 405],
    ["GET", `${path}?includeObject=All`, 400],
    ["GET", `${GROUP}/namespaces/bakery/clustereffectivepolicies`, 404],
    ["GET", `${GROUP}/effectivepolicies/httproute.baker`, 404],
    ["GET", "/apis/view.prevail.dev/v2/effectivepolicies", 404],
    ["GET", "/api/v1/secrets", 404],
    ["POST", "/apis", 405],
  ])("%s %s: %d", async (method, target, status) => {
    const reply = await ask(target, { method });
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      status,
      expect.objectContaining({ kind: "Status", code: status }),
    ]);
  });

  test("a user without the right, and everybody while rights cannot be asked for", async () => {
    expect((await ask(path, { headers: { "x-remote-user": "nobody" } })).status).toBe(403);
    isReviewDown = true;
    expect((await ask(path)).status).toBe(503);
    isReviewDown = false;
  });
});

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
