import { describe, expect, test } from "vitest";
import {
  backend,
  backendConfig,
  gatewayConfig,
  gatewayRef,
  retryConfig,
  route,
  rule,
} from "../../../test/support/gateway/gateway-configs.ts";
import { formatAccessLine } from "../../gateway/observe/access-log.ts";
import { type EnvoyAccess, parseAccessLine } from "../../xds/serve/envoy/parse-access-line.ts";
import { createEnvoyEvents } from "./envoy-events.ts";

const bread = backendConfig("bread");
const waiting = rule([backend("bread", { backend: bread, retry: retryConfig({ backoffMs: 100 }) })]);
const eager = rule([backend("bread", { backend: bread, retry: retryConfig() })], { rule: "eager" });
const broken = rule([], { rule: "broken", action: { type: "Respond", status: 500, reason: "no port 81" } });

const events = createEnvoyEvents();
events.use({
  gateways: [gatewayConfig([waiting, eager, broken].map((one) => route(one)))],
  backends: new Map(),
  endpoints: new Map(),
  problems: [],
});

/** As Envoy writes it. */
const line = (more: object): string =>
  JSON.stringify({
    time: "1700000000.250",
    client: "10.0.0.1",
    protocol: "HTTP/1.1",
    method: "GET",
    host: "Bread.example:8080",
    path: "/loaf?slices=2?",
    userAgent: null,
    status: 200,
    responseBytes: 12,
    durationMs: 7,
    route: "HTTPRoute bakery/baker#rule-1",
    cluster: "bakery/bread:80 | waits 101,201ms",
    attempts: 1,
    flags: "-",
    details: "via_upstream",
    port: "8080",
    ...more,
  });

function accessLine(more: object): string | undefined {
  const access = parseAccessLine(line(more));
  if (access === undefined) throw new Error("a line of the access log");
  return formatAccessLine(events.eventOf(gatewayRef, access), "text", 0)?.trimEnd();
}

const HEAD = '2023-11-14T22:13:20.250Z 10.0.0.1 "GET bread.example/loaf?slices=2? HTTP/1.1"';

describe("what Envoy says of a request, as the embedded gateway says it", () => {
  test.each([
    ["a response", {}, `${HEAD} 200 12B 7ms HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80`],
    [
      "attempts that only wait are none",
      { attempts: 5 },
      `${HEAD} 200 12B 7ms HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80, 3 attempts`,
    ],
    [
      "an end during a wait",
      { attempts: 4, status: 504, flags: "UT", details: "response_timeout" },
      `${HEAD} 504 12B 7ms HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80, 2 attempts, RequestTimeout, response_timeout`,
    ],
    [
      "without waits every attempt counts",
      { attempts: 3, route: "HTTPRoute bakery/baker#eager", cluster: "bakery/bread:80" },
      `${HEAD} 200 12B 7ms HTTPRoute bakery/baker#eager → Service bakery/bread:80, 3 attempts`,
    ],
    [
      "several flags, by ours",
      { status: 503, flags: "UF,URX", details: "upstream_reset" },
      `${HEAD} 503 12B 7ms HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80, Exhausted NotConnected, upstream_reset`,
    ],
    [
      "a rule without a backend, with the reason that the files give",
      { route: "HTTPRoute bakery/baker#broken", cluster: null, attempts: 0, status: 500, details: "direct_response" },
      `${HEAD} 500 12B 7ms HTTPRoute bakery/baker#broken, Unavailable, no port 81`,
    ],
    [
      "no route",
      { route: null, cluster: null, attempts: 0, status: 404, flags: "NR", details: "route_not_found" },
      `${HEAD} 404 12B 7ms NoRoute, route_not_found`,
    ],
    [
      "a client that went",
      { status: 0, flags: "DC", details: "downstream_remote_disconnect" },
      `${HEAD} - 12B 7ms HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80, ClientGone, downstream_remote_disconnect`,
    ],
    [
      "what was no request",
      { method: null, status: 400, flags: "DPE", details: "http1.codec_error" },
      "1970-01-01T00:00:00.000Z 10.0.0.1 - 400 refused: http1.codec_error",
    ],
  ])("%s", (_, more, expected) => expect(accessLine(more)).toBe(expected));

  test("a deleted gateway: its remaining requests are logged", () => {
    const access: EnvoyAccess | undefined = parseAccessLine(line({}));
    const other = { ...gatewayRef, name: "back" };
    expect(access && events.eventOf(other, access)).toMatchObject({ rule: undefined, backend: undefined, status: 200 });
  });

  const connection = (more: object): string | undefined => {
    const { time, client, durationMs, port } = JSON.parse(line({})) as Readonly<Record<string, unknown>>;
    const bytes = { serverName: "db.example", receivedBytes: 5, sentBytes: 9 };
    const entry = { connection: "7", time, client, durationMs, port, ...bytes, flags: "-", details: null, ...more };
    const access = parseAccessLine(JSON.stringify(entry));
    return access && formatAccessLine(events.eventOf(gatewayRef, access), "text", 0)?.trimEnd();
  };
  const CONNECTION = '2023-11-14T22:13:20.250Z 10.0.0.1 "connection to db.example" received 5B sent 9B 7ms';

  test.each([
    [
      "a connection that is not HTTP",
      { route: "HTTPRoute bakery/baker#rule-1", cluster: "bakery/bread:80" },
      `${CONNECTION} HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80`,
    ],
    ["one that no route matches", { route: null, cluster: "prevail closed", flags: "UH" }, `${CONNECTION} NoRoute`],
    [
      "one whose rule has no backend",
      { route: "HTTPRoute bakery/baker#broken", cluster: "prevail closed", flags: "UH" },
      `${CONNECTION} HTTPRoute bakery/baker#broken, Unavailable, no port 81`,
    ],
    [
      "one that no endpoint accepts",
      { route: "HTTPRoute bakery/baker#rule-1", cluster: "bakery/bread:80", flags: "UF,URX" },
      `${CONNECTION} HTTPRoute bakery/baker#rule-1 → Service bakery/bread:80, Exhausted NotConnected`,
    ],
  ])("%s", (_, more, expected) => expect(connection(more)).toBe(expected));

  test.each([["[warning] something"], ["{"], ["[1]"], [""]])("%s is no line of an access log", (text) =>
    expect(parseAccessLine(text)).toBe(undefined),
  );
});
