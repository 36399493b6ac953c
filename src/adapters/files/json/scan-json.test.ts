import { describe, expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";
import { findJsonItems, scanJson, skipJsonSpace } from "./scan-json.ts";

describe("a scan measures what JSON.parse does not report", () => {
  const rows: readonly (readonly [
    text: string,
    end: number,
    depth: number,
    members: number,
    hasLongNumber: boolean,
  ])[] = [
    ["{}", 2, 1, 0, false],
    ["[]", 2, 1, 0, false],
    ['{"a": {"b": [1]}} rest', 17, 3, 2, false],
    ['{"a": "}]\\"{", "b": 1}', 22, 1, 2, false],
    ['["\\\\"]x', 6, 1, 0, false],
    ['{"a": "1234567890123456"}', 25, 1, 1, false],
    ["[123456789012345]", 17, 1, 0, false],
    ["[1234567890123456]", 18, 1, 0, true],
    ["[0.1234567890123456]", 20, 1, 0, true],
  ];
  test.each(rows)("%s", (text, end, depth, members, hasLongNumber) => {
    expect(scanJson(text, 0, text.length)).toEqual({ end, depth, members, hasLongNumber });
  });

  test.each(["{", "[[]", '{"a": "}', '["\\"]', '{"a": [}'])("%s does not end", (text) => {
    expect(scanJson(text, 0, text.length)).toBeUndefined();
  });

  test("it stays within its limit", () => expect(scanJson("[[]]", 0, 3)).toBeUndefined());

  test("only JSON's own space is space", () => {
    expect(skipJsonSpace(" \t\r\n\u00a0x", 0, 6)).toBe(4);
    expect(skipJsonSpace("   ", 0, 2)).toBe(2);
  });
});

describe("the items of a list have positions", () => {
  const rows: readonly (readonly [text: string, items: readonly string[]])[] = [
    ['{"items": [{"a": 1}, {"b": [2]}]}', ['{"a": 1}', '{"b": [2]}']],
    ['{"kind":"List","items":[ 1 ,"]",null,\n[2] ]}', ["1", '"]"', "null", "[2]"]],
    ['{"x": {"items": [1]}, "it\\u0065ms": [2]}', ["2"]],
    ['{"items": []}', []],
    ['{"other": [1]}', []],
    ["{}", []],
  ];
  test.each(rows)("%s", (text, items) => {
    const found = findJsonItems(text, { start: 0, end: text.length });
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(items);
  });
});

describe("JSON.parse is used only where nothing needs a finding", () => {
  const read = (text: string): unknown => parseJson(text, 0, text.length, 4)?.value;
  test.each([
    ['{"a": [1, "x", null, true]}', { a: [1, "x", null, true] }],
    ['{"a": 1} {"b": 2}', { a: 1 }],
    ["[[[[]]]]", [[[[]]]]],
  ])("%s", (text, value) => expect(read(text)).toEqual(value));

  test.each([
    ["a duplicate key", '{"a": 1, "a": 2}'],
    ["a duplicate key, escaped", '{"a": 1, "\\u0061": 2}'],
    ["a number that may be inexact", '{"a": 12345678901234567890}'],
    ["an infinite number", '{"a": 1e999}'],
    ["too deep", "[[[[[]]]]]"],
    ["not JSON", "{a: 1}"],
    ["a comma too many", '{"a": 1,}'],
    ["not closed", '{"a": 1'],
  ])("%s goes to the YAML reader", (_, text) => expect(read(text)).toBeUndefined());

  test("`__proto__` is a key", () => {
    const value = read('{"__proto__": {"x": 1}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
