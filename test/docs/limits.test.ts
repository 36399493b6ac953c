/** The table of limits in docs/gateway.md is true, and the limits in which the data planes differ are a closed list: difference 8 of docs/envoy.md. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EDGE_LIMITS } from "../../src/core/dataplane/edge-limits.ts";
import { MAX_CLIENT_CONNECTIONS, MAX_HEAP_MIB } from "../../src/core/envoy/overload-limits.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/gateway.md", import.meta.url)), "utf8");

interface Row {
  readonly what: string;
  readonly embedded: string;
  readonly envoy: string;
}

const section = page.slice(page.indexOf("\n## Limits\n"));
const rows: readonly Row[] = [
  ...section.slice(0, section.indexOf("\n\n**")).matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm),
]
  .map(([, what = "", embedded = "", envoy = ""]) => ({ what, embedded, envoy }))
  .slice(2);

test("difference 8: the limits in which the data planes differ", () => {
  expect(rows.filter(({ embedded, envoy }) => embedded !== envoy).map(({ what }) => what)).toEqual([
    "connections of clients on each port",
    "requests that a client of HTTP/2 aborts",
    "pieces of bodies (chunks, DATA frames) of one connection",
    "an authorization server (ExternalAuth)",
    "bodies that are kept for retries, in total",
    "memory",
    "the first message of a TLS connection, if not all listeners of the port are HTTPS",
    "the rest of a request body after an early response",
  ]);
});

const count = (value: number): string => value.toLocaleString("en-US");
const kib = (bytes: number): string => `${bytes / 1024} KiB`;

function time(ms: number): string {
  if (ms === 3_600_000) return "1 hour";
  return ms >= 120_000 ? `${ms / 60_000} minutes` : `${ms / 1000} s`;
}

test.each([
  ["connections of clients on each port", count(EDGE_LIMITS.maxConnections)],
  ["requests on one connection of a client", count(EDGE_LIMITS.maxRequestsPerConnection)],
  ["requests at a time on one connection of HTTP/2", count(EDGE_LIMITS.maxStreams)],
  ["size and number of headers", `${kib(EDGE_LIMITS.maxHeaderBytes)}, ${EDGE_LIMITS.maxHeaders}`],
  ["TLS handshake of a client", time(EDGE_LIMITS.headersMs)],
  ["the head of a request", time(EDGE_LIMITS.headersMs)],
  ["the body of a request, until its response begins", time(EDGE_LIMITS.receiveMs)],
  ["idle connection of a client", time(EDGE_LIMITS.keepAliveMs)],
  ["a backend that sends nothing during a request, or a client that does not read", time(EDGE_LIMITS.idleMs)],
  ["connections of HTTP/1.1 to one endpoint", count(EDGE_LIMITS.maxConnectionsPerEndpoint)],
  ["idle connection to a backend", time(EDGE_LIMITS.upstreamKeepAliveMs)],
  ["connecting to a backend", time(EDGE_LIMITS.connectMs)],
  ["an authorization server (ExternalAuth)", time(EDGE_LIMITS.authMs)],
  ["endpoints that a connection that is not HTTP is offered to", count(EDGE_LIMITS.connectAttempts)],
  ["idle connection that is not HTTP", time(EDGE_LIMITS.streamIdleMs)],
])("%s: %s on both", (what, limit) => {
  const row = rows.find((one) => one.what === what);
  expect([row?.embedded, row?.envoy].map((cell) => cell?.startsWith(limit))).toEqual([true, true]);
});

test("what Envoy limits besides", () => {
  const cell = (what: string): string | undefined => rows.find((row) => row.what === what)?.envoy;
  expect(cell("connections of clients on each port")).toContain(count(MAX_CLIENT_CONNECTIONS));
  expect(cell("memory")).toBe(`${MAX_HEAP_MIB / 1024} GiB (\`--envoy-heap\`)`);
});
