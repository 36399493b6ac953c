import { expect, test } from "vitest";
import { finishedRequest } from "../../../test/support/gateway/finished-request.ts";
import type { BackendConfig, BackendId, EndpointsId, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { ConnectionFinished, RequestFinished } from "./gateway-event.ts";
import { createMetrics } from "./metrics.ts";

const gateway = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "prod" };
const rule: RuleConfig = {
  route: { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "bakery", name: "baker" },
  rule: "menu",
  filters: [],
  action: { type: "Respond", status: 500, reason: "" },
  requestTimeoutMs: undefined,
};
const backend: BackendConfig = {
  id: "b" as BackendId,
  object: { group: "", kind: "Service", namespace: "bakery", name: "baker" },
  port: 8080,
  protocol: "HTTP/1.1",
  tls: undefined,
  endpoints: "e" as EndpointsId,
  budget: undefined,
  session: undefined,
};
const finished = (more: Partial<RequestFinished> = {}): RequestFinished =>
  finishedRequest({ gateway, rule, backend, ...more });

const lines = (text: string, start: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(start));

test("requests by route and code", () => {
  const metrics = createMetrics();
  metrics.observe(finished());
  metrics.observe(finished());
  metrics.observe(finished({ status: undefined }));
  metrics.observe(finished({ rule: undefined, status: 404 }));
  expect(lines(metrics.render(), "prevail_requests_total{")).toEqual([
    'prevail_requests_total{gateway="infra/prod",route_kind="",route="",rule="",code="404"} 1',
    'prevail_requests_total{gateway="infra/prod",route_kind="HTTPRoute",route="bakery/baker",rule="menu",code="200"} 2',
    'prevail_requests_total{gateway="infra/prod",route_kind="HTTPRoute",route="bakery/baker",rule="menu",code="none"} 1',
  ]);
});

test("durations: buckets are cumulative, and the last one counts all", () => {
  const metrics = createMetrics();
  for (const durationMs of [0.5, 7, 7, 60_000]) metrics.observe(finished({ durationMs }));
  const buckets = lines(metrics.render(), "prevail_request_duration_seconds_bucket").map((line) =>
    line.replace(/.*le="(.*)"} /, "$1: "),
  );
  expect(buckets[0]).toBe("0.001: 1");
  expect(buckets[3]).toBe("0.01: 3");
  expect(buckets.slice(-2)).toEqual(["30: 3", "+Inf: 4"]);
  expect(lines(metrics.render(), "prevail_request_duration_seconds_count")[0]).toMatch(/ 4$/);
});

test("attempts, retries by reason, and what the budget refused", () => {
  const metrics = createMetrics();
  const endpoint = { address: "127.0.0.1", port: 1 };
  const outcome = { type: "Responded", status: 503 } as const;
  metrics.observe({ type: "AttemptFinished", rule, backend, endpoint, number: 1, outcome, durationMs: 1 });
  metrics.observe({ type: "RetryScheduled", rule, backend, reason: { type: "TimedOut" }, retry: 1, waitMs: 1 });
  metrics.observe({ type: "BudgetRefused", rule, backend });
  const text = metrics.render();
  expect(text).toContain('prevail_attempts_total{backend="bakery/baker:8080",outcome="503"} 1\n');
  expect(text).toMatch(/^prevail_retries_total\{.*reason="timed_out"\} 1$/m);
  expect(text).toMatch(/^prevail_retry_budget_refusals_total\{.*\} 1$/m);
});

test("failed handshakes by reason", () => {
  const metrics = createMetrics();
  const gateway = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "prod" };
  const failure = { reason: "timed_out", client: "10.0.0.1", message: "too slow" } as const;
  metrics.observe({ type: "HandshakeFailed", gateway, port: 443, failure });
  expect(metrics.render()).toContain('prevail_failed_handshakes_total{gateway="infra/prod",reason="timed_out"} 1\n');
});

test("connections that are not HTTP, by result, and their bytes", () => {
  const metrics = createMetrics();
  const connection: ConnectionFinished = {
    type: "ConnectionFinished",
    startedAtMs: 0,
    durationMs: 5,
    client: "10.0.0.1",
    gateway,
    port: 5432,
    serverName: "",
    rule,
    backend,
    receivedBytes: 10,
    sentBytes: 20,
    attempts: 1,
    flags: [],
    reason: undefined,
  };
  metrics.observe(connection);
  metrics.observe({ ...connection, flags: ["NotConnected"], receivedBytes: 1 });
  const text = metrics.render();
  expect(text).toMatch(/^prevail_connections_total\{gateway="infra\/prod",route_kind=.*result="finished"\} 1$/m);
  expect(text).toMatch(/^prevail_connections_total\{.*result="not_connected"\} 1$/m);
  expect(text).toMatch(/^prevail_connection_bytes_total\{.*direction="received"\} 11$/m);
  expect(text).toMatch(/^prevail_connection_bytes_total\{.*direction="sent"\} 40$/m);
});

test("configurations: which one is served, and how often one could not be", () => {
  const metrics = createMetrics();
  metrics.noteConfig({ generation: 4 });
  metrics.noteConfig("Kept");
  expect(metrics.render()).toContain("prevail_config_generation 4\n");
  expect(metrics.render()).toContain('prevail_config_reloads_total{result="kept"} 1\n');
});

test("names cannot break out of their labels", () => {
  const metrics = createMetrics();
  const odd = { ...rule, rule: 'a"b\\c\nd' };
  metrics.observe(finished({ rule: odd }));
  expect(metrics.render()).toContain('rule="a\\"b\\\\c\\nd",code');
});
