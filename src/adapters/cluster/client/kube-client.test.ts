import { afterEach, describe, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../../test/support/kubernetes/plain-server.ts";
import type { KubeClient } from "./kube-client.ts";
import { listObjects } from "./list-objects.ts";
import { applyObject } from "./object-requests.ts";
import { reviewOwnAccess } from "./reviews.ts";

interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** A server that sends these responses one after the other; the last one again and again. */
let server: PlainServer | undefined;
afterEach(() => server?.close());
async function clientOf(...responses: readonly Response[]): Promise<{ client: KubeClient; requests: string[] }> {
  const requests: string[] = [];
  server = await startPlainServer((request, response) => {
    const {
      status,
      headers = {},
      body = {},
    } = responses[Math.min(requests.length, responses.length - 1)] ?? { status: 500 };
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { client: server.client, requests };
}

const allowed: Response = { status: 201, body: { status: { allowed: true } } };
const busy: Response = { status: 429, headers: { "retry-after": "0" } };
const access = { verb: "get", group: "", resource: "services" };

describe("a server that is too busy", () => {
  test("is asked again, also for a review and for an apply", async () => {
    const { client, requests } = await clientOf(busy, { ...busy, status: 503 }, allowed);
    expect(await reviewOwnAccess(client, access)).toEqual({ allowed: true, reason: "" });
    await applyObject(client, { group: "", version: "v1", plural: "configmaps" }, {}, { fieldManager: "m" });
    expect(requests).toHaveLength(4);
  });

  test("is not asked for ever", async () => {
    const { client, requests } = await clientOf(busy);
    await expect(reviewOwnAccess(client, access)).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(6);
  });

  test("that asks for a longer wait than the deadline is the reason, not a server that does not respond", async () => {
    const { client, requests } = await clientOf({ status: 429, headers: { "retry-after": "9" } });
    await expect(reviewOwnAccess(client, access, { deadlineMs: 200 })).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
  });

  test("a failure without Retry-After is not repeated: the request may have been carried out", async () => {
    const { client, requests } = await clientOf({ status: 500 });
    await expect(reviewOwnAccess(client, access)).rejects.toMatchObject({ status: 500 });
    expect(requests).toHaveLength(1);
  });
});

describe("a body that is not JSON", () => {
  const page = "<html>\n<body>Sign in to the company network</body></html>";
  const services = { group: "", version: "v1", plural: "services" };
  const list = { ...services, kind: "Service", isNamespaced: true, verbs: [], shortNames: [], hasStatus: true };

  test("of a success is quoted by its beginning, also for a list", async () => {
    const { client } = await clientOf({ status: 200, body: page });
    const message = "the response to /api/v1/services is not JSON: <html> <body>Sign in to the company network";
    await expect(client.request({ path: "/api/v1/services" })).rejects.toThrow(message);
    await expect(listObjects(client, list)).rejects.toThrow(message);
  });

  test("of a failure is, too", async () => {
    const { client } = await clientOf({ status: 502, body: page });
    await expect(listObjects(client, list)).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining("the server responds with 502: <html> <body>Sign in"),
    });
  });

  test.each(['"text"', "[]", "null", "1"])("is JSON and not an object: %s", async (body) => {
    const { client } = await clientOf({ status: 200, body });
    await expect(client.request({ path: "/api" })).rejects.toThrow("the response to /api is not an object");
  });
});
