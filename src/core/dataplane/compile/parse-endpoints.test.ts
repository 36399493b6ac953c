import { describe, expect, test } from "vitest";
import { isIpAddress, parseEndpoints } from "./parse-endpoints.ts";

describe("prevail.dev/endpoints", () => {
  test.each<[string, readonly (readonly [string, number])[]]>([
    ["127.0.0.1:8081", [["127.0.0.1", 8081]]],
    [
      " 127.0.0.1:8081 , 10.0.0.2:80 ",
      [
        ["127.0.0.1", 8081],
        ["10.0.0.2", 80],
      ],
    ],
    ["[::1]:8081", [["::1", 8081]]],
    ["[FE80::1]:1", [["fe80::1", 1]]],
    ["[2001:db8:0:0:0:0:0:1]:65535", [["2001:db8:0:0:0:0:0:1", 65_535]]],
  ])("%s", (text, endpoints) => {
    const expected = endpoints.map(([address, port]) => ({ address, port }));
    expect(parseEndpoints(text)).toEqual({ state: "endpoints", endpoints: expected });
  });

  test.each([
    "",
    ",",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:80x",
    "127.0.0.256:80",
    "127.0.0.01:80",
    "localhost:8081",
    "::1:8081",
    "[::1]",
    "[1::2::3]:80",
    "[1:2:3:4:5:6:7]:80",
    "[1:2:3:4:5:6:7:8::]:80",
    "[g::1]:80",
    "127.0.0.1:8081;10.0.0.2:80",
    "127.0.0.1:8081,",
  ])("not %j, and the message says what to write", (text) => {
    expect(parseEndpoints(text)).toEqual({
      state: "invalid",
      message: expect.stringMatching(
        /^'.*' is not an address with a port; write 127\.0\.0\.1:8081 or \[::1\]:8081/,
      ) as string,
    });
  });
});

test.each([
  ["10.0.0.1", true],
  ["::", true],
  ["2001:db8::1", true],
  ["example.org", false],
  ["10.0.0", false],
  ["", false],
])("isIpAddress(%j) is %j", (text, expected) => {
  expect(isIpAddress(text)).toBe(expected);
});
