import { describe, expect, test } from "vitest";
import { countLines, splitStream, startOfLine } from "./split-stream.ts";

/** The text of each chunk, with its first line. */
const parts = (text: string): readonly string[] =>
  splitStream(text).map(({ start, end, line }) => `${line}: ${text.slice(start, end)}`);

const rows: readonly (readonly [name: string, text: string, parts: readonly string[]])[] = [
  ["nothing", "", ["1: "]],
  ["one document without a marker", "a: 1\n", ["1: a: 1\n"]],
  ["a marker before the first", "---\na: 1\n", ["1: ---\na: 1\n"]],
  ["comments before the first marker", "# c\n\n---\na: 1\n", ["1: # c\n\n---\na: 1\n"]],
  ["directives before the first marker", "%YAML 1.2\n---\na: 1\n", ["1: %YAML 1.2\n---\na: 1\n"]],
  ["two documents", "a: 1\n---\nb: 2\n", ["1: a: 1\n", "2: ---\nb: 2\n"]],
  ["empty documents", "---\n---\n---\n", ["1: ---\n", "2: ---\n", "3: ---\n"]],
  ["content on the marker's line", "--- a\n--- b\n", ["1: --- a\n", "2: --- b\n"]],
  ["a tab behind the marker", "a: 1\n---\tb\n", ["1: a: 1\n", "2: ---\tb\n"]],
  ["a marker at the very end", "a: 1\n---", ["1: a: 1\n", "2: ---"]],
  ["an end marker", "a: 1\n...\nb: 2\n", ["1: a: 1\n...\n", "3: b: 2\n"]],
  [
    "an end marker, then a directive",
    "a: 1\n...\n%YAML 1.2\n---\nb: 2\n",
    ["1: a: 1\n...\n", "3: %YAML 1.2\n---\nb: 2\n"],
  ],
  ["CR LF", "a: 1\r\n---\r\nb: 2\r\n", ["1: a: 1\r\n", "2: ---\r\nb: 2\r\n"]],
  ["CR", "a: 1\r---\rb: 2\r", ["1: a: 1\r", "2: ---\rb: 2\r"]],
  ["a byte order mark before a marker", "a: 1\n\uFEFF---\nb: 2\n", ["1: a: 1\n", "2: \uFEFF---\nb: 2\n"]],
  ["no marker: more dashes", "a: 1\n----\n", ["1: a: 1\n----\n"]],
  ["no marker: text behind it", "a: 1\n---b: 2\n", ["1: a: 1\n---b: 2\n"]],
  ["no marker: indented, as in a block scalar", "a: |\n  ---\n  b\n ...\n", ["1: a: |\n  ---\n  b\n ...\n"]],
  ["no marker: behind U+2028", "a: b\u2028---\n", ["1: a: b\u2028---\n"]],
];

describe("a stream is cut at its document markers", () => {
  test.each(rows)("%s", (_, text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  test.each(rows)("nothing is lost: %s", (_, text) => {
    expect(
      splitStream(text)
        .map(({ start, end }) => text.slice(start, end))
        .join(""),
    ).toBe(text);
  });
});

describe("lines end with LF, CR LF or CR", () => {
  test.each([
    ["a\nb\n", 2],
    ["a\r\nb\r\n", 2],
    ["a\rb\r", 2],
    ["a\n\r\n\rb", 3],
    ["a\u2028b\u0085c", 0],
  ])("%j has %i", (text, lines) => expect(countLines(text, 0, text.length)).toBe(lines));

  test.each([
    ["ab\ncd", 5, 3],
    ["ab\r\ncd", 4, 4],
    ["ab\rcd", 4, 3],
    ["ab", 1, 0],
    ["ab\n", 3, 3],
  ])("in %j the line of %i starts at %i", (text, offset, start) => expect(startOfLine(text, offset)).toBe(start));
});
