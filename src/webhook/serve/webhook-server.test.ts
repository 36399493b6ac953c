import { Agent, request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import { type CertifiedKey, makeAuthority, signCertificate } from "../../adapters/certificates/make-certificates.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import type { WebhookState } from "./answer-review.ts";
import { startWebhookServer, type WebhookServer } from "./webhook-server.ts";

const now = { nowMs: Date.now(), days: 1 };
const fridayFix = policy(
  "RetryPolicy",
  "p",
  "Gateway/g",
  { overrides: { retry: { attempts: 5 } } },
  { group: "prevail.dev" },
);
const { evaluation } = cluster(
  [
    gatewayClass("class", "prevail.dev/gateway-controller"),
    gateway("g"),
    routeTo("r", "Gateway/g", "s"),
    service("s"),
    fridayFix,
  ],
  { definitions: builtInDefinitions(), completeness: "Complete" },
);

const review = (fields: JsonObject = {}): JsonObject => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u1",
    operation: "DELETE",
    // A deletion of a collection has no name here.
    name: "",
    userInfo: { username: "ana" },
    object: null,
    oldObject: {
      ...fridayFix,
      metadata: { ...(fridayFix["metadata"] as JsonObject), generation: 2, managedFields: [{}] },
    },
    ...fields,
  },
});

interface SendOptions {
  readonly port?: number;
  readonly ca?: string;
  readonly method?: string;
  readonly tls?: { readonly cert?: string; readonly key?: string };
}

describe("the server", () => {
  let authority: CertifiedKey;
  let certificate: CertifiedKey;
  let client: CertifiedKey;
  let server: WebhookServer;
  let state: WebhookState | undefined;
  const seen: string[] = [];
  beforeAll(async () => {
    authority = await makeAuthority({ commonName: "test", ...now });
    certificate = await signCertificate(authority, {
      commonName: "a",
      dnsNames: ["localhost"],
      usage: "Server",
      ...now,
    });
    client = await signCertificate(authority, { commonName: "api-server", usage: "Client", ...now });
    server = await startWebhookServer({
      host: "127.0.0.1",
      port: 0,
      certificate,
      state: () => state,
      deny: { refuseConflicts: false, confirmAbove: 0 },
      onReview: (webhook, outcome) => seen.push(`${webhook} ${outcome}`),
    });
    state = { evaluation, unread: [] };
  });
  afterAll(() => server.close());

  const send = (
    path: string,
    body: string,
    { port = server.port, ca = authority.certificate, method = "POST", tls = {} }: SendOptions = {},
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", servername: "localhost", port, path, method, ca, agent: false, ...tls },
        (response) => {
          let text = "";
          response.on("data", (part: Buffer) => {
            text += part.toString("utf8");
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  const ask = async (path: string, fields: JsonObject = {}): Promise<unknown> =>
    JSON.parse((await send(path, JSON.stringify(review(fields)))).body);

  test("while it closes, a connection that is used again gets its response and ends with it: no review is lost", async () => {
    const closing = await startWebhookServer({
      host: "127.0.0.1",
      port: 0,
      certificate,
      state: () => state,
      deny: undefined,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const askAgain = (): Promise<readonly unknown[]> =>
      new Promise((resolve, reject) => {
        const { port } = closing;
        const to = { host: "127.0.0.1", servername: "localhost", port, path: "/warn", method: "POST" };
        const sent = request({ ...to, ca: authority.certificate, agent }, (response) => {
          response.resume();
          const { statusCode, headers } = response;
          response.on("end", () => resolve([statusCode, headers.connection, sent.reusedSocket]));
        });
        sent.on("error", reject);
        sent.end(JSON.stringify(review()));
      });
    expect(await askAgain()).toEqual([200, "keep-alive", false]);
    const closed = closing.close();
    expect(await askAgain()).toEqual([200, "close", true]);
    await closed;
    await expect(askAgain()).rejects.toThrow("ECONNREFUSED");
  });

  test("/warn allows everything, and prints the plan", async () => {
    expect(await ask("/warn")).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: {
        uid: "u1",
        allowed: true,
        warnings: [
          "deleting RetryPolicy default/p changes 1 value on 1 path in namespace default; see kubectl prevail plan",
        ],
      },
    });
  });

  test("/deny refuses with the reason, and a dry run is answered alike", async () => {
    for (const fields of [{}, { dryRun: true }])
      expect(await ask("/deny", fields)).toMatchObject({
        response: {
          allowed: false,
          status: {
            code: 403,
            reason: "Forbidden",
            message: expect.stringMatching(/^NotConfirmed: deleting RetryPolicy/),
          },
        },
      });
    expect(await ask("/deny", { operation: "CREATE", object: fridayFix, oldObject: null })).toMatchObject({
      response: { uid: "u1", allowed: true },
    });
    expect(seen).toContain("deny NotConfirmed");
  });

  test("before the cluster has been read: /warn says so, /deny leaves it to failurePolicy", async () => {
    state = undefined;
    expect(await ask("/warn")).toMatchObject({
      response: { allowed: true, warnings: [expect.stringContaining("has not read the cluster yet")] },
    });
    expect((await send("/deny", JSON.stringify(review()))).status).toBe(503);
    state = { evaluation, unread: [] };
  });

  test.each([
    ["another path", "/", JSON.stringify(review()), "POST", 404],
    ["another method", "/warn", "", "GET", 405],
    ["no JSON", "/warn", "{", "POST", 400],
    ["no review", "/warn", "{}", "POST", 400],
    [
      "a review of an unknown version",
      "/warn",
      JSON.stringify({ ...review(), apiVersion: "admission.k8s.io/v1beta1" }),
      "POST",
      400,
    ],
    ["no uid", "/deny", JSON.stringify(review({ uid: "" })), "POST", 400],
    ["an operation that no rule asks for", "/deny", JSON.stringify(review({ operation: "CONNECT" })), "POST", 400],
  ])("%s is refused", async (_, path, body, method, status) => {
    expect((await send(path, body, { method })).status).toBe(status);
  });

  test("a body without end is cut off", async () => {
    const sent = send("/warn", "x".repeat(9 * 1024 * 1024)).then(
      ({ status }) => status,
      () => "cut off",
    );
    expect(["cut off", 413]).toContain(await sent);
    expect((await send("/warn", JSON.stringify(review()))).status).toBe(200);
  });

  test("a hundred requests at a time are answered, a further one is turned away until one of them ends", async () => {
    const path = { host: "127.0.0.1", servername: "localhost", port: server.port, path: "/warn", method: "POST" };
    const open = Array.from({ length: 100 }, () =>
      request({ ...path, ca: authority.certificate, agent: false }).on("error", () => undefined),
    );
    for (const one of open) one.write("{");
    const status = async (): Promise<number> => (await send("/warn", JSON.stringify(review()))).status;
    // 429 as soon as the bodies of all of them are awaited.
    await until(async () => (await status()) === 429);
    expect(await status()).toBe(429);
    open[0]?.destroy();
    await until(async () => (await status()) === 200);
    for (const one of open) one.destroy();
  });

  test("a new certificate is for new connections, also of another authority", async () => {
    const next = await makeAuthority({ commonName: "next", ...now });
    server.useCertificate(
      await signCertificate(next, { commonName: "a", dnsNames: ["localhost"], usage: "Server", ...now }),
    );
    await expect(send("/warn", JSON.stringify(review()))).rejects.toThrow();
    expect(
      (await send("/warn", JSON.stringify(review()), { ca: `${next.certificate}\n${authority.certificate}` })).status,
    ).toBe(200);
    server.useCertificate(certificate);
    expect((await send("/warn", JSON.stringify(review()))).status).toBe(200);
  });

  test("with a client authority, only its clients may ask", async () => {
    const options = {
      host: "127.0.0.1",
      port: 0,
      certificate,
      clientAuthority: authority.certificate,
      state: () => state,
    };
    const strict = await startWebhookServer({ ...options, deny: undefined });
    const body = JSON.stringify(review());
    await expect(send("/warn", body, { port: strict.port })).rejects.toThrow();
    const tls = { cert: client.certificate, key: client.privateKey };
    expect((await send("/warn", body, { port: strict.port, tls })).status).toBe(200);
    // Without --deny nothing is refused, even if the configuration is installed.
    expect(JSON.parse((await send("/deny", body, { port: strict.port, tls })).body)).toMatchObject({
      response: { allowed: true },
    });
    await strict.close();
  });
});
