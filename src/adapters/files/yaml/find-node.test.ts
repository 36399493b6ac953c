import { describe, expect, test } from "vitest";
import { findNode } from "./find-node.ts";
import { parseYamlEvents } from "./parse-yaml-events.ts";

/** The text from the found position to the end of its line. */
function textAt(source: string, pointer: string): string {
  const parsed = parseYamlEvents(source, 256);
  if (!parsed.ok) throw new Error(parsed.reason);
  const offset = findNode({ events: parsed.events, source }, 1, pointer);
  return source.slice(offset).split("\n")[0] ?? "";
}

const plain = `a:
  b: 1
  "c/d~e": two
  list:
  - x
  - k: {z: three}
  text: |
    many
    lines
  folded: >- # comment
    f
  empty:
  tagged: !!str 4
  anchored: &n 5
  1: number
  true: yes
last: 'six'
`;

const rows: readonly (readonly [pointer: string, text: string])[] = [
  ["", "a:"],
  ["/a", "b: 1"],
  ["/a/b", "1"],
  ["/a/c~1d~0e", "two"],
  ["/a/list", "- x"],
  ["/a/list/0", "x"],
  ["/a/list/1", "k: {z: three}"],
  ["/a/list/1/k/z", "three}"],
  ["/a/text", "|"],
  ["/a/folded", ">- # comment"],
  ["/a/tagged", "4"],
  ["/a/anchored", "5"],
  ["/a/1", "number"],
  ["/a/true", "yes"],
  ["/last", "'six'"],
];

describe("the value at a JSON pointer", () => {
  test.each(rows)("%s", (pointer, text) => expect(textAt(plain, pointer)).toBe(text));

  test.each([
    ["a value left out: its key", "/a/empty", "empty:"],
    ["below a value left out", "/a/empty/x", "empty:"],
    ["a key that is not there", "/a/zzz/deeper", "b: 1"],
    ["an item that is not there", "/a/list/2", "- x"],
    ["an index that is none", "/a/list/01", "- x"],
    ["a key of a list", "/a/list/x", "- x"],
    ["below a scalar", "/a/b/c", "1"],
    ["a pointer that is none", "a/b", "a:"],
  ])("or its nearest ancestor: %s", (_, pointer, text) => expect(textAt(plain, pointer)).toBe(text));
});

const shared = `base: &base {a: one, b: one}
more: &more {b: two, c: two}
alias: *base
merged: {<<: *base, b: own}
late: {b: own, <<: *base}
several: {<<: [*base, *more]}
again: &again {<<: *more}
nested: {<<: *again}
item: [*base]
`;

describe("through aliases and merges, where it is written", () => {
  test.each([
    ["/alias", "*base"],
    ["/alias/a", "one, b: one}"],
    ["/merged/a", "one, b: one}"],
    ["/merged/b", "own}"],
    ["/late/b", "one}"],
    ["/several/b", "one}"],
    ["/several/c", "two}"],
    ["/nested/c", "two}"],
    ["/item/0/b", "one}"],
    ["/nested/zzz", "{<<: *again}"],
  ])("%s", (pointer, text) => expect(textAt(shared, pointer)).toBe(text));

  test("merges of merges of merges are searched once each", () => {
    const levels = Array.from({ length: 200 }, (_, at) => `m${at + 1}: &m${at + 1} {<<: [*m${at}, *m${at}]}`);
    const source = ["m0: &m0 {a: 1}", ...levels].join("\n");
    expect(textAt(source, "/m200/zzz")).toBe("{<<: [*m199, *m199]}");
    expect(textAt(source, "/m200/a")).toBe("1}");
  });
});
