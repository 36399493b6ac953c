import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RequestReading, readRequests } from "../../../../test/support/gateway/read-requests.ts";

const HOST = "Host: a.example\r\n";
const get = (headers = "", target = "/"): string => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const post = (headers: string, body: string): string => `POST /order HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string): string => post("Transfer-Encoding: chunked\r\n", body);

/** In short: `GET / body [trailers]`, and what came of the rest. */
const show = ({ requests, end, rest }: RequestReading): readonly string[] => [
  ...requests.map(({ head: { method, path, query }, body, trailers }) =>
    [`${method} ${path}${query}`, body, trailers.join("|")].join(" ").trim(),
  ),
  ...(end === undefined ? [] : [typeof end === "string" ? end : String(end.status)]),
  ...(rest === "" ? [] : [`rest ${JSON.stringify(rest)}`]),
];

const READ: readonly (readonly [name: string, text: string, shown: readonly string[]])[] = [
  ["a request", get(), ["GET /"]],
  ["nothing", "", []],
  ["a query", get("", "/a?b=c"), ["GET /a?b=c"]],
  ["requests one behind the other", `${get()}${get("", "/2")}${get("", "/3")}`, ["GET /", "GET /2", "GET /3"]],
  ["a head that is not whole", "GET / HTTP/1.1\r\nHost: a", ['rest "GET / HTTP/1.1\\r\\nHost: a"']],
  ["a request and the beginning of another", `${get()}GET`, ["GET /", 'rest "GET"']],
  ["empty lines before it", `\r\n\r\n${get()}\r\n${get("", "/2")}`, ["GET /", "GET /2"]],
  ["eight empty lines", "\r\n".repeat(8) + get(), ["GET /"]],
  ["half an empty line", "\r", ['rest "\\r"']],
  ["a length", post("Content-Length: 3\r\n", "abc"), ["POST /order abc"]],
  ["a length of nothing", post("Content-Length: 0\r\n", ""), ["POST /order"]],
  [
    "a body that looks like a request",
    post(`Content-Length: ${get().length}\r\n`, get()) + get(),
    [`POST /order ${get().trim()}`, "GET /"],
  ],
  ["a body that is not whole", post("Content-Length: 4\r\n", "abc"), []],
  ["chunks", chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") + get(), ["POST /order abcde", "GET /"]],
  [
    "zeros before a chunk's size, letters in both cases",
    chunked("00a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"),
    ["POST /order 01234567890123456789"],
  ],
  ["no chunks but the last", chunked("0\r\n\r\n"), ["POST /order"]],
  ["chunk extensions", chunked('3;a;b=c;d="e f"\r\nabc\r\n0;x\r\n\r\n'), ["POST /order abc"]],
  ["trailers", chunked("0\r\nX-Sum: 1\r\nX-Other:\r\n\r\n") + get(), ["POST /order  x-sum|1|x-other|", "GET /"]],
  ["spaces around a value", get("X: \t a b \t\r\n"), ["GET /"]],
  ["Connection: close is the last", `${get("Connection: close\r\n")}${get()}`, ["GET /", "Last"]],
  ["close among other words", `${get("Connection: x-a, Close\r\n")}${get()}`, ["GET /", "Last"]],
  ["HTTP/1.0 is the last", `GET / HTTP/1.0\r\n${HOST}\r\n${get()}`, ["GET /", "Last"]],
  [
    "HTTP/1.0 that asks for more",
    `GET / HTTP/1.0\r\n${HOST}Connection: Keep-Alive\r\n\r\n${get("", "/2")}`,
    ["GET /", "GET /2"],
  ],
  [
    "a WebSocket, and what comes behind it",
    `${get("Connection: upgrade\r\nUpgrade: WebSocket\r\n")}frames`,
    ["GET /", "Upgrade", 'rest "frames"'],
  ],
  ["another upgrade", get("Connection: upgrade\r\nUpgrade: h2c\r\n"), ["GET /", "Last"]],
  ["an upgrade that Connection does not name", get("Upgrade: h2c\r\n"), ["GET /"]],
  [
    "an upgrade with HTTP/1.0",
    `GET / HTTP/1.0\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ["GET /", "Last"],
  ],
  ["a head of the greatest length", get(`X: ${"a".repeat(1000 - get("X: \r\n").length + 4)}\r\n`), ["GET /"]],
  ["as many headers as may be", get("X: a\r\n".repeat(9)), ["GET /"]],
];

const REFUSED: readonly (readonly [name: string, text: string, status: number])[] = [
  ["a bare line feed", `GET / HTTP/1.1\n${HOST}\r\n`, 400],
  ["a bare carriage return", get("X: a\rb\r\n"), 400],
  ["a bare line feed, before the head is whole", "GET / HTTP/1.1\n", 400],
  ["a bare line feed first of all", "\nGET", 400],
  ["nine empty lines", "\r\n".repeat(9) + get(), 400],
  ["two carriage returns", get("X: a\r\r\n"), 400],
  ["TLS", "\x16\x03\x01", 400],
  ["a folded header", get("X: a\r\n b\r\n"), 400],
  ["a space before a colon", get("X : a\r\n"), 400],
  ["no colon", get("X\r\n"), 400],
  ["an empty name", get(": a\r\n"), 400],
  ["NUL in a value", get("X: a\0\r\n"), 400],
  ["DEL in a value", get("X: a\x7f\r\n"), 400],
  ["non-ASCII in a name", get("X\xe4: a\r\n"), 400],
  ["an unknown method", `FROB / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a method in lower case", `get / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["two spaces", `GET  / HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a fourth word", `GET / HTTP/1.1 x\r\n${HOST}\r\n`, 400],
  ["CONNECT", `CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n`, 405],
  ["RTSP", `SETUP / RTSP/1.0\r\n${HOST}\r\n`, 405],
  ["HTTP/0.9", "GET /\r\n\r\n", 505],
  ["HTTP/2.0", `GET / HTTP/2.0\r\n${HOST}\r\n`, 505],
  ["HTTP/1.2", `GET / HTTP/1.2\r\n${HOST}\r\n`, 400],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["two Hosts", get(HOST), 400],
  ["two lengths", post("Content-Length: 1\r\nContent-Length: 1\r\n", "a"), 400],
  ["a length and an encoding", post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "a"), 400],
  ["a tab behind a length", post("Content-Length: 1\t\r\n", "a"), 400],
  ["a tab before a length", post("Content-Length:\t1\r\n", "a"), 400],
  ["a tab behind an encoding", post("Transfer-Encoding: chunked\t\r\n", "0\r\n\r\n"), 400],
  ["an encoding that is not known", post("Transfer-Encoding: gzip\r\n", ""), 400],
  ["an expectation that is not known", post("Expect: 200-ok\r\nContent-Length: 1\r\n", "a"), 417],
  ["two expectations", post("Expect: 100-continue\r\nExpect: x\r\nContent-Length: 1\r\n", "a"), 417],
  ["an upgrade with a body", post("Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n", "a"), 400],
  ["a chunk's size that is none", chunked("x\r\n"), 400],
  ["a chunk's size with a space behind it", chunked("3 \r\nabc\r\n"), 400],
  ["a space before a chunk extension", chunked("3 ;a\r\nabc\r\n"), 400],
  ["a chunk's size of 13 digits", chunked("0000000000003\r\nabc\r\n"), 400],
  ["a bare line feed after a chunk's size", chunked("3\nabc\r\n"), 400],
  ["a chunk extension with a control character", chunked("3;a\0\r\nabc\r\n"), 400],
  ["a chunk extension with an open quote", chunked('3;a="b\r\nabc\r\n'), 400],
  ["a chunk extension of a kilobyte", chunked(`3;${"a".repeat(1024)}\r\nabc\r\n`), 400],
  ["chunk extensions of 17 kilobytes together", chunked(`1;${"a".repeat(1000)}\r\na\r\n`.repeat(17)), 400],
  ["a chunk longer than its size", chunked("3\r\nabcd\r\n"), 400],
  ["a carriage return alone after a chunk", chunked("3\r\nabc\rX"), 400],
  ["a folded trailer", chunked("0\r\nX: a\r\n b\r\n\r\n"), 400],
  ["a length among the trailers", chunked("0\r\nContent-Length: 3\r\n\r\n"), 400],
  ["an identity among the trailers", chunked("0\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n"), 400],
  ["a hop among the trailers", chunked("0\r\nConnection: close\r\n\r\n"), 400],
  ["trailers without end", chunked(`0\r\nX: ${"a".repeat(1000)}`), 400],
  ["a head without end", `GET / HTTP/1.1\r\nX: ${"a".repeat(1000)}`, 431],
  ["a head that is a byte too long", get(`X: ${"a".repeat(1000 - get("X: \r\n").length + 5)}\r\n`), 431],
  ["a header too many", get("X: a\r\n".repeat(10)), 431],
];

describe("reads", () => {
  test.each(READ)("%s", (_, text, shown) => {
    expect(show(readRequests(text))).toEqual(shown);
  });
});

describe("refuses, and reads no more", () => {
  test.each(REFUSED)("%s", (_, text, status) => {
    expect(show(readRequests(`${get("", "/1")}${text}${get("", "/3")}`))).toEqual(["GET /1", String(status)]);
  });
});

describe("in whatever pieces it comes", () => {
  const texts = [...READ.map(([, text]) => text), ...REFUSED.map(([, text]) => `${get()}${text}${get()}`)];

  test("cut in two, at every byte", () => {
    for (const text of texts) {
      const whole = readRequests(text);
      for (let at = 1; at < Math.min(text.length, 1300); at++) {
        expect({ at, text, ...readRequests(text, [at]) }).toEqual({ at, text, ...whole });
      }
    }
  });

  test("byte by byte", () => {
    for (const text of texts)
      expect(
        readRequests(
          text,
          Array.from(text, () => 1),
        ),
      ).toEqual(readRequests(text));
  });

  test("property: in pieces of any size", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(...texts), sizes, (text, pieces) => {
        expect(readRequests(text, pieces)).toEqual(readRequests(text));
      }),
      { numRuns: 1000 },
    );
  });
});
