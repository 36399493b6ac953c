import { createServer, type Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createCredentials } from "../credentials/credentials.ts";
import { chooseAccess } from "../kubeconfig/cluster-access.ts";
import { parseKubeConfig } from "../kubeconfig/parse-kubeconfig.ts";
import { createKubeClient, type KubeClient } from "./kube-client.ts";
import { applyObject } from "./object-requests.ts";
import { reviewOwnAccess } from "./reviews.ts";

interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A server that sends these responses one after the other; the last one again and again. */
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
async function clientOf(...responses: readonly Response[]): Promise<{ client: KubeClient; requests: string[] }> {
  const requests: string[] = [];
  server = createServer((request, response) => {
    const {
      status,
      headers = {},
      body = {},
    } = responses[Math.min(requests.length, responses.length - 1)] ?? { status: 500 };
    requests.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const config = {
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${address.port}` } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
  };
  const access = chooseAccess(parseKubeConfig(config, "/config"), {}, {});
  const credentials = createCredentials(access, { env: {}, isInteractive: false });
  return { client: createKubeClient(access, credentials, { env: {}, userAgent: "test" }), requests };
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
    client.close();
  });

  test("is not asked for ever", async () => {
    const { client, requests } = await clientOf(busy);
    await expect(reviewOwnAccess(client, access)).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(6);
    client.close();
  });

  test("that asks for a longer wait than the deadline is the reason, not a server that does not respond", async () => {
    const { client, requests } = await clientOf({ status: 429, headers: { "retry-after": "9" } });
    await expect(reviewOwnAccess(client, access, { deadlineMs: 200 })).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
    client.close();
  });

  test("a failure without Retry-After is not repeated: the request may have been carried out", async () => {
    const { client, requests } = await clientOf({ status: 500 });
    await expect(reviewOwnAccess(client, access)).rejects.toMatchObject({ status: 500 });
    expect(requests).toHaveLength(1);
    client.close();
  });
});
