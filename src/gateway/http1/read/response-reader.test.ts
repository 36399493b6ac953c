import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadMessage } from "./bad-message.ts";
import { ResponseReader } from "./response-reader.ts";

interface Got {
  readonly events: string[];
  readonly failure: string | undefined;
}

/** What a reader makes of bytes that come in pieces of these sizes (the last as long as need be). */
function read(text: string, { method = "GET", upgrade = false, sizes = [text.length], closes = false } = {}): Got {
  const events: string[] = [];
  let data = "";
  const flush = (): void => {
    if (data !== "") events.push(`data ${data}`);
    data = "";
  };
  const reader = new ResponseReader(
    {
      onInterim: ({ status, headers }) => events.push(`interim ${status} ${headers.join("|")}`),
      onSwitch: ({ status }, rest) => events.push(`switch ${status} ${rest.toString("latin1")}`),
      onHead: ({ status, statusText, headers }) => events.push(`head ${status} ${statusText} ${headers.join("|")}`),
      onData: (chunk) => {
        data += chunk.toString("latin1");
      },
      onEnd: (trailers, { isReusable, keepAliveMs }) => {
        flush();
        events.push(`end ${trailers.join("|")} ${isReusable ? "reusable" : "last"} ${keepAliveMs ?? ""}`.trim());
      },
    },
    1000,
  );
  reader.expect(method, upgrade);
  try {
    let at = 0;
    for (const size of [...sizes, text.length]) {
      if (at < text.length && size > 0) reader.take(Buffer.from(text.slice(at, at + size), "latin1"));
      at += size;
    }
    if (closes) reader.close();
  } catch (error) {
    flush();
    if (!(error instanceof BadMessage)) throw error;
    return { events, failure: error.message };
  }
  flush();
  return { events, failure: undefined };
}

const WHOLE: readonly (readonly [
  name: string,
  text: string,
  events: readonly string[],
  options?: Parameters<typeof read>[1],
])[] = [
  [
    "a length",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    ["head 200 OK content-length|3", "data abc", "end  reusable"],
  ],
  [
    "no length: until it closes",
    "HTTP/1.1 200 OK\r\n\r\nabc",
    ["head 200 OK ", "data abc", "end  last"],
    { closes: true },
  ],
  [
    "chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
    ["head 200 OK ", "data abcde", "end  reusable"],
  ],
  [
    "trailers",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n",
    ["head 200 OK ", "end x-sum|1 reusable"],
  ],
  [
    "HEAD",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
    ["head 200 OK content-length|3", "end  reusable"],
    { method: "HEAD" },
  ],
  ["204", "HTTP/1.1 204 No Content\r\n\r\n", ["head 204 No Content ", "end  reusable"]],
  [
    "304 with a length",
    "HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n",
    ["head 304 x content-length|9", "end  reusable"],
  ],
  ["an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["head 200 OK content-length|0", "end  reusable"]],
  ["no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ["head 200  content-length|0", "end  reusable"]],
  [
    "HTTP/1.0 is the last",
    "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
    ["head 200 OK content-length|1", "data a", "end  last"],
  ],
  [
    "Connection: close is the last",
    "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nX: 1\r\nContent-Length: 0\r\n\r\n",
    ["head 200 OK content-length|0", "end  last"],
  ],
  [
    "Keep-Alive",
    "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n",
    ["head 200 OK content-length|0", "end  reusable 5000"],
  ],
  [
    "interim responses",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 x\r\n\r\n",
    ["interim 100 ", "interim 103 link|a", "head 204 x ", "end  reusable"],
  ],
  [
    "switching protocols",
    "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\nframes",
    ["switch 101 frames"],
    { upgrade: true },
  ],
  [
    "spaces around a value",
    "HTTP/1.1 200 OK\r\nX:  a b \t\r\nContent-Length: 0\r\n\r\n",
    ["head 200 OK x|a b|content-length|0", "end  reusable"],
  ],
];

describe("reads", () => {
  for (const [name, text, events, options] of WHOLE) {
    test(name, () => {
      expect(read(text, options)).toEqual({ events, failure: undefined });
    });
  }

  test("property: in whatever pieces it comes", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(fc.constantFrom(...WHOLE), sizes, ([, text, events, options], pieces) => {
        // What follows a switch is handed over as far as it has come.
        if (options?.upgrade === true) return;
        expect(read(text, { ...options, sizes: pieces })).toEqual({ events, failure: undefined });
      }),
    );
  });
});

describe("refuses", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  test.each([
    ["bytes that are not a response", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["bytes that are not a response, without waiting for their end", "SSH-2.0-OpenSSH\r\n"],
    ["line feeds alone, without waiting for another end", "HTTP/1.1 200 OK\nContent-Length: 1\n\na"],
    ["HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["a control character in the reason", "HTTP/1.1 200 O\0K\r\n\r\n"],
    ["a folded header", `${ok}X: a\r\n b\r\n\r\n`],
    ["a space before a colon", `${ok}X : a\r\n\r\n`],
    ["a header without a colon", `${ok}X\r\n\r\n`],
    ["a bare line feed", `${ok}X: a\nY: b\r\n\r\n`],
    ["a bare carriage return", `${ok}X: a\rb\r\n\r\n`],
    ["NUL in a header", `${ok}X: a\0b\r\n\r\n`],
    ["two lengths", `${ok}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
    ["a list of lengths", `${ok}Content-Length: 1, 1\r\n\r\na`],
    ["a length that is no number", `${ok}Content-Length: +1\r\n\r\na`],
    ["a length beside an encoding", `${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["another encoding", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ["an encoding twice", `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["an encoding with HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a chunk size that is none", `${ok}Transfer-Encoding: chunked\r\n\r\nx\r\n`],
    ["a chunk size with a sign", `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n`],
    ["a chunk size without end", `${ok}Transfer-Encoding: chunked\r\n\r\n${"0".repeat(2000)}`],
    ["a chunk longer than its size", `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`],
    ["a head without end", `${ok}X: ${"a".repeat(2000)}`],
    ["trailers without end", `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nX: ${"a".repeat(2000)}`],
    ["switching without being asked", "HTTP/1.1 101 x\r\n\r\n"],
    ["interim responses without end", "HTTP/1.1 102 x\r\n\r\n".repeat(30)],
    ["a second response", `${ok}Content-Length: 0\r\n\r\n${ok}\r\n`],
  ])("%s", (_, text) => {
    expect(read(text).failure).toEqual(expect.any(String));
  });

  test("a response that is cut short", () => {
    expect(read(`${ok}Content-Length: 5\r\n\r\nabc`, { closes: true }).failure).toMatch(
      /before the response was complete/,
    );
    expect(read("HTTP/1.1 20", { closes: true }).failure).toMatch(/before the response was complete/);
  });
});
