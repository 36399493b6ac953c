import { describe, expect, test } from "vitest";
import type { Json } from "../../../core/model/json.ts";
import { parseDocuments } from "../parse-documents.ts";
import { flattenFlow } from "./flatten-flow.ts";

/** YAML that Kubernetes reads, and other readers refuse for its indentation. */
const taken: readonly (readonly [name: string, text: string, value: Json])[] = [
  ["double quotes go on at the depth of the key", 'a:\n  b: "x\n  y"\n', { a: { b: "x y" } }],
  ["double quotes go on at the first column", 'a:\n  b: "x\ny\n\nz"\nc: 1\n', { a: { b: "x y\nz" }, c: 1 }],
  ["single quotes go on at the first column", "a:\n- 'it''s\n''one'\n- b\n", { a: ["it's 'one", "b"] }],
  ["an escaped line break", 'a:\n  b: "x\\\n y"\n', { a: { b: "xy" } }],
  ["brackets close at the depth of the key", "a:\n  b: [1,\n  2\n  ]\nc: 3\n", { a: { b: [1, 2] }, c: 3 }],
  ["braces close at the first column", "a:\n  b: {c: 1,\nd: [2]\n}\n", { a: { b: { c: 1, d: [2] } } }],
  ["comments in brackets", "a: [1, # one ]\n2 # two\n]\nb: 1\n", { a: [1, 2], b: 1 }],
  ["quotes in brackets", "a: {b: \"]\n\", 'c': it's,\nd: e\n}\n", { a: { b: "] ", c: "it's", d: "e" } }],
  ["a plain text in brackets", "a:\n  b: [x\ny, z]\n", { a: { b: ["x y", "z"] } }],
  ["tabs in brackets", "a: {\n\tb: 1,\tc: 2\n}\n", { a: { b: 1, c: 2 } }],
  ["a tab before brackets", "a: \t[1]\n", { a: [1] }],
  [
    "what only looks like brackets or quotes: block texts, plain texts, comments, keys",
    'a: |\n  {\nb: x\n  "y\n# [\n\'c{\': "d\ne"\n',
    { a: "{\n", b: 'x "y', "c{": "d e" },
  ],
  ["text behind a list item", 'a:\n- |\n  \'\n- - "b\nc"\n', { a: ["'\n", ["b c"]] }],
];

describe("brackets and quoted texts may go on at any depth", () => {
  test.each(taken)("%s", (_, text, value) => {
    const { documents, findings } = parseDocuments(text, "a.yaml");
    expect(findings).toEqual([]);
    expect(documents.map((document) => document.value)).toEqual([value]);
  });

  test("positions are those of the text as it is written", () => {
    const text = 'a: "x\ny"\nb: [1,\n2]\nc:\n  d: 4\n';
    const [document] = parseDocuments(text, "a.yaml").documents;
    expect(["/a", "/b/1", "/c/d"].map((pointer) => document?.locate(pointer))).toEqual([
      { line: 1, column: 4 },
      { line: 4, column: 1 },
      { line: 6, column: 6 },
    ]);
  });

  test("a text without any stays as it is", () => {
    expect(flattenFlow("a: [1]\nb: |\n  [\n")).toBeUndefined();
  });

  test("what is not closed is refused", () => {
    expect(parseDocuments("a:\n  b: [1,\n2\nc: 3\n", "a.yaml").findings.map(({ code }) => code)).toEqual([
      "YamlSyntax",
    ]);
  });

  test("in linear time", () => {
    const text = `a:\n  b: [${"'x\ny', [\n1], # c\n".repeat(20_000)}]\n`;
    const start = performance.now();
    expect(parseDocuments(text, "a.yaml").documents).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
