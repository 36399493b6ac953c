import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

for (const [args, options] of [
  [[], { json: false, strict: false }],
  [["evaluate"], { name: "evaluate", json: false, strict: false }],
  [["evaluate", "--json", "--strict"], { name: "evaluate", json: true, strict: true }],
  [["--sizes", "100,1000", "evaluate"], { name: "evaluate", sizes: [100, 1000], json: false, strict: false }],
  [["evaluate", "--sizes=5, 50"], { name: "evaluate", sizes: [5, 50], json: false, strict: false }],
  [
    ["evaluate", "--parts", "first, burst"],
    { name: "evaluate", parts: ["first", "burst"], json: false, strict: false },
  ],
] as const) {
  test(`"${args.join(" ")}" is understood`, () => {
    expect(parseOptions(args)).toEqual({ state: "parsed", options });
  });
}

for (const [args, message] of [
  [["one", "two"], /one bench at a time; found also two/],
  [["one", "--sizes", "10,ten"], /--sizes takes whole numbers above 0.*found "10,ten"/],
  [["one", "--sizes", "0"], /whole numbers above 0/],
  [["one", "--sizes", ""], /whole numbers above 0/],
  [["one", "--fast"], /--fast/],
] as const) {
  test(`"${args.join(" ")}" is refused`, () => {
    expect(parseOptions(args)).toEqual({ state: "invalid", message: expect.stringMatching(message) });
  });
}
