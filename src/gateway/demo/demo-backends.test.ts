import { connect } from "node:http2";
import { afterAll, expect, test } from "vitest";
import type {
  BackendConfig,
  BackendId,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
} from "../../core/dataplane/gateway-config.ts";
import { createDemoBackends } from "./demo-backends.ts";

const demo = createDemoBackends();
afterAll(() => demo.close());

function configOf(backends: Readonly<Record<string, readonly Endpoint[]>>): DataplaneConfig {
  const table = new Map<BackendId, BackendConfig>();
  const endpoints = new Map<EndpointsId, readonly Endpoint[]>();
  for (const [name, list] of Object.entries(backends)) {
    const id = name as EndpointsId;
    endpoints.set(id, list);
    table.set(name as BackendId, {
      id: name as BackendId,
      object: { group: "", kind: "Service", namespace: "bakery", name },
      port: 8080,
      protocol: "HTTP/1.1",
      tls: undefined,
      endpoints: id,
      budget: undefined,
      session: undefined,
    });
  }
  return { gateways: [], backends: table, endpoints, problems: [] };
}

const portsOf = (config: DataplaneConfig, name: string): readonly number[] =>
  config.endpoints.get(name as EndpointsId)?.map(({ port }) => port) ?? [];

const ask = (port: number | undefined, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/menu?x=1`, { headers, signal: AbortSignal.timeout(5000) });

test("replaces every endpoint, responds with what it saw, and fails on request", async () => {
  const away = { address: "10.0.0.1", port: 80 };
  const staged = await demo.replaceEndpoints(configOf({ baker: [away, away, away], till: [] }));
  const [a, b] = portsOf(staged, "baker");
  expect([portsOf(staged, "baker").length, portsOf(staged, "till").length]).toEqual([3, 2]);
  expect(await (await ask(a)).json()).toMatchObject({
    backend: "Service bakery/baker:8080, endpoint 1",
    path: "/menu?x=1",
    attempt: 1,
  });

  const plan = { "x-demo": "503, reset, 200", "x-request-id": "1" };
  expect((await ask(a, plan)).status).toBe(503);
  await expect(ask(b, plan)).rejects.toThrow();
  expect(await (await ask(a, plan)).json()).toMatchObject({ attempt: 3 });
  expect((await ask(a, plan)).status, "the plan begins anew").toBe(503);

  expect((await ask(a, { "x-demo": "30ms" })).status).toBe(200);
  const wrong = await ask(a, { "x-demo": "teapot" });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("x-demo has 'teapot'")]);
});

test("a changed configuration keeps those that stay, and stops the others", async () => {
  const before = await demo.replaceEndpoints(configOf({ baker: [], till: [] }));
  const after = await demo.replaceEndpoints(configOf({ baker: [] }));
  expect(portsOf(after, "baker")).toEqual(portsOf(before, "baker"));
  expect((await ask(portsOf(after, "baker")[0])).status).toBe(200);
  await expect(ask(portsOf(before, "till")[0])).rejects.toThrow();
});

test("speaks HTTP/2, too", async () => {
  const staged = await demo.replaceEndpoints(configOf({ oven: [] }));
  const session = connect(`http://127.0.0.1:${portsOf(staged, "oven")[0]}`);
  const status = await new Promise((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({ ":path": "/", "x-demo": "503" });
    stream.on("response", (headers) => resolve(headers[":status"]));
    stream.end();
  });
  session.destroy();
  expect(status).toBe(503);
});
