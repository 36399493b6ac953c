/**
 * The closed list of the ways in which the embedded gateway and Envoy differ beside retry budgets; docs/decisions/0006-envoy.md argues each. One
 * that is gone fails here, too: then the list is out of date.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import { compileDataplane } from "../../../src/core/compile.ts";
import { evaluate } from "../../../src/core/evaluate.ts";
import { buildSnapshot } from "../../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import { NO_SECRETS } from "../../../src/gateway/contract/secret-source.ts";
import { createGateway, type Gateway } from "../../../src/gateway/gateway.ts";
import type { EnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS, startEnvoyPlane } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { exchangeRaw } from "../../support/gateway/gateway-harness.ts";
import { type BehaviourCluster, type StartedRow, startCluster } from "./behaviour-cluster.ts";
import type { BehaviourRow } from "./behaviour-row.ts";
import type { SeenAttempt } from "./recording-backend.ts";

interface Difference {
  /** Its number in the list. */
  readonly way: 1 | 2 | 3 | 4 | 5 | 7;
  /** To a backend that never responds. */
  readonly isStalled?: boolean;
  /** When the outcome is there. Default: when the connection is closed, in ten seconds at most. */
  readonly until?: { readonly isEnough?: (got: string) => boolean; readonly withinMs?: number };
  readonly name: string;
  readonly request: (host: string) => string;
  /** What of the outcome differs. `seen`: what the backend saw; undefined: nothing. `text`: the whole response. */
  readonly format: (status: string, seen: SeenAttempt | undefined, text: string) => string;
  readonly embedded: string;
  readonly envoy: string;
}

const head = (line: string, host: string, ...fields: readonly string[]): string =>
  [line, `Host: ${host}`, "Connection: close", ...fields, "", ""].join("\r\n");

const preflight = (host: string): string =>
  head("OPTIONS / HTTP/1.1", host, "Origin: https://shop.example", "Access-Control-Request-Method: PUT");

const DIFFERENCES: readonly Difference[] = [
  {
    way: 1,
    name: "a CORS preflight: its status",
    request: (host) => preflight(host),
    format: (status) => status,
    embedded: "204",
    envoy: "200",
  },
  {
    way: 2,
    name: "a path that leads above the root",
    request: (host) => head("GET /../a HTTP/1.1", host),
    format: (status, seen) => `${status} ${seen?.target ?? ""}`,
    embedded: "400 ",
    envoy: "200 /a",
  },
  {
    way: 2,
    name: "TRACE",
    request: (host) => head("TRACE / HTTP/1.1", host),
    format: (status) => status,
    embedded: "405",
    envoy: "200",
  },
  {
    way: 2,
    name: "a full URL as the target, and another host in Host",
    request: (host) => head(`GET http://${host}/ HTTP/1.1`, "other.example"),
    format: (status, seen) => `${status} ${seen?.headers.get("host") ?? ""}`,
    embedded: "400 ",
    envoy: "200 row-0.example",
  },
  {
    way: 3,
    name: "a path of slashes only: what the backend sees of it",
    request: (host) => head("GET // HTTP/1.1", host),
    format: (_, seen) => seen?.target ?? "",
    embedded: "/",
    envoy: "//",
  },
  {
    way: 4,
    name: "a CORS preflight for a host in capital letters, where each host has a scope: whether the backend sees it",
    request: (host) => preflight(host.toUpperCase()),
    format: (_, seen) => seen?.method ?? "nothing",
    embedded: "nothing",
    envoy: "OPTIONS",
  },
  {
    way: 5,
    name: "the headers that backends get, besides those that both add",
    request: (host) => head("GET / HTTP/1.1", host),
    format: (_, seen) => others(seen?.headers.keys() ?? [], FOR_BACKENDS),
    embedded: "via",
    envoy: "x-envoy-external-address",
  },
  {
    way: 5,
    name: "the headers that clients get, besides those of the backend",
    request: (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    until: { isEnough: (got) => got.includes("\r\n\r\n") },
    format: (_, __, text) => others(headerNames(text), FOR_CLIENTS),
    embedded: "connection keep-alive",
    envoy: "",
  },
  {
    way: 5,
    name: "the text of a response that no backend sent",
    isStalled: true,
    request: (host) => head("GET / HTTP/1.1", host),
    format: (status, _, text) => `${status} ${text.slice(text.indexOf("\r\n\r\n") + 4).trim()}`,
    embedded: "504 504 Gateway Timeout: HTTPRoute table/row-1 (rule-1): the backend took too long",
    envoy: "504 no response from a backend of HTTPRoute table/row-1#rule-1",
  },
  {
    way: 7,
    name: "the timeout of an attempt to open a WebSocket, with a long backoff",
    isStalled: true,
    request: (host) => upgrade(host),
    until: { withinMs: 1500 },
    format: (status) => status,
    embedded: "504",
    envoy: "none",
  },
];

/** An attempt has 200 ms, and the wait before the next is longer than half of it. */
const upgrade = (host: string): string =>
  ["GET / HTTP/1.1", `Host: ${host}`, "Connection: Upgrade", "Upgrade: websocket", "", ""].join("\r\n");

/** What both data planes add to requests, and what they forward of this one. */
const FOR_BACKENDS = ["host", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];
/** What the backend of the test sends, and what both data planes add, here because the rule has CORS. */
const FOR_CLIENTS = ["content-length", "date", "vary"];

const others = (names: Iterable<string>, known: readonly string[]): string =>
  [...new Set(names)]
    .filter((name) => !known.includes(name))
    .sort()
    .join(" ");

const headerNames = (text: string): readonly string[] =>
  text
    .slice(0, text.indexOf("\r\n\r\n"))
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());

const ROW: BehaviourRow = {
  name: "answers",
  rule: { filters: [{ type: "CORS", cors: { allowOrigins: ["https://shop.example"], allowMethods: ["PUT"] } }] },
  script: [{ do: "Respond", status: 200 }],
  expect: { status: 200, attempts: 1 },
};

const STALLED: BehaviourRow = {
  name: "stalls",
  timeouts: { backendRequest: "200ms" },
  retry: { attempts: 1, backoff: "150ms" },
  script: [{ do: "Stall" }],
  expect: { status: 504, attempts: 1 },
};

const envoyPath = findEnvoy();

describe.skipIf(envoyPath === undefined)("known differences", () => {
  let cluster: BehaviourCluster;
  let gateway: Gateway;
  let plane: EnvoyDataplane;
  const ports = { embedded: 0, envoy: 0 };

  beforeAll(async () => {
    [ports.envoy = 0] = await findFreePorts(1);
    cluster = await startCluster([ROW, STALLED], 80);
    const snapshot = buildSnapshot(cluster.objects);
    const evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
    const config = compileDataplane(evaluation, { endpointAnnotations: "Used" });
    gateway = createGateway({ matchRegex: createRegex(), bind: () => ({ host: "127.0.0.1", port: 0 }) });
    await gateway.replace(config, NO_SECRETS);
    ports.embedded = gateway.openPorts()[0]?.boundPort ?? 0;
    plane = await startEnvoyPlane(envoyPath, ports.envoy, { scopesFrom: 0 });
    await plane.replace(config, NO_KEYS);
  }, 60_000);

  afterAll(async () => {
    await gateway.close({ drainMs: 0 });
    await plane.close(0);
    await cluster.close();
  });

  const outcome = async (port: number, { request, format, until, isStalled = false }: Difference): Promise<string> => {
    const [usual, stalled] = cluster.rows as readonly [StartedRow, StartedRow];
    const row = isStalled ? stalled : usual;
    row.log.seen.length = 0;
    const text = await exchangeRaw(port, request(row.host), { withinMs: 10_000, ...until });
    return format(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? "none", row.log.seen[0], text);
  };

  test.each(DIFFERENCES)("$way: $name", async (difference) => {
    const got = { embedded: await outcome(ports.embedded, difference), envoy: await outcome(ports.envoy, difference) };
    expect(got).toEqual({ embedded: difference.embedded, envoy: difference.envoy });
  });
});
