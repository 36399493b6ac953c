import { describe, expect, test } from "vitest";
import { fieldPointer } from "../../../sources/field-pointer.ts";
import { formatPointer, formatValue } from "./format-value.ts";

describe("formatValue", () => {
  for (const [value, text] of [
    [5, "5"],
    ["250ms", "250ms"],
    ["5", '"5"'],
    ["true", '"true"'],
    ["", '""'],
    [null, "null"],
    [[502, 503], "[502, 503]"],
    [{ requests: 100, window: "1m" }, "{requests: 100, window: 1m}"],
    [{ issuerUrl: "https://login.bakery.example" }, "{issuerUrl: https://login.bakery.example}"],
    ["a: b", '"a: b"'],
    ["a, b", '"a, b"'],
    ["- a", '"- a"'],
    [{}, "{}"],
    [[], "[]"],
  ] as const) {
    test(text, () => expect(formatValue(value)).toBe(text));
  }

  test("can be cut", () => expect(formatValue([1, 2, 3, 4, 5, 6], 8)).toBe("[1, 2, …"));
});

describe("pointers and fields", () => {
  for (const [pointer, text] of [
    ["/retry/attempts", "retry.attempts"],
    ["/rules/authentication/api-key", "rules.authentication.api-key"],
    ["/labels/a.b~1c", 'labels["a.b/c"]'],
    ["/a~0b/0", "a~b.0"],
  ] as const) {
    test(text, () => expect(formatPointer(pointer)).toBe(text));
  }

  for (const [field, pointer] of [
    ["spec.targetRefs[0].name", "/spec/targetRefs/0/name"],
    ["spec", "/spec"],
    ["metadata.labels[app.kubernetes.io/name]", "/metadata/labels/app.kubernetes.io~1name"],
    ["", ""],
  ] as const) {
    test(`${field} is at ${pointer}`, () => expect(fieldPointer(field)).toBe(pointer));
  }
});
