/**
 * What every data plane must do, row by row: GEP-1731's field comments, Gateway API's timeouts, and where docs/semantics.md says more.
 * The rows know nothing of who serves them.
 */
import type { JsonObject } from "../../../src/core/model/json.ts";
import type { BehaviourRow, RowRequest } from "./behaviour-row.ts";
import { healthRows } from "./health-rows.ts";
import { http10Rows } from "./http10-rows.ts";
import type { Deed } from "./recording-backend.ts";
import { safetyRows } from "./safety-rows.ts";

const respond = (status: number, body = `response ${status}`): Deed => ({ do: "Respond", status, body });
const OK = respond(200);
const FAST: JsonObject = { codes: [503], backoff: "20ms" };

/** GEP-1731, "codes": a response with a listed code is retried for every method. */
const codes: readonly BehaviourRow[] = [
  ...[400, 404, 408, 409, 429, 500, 501, 502, 503, 504, 599].map(
    (code): BehaviourRow => ({
      name: `codes › ${code} is retried if it is listed`,
      retry: { codes: [code], attempts: 2, backoff: "20ms" },
      script: [respond(code), OK],
      expect: { status: 200, attempts: 2, gapsMs: [20] },
    }),
  ),
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map(
    (method): BehaviourRow => ({
      name: `codes › a listed code is retried for ${method}`,
      retry: { ...FAST, attempts: 1 },
      script: [respond(503), OK],
      request: { method },
      expect: { status: 200, attempts: 2, gapsMs: [20] },
    }),
  ),
  ...[200, 204, 301, 304, 404, 500, 502].map(
    (code): BehaviourRow => ({
      name: `codes › ${code} is passed on if it is not listed`,
      retry: { ...FAST, attempts: 2 },
      script: [respond(code)],
      expect: { status: code, attempts: 1 },
    }),
  ),
  {
    name: "codes › several are listed",
    retry: { codes: [500, 502, 503], attempts: 3, backoff: "10ms" },
    script: [respond(500), respond(502), respond(503), OK],
    expect: { status: 200, attempts: 4 },
  },
  {
    name: "codes › one that is not listed ends it",
    retry: { ...FAST, attempts: 5 },
    script: [respond(503), respond(500, "the end")],
    expect: { status: 500, attempts: 2, body: "the end" },
  },
  {
    name: "codes › none listed: no response is retried",
    retry: { attempts: 2, backoff: "10ms" },
    script: [respond(503)],
    expect: { status: 503, attempts: 1 },
  },
  {
    name: "retry › no stanza: an attempt is the only one",
    script: [respond(503)],
    expect: { status: 503, attempts: 1, body: "response 503" },
  },
  ...(["route", "policy"] as const).flatMap((where): BehaviourRow[] => {
    const stanza: Pick<BehaviourRow, "rule" | "retry"> = where === "route" ? { rule: { retry: {} } } : { retry: {} };
    return [
      {
        name: `retry › an empty stanza in the ${where}: a connection error is retried once`,
        ...stanza,
        script: [{ do: "Reset" }, { do: "Reset" }, OK],
        expect: { status: 503, attempts: 2 },
      },
      {
        name: `retry › an empty stanza in the ${where}: no response is retried`,
        ...stanza,
        script: [respond(503)],
        expect: { status: 503, attempts: 1 },
      },
    ];
  }),
  {
    name: "retry › no stanza: nor after a reset",
    script: [{ do: "Reset" }],
    expect: { status: 503, attempts: 1 },
  },
];

/** GEP-1731, "attempts". */
const attempts: readonly BehaviourRow[] = [
  ...[0, 1, 2, 3, 5].map(
    (count): BehaviourRow => ({
      name: `attempts › ${count} is ${count} after the first`,
      retry: { codes: [503], attempts: count, backoff: "10ms", maxBackoff: "10ms" },
      script: [respond(503)],
      expect: { status: 503, attempts: count + 1 },
    }),
  ),
  {
    name: "attempts › left out: one",
    retry: FAST,
    script: [respond(503)],
    expect: { status: 503, attempts: 2 },
  },
  {
    name: "attempts › exhausted: the last response is passed on unchanged",
    retry: { ...FAST, attempts: 2 },
    script: [
      respond(503, "first"),
      respond(503, "second"),
      { do: "Respond", status: 503, body: "third", headers: { "x-backend": "tired" } },
    ],
    expect: { status: 503, attempts: 3, body: "third", headers: { "x-backend": "tired" } },
  },
];

/** GEP-1731, "backoff": a minimum. Growth doubles, up to maxBackoff. */
const backoff: readonly BehaviourRow[] = [
  ...[5, 20, 50, 100, 250].map(
    (ms): BehaviourRow => ({
      name: `backoff › ${ms} ms: never earlier`,
      retry: { codes: [503], attempts: 1, backoff: `${ms}ms` },
      script: [respond(503), OK],
      expect: { status: 200, attempts: 2, gapsMs: [ms] },
    }),
  ),
  {
    name: "backoff › grows, at least twofold each time",
    retry: { codes: [503], attempts: 3, backoff: "30ms" },
    script: [respond(503)],
    expect: { status: 503, attempts: 4, gapsMs: [30, 60, 120] },
  },
  {
    name: "maxBackoff › ends the growth",
    retry: { codes: [503], attempts: 3, backoff: "40ms", maxBackoff: "50ms" },
    script: [respond(503)],
    expect: { status: 503, attempts: 4, gapsMs: [40, 50, 50] },
  },
  {
    name: "backoff › after a reset",
    retry: { attempts: 1, backoff: "60ms" },
    script: [{ do: "Reset" }, OK],
    expect: { status: 200, attempts: 2, gapsMs: [60] },
  },
  {
    name: "backoff › left out: soon",
    retry: { codes: [503], attempts: 2 },
    script: [respond(503), respond(503), OK],
    expect: { status: 200, attempts: 3 },
  },
];

const METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH"];
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/** `afterSend`: a backend may have processed a request that was sent. */
function afterSendRows(deed: Deed, timeouts: JsonObject | undefined, lastStatus: number): readonly BehaviourRow[] {
  return ["Never", "Idempotent", "Always"].flatMap((afterSend) =>
    METHODS.map((method): BehaviourRow => {
      const isRetried = afterSend === "Always" || (afterSend === "Idempotent" && IDEMPOTENT.has(method));
      return {
        name: `afterSend ${afterSend} › ${method}, ${deed.do}`,
        retry: { attempts: 1, backoff: "20ms", afterSend },
        ...(timeouts === undefined ? {} : { timeouts }),
        script: [deed, OK],
        request: { method, ...(method === "POST" || method === "PUT" || method === "PATCH" ? { bodyBytes: 100 } : {}) },
        expect: isRetried ? { status: 200, attempts: 2 } : { status: lastStatus, attempts: 1 },
      };
    }),
  );
}

const TRY_LIMIT: JsonObject = { backendRequest: "150ms" };

const afterSend: readonly BehaviourRow[] = [
  ...afterSendRows({ do: "Reset" }, undefined, 503),
  ...afterSendRows({ do: "Stall" }, TRY_LIMIT, 504),
  ...(["Close", "Garble", "CloseInHead"] as const).flatMap((what): readonly BehaviourRow[] => [
    {
      name: `afterSend › ${what} counts as a reset`,
      retry: { attempts: 1, backoff: "20ms" },
      script: [{ do: what }, OK],
      expect: { status: 200, attempts: 2 },
    },
    {
      name: `afterSend › ${what} of a POST is not retried`,
      retry: { attempts: 1, backoff: "20ms" },
      script: [{ do: what }, OK],
      request: { method: "POST", bodyBytes: 10 },
      expect: { status: 503, attempts: 1 },
    },
  ]),
  {
    name: "afterSend › a listed code is a response: POST is retried though Never",
    retry: { ...FAST, attempts: 1, afterSend: "Never" },
    script: [respond(503), OK],
    request: { method: "POST", bodyBytes: 10 },
    expect: { status: 200, attempts: 2 },
  },
  {
    name: "afterSend › POST by default: never doubled",
    retry: { ...FAST, attempts: 5 },
    script: [{ do: "Reset" }],
    request: { method: "POST", bodyBytes: 10 },
    expect: { status: 503, attempts: 1 },
  },
];

/** Not connected: always retried where there is a stanza, and never seen by the backend. */
const connections: readonly BehaviourRow[] = [
  ...["GET", "POST", "PATCH"].flatMap((method) =>
    ["Never", "Idempotent"].map(
      (afterSend): BehaviourRow => ({
        name: `not connected › ${method} goes to another endpoint (${afterSend})`,
        retry: { attempts: 2, backoff: "10ms", afterSend },
        endpoints: ["Dead", "Alive"],
        script: [OK],
        request: { method },
        repeat: 4,
        expect: { status: 200, attempts: 4 },
      }),
    ),
  ),
  {
    name: "not connected › exhausted: 503 that names the route and no address",
    retry: { attempts: 2, backoff: "10ms" },
    endpoints: ["Dead"],
    script: [OK],
    expect: { status: 503, attempts: 0, bodyExcludes: ["127.0.0.1"] },
  },
  {
    name: "not connected › an empty stanza in the route: retried once",
    rule: { retry: {} },
    endpoints: ["Dead", "Alive"],
    script: [OK],
    repeat: 6,
    expect: { status: 200, attempts: 6 },
  },
  {
    name: "not connected › an empty stanza in a policy: retried once",
    retry: {},
    endpoints: ["Dead", "Alive"],
    script: [OK],
    repeat: 6,
    expect: { status: 200, attempts: 6 },
  },
  {
    name: "not connected › no stanza: 503",
    endpoints: ["Dead"],
    script: [OK],
    expect: { status: 503, attempts: 0 },
  },
  {
    name: "endpoints › none: 503",
    retry: { attempts: 2, backoff: "10ms" },
    endpoints: [],
    script: [OK],
    expect: { status: 503, attempts: 0 },
  },
];

/** GEP-1742: `request` bounds everything, `backendRequest` one attempt. */
const timeouts: readonly BehaviourRow[] = [
  {
    name: "timeouts.request › a backend that stalls: 504",
    timeouts: { request: "200ms" },
    script: [{ do: "Stall" }],
    expect: { status: 504, attempts: 1, tookMs: 200 },
  },
  {
    name: "timeouts.request › runs on during a backoff",
    retry: { codes: [503], attempts: 3, backoff: "5s" },
    timeouts: { request: "200ms" },
    script: [respond(503)],
    expect: { status: 504, attempts: 1, tookMs: 200 },
  },
  {
    name: "timeouts.request › bounds all attempts together",
    retry: { attempts: 50, backoff: "20ms", maxBackoff: "20ms" },
    timeouts: { request: "400ms", backendRequest: "100ms" },
    script: [{ do: "Stall" }],
    expect: { status: 504, attempts: [2, 4], tookMs: 400 },
  },
  {
    name: "timeouts.request › after the head: the response is cut off",
    timeouts: { request: "200ms" },
    script: [{ do: "Trickle" }],
    expect: { status: 200, isCut: true, attempts: 1, tookMs: 190 },
  },
  {
    name: "timeouts.request › not reached: the response",
    timeouts: { request: "5s" },
    script: [{ do: "Respond", status: 200, body: "late", afterMs: 100 }],
    expect: { status: 200, attempts: 1, body: "late" },
  },
  {
    name: "timeouts.request › 0s is none",
    timeouts: { request: "0s" },
    script: [{ do: "Respond", status: 200, body: "late", afterMs: 300 }],
    expect: { status: 200, attempts: 1, body: "late" },
  },
  {
    name: "timeouts › left out: none",
    script: [{ do: "Respond", status: 200, body: "late", afterMs: 500 }],
    expect: { status: 200, attempts: 1, body: "late" },
  },
  {
    name: "timeouts.backendRequest › no stanza: 504",
    timeouts: TRY_LIMIT,
    script: [{ do: "Stall" }],
    expect: { status: 504, attempts: 1, tookMs: 150 },
  },
  {
    name: "timeouts.backendRequest › each attempt has its own",
    retry: { attempts: 2, backoff: "20ms" },
    timeouts: TRY_LIMIT,
    script: [{ do: "Stall" }, { do: "Stall" }, OK],
    expect: { status: 200, attempts: 3, lastAttemptMs: 300 },
  },
  {
    name: "timeouts.backendRequest › exhausted: 504",
    retry: { attempts: 1, backoff: "20ms" },
    timeouts: TRY_LIMIT,
    script: [{ do: "Stall" }],
    expect: { status: 504, attempts: 2, tookMs: 320 },
  },
  {
    name: "timeouts.backendRequest › to the last byte of the response",
    retry: { attempts: 3, backoff: "20ms" },
    timeouts: TRY_LIMIT,
    script: [{ do: "Trickle" }],
    expect: { status: 200, isCut: true, attempts: 1, tookMs: 140 },
  },
  {
    name: "responses › closed in the middle: cut off, and not retried",
    retry: { attempts: 3, backoff: "20ms" },
    script: [{ do: "CloseInBody" }],
    expect: { status: 200, isCut: true, attempts: 1 },
  },
  {
    name: "responses › a listed code is retried, however its body ends",
    retry: { ...FAST, attempts: 1 },
    script: [{ do: "CloseInBody", status: 503 }, OK],
    expect: { status: 200, attempts: 2 },
  },
];

/** A body is kept up to the limit; a longer one is streamed, and not sent again. */
const bodies: readonly BehaviourRow[] = [
  ...(
    [
      [0, 2],
      [1, 2],
      [999, 2],
      [1000, 2],
      [1001, 1],
      [100_000, 1],
      [3_000_000, 1],
    ] as const
  ).flatMap(([bodyBytes, attempts]) =>
    [false, true].map(
      (isChunked): BehaviourRow => ({
        name: `maxBodyBytes 1000 › ${bodyBytes} bytes ${isChunked ? "in chunks" : "of a known length"}: ${attempts} attempts`,
        retry: { ...FAST, attempts: 1, maxBodyBytes: 1000 },
        script: [respond(503)],
        request: { method: "POST", bodyBytes, isChunked },
        expect: { status: 503, attempts, sawBodyBytes: bodyBytes },
      }),
    ),
  ),
  ...[65_536, 65_537].map(
    (bodyBytes): BehaviourRow => ({
      name: `maxBodyBytes left out › ${bodyBytes} bytes`,
      retry: { ...FAST, attempts: 1 },
      script: [respond(503)],
      request: { method: "PUT", bodyBytes },
      expect: { status: 503, attempts: bodyBytes > 65_536 ? 1 : 2, sawBodyBytes: bodyBytes },
    }),
  ),
  {
    name: "maxBodyBytes 0 › nothing is kept",
    retry: { ...FAST, attempts: 1, maxBodyBytes: 0 },
    script: [respond(503)],
    request: { method: "POST", bodyBytes: 1 },
    expect: { status: 503, attempts: 1, sawBodyBytes: 1 },
  },
  {
    name: "no stanza › bodies of any length are streamed",
    script: [OK],
    request: { method: "POST", bodyBytes: 2_000_000 },
    expect: { status: 200, attempts: 1, sawBodyBytes: 2_000_000 },
  },
];

const BUDGET: JsonObject = { percent: 0, interval: "60s", minRetryRate: { count: 2, interval: "60s" } };

/** GEP-3388: what bounds the retries of all requests together. */
const budgets: readonly BehaviourRow[] = [
  {
    name: "budget › of the RetryPolicy",
    retry: { codes: [503], attempts: 1, backoff: "10ms", budget: BUDGET },
    script: [respond(503)],
    repeat: 6,
    expect: { status: 503, attempts: 8 },
  },
  {
    name: "budget › of the XBackendTrafficPolicy",
    retry: { codes: [503], attempts: 1, backoff: "10ms" },
    retryConstraint: { budget: { percent: 0, interval: "60s" }, minRetryRate: { count: 3, interval: "60s" } },
    script: [respond(503)],
    repeat: 6,
    expect: { status: 503, attempts: 9 },
  },
  {
    name: "budget › of both, the tighter one counts",
    retry: { codes: [503], attempts: 1, backoff: "10ms", budget: BUDGET },
    retryConstraint: { budget: { percent: 100, interval: "60s" } },
    script: [respond(503)],
    repeat: 6,
    expect: { status: 503, attempts: 8 },
  },
];

const upgrade: RowRequest = { echo: "are you there?" };

const upgrades: readonly BehaviourRow[] = [
  {
    name: "WebSocket › both ways",
    script: [{ do: "Upgrade" }],
    request: upgrade,
    expect: { status: 101, attempts: 1 },
  },
  ...["request", "backendRequest"].flatMap((timeout) =>
    [undefined, { ...FAST, attempts: 2 }].map(
      (retry): BehaviourRow => ({
        name: `WebSocket › timeouts.${timeout} does not end it (${retry === undefined ? "no stanza" : "with retries"})`,
        ...(retry === undefined ? {} : { retry }),
        timeouts: { [timeout]: "200ms" },
        script: [{ do: "Upgrade" }],
        request: { ...upgrade, echoAfterMs: 500 },
        expect: { status: 101, attempts: 1, tookMs: 500 },
      }),
    ),
  ),
  ...["request", "backendRequest"].map(
    (timeout): BehaviourRow => ({
      name: `WebSocket › timeouts.${timeout}, before the backend responds: 504`,
      timeouts: { [timeout]: "200ms" },
      script: [{ do: "Stall" }],
      request: upgrade,
      expect: { status: 504, attempts: 1, tookMs: 200 },
    }),
  ),
  {
    name: "WebSocket › the timeout of an attempt to open it is retried",
    retry: { attempts: 1, backoff: "20ms" },
    timeouts: { backendRequest: "200ms" },
    script: [{ do: "Stall" }, { do: "Upgrade" }],
    request: { ...upgrade, echoAfterMs: 500 },
    expect: { status: 101, attempts: 2 },
  },
  {
    name: "WebSocket › refused by the backend: its response",
    script: [respond(403, "no")],
    request: upgrade,
    expect: { status: 403, attempts: 1, body: "no" },
  },
  {
    name: "WebSocket › a listed code before the upgrade is retried",
    retry: { ...FAST, attempts: 1 },
    script: [respond(503), { do: "Upgrade" }],
    request: upgrade,
    expect: { status: 101, attempts: 2, gapsMs: [20] },
  },
];

/** Streams of one connection: what was refused was not processed, whatever the method. */
const http2: readonly BehaviourRow[] = [
  ...["Kubernetes.io/H2C", "GRPC"].map(
    (appProtocol): BehaviourRow => ({
      name: `HTTP/2 › appProtocol ${appProtocol}`,
      protocol: "HTTP/2",
      appProtocol,
      script: [OK],
      expect: { status: 200, attempts: 1 },
    }),
  ),
  ...["GET", "POST"].flatMap((method) =>
    ["Never", "Idempotent"].map(
      (afterSend): BehaviourRow => ({
        name: `HTTP/2 › ${method}, a refused stream is retried (${afterSend})`,
        protocol: "HTTP/2",
        retry: { attempts: 1, backoff: "30ms", afterSend },
        script: [{ do: "RefuseStream" }, OK],
        request: { method },
        expect: { status: 200, attempts: 2, gapsMs: [30] },
      }),
    ),
  ),
  {
    name: "HTTP/2 › refused, no stanza: 503",
    protocol: "HTTP/2",
    script: [{ do: "RefuseStream" }],
    expect: { status: 503, attempts: 1 },
  },
  {
    name: "HTTP/2 › a listed code is retried",
    protocol: "HTTP/2",
    retry: { ...FAST, attempts: 1 },
    script: [respond(503), OK],
    request: { method: "POST", bodyBytes: 5000 },
    expect: { status: 200, attempts: 2, gapsMs: [20], sawBodyBytes: 5000, body: "response 200" },
  },
  {
    name: "HTTP/2 › a stream that breaks counts as a reset",
    protocol: "HTTP/2",
    retry: { attempts: 1, backoff: "20ms" },
    script: [{ do: "Reset" }, OK],
    expect: { status: 200, attempts: 2, gapsMs: [20] },
  },
  {
    name: "HTTP/2 › a stream that breaks is not retried for POST",
    protocol: "HTTP/2",
    retry: { attempts: 1, backoff: "20ms" },
    script: [{ do: "Reset" }, OK],
    request: { method: "POST", bodyBytes: 10 },
    expect: { status: 503, attempts: 1 },
  },
  {
    name: "HTTP/2 › each attempt has its time",
    protocol: "HTTP/2",
    retry: { attempts: 1, backoff: "20ms" },
    timeouts: TRY_LIMIT,
    script: [{ do: "Stall" }, OK],
    expect: { status: 200, attempts: 2, lastAttemptMs: 150 },
  },
];

const GRPC_CALL: RowRequest = {
  protocol: "HTTP/2",
  method: "POST",
  path: "/bakery.Orders/Place",
  headers: { "content-type": "application/grpc", te: "trailers" },
  bodyBytes: 20,
};
const GRPC_OK: Deed = {
  do: "Respond",
  status: 200,
  headers: { "content-type": "application/grpc" },
  body: "a message",
  trailers: { "grpc-status": "0", "x-oven": "warm" },
};

/** Clients that speak HTTP/2 without TLS (prior knowledge): all of gRPC inside a cluster. */
const plainHttp2: readonly BehaviourRow[] = [
  ...(["HTTP/1.1", "HTTP/2"] as const).flatMap((backend): readonly BehaviourRow[] => {
    const protocol = backend === "HTTP/2" ? { protocol: backend } : {};
    return [
      {
        name: `HTTP/2 without TLS › GET, ${backend} to the backend`,
        ...protocol,
        script: [OK],
        request: { protocol: "HTTP/2", path: "/a?b=c" },
        expect: {
          status: 200,
          attempts: 1,
          body: "response 200",
          sawTarget: "/a?b=c",
          sawHeaders: { "x-forwarded-proto": "http" },
        },
      },
      {
        name: `HTTP/2 without TLS › POST is retried with its body, ${backend} to the backend`,
        ...protocol,
        retry: { ...FAST, attempts: 1 },
        script: [respond(503), OK],
        request: { protocol: "HTTP/2", method: "POST", bodyBytes: 50_000 },
        expect: { status: 200, attempts: 2, gapsMs: [20], sawBodyBytes: 50_000 },
      },
    ];
  }),
  {
    name: "HTTP/2 without TLS › the request's timeout",
    timeouts: { request: "200ms" },
    script: [{ do: "Stall" }],
    request: { protocol: "HTTP/2" },
    expect: { status: 504, attempts: 1, tookMs: 200 },
  },
  {
    name: "HTTP/2 without TLS › no route matches: 404",
    rule: { matches: [{ path: { type: "Exact", value: "/only" } }] },
    script: [OK],
    request: { protocol: "HTTP/2", path: "/other" },
    expect: { status: 404, attempts: 0 },
  },
  {
    name: "gRPC without TLS › message and trailers",
    kind: "GRPCRoute",
    protocol: "HTTP/2",
    rule: { matches: [{ method: { service: "bakery.Orders", method: "Place" } }] },
    script: [GRPC_OK],
    request: GRPC_CALL,
    expect: {
      status: 200,
      attempts: 1,
      body: "a message",
      trailers: { "grpc-status": "0", "x-oven": "warm" },
      sawBodyBytes: 20,
      sawTarget: "/bakery.Orders/Place",
      sawHeaders: { te: "trailers", "content-type": "application/grpc" },
    },
  },
  ...[[], [{ name: "nobody", port: 80 }]].map(
    (backendRefs): BehaviourRow => ({
      name: `gRPC without TLS › ${backendRefs.length === 0 ? "no backend" : "an invalid backend"}: UNAVAILABLE`,
      kind: "GRPCRoute",
      protocol: "HTTP/2",
      rule: { backendRefs },
      script: [GRPC_OK],
      request: GRPC_CALL,
      expect: { status: 200, attempts: 0, headers: { "grpc-status": "14" } },
    }),
  ),
  {
    name: "gRPC without TLS › a request that is not gRPC, and an invalid backend: 503",
    kind: "GRPCRoute",
    protocol: "HTTP/2",
    rule: { backendRefs: [] },
    script: [GRPC_OK],
    request: { protocol: "HTTP/2" },
    expect: { status: 503, attempts: 0 },
  },
  {
    name: "gRPC without TLS › a refused stream is retried",
    kind: "GRPCRoute",
    protocol: "HTTP/2",
    retry: { attempts: 1, backoff: "20ms" },
    script: [{ do: "RefuseStream" }, GRPC_OK],
    request: GRPC_CALL,
    expect: { status: 200, attempts: 2, trailers: { "grpc-status": "0" } },
  },
];

const CORS_RULE: JsonObject = {
  filters: [{ type: "CORS", cors: { allowOrigins: ["https://shop.example"], exposeHeaders: ["x-bread"] } }],
};

const filters: readonly BehaviourRow[] = [
  {
    name: "filters › RequestHeaderModifier, on every attempt",
    retry: { ...FAST, attempts: 1 },
    rule: {
      filters: [
        {
          type: "RequestHeaderModifier",
          requestHeaderModifier: {
            set: [{ name: "X-Set", value: "s" }],
            add: [{ name: "x-add", value: "b" }],
            remove: ["x-remove"],
          },
        },
      ],
    },
    script: [respond(503), OK],
    request: { headers: { "x-set": "client", "x-add": "a", "x-remove": "gone" } },
    expect: {
      status: 200,
      attempts: 2,
      sawHeaders: { "x-set": "s", "x-remove": undefined },
    },
  },
  {
    name: "filters › ResponseHeaderModifier",
    rule: {
      filters: [
        {
          type: "ResponseHeaderModifier",
          responseHeaderModifier: { set: [{ name: "x-set", value: "s" }], remove: ["x-secret"] },
        },
      ],
    },
    script: [{ do: "Respond", status: 200, headers: { "x-secret": "1", "x-set": "0" } }],
    expect: { status: 200, attempts: 1, headers: { "x-set": "s", "x-secret": undefined } },
  },
  {
    name: "filters › RequestRedirect",
    rule: {
      backendRefs: [],
      filters: [
        { type: "RequestRedirect", requestRedirect: { scheme: "https", hostname: "new.example", statusCode: 301 } },
      ],
    },
    script: [OK],
    request: { path: "/a/b?c=d" },
    expect: { status: 301, attempts: 0, headers: { location: "https://new.example/a/b?c=d" } },
  },
  {
    name: "filters › URLRewrite of a prefix",
    rule: {
      matches: [{ path: { type: "PathPrefix", value: "/old" } }],
      filters: [
        {
          type: "URLRewrite",
          urlRewrite: { hostname: "inner.example", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" } },
        },
      ],
    },
    script: [OK],
    request: { path: "/old/bread?q=1" },
    expect: { status: 200, attempts: 1, sawTarget: "/new/bread?q=1", sawHeaders: { host: "inner.example" } },
  },
  {
    name: "filters › URLRewrite of the whole path",
    rule: {
      filters: [{ type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/one" } } }],
    },
    script: [OK],
    request: { path: "/a/b?q=1" },
    expect: { status: 200, attempts: 1, sawTarget: "/one?q=1" },
  },
  {
    name: "filters › CORS: an allowed origin is in the response",
    rule: CORS_RULE,
    script: [OK],
    request: { headers: { origin: "https://shop.example" } },
    expect: {
      status: 200,
      attempts: 1,
      headers: {
        "access-control-allow-origin": "https://shop.example",
        "access-control-expose-headers": "x-bread",
        vary: "origin",
      },
    },
  },
  {
    name: "filters › CORS: a response without an origin varies by it, too",
    rule: CORS_RULE,
    script: [OK],
    expect: { status: 200, attempts: 1, headers: { "access-control-allow-origin": undefined, vary: "origin" } },
  },
  {
    name: "filters › CORS: an allowed preflight names the exposed headers",
    rule: CORS_RULE,
    script: [OK],
    request: {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
    },
    expect: {
      status: [200, 204],
      attempts: 0,
      headers: { "access-control-allow-origin": "https://shop.example", "access-control-expose-headers": "x-bread" },
    },
  },
  {
    name: "filters › CORS: another is not",
    rule: CORS_RULE,
    script: [OK],
    request: { headers: { origin: "https://thief.example" } },
    expect: { status: 200, attempts: 1, headers: { "access-control-allow-origin": undefined } },
  },
  {
    name: "filters › CORS: a route without it says nothing of origins",
    script: [OK],
    request: { headers: { origin: "https://shop.example" } },
    expect: { status: 200, attempts: 1, headers: { "access-control-allow-origin": undefined } },
  },
  {
    name: "backends › none: 500",
    rule: { backendRefs: [] },
    script: [OK],
    expect: { status: 500, attempts: 0 },
  },
  {
    name: "backends › missing: 500",
    rule: { backendRefs: [{ name: "nobody", port: 80 }] },
    script: [OK],
    expect: { status: 500, attempts: 0 },
  },
  {
    name: "matches › none: 404",
    rule: { matches: [{ path: { type: "Exact", value: "/only" } }] },
    script: [OK],
    request: { path: "/other" },
    expect: { status: 404, attempts: 0 },
  },
];

export const behaviourRows: readonly BehaviourRow[] = [
  ...codes,
  ...attempts,
  ...backoff,
  ...afterSend,
  ...connections,
  ...timeouts,
  ...bodies,
  ...budgets,
  ...upgrades,
  ...http2,
  ...plainHttp2,
  ...filters,
  ...http10Rows,
  ...healthRows,
  ...safetyRows,
];
