/**
 * Odd messages, to both data planes: `testdata/odd-messages.txt` has each whose outcome differs, by the kinds of docs/envoy.md. The list is closed: another outcome, or
 * another message, fails here.
 */
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { forwardTo, route, rule, simpleConfig } from "../../support/gateway/dataplane-config.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { type Backend, Cleanup, exchangeRaw, startBackend, statusesIn } from "../../support/gateway/gateway-harness.ts";
import { statusOf } from "../../support/gateway/http2-client.ts";
import { headerBlock } from "../../support/gateway/http2-frames.ts";
import {
  BROKEN_BODIES,
  get,
  HOST,
  LAST,
  REFUSED,
  REFUSED_PATHS,
  REWRITTEN_PATHS,
  SERVED,
} from "../../support/gateway/odd-messages.ts";
import { expectGolden } from "../../support/golden.ts";

/** A message on a connection of its own, followed by a request that closes it. */
interface OddMessage {
  readonly name: string;
  readonly kind: string;
  /** The bytes of HTTP/1, or a block of headers of HTTP/2. */
  readonly raw: string | Buffer;
}

/** The kinds of differences, by the names of messages: those of docs/envoy.md. */
const KINDS: readonly (readonly [kind: string, names: RegExp])[] = [
  [
    "line ends and white space",
    /^(?:bare (?:LF|CR)|CR |obs-fold|space after the version|tabs between)|a tab (?:before|after)$/,
  ],
  ["lengths and encodings of bodies", /^(?:Content-Length |TE )/],
  ["hosts", /^(?:empty Host|Host )|^absolute form/],
  ["methods and versions", /^(?:HTTP\/|CONNECT|TRACE|an RTSP|an Icecast|asterisk)/],
  ["connection options and upgrades", /^(?:Connection names|upgrade with|h2c)/],
];

const kindOf = (name: string): string => KINDS.find(([, names]) => names.test(name))?.[0] ?? "";

type Fields = Readonly<Record<string, string>>;

/** A request of HTTP/2 without a body, with other fields than usual. An empty text removes one. */
function http2(name: string, fields: Fields, ...more: readonly (readonly [string, string])[]): OddMessage {
  const all = { ":method": "GET", ":scheme": "http", ":path": "/", ":authority": "bakery.example", ...fields };
  const kept = Object.entries(all).filter(([, value]) => value !== "");
  return { name: `HTTP/2, ${name}`, kind: "HTTP/2", raw: headerBlock([...kept, ...more]) };
}

const HTTP2: readonly OddMessage[] = [
  http2("a plain request", {}),
  ...["get", "FOO", "TRACE", "DESCRIBE"].map((method) => http2(`the method ${method}`, { ":method": method })),
  http2("CONNECT", { ":method": "CONNECT", ":scheme": "", ":path": "" }),
  http2("no host", { ":authority": "" }),
  http2("Host instead of :authority", { ":authority": "", host: "bakery.example" }),
  http2("another host in Host", { host: "evil.example" }),
  http2("an invalid host", { ":authority": "a:b" }),
  http2("user information in the host", { ":authority": "user@bakery.example" }),
  http2("another scheme", { ":scheme": "https" }),
  http2("no scheme", { ":scheme": "" }),
  http2("no path", { ":path": "" }),
  http2("a relative path", { ":path": "menu" }),
  http2("a full URL as the path", { ":path": "http://bakery.example/" }),
  http2("a path above the root", { ":path": "/../admin" }),
  http2("an encoded slash in the path", { ":path": "/a%2fb" }),
  http2("a fragment in the path", { ":path": "/a#b" }),
  http2("a space in the path", { ":path": "/a b" }),
  http2("an underscore in a name", { x_trace: "1" }),
  http2("capital letters in a name", { "X-Caps": "1" }),
  http2("a line feed in a value", { x: "a\nb" }),
  http2("Connection", { connection: "close" }),
  http2("Transfer-Encoding", { "transfer-encoding": "chunked" }),
  http2("TE other than trailers", { te: "gzip" }),
  http2("a length and no body", { "content-length": "5" }),
  http2("two lengths", {}, ["content-length", "0"], ["content-length", "0"]),
  http2("a pseudo-header twice", {}, [":path", "/"]),
  http2("an unknown pseudo-header", {}, [":odd", "1"]),
  http2("a pseudo-header after others", { ":path": "" }, ["x", "1"], [":path", "/"]),
  http2("headers too large", { x: "v".repeat(10_000) }),
  http2("too many headers", {}, ...Array.from({ length: 30 }, (_, at) => [`x-${at}`, "1"] as const)),
];

const messages: readonly OddMessage[] = [
  ...HTTP2,
  ...REFUSED.map(([name, raw]) => ({ name, kind: kindOf(name), raw })),
  ...[...REFUSED_PATHS, ...REWRITTEN_PATHS].map(([name, path]) => ({ name, kind: "paths", raw: get(HOST, path) })),
  ...BROKEN_BODIES.map(([name, raw]) => ({ name, kind: "chunks and trailers", raw })),
  ...SERVED.map(([name, raw]) => ({ name, kind: kindOf(name), raw })),
];

const cleanup = new Cleanup();
afterAll(() => cleanup.run());

/** Some messages are requests that never end. */
const PATIENCE_MS = 1500;

const format = ({ method, url, body }: Backend["seen"][number]): string =>
  `${method} ${url}${body === "" ? "" : ` ${JSON.stringify(body)}`}`;

async function send(port: number, raw: OddMessage["raw"]): Promise<string> {
  if (typeof raw !== "string") return String(await statusOf(port, raw, cleanup));
  const got = await exchangeRaw(port, `${raw}${LAST}`, {
    withinMs: PATIENCE_MS,
    // Envoy waits for a second until it closes the connection.
    isEnough: (text) => /\r\nconnection: close\r\n/i.test(text),
  });
  return statusesIn(got).join(", ");
}

async function outcomesOf(plane: (typeof DATA_PLANES)[number]): Promise<ReadonlyMap<OddMessage, string>> {
  const backend = await startBackend(cleanup);
  const admin = await startBackend(cleanup);
  const routes = [
    route(rule({ name: "admin", to: forwardTo("admin") }), "/admin"),
    route(rule({ name: "baker", to: forwardTo("baker") })),
  ];
  const config = simpleConfig(routes, { baker: [backend.port], admin: [admin.port] });
  const port = await plane.start(cleanup, config, { limits: { maxHeaderBytes: 8192, maxHeaders: 20 } });
  const outcomes = new Map<OddMessage, string>();
  for (const message of messages) {
    backend.seen.length = 0;
    admin.seen.length = 0;
    const statuses = await send(port, message.raw);
    const seen = [...backend.seen, ...admin.seen].map(format).filter((text) => text !== "GET /last");
    outcomes.set(message, `${statuses || "no response"}; ${seen.join(", ") || "-"}`);
  }
  return outcomes;
}

describe.skipIf(findEnvoy() === undefined)("odd messages", () => {
  test("the differences are those that were reviewed", async () => {
    const [embedded, envoy] = await Promise.all(DATA_PLANES.map(outcomesOf));
    const different = messages.filter((message) => embedded?.get(message) !== envoy?.get(message));
    expect(different.filter(({ kind }) => kind === "").map(({ name }) => name)).toEqual([]);
    const kinds = [...new Set(different.map(({ kind }) => kind))].sort();
    const lines = kinds.flatMap((kind) => [
      `# ${kind}`,
      ...different
        .filter((one) => one.kind === kind)
        .map((one) => `${one.name}\n  embedded: ${embedded?.get(one) ?? ""}\n  Envoy:    ${envoy?.get(one) ?? ""}`),
      "",
    ]);
    expectGolden(
      fileURLToPath(new URL("testdata/odd-messages.txt", import.meta.url)),
      `${different.length} of ${messages.length} messages: statuses; what backends saw, without the request that closes the connection\n\n${lines.join("\n")}`,
    );
  }, 120_000);
});
