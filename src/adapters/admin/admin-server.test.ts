import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, startAdminServer } from "./admin-server.ts";

let isReady = true;
let admin: AdminServer;
beforeAll(async () => {
  admin = await startAdminServer({
    host: "127.0.0.1",
    port: 0,
    metrics: () => "prevail_requests_total 1\n",
    readiness: () => ({ isReady, reason: isReady ? "serving" : "starting" }),
  });
});
afterAll(() => admin.close());

const ask = (path: string, method = "GET"): Promise<Response> =>
  fetch(`http://127.0.0.1:${admin.port}${path}`, { method });

test("/metrics, in Prometheus' format", async () => {
  const response = await ask("/metrics");
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  expect(await response.text()).toBe("prevail_requests_total 1\n");
});

test("/healthz and /readyz", async () => {
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/readyz")).status).toBe(200);
  isReady = false;
  const response = await ask("/readyz");
  expect([response.status, await response.text()]).toEqual([503, "starting\n"]);
});

test("anything else: what there is", async () => {
  const response = await ask("/__proto__");
  expect([response.status, await response.text()]).toEqual([404, "There are /metrics, /healthz, /readyz.\n"]);
  expect((await ask("/metrics", "POST")).status).toBe(405);
});

test("a port in use is reported", async () => {
  const again = startAdminServer({
    host: "127.0.0.1",
    port: admin.port,
    metrics: () => "",
    readiness: () => ({ isReady, reason: "" }),
  });
  await expect(again).rejects.toThrow("EADDRINUSE");
});
