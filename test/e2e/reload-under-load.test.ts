import { Agent, createServer, request, type Server } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import { apply } from "../../src/core/apply.ts";
import { compileDataplane, updateDataplane } from "../../src/core/compile.ts";
import { evaluate } from "../../src/core/evaluate.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { buildSnapshot } from "../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { NO_SECRETS } from "../../src/gateway/contract/secret-source.ts";
import { createGateway, type Gateway } from "../../src/gateway/gateway.ts";

const CLIENTS = 1000;
const RELOADS = 1000;
/** Between two requests of a client, on average: clients, gateway and backend share this one process. */
const PAUSE_MS = 1000;
const RELOAD_MS = 5;

/** Memory in use after a collection of garbage. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let backend: Server;
let gateway: Gateway;
beforeAll(async () => {
  backend = createServer((_, response) => response.end("bread"));
  // A backend that closes idle connections just as a request arrives is another matter than a reload.
  backend.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  gateway = createGateway({ matchRegex: createRegex(), bind: () => ({ host: "127.0.0.1", port: 0 }) });
});
afterAll(async () => {
  await gateway.close({ drainMs: 0 });
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

const GATEWAY_API = "gateway.networking.k8s.io";

function route(version: number): JsonObject {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name: "bread", namespace: "a" },
    spec: {
      parentRefs: [{ name: "prod" }],
      rules: [
        {
          // What changes: a header for the backend, and whether there are timeouts and retries.
          filters: [
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "x-version", value: String(version) }] },
            },
          ],
          backendRefs: [{ name: "bread", port: 80 }],
          ...(version % 2 === 0 ? { retry: { codes: [503], attempts: 2 }, timeouts: { request: "30s" } } : {}),
        },
      ],
    },
  };
}

function objects(backendPort: number): readonly JsonObject[] {
  const metadata = (name: string): JsonObject => ({ name, namespace: "a" });
  return [
    { apiVersion: `${GATEWAY_API}/v1`, kind: "GatewayClass", metadata: { name: "c" }, spec: { controllerName: "x/y" } },
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "Gateway",
      metadata: metadata("prod"),
      spec: { gatewayClassName: "c", listeners: [{ name: "http", protocol: "HTTP", port: 80 }] },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata("bread"), annotations: { "prevail.dev/endpoints": `127.0.0.1:${backendPort}` } },
      spec: { ports: [{ port: 80 }] },
    },
    route(0),
  ];
}

const ask = (port: number, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, agent, headers: { host: "a.example" } }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on("end", () => resolve(`${response.statusCode} ${body}`));
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end();
  });

test(`${CLIENTS} clients, ${RELOADS} configurations: no request fails, and memory stays flat`, async () => {
  const address = backend.address();
  const backendPort = typeof address === "object" && address !== null ? address.port : 0;
  const snapshot = buildSnapshot(objects(backendPort));
  let evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
  let config = compileDataplane(evaluation, { endpointAnnotations: "Used" });
  await gateway.replace(config, NO_SECRETS);
  const port = gateway.openPorts()[0]?.boundPort ?? 0;

  let isDone = false;
  const responses = new Map<string, number>();
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isDone) {
      const response = await ask(port, agent).catch((error: unknown) => String(error));
      responses.set(response, (responses.get(response) ?? 0) + 1);
      await pause(Math.random() * 2 * PAUSE_MS);
    }
    agent.destroy();
  };
  const clients = Array.from({ length: CLIENTS }, client);

  let heapBefore = 0;
  for (let version = 1; version <= RELOADS; version++) {
    const applied = apply(evaluation, [{ upsert: route(version) }]);
    evaluation = applied.evaluation;
    config = updateDataplane(config, applied).dataplane;
    await gateway.replace(config, NO_SECRETS);
    await pause(RELOAD_MS);
    if (version === RELOADS / 4) heapBefore = heldBytes();
  }
  const heapAfter = heldBytes();
  isDone = true;
  await Promise.all(clients);

  expect(Object.fromEntries(responses)).toEqual({ "200 bread": expect.any(Number) });
  expect(responses.get("200 bread")).toBeGreaterThan(CLIENTS);
  // Whatever a configuration leaves behind would come to more than this, 750 times over.
  expect(heapAfter - heapBefore).toBeLessThan(32 * 1024 * 1024);
}, 300_000);
