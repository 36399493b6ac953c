import { describe, expect, test } from "vitest";
import { formatResponseHead, type ResponseContext } from "./response-head.ts";

const ALIVE = "connection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n";
const CLOSE = "connection: close\r\n\r\n";

const build = (status: number, headers: readonly string[], context: Partial<ResponseContext> = {}, isLast = false) =>
  formatResponseHead(
    { status, statusText: "", headers, isLast },
    { isHead: false, isHttp10: false, keepsAlive: true, keepAliveMs: 60_000, wallClockMs: () => 0, ...context },
  );

/** Without the line about the date, which is in all of them. */
const textOf = (...args: Parameters<typeof build>): string =>
  build(...args).text.replace("date: Thu, 01 Jan 1970 00:00:00 GMT\r\n", "");

describe("where a response ends", () => {
  const length = ["content-length", "5"];
  test.each([
    ["a length", build(200, length), { type: "Length", bytes: 5 }, true],
    ["a length of nothing", build(200, ["content-length", "0"]), { type: "Length", bytes: 0 }, true],
    ["no length", build(200, []), { type: "Chunked" }, true],
    ["no length, HTTP/1.0", build(200, [], { isHttp10: true }), { type: "UntilClose" }, false],
    ["a length, HTTP/1.0", build(200, length, { isHttp10: true }), { type: "Length", bytes: 5 }, true],
    ["HEAD", build(200, length, { isHead: true }), { type: "None" }, true],
    ["204", build(204, length), { type: "None" }, true],
    ["304", build(304, length), { type: "None" }, true],
    ["a length that is none", build(200, ["content-length", "+5"]), { type: "Chunked" }, true],
    ["two lengths", build(200, [...length, "content-length", "7"]), { type: "Length", bytes: 5 }, true],
    ["the last one", build(200, length, {}, true), { type: "Length", bytes: 5 }, false],
    ["the last one of the connection", build(200, length, { keepsAlive: false }), { type: "Length", bytes: 5 }, false],
  ])("%s", (_, { framing, keepsAlive }, expected, isKept) => {
    expect([framing, keepsAlive]).toEqual([expected, isKept]);
  });
});

describe("what it says", () => {
  test.each([
    [
      "a length",
      textOf(200, ["x", "1", "content-length", "5"]),
      `HTTP/1.1 200 OK\r\nx: 1\r\ncontent-length: 5\r\n${ALIVE}`,
    ],
    ["chunks", textOf(200, []), `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${ALIVE}`],
    ["until close", textOf(200, [], { isHttp10: true }), `HTTP/1.1 200 OK\r\n${CLOSE}`],
    [
      "HEAD keeps the length that GET would have",
      textOf(200, ["content-length", "5"], { isHead: true }),
      `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n${ALIVE}`,
    ],
    ["204 has none", textOf(204, ["content-length", "5"]), `HTTP/1.1 204 No Content\r\n${ALIVE}`],
    [
      "one length only",
      textOf(200, ["content-length", "5", "content-length", "7"]),
      `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n${ALIVE}`,
    ],
    [
      "nothing about connections but our own",
      textOf(200, ["connection", "close", "transfer-encoding", "gzip", "upgrade", "h2c", "content-length", "0"]),
      `HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${ALIVE}`,
    ],
    ["an unknown status", textOf(299, ["content-length", "0"]), `HTTP/1.1 299 \r\ncontent-length: 0\r\n${ALIVE}`],
  ])("%s", (_, text, expected) => {
    expect(text).toBe(expected);
  });

  test("the date, unless the backend says it", () => {
    expect(build(200, []).text).toContain("\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
    expect(build(200, ["date", "today"]).text.match(/date: .*/g)).toEqual(["date: today"]);
  });
});
