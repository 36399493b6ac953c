/**
 * Requests that two readers could understand in two ways, byte for byte. Whatever the gateway makes of one, the backend must never see a
 * request that was not sent as one, nor a path other than the one that was routed.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forwardTo, route, rule, simpleConfig } from "../support/gateway/dataplane-config.ts";
import {
  type Backend,
  Cleanup,
  exchangeRaw,
  type RunningGateway,
  startBackend,
  startGateway,
  statusesIn,
} from "../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
let gateway: RunningGateway;
let backend: Backend;
let admin: Backend;

beforeAll(async () => {
  backend = await startBackend(cleanup);
  admin = await startBackend(cleanup);
  const routes = [
    route(rule({ name: "admin", to: forwardTo("admin") }), "/admin"),
    route(rule({ name: "baker", to: forwardTo("baker") })),
  ];
  gateway = await startGateway(cleanup, simpleConfig(routes, { baker: [backend.port], admin: [admin.port] }), {
    limits: { maxHeaderBytes: 8192, maxHeaders: 20 },
  });
});
afterAll(() => cleanup.run());

const HOST = "Host: bakery.example\r\n";
/** Ends the connection after the requests of a row, so that nothing has to be waited for. */
const LAST = `GET /last HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;

interface Outcome {
  readonly statuses: readonly number[];
  /** What the backends saw: `GET /path body`. */
  readonly seen: readonly string[];
  readonly adminSeen: readonly string[];
}

async function send(raw: string): Promise<Outcome> {
  backend.seen.length = 0;
  admin.seen.length = 0;
  const got = await exchangeRaw(gateway.port, raw, { withinMs: 3000 });
  const show = ({ method, url, body }: Backend["seen"][number]): string => `${method} ${url}${body && ` ${body}`}`;
  return { statuses: statusesIn(got), seen: backend.seen.map(show), adminSeen: admin.seen.map(show) };
}

const get = (headers: string, target = "/menu"): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body: string): string => `POST /order HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string): string => post("Transfer-Encoding: chunked\r\n", body);
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`;

/** The request is refused as a whole: one response with that status, the connection closed, and nothing sent to the backend. */
const REFUSED: readonly (readonly [name: string, raw: string, status: number])[] = [
  // Line ends
  ["bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n", 400],
  ["bare LF after the request line", `GET / HTTP/1.1\n${HOST}\r\n`, 400],
  ["bare LF after a header", get("Host: a\nX: y\r\n"), 400],
  ["bare LF at the end of the head", `GET / HTTP/1.1\r\n${HOST}\n`, 400],
  ["bare CR in a header value", get(`${HOST}X: a\rb\r\n`), 400],
  ["CR CR LF", get(`${HOST}X: a\r\r\n`), 400],
  ["CR at the end of the head", `GET / HTTP/1.1\r\n${HOST}\rGET /smuggled HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["bare CR in the request line", `GET /\r HTTP/1.1\r\n${HOST}\r\n`, 400],
  // Header names
  ["obs-fold with a space", get(`${HOST}X: a\r\n b\r\n`), 400],
  ["obs-fold with a tab", get(`${HOST}X: a\r\n\tb\r\n`), 400],
  ["obs-fold before the first header", `GET / HTTP/1.1\r\n ${HOST}\r\n`, 400],
  ["obs-fold of Transfer-Encoding", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400],
  ["obs-fold of Content-Length", post("Content-Length:\r\n 3\r\n", "abc"), 400],
  ["space before the colon", get(`${HOST}X : a\r\n`), 400],
  ["tab before the colon", get(`${HOST}X\t: a\r\n`), 400],
  ["space before the colon of Content-Length", post("Content-Length : 3\r\n", "abc"), 400],
  ["space before the colon of Transfer-Encoding", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400],
  ["vertical tab in a name", get(`${HOST}X\x0b: a\r\n`), 400],
  ["form feed in a name", get(`${HOST}X\x0c: a\r\n`), 400],
  ["NUL in a name", get(`${HOST}X\0: a\r\n`), 400],
  ["NUL in a value", get(`${HOST}X: a\0b\r\n`), 400],
  ["control character in a value", get(`${HOST}X: a\x01b\r\n`), 400],
  ["DEL in a value", get(`${HOST}X: a\x7fb\r\n`), 400],
  ["empty name", get(`${HOST}: a\r\n`), 400],
  ["no colon", get(`${HOST}Xa\r\n`), 400],
  ["brackets in a name", get(`${HOST}X(y): a\r\n`), 400],
  ["quotes in a name", get(`${HOST}"X": a\r\n`), 400],
  ["non-ASCII in a name", get(`${HOST}X\xe4: a\r\n`), 400],
  ["slash in a name", get(`${HOST}X/y: a\r\n`), 400],
  ["space in a name", get(`${HOST}X y: a\r\n`), 400],
  // Underscores
  ["Transfer_Encoding", post("Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400],
  ["Content_Length", get(`${HOST}Content_Length: 3\r\n`), 400],
  ["X_Forwarded_For", get(`${HOST}X_Forwarded_For: 10.0.0.1\r\n`), 400],
  ["x-forwarded_for", get(`${HOST}x-forwarded_for: 10.0.0.1\r\n`), 400],
  ["an underscore in another name", get(`${HOST}x_trace: 1\r\n`), 400],
  ["X_Real_IP", get(`${HOST}X_Real_IP: 10.0.0.1\r\n`), 400],
  // Content-Length
  ["Content-Length twice, the same", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400],
  ["Content-Length twice, different", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), 400],
  ["Content-Length in two cases", post("Content-Length: 3\r\ncontent-length: 0\r\n", "abc"), 400],
  ["Content-Length as a list, the same", post("Content-Length: 3, 3\r\n", "abc"), 400],
  ["Content-Length as a list, different", post("Content-Length: 3, 0\r\n", "abc"), 400],
  ["Content-Length with a plus", post("Content-Length: +3\r\n", "abc"), 400],
  ["Content-Length negative", post("Content-Length: -3\r\n", "abc"), 400],
  ["Content-Length minus zero", post("Content-Length: -0\r\n", ""), 400],
  ["Content-Length hexadecimal", post("Content-Length: 0x3\r\n", "abc"), 400],
  ["Content-Length with leading zeros", post("Content-Length: 003\r\n", "abc"), 400],
  ["Content-Length 00", post("Content-Length: 00\r\n", ""), 400],
  ["Content-Length with a space inside", post("Content-Length: 1 3\r\n", "abc"), 400],
  ["Content-Length empty", post("Content-Length: \r\n", ""), 400],
  ["Content-Length beyond 64 bits", post("Content-Length: 18446744073709551617\r\n", "a"), 400],
  ["Content-Length beyond 2^53", post("Content-Length: 9007199254740993\r\n", "a"), 400],
  ["Content-Length with a fraction", post("Content-Length: 3.0\r\n", "abc"), 400],
  ["Content-Length with an exponent", post("Content-Length: 3e0\r\n", "abc"), 400],
  ["Content-Length with a parameter", post("Content-Length: 3;x\r\n", "abc"), 400],
  ["Content-Length with an underscore", post("Content-Length: 1_0\r\n", "abc"), 400],
  ["Content-Length with a word", post("Content-Length: three\r\n", "abc"), 400],
  ["Content-Length with a quote", post('Content-Length: "3"\r\n', "abc"), 400],
  ["Content-Length with a vertical tab", post("Content-Length: \x0b3\r\n", "abc"), 400],
  ["Content-Length with a tab before", post("Content-Length:\t3\r\n", "abc"), 400],
  ["Content-Length with a tab after", post("Content-Length: 3\t\r\n", "abc"), 400],
  ["Content-Length with non-ASCII digits", post("Content-Length: \xb3\r\n", "abc"), 400],
  // Content-Length and Transfer-Encoding
  ["CL.TE", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${SMUGGLED}`), 400],
  ["TE.CL", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", `5c\r\n${SMUGGLED}\r\n0\r\n\r\n`), 400],
  ["CL.0 with TE", post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["TE with CL on a GET", `${get(`${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n`)}abc`, 400],
  // Transfer-Encoding
  ["TE identity", post("Transfer-Encoding: identity\r\n", "abc"), 400],
  ["TE gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400],
  ["TE chunked, gzip", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400],
  ["TE chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), 400],
  ["TE identity, chunked", post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n"), 400],
  ["TE chunked, chunked", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), 400],
  ["TE twice chunked", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["TE chunked then identity", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), 400],
  ["TE identity then chunked", post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["TE chunked then x", post("Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n", "0\r\n\r\n"), 400],
  ["TE x then chunked", post("Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400],
  ["TE xchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400],
  ["TE chunkedx", post("Transfer-Encoding: chunkedx\r\n", "0\r\n\r\n"), 400],
  ["TE chunked;q=1", post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), 400],
  ["TE quoted", post('Transfer-Encoding: "chunked"\r\n', "0\r\n\r\n"), 400],
  ["TE empty", post("Transfer-Encoding:\r\n", "0\r\n\r\n"), 400],
  ["TE only a comma", post("Transfer-Encoding: ,\r\n", "0\r\n\r\n"), 400],
  ["TE with a leading comma", post("Transfer-Encoding: ,chunked\r\n", "0\r\n\r\n"), 400],
  ["TE with a trailing comma", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n"), 400],
  ["TE with a tab after", post("Transfer-Encoding: chunked\t\r\n", "0\r\n\r\n"), 400],
  ["TE with a vertical tab before", post("Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n"), 400],
  ["TE with a vertical tab after", post("Transfer-Encoding: chunked\x0b\r\n", "0\r\n\r\n"), 400],
  ["TE with a non-breaking space", post("Transfer-Encoding: \xa0chunked\r\n", "0\r\n\r\n"), 400],
  ["TE with NUL", post("Transfer-Encoding: chunked\0\r\n", "0\r\n\r\n"), 400],
  ["TE with HTTP/1.0", `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["TE cow", post("Transfer-Encoding: cow\r\n", "0\r\n\r\n"), 400],
  // Host
  ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["no Host with HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 400],
  ["empty Host", get("Host:\r\n"), 400],
  ["Host twice, the same", get("Host: a\r\nHost: a\r\n"), 400],
  ["Host twice, different", get("Host: a\r\nHost: b\r\n"), 400],
  ["Host with a space", get("Host: a b\r\n"), 400],
  ["Host as a list", get("Host: a, b\r\n"), 400],
  ["Host with a path", get("Host: a/admin\r\n"), 400],
  ["Host with a query", get("Host: a?x\r\n"), 400],
  ["Host with a fragment", get("Host: a#x\r\n"), 400],
  ["Host with user information", get("Host: user@a\r\n"), 400],
  ["Host with a scheme", get("Host: http://a\r\n"), 400],
  ["Host with a port that is none", get("Host: a:b\r\n"), 400],
  ["Host with an empty port", get("Host: a:\r\n"), 400],
  ["Host with port 0", get("Host: a:0\r\n"), 400],
  ["Host with port 65536", get("Host: a:65536\r\n"), 400],
  ["Host with two ports", get("Host: a:1:2\r\n"), 400],
  ["Host with a percent sign", get("Host: a%2eb\r\n"), 400],
  ["Host with a backslash", get("Host: a\\b\r\n"), 400],
  ["Host with non-ASCII", get("Host: b\xe4ckerei\r\n"), 400],
  ["Host with a leading dot", get("Host: .a\r\n"), 400],
  ["Host with two dots", get("Host: a..b\r\n"), 400],
  ["Host that is a dot", get("Host: .\r\n"), 400],
  ["Host with an open bracket", get("Host: [::1\r\n"), 400],
  ["Host with a zone", get("Host: [fe80::1%25eth0]\r\n"), 400],
  ["Host that is a star", get("Host: *\r\n"), 400],
  // Request line
  ["HTTP/0.9", "GET /\r\n\r\n", 505],
  ["HTTP/2.0 in a request line", `GET / HTTP/2.0\r\n${HOST}\r\n`, 505],
  ["HTTP/1.2", `GET / HTTP/1.2\r\n${HOST}\r\n`, 400],
  ["HTTP/1.10", `GET / HTTP/1.10\r\n${HOST}\r\n`, 400],
  ["HTTP/01.1", `GET / HTTP/01.1\r\n${HOST}\r\n`, 400],
  ["http/1.1", `GET / http/1.1\r\n${HOST}\r\n`, 400],
  ["HTTP/ 1.1", `GET / HTTP/ 1.1\r\n${HOST}\r\n`, 400],
  ["space after the version", `GET / HTTP/1.1 \r\n${HOST}\r\n`, 400],
  ["tabs between the words", `GET\t/\tHTTP/1.1\r\n${HOST}\r\n`, 400],
  ["space in the target", `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a second request line in the target", `GET /a HTTP/1.1 /b HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["method in lower case", `get / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["unknown method", `FROB / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["method with a space before", ` GET / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["CONNECT", "CONNECT bakery.example:80 HTTP/1.1\r\nHost: bakery.example:80\r\n\r\n", 405],
  ["TRACE", `TRACE / HTTP/1.1\r\n${HOST}\r\n`, 405],
  ["an RTSP method", `DESCRIBE / RTSP/1.0\r\n${HOST}\r\n`, 405],
  ["an Icecast method", `SOURCE / ICE/1.0\r\n${HOST}\r\n`, 405],
  ["a TLS hello", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 400],
  ["asterisk form", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["asterisk form with GET", `GET * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["authority form", `GET bakery.example:80 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["relative target", `GET menu HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["target with only a query", `GET ?a HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["absolute form for another host", `GET http://evil.example/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["absolute form with user information", `GET http://bakery.example@evil/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["absolute form with another scheme", `GET ftp://bakery.example/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["absolute form without Host", "GET http://bakery.example/ HTTP/1.1\r\n\r\n", 400],
  ["absolute form with another port", `GET http://bakery.example:81/ HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["fragment", get(HOST, "/menu#top"), 400],
  ["NUL in the target", get(HOST, "/a\0b"), 400],
  ["tab in the target", get(HOST, "/a\tb"), 400],
  ["non-ASCII in the target", get(HOST, "/b\xe4ckerei"), 400],
  ["DEL in the target", get(HOST, "/a\x7f"), 400],
  // Connection
  ["Connection names Host", get(`${HOST}Connection: host\r\n`), 400],
  ["Connection names Content-Length", post("Content-Length: 3\r\nConnection: content-length\r\n", "abc"), 400],
  ["Connection names Transfer-Encoding", get(`${HOST}Connection: keep-alive, Transfer-Encoding\r\n`), 400],
  ["Connection names X-Forwarded-For", get(`${HOST}Connection: close, X-Forwarded-For\r\n`), 400],
  ["Connection names Authorization", get(`${HOST}Connection: Authorization\r\n`), 400],
  ["Connection names Cookie", get(`${HOST}Connection: cookie\r\n`), 400],
  // Upgrades
  ["upgrade with a body", post("Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n", "abc"), 400],
  [
    "upgrade with chunks",
    post("Connection: upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
    400,
  ],
  ["h2c upgrade with a request behind it", get(`${HOST}Connection: upgrade\r\nUpgrade: h2c\r\n`) + SMUGGLED, 400],
  // Limits
  ["header too long", get(`${HOST}X: ${"a".repeat(9000)}\r\n`), 431],
  ["target too long", get(HOST, `/${"a".repeat(9000)}`), 431],
  ["too many headers", get(`${HOST}${"X: a\r\n".repeat(21)}`), 431],
];

/** Path confusion: refused. */
const REFUSED_PATHS: readonly (readonly [name: string, path: string])[] = [
  ["encoded slash", "/admin%2fsecret"],
  ["encoded slash in upper case", "/admin%2Fsecret"],
  ["encoded backslash", "/admin%5csecret"],
  ["encoded NUL", "/menu%00"],
  ["encoded NUL before a suffix", "/admin%00.html"],
  ["encoded line feed", "/menu%0a"],
  ["encoded carriage return and line feed", "/menu%0d%0aX:%20y"],
  ["encoded tab", "/menu%09"],
  ["encoded DEL", "/menu%7f"],
  ["backslash", "/menu\\..\\admin"],
  ["overlong slash", "/admin%c0%af"],
  ["overlong dot", "/%c0%ae%c0%ae/admin"],
  ["overlong slash of three bytes", "/menu/%c1%9c"],
  ["a byte that no UTF-8 has", "/menu%ff"],
  ["doubly encoded dot", "/menu/%252e%252e/admin"],
  ["doubly encoded slash", "/menu%252fadmin"],
  ["doubly encoded backslash", "/menu%255cadmin"],
  ["doubly encoded NUL", "/menu%2500"],
  ["trebly encoded slash", "/menu%25252fadmin"],
  ["percent sign at the end", "/menu%"],
  ["one hexadecimal digit", "/menu%2"],
  ["no hexadecimal digits", "/menu%zz"],
  ["Microsoft's %u", "/%u002e%u002e/admin"],
  ["above the root", "/../admin"],
  ["above the root, deeper", "/menu/../../admin"],
  ["above the root, encoded", "/%2e%2e/admin"],
  ["dots with parameters", "/menu/..;/admin"],
  ["dots with named parameters", "/menu/..;a=b/admin"],
  ["dot with parameters", "/menu/.;/admin"],
  ["encoded dots with parameters", "/menu/%2e%2e;/admin"],
  ["angle brackets", "/menu<x>"],
  ["quotes", '/menu"x"'],
  ["braces", "/menu{x}"],
  ["backtick", "/menu`x`"],
  ["caret", "/menu^x"],
];

/** Path confusion: one spelling for routing and for the backend. `admin` is what the backend of /admin sees. */
const REWRITTEN_PATHS: readonly (readonly [name: string, path: string, to: "menu" | "admin", seen: string])[] = [
  ["dot segment", "/./menu", "menu", "/menu"],
  ["dot segments", "/menu/../admin", "admin", "/admin"],
  ["dot segments out of the admin's", "/admin/../menu", "menu", "/menu"],
  ["dot segment at the end", "/admin/.", "admin", "/admin/"],
  ["dots at the end", "/menu/x/..", "menu", "/menu/"],
  ["encoded dots", "/menu/%2e%2e/admin", "admin", "/admin"],
  ["encoded dots in upper case", "/menu/%2E%2E/admin", "admin", "/admin"],
  ["half encoded dots", "/menu/.%2e/admin", "admin", "/admin"],
  ["one encoded dot", "/%2e/admin", "admin", "/admin"],
  ["two slashes", "//admin", "admin", "/admin"],
  ["many slashes", "////admin///secret", "admin", "/admin/secret"],
  ["slashes and dots", "/.//admin", "admin", "/admin"],
  ["slashes at the end", "/admin//", "admin", "/admin/"],
  ["encoded letters", "/%61dmin", "admin", "/admin"],
  ["all letters encoded", "/%61%64%6d%69%6e", "admin", "/admin"],
  ["encoded hyphen and tilde", "/a%2db%7ec%5fd", "menu", "/a-b~c_d"],
  ["hexadecimal digits in lower case", "/caf%c3%a9", "menu", "/caf%C3%A9"],
  ["encoded space stays", "/a%20b", "menu", "/a%20b"],
  ["encoded question mark stays", "/admin%3fx", "menu", "/admin%3Fx"],
  ["encoded hash stays", "/admin%23x", "menu", "/admin%23x"],
  ["encoded semicolon stays", "/admin%3bx", "menu", "/admin%3Bx"],
  ["encoded percent sign stays", "/100%25", "menu", "/100%25"],
  ["semicolon is part of its element", "/admin;x=y", "menu", "/admin;x=y"],
  ["another case is another path", "/ADMIN", "menu", "/ADMIN"],
  ["a longer element is another path", "/administrator", "menu", "/administrator"],
  ["three dots are a name", "/.../admin", "menu", "/.../admin"],
  ["a dot file is a name", "/.well-known/x", "menu", "/.well-known/x"],
  ["brackets and bars", "/a[1]|b", "menu", "/a[1]|b"],
  ["the query is left alone", "/menu?a=%2f..%2f&b=%zz", "menu", "/menu?a=%2f..%2f&b=%zz"],
  ["dots in the query are left alone", "/menu?/../admin", "menu", "/menu?/../admin"],
  ["an empty query", "/menu?", "menu", "/menu?"],
];

/** Bodies that do not end where they say: whatever was forwarded, no second request comes of it. */
const BROKEN_BODIES: readonly (readonly [name: string, raw: string])[] = [
  ["chunk size with a space", chunked(`3 \r\nabc\r\n0\r\n\r\n`)],
  ["chunk size with a tab", chunked(`3\t\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size hexadecimal with 0x", chunked(`0x3\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size negative", chunked(`-1\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size with a plus", chunked(`+3\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size empty", chunked(`\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size beyond 64 bits", chunked(`10000000000000003\r\nabc\r\n0\r\n\r\n`)],
  ["chunk size with an underscore", chunked(`1_0\r\nabc\r\n0\r\n\r\n`)],
  ["chunks with bare LF", chunked(`3\nabc\n0\n\n${SMUGGLED}`)],
  ["bare LF after a chunk size", chunked(`3\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["bare LF after a chunk", chunked(`3\r\nabc\n0\r\n\r\n${SMUGGLED}`)],
  ["bare LF in a chunk extension", chunked(`3;a\nb\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["bare CR in a chunk extension", chunked(`3;a\rb\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["space before a chunk extension", chunked(`3 ;a\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["a chunk extension with an open quote", chunked(`3;a="b\r\nabc\r\n0\r\n\r\n"\r\n${SMUGGLED}`)],
  ["a chunk extension with a NUL", chunked(`3;a\0\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["a chunk extension without end", chunked(`3;${"a".repeat(5000)}\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["bare LF after the last chunk", chunked(`0\n\r\n${SMUGGLED}`)],
  ["bare LF at the end of the trailers", chunked(`0\r\n\n${SMUGGLED}`)],
  ["bare CR after the last chunk", chunked(`0\r\r\n${SMUGGLED}`)],
  ["chunk longer than its size", chunked(`3\r\nabcdef\r\n0\r\n\r\n${SMUGGLED}`)],
  ["chunk shorter than its size", chunked(`5\r\nabc\r\n0\r\n\r\n${SMUGGLED}`)],
  ["no line end after a chunk", chunked(`3\r\nabcX0\r\n\r\n${SMUGGLED}`)],
  ["no chunks at all", chunked(SMUGGLED)],
  ["junk among the trailers", chunked(`0\r\nxx\r\n\r\n${SMUGGLED}`)],
  ["Content-Length among the trailers", chunked(`0\r\nContent-Length: 50\r\n\r\n${SMUGGLED}`)],
  ["Transfer-Encoding among the trailers", chunked(`0\r\nTransfer-Encoding: chunked\r\n\r\n${SMUGGLED}`)],
  ["Host among the trailers", chunked(`0\r\nHost: evil.example\r\n\r\n${SMUGGLED}`)],
  ["X-Forwarded-For among the trailers", chunked(`0\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n${SMUGGLED}`)],
  ["Authorization among the trailers", chunked(`0\r\nAuthorization: x\r\n\r\n${SMUGGLED}`)],
  ["a folded trailer", chunked(`0\r\nX: y\r\n z\r\n\r\n${SMUGGLED}`)],
  ["space before a trailer's colon", chunked(`0\r\nX : y\r\n\r\n${SMUGGLED}`)],
];

/** Unusual but valid requests: what the backend received, and the number of responses. */
const SERVED: readonly (readonly [name: string, raw: string, seen: readonly string[]])[] = [
  ["a plain request", get(HOST), ["GET /menu"]],
  [
    "an odd byte in the rest of a chunk is a part of it",
    chunked("5\r\na\r\n\0b\r\n0\r\n\r\n"),
    ["POST /order a\r\n\0b"],
  ],
  ["two in a row", `${get(HOST)}${get(HOST, "/2")}`, ["GET /menu", "GET /2"]],
  ["empty lines before a request", `\r\n\r\n${get(HOST)}`, ["GET /menu"]],
  ["Content-Length with spaces around", post("Content-Length:  3  \r\n", "abc"), ["POST /order abc"]],
  [
    "a body that looks like a request",
    post(`Content-Length: ${SMUGGLED.length}\r\n`, SMUGGLED),
    [`POST /order ${SMUGGLED}`],
  ],
  ["chunks", chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), ["POST /order abcde"]],
  ["CHUNKED", post("Transfer-Encoding: CHUNKED\r\n", "3\r\nabc\r\n0\r\n\r\n"), ["POST /order abc"]],
  ["a chunk extension", chunked("3;a=b\r\nabc\r\n0\r\n\r\n"), ["POST /order abc"]],
  ["chunk size in upper case with zeros", chunked("00A\r\n0123456789\r\n0\r\n\r\n"), ["POST /order 0123456789"]],
  ["trailers", chunked("3\r\nabc\r\n0\r\nX: y\r\n\r\n"), ["POST /order abc"]],
  [
    "chunks that contain a request",
    chunked(`${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
    [`POST /order ${SMUGGLED}`],
  ],
  ["GET with a body", get(`${HOST}Content-Length: 3\r\n`).concat("abc"), ["GET /menu abc"]],
  ["absolute form", `GET http://bakery.example/menu HTTP/1.1\r\n${HOST}\r\n`, ["GET /menu"]],
  ["absolute form without a path", `GET http://bakery.example HTTP/1.1\r\n${HOST}\r\n`, ["GET /"]],
  ["absolute form in another case", `GET HTTP://Bakery.Example/menu HTTP/1.1\r\n${HOST}\r\n`, ["GET /menu"]],
  ["HTTP/1.0 with keep-alive", `GET /menu HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n`, ["GET /menu"]],
  ["Host in upper case, with a port and a dot", get("Host: BAKERY.example.:8080\r\n"), ["GET /menu"]],
  ["Host that is an address", get("Host: [::1]:80\r\n"), ["GET /menu"]],
  ["non-ASCII in a value", get(`${HOST}X: b\xe4ckerei\r\n`), ["GET /menu"]],
  ["Connection names a header of its own", get(`${HOST}Connection: x-mine\r\nX-Mine: y\r\n`), ["GET /menu"]],
  ["OPTIONS with a path", `OPTIONS /menu HTTP/1.1\r\n${HOST}\r\n`, ["OPTIONS /menu"]],
];

describe("refused, and nothing for the backend", () => {
  test.each(REFUSED)("%s", async (_, raw, status) => {
    expect(await send(`${raw}${LAST}`)).toEqual({ statuses: [status], seen: [], adminSeen: [] });
  });
});

describe("paths that could mean another one: refused", () => {
  test.each(REFUSED_PATHS)("%s", async (_, path) => {
    expect(await send(`${get(HOST, path)}${LAST}`)).toEqual({ statuses: [400], seen: [], adminSeen: [] });
  });
});

describe("paths with several spellings: routed and forwarded in one", () => {
  test.each(REWRITTEN_PATHS)("%s", async (_, path, to, seen) => {
    const { seen: atMenu, adminSeen } = await send(get(`${HOST}Connection: close\r\n`, path));
    expect({ atMenu, adminSeen }).toEqual({
      atMenu: to === "menu" ? [`GET ${seen}`] : [],
      adminSeen: to === "admin" ? [`GET ${seen}`] : [],
    });
  });
});

describe("bodies that do not end where they say: no second request", () => {
  test.each(BROKEN_BODIES)("%s", async (_, raw) => {
    const { statuses, seen, adminSeen } = await send(raw);
    expect({ seen, adminSeen }).toEqual({ seen: [], adminSeen: [] });
    expect(statuses.filter((status) => status !== 400)).toEqual([]);
  });
});

describe("odd, and in order", () => {
  test.each(SERVED)("%s", async (_, raw, seen) => {
    const outcome = await send(`${raw}${LAST}`);
    expect(outcome).toEqual({ statuses: [...seen, ""].map(() => 200), seen: [...seen, "GET /last"], adminSeen: [] });
  });
});

test("there are enough of them", () => {
  const rows = [REFUSED, REFUSED_PATHS, REWRITTEN_PATHS, BROKEN_BODIES, SERVED].flat();
  expect(rows.length).toBeGreaterThanOrEqual(200);
});
