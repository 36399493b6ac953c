import { describe, expect, test } from "vitest";
import { explainPlainScalar, type PlainScalar, readPlainScalar } from "./read-plain-scalar.ts";

const numbers: readonly (readonly [source: string, value: PlainScalar])[] = [
  ["0", 0],
  ["-0", 0],
  ["+0", 0],
  ["7", 7],
  ["+7", 7],
  ["-7", -7],
  ["8080", 8080],
  ["1_000", 1000],
  ["1__0_", 10],
  ["010", 8],
  ["-010", -8],
  ["0o10", 8],
  ["0O10", 8],
  ["0x1F", 31],
  ["0X1f", 31],
  ["-0x10", -16],
  ["0b101", 5],
  ["-0b101", -5],
  // Not octal digits, so Go falls back to a float.
  ["08", 8],
  ["0.0", 0],
  ["1.5", 1.5],
  ["1.", 1],
  [".5", 0.5],
  ["+.5", 0.5],
  ["-.5", -0.5],
  ["1e3", 1000],
  ["1E-2", 0.01],
  ["-1.5e+1", -15],
  ["9007199254740991", 9007199254740991],
  ["9223372036854775807", 2 ** 63],
  ["18446744073709551615", 2 ** 64],
  ["18446744073709551616", 2 ** 64],
  ["-9223372036854775808", -(2 ** 63)],
  ["1e308", 1e308],
];

const literals: readonly (readonly [source: string, value: PlainScalar])[] = [
  ...["true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"].map((text) => [text, true] as const),
  ...["false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"].map((text) => [text, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null] as const),
  [".inf", Number.POSITIVE_INFINITY],
  ["+.Inf", Number.POSITIVE_INFINITY],
  ["-.INF", Number.NEGATIVE_INFINITY],
  [".nan", Number.NaN],
  [".NaN", Number.NaN],
];

const texts: readonly string[] = [
  "tRUE",
  "yEs",
  "oN",
  "nULL",
  "nil",
  "none",
  "nan",
  "inf",
  "-nan",
  ".iNF",
  "+",
  "-",
  ".",
  "..",
  "-.",
  "0x",
  "0o",
  "0b",
  "0xg",
  "0o8",
  "0b2",
  "_1",
  "._0",
  ".9_",
  "1.2.3",
  "1-2",
  "1 2",
  "1e",
  "e1",
  "1e+",
  "--1",
  "+-1",
  "1:30",
  "12:30:45",
  "2001-01-01",
  "2001-01-01T00:00:00Z",
  "10.0.0.1",
  "100ms",
  "1Gi",
  "0.5s",
  "1e999",
  "-1e999",
  `0x${"f".repeat(17)}`,
  "/",
  "*.example.com",
  "Infinity",
  "NaN",
  "__proto__",
  "constructor",
  "١",
  "1١",
];

describe("plain scalars are read as Kubernetes reads them", () => {
  test.each(numbers)("number %s", (source, value) => expect(readPlainScalar(source)).toBe(value));
  test.each(literals)("literal '%s'", (source, value) => expect(readPlainScalar(source)).toBe(value));
  test.each(texts)("text %s", (source) => expect(readPlainScalar(source)).toBe(source));

  test("a million digits take no time", () => {
    const digits = "9".repeat(1_000_000);
    expect(readPlainScalar(digits)).toBe(digits);
    expect(readPlainScalar(`0x${digits}`)).toBe(`0x${digits}`);
    expect(readPlainScalar(`0.${digits}`)).toBe(1);
    expect(readPlainScalar("_".repeat(1_000_000))).toBe("_".repeat(1_000_000));
  });
});

const notes: readonly (readonly [source: string, code: string, message: string])[] = [
  ["on", "SurprisingYaml", "`on` is read as true, as Kubernetes does: write true, or quote it if text is meant"],
  ["N", "SurprisingYaml", "`N` is read as false, as Kubernetes does: write false, or quote it if text is meant"],
  [
    "010",
    "SurprisingYaml",
    "`010` is an octal number and read as 8, as Kubernetes does: drop the leading zero, or quote it",
  ],
  [
    "-.inf",
    "NotFinite",
    "`-.inf` cannot be carried by JSON, so Kubernetes refuses it: write a finite number, or quote it",
  ],
  [
    "9007199254740993",
    "UnsafeInteger",
    "`9007199254740993` is beyond 2^53 and read as 9007199254740992: quote it if every digit matters",
  ],
  [
    "0x20000000000001",
    "UnsafeInteger",
    "`0x20000000000001` is beyond 2^53 and read as 9007199254740992: quote it if every digit matters",
  ],
];

const silent: readonly string[] = [
  "true",
  "False",
  "0",
  "00",
  "08",
  "7",
  "1_000",
  "0x10",
  "0o17",
  "1.5",
  "1e30",
  "9007199254740992",
  "text",
  "",
  "1e999",
];

describe("the findings about a plain scalar", () => {
  test.each(notes)("%s", (source, code, message) => {
    expect(explainPlainScalar(source, readPlainScalar(source))).toEqual({ code, message });
  });

  test.each(silent)("nothing about '%s'", (source) => {
    expect(explainPlainScalar(source, readPlainScalar(source))).toBeUndefined();
  });
});
