import { describe, expect, test } from "vitest";
import { type ParseOptions, parseDocuments } from "./parse-documents.ts";

/** `line:column value` of every document, `line:column code` of every finding. */
function read(text: string, options?: ParseOptions): { documents: readonly string[]; findings: readonly string[] } {
  const { documents, findings } = parseDocuments(text, "in.yaml", options);
  return {
    documents: documents.map(({ line, column, value }) => `${line}:${column} ${JSON.stringify(value)}`),
    findings: findings.map(({ line, column, code }) => `${line}:${column} ${code}`),
  };
}

type Row = readonly [name: string, text: string, documents: readonly string[], findings?: readonly string[]];

const expected = (rows: readonly Row[]): readonly (readonly [string, string, ReturnType<typeof read>])[] =>
  rows.map(([name, text, documents, findings = []]) => [name, text, { documents, findings }]);

const streams: readonly Row[] = [
  ["nothing", "", []],
  ["only space", " \n\n\t\n", []],
  ["only comments", "# one\n  # two\n", []],
  ["only markers", "---\n---\n...\n---", []],
  ["comments between markers", "---\n# c\n---\n# d\n", []],
  ["null", "---\nnull\n---\n~\n", []],
  ["one document", "a: 1\n", ['1:1 {"a":1}']],
  ["no line break at the end", "a: 1", ['1:1 {"a":1}']],
  ["two", "a: 1\n---\nb: 2\n", ['1:1 {"a":1}', '3:1 {"b":2}']],
  ["an empty one between", "a: 1\n---\n\n---\nb: 2\n", ['1:1 {"a":1}', '5:1 {"b":2}']],
  ["comments before and behind", "# c\n\na: 1 # d\n# e\n---\n# f\nb: 2\n", ['3:1 {"a":1}', '7:1 {"b":2}']],
  ["on the marker's line", "--- {a: 1}\n--- # c\nb: 2\n", ['1:5 {"a":1}', '3:1 {"b":2}']],
  ["an end marker", "a: 1\n...\n---\nb: 2\n", ['1:1 {"a":1}', '4:1 {"b":2}']],
  ["directives", "%YAML 1.1\n%TAG ! tag:example.com,2000:\n---\na: 1\n", ['4:1 {"a":1}']],
  ["indented", "  a: 1\n  b: 2\n", ['1:3 {"a":1,"b":2}']],
  ["CR LF", "a: 1\r\nb:\r\n- c\r\n---\r\nd: |\r\n  e\r\n  f\r\n", ['1:1 {"a":1,"b":["c"]}', '5:1 {"d":"e\\nf\\n"}']],
  ["CR", "a: 1\r---\rb: 2\r", ['1:1 {"a":1}', '3:1 {"b":2}']],
  ["a byte order mark", "\uFEFFa: 1\n", ['1:1 {"a":1}']],
  ["a byte order mark and a marker", "\uFEFF---\na: 1\n", ['2:1 {"a":1}']],
  [
    "byte order marks of files that were joined",
    'a: 1\n---\n\uFEFFb: 2\n---\n# c\n\uFEFF{"c": 3}\n\uFEFF---\nd: 4\n',
    ['1:1 {"a":1}', '3:2 {"b":2}', '6:2 {"c":3}', '8:1 {"d":4}'],
  ],
  ["a byte order mark within text", "a: x\uFEFFy\n", ['1:1 {"a":"x\uFEFFy"}']],
  [
    "markers within block scalars",
    "a: |\n  ---\n  b\n  ...\nc: 1\n---\nd: >\n  --- x\n",
    ['1:1 {"a":"---\\nb\\n...\\n","c":1}', '7:1 {"d":"--- x\\n"}'],
  ],
  ["a marker ends a block scalar", "a: |\n  b\n---\nc: 1\n", ['1:1 {"a":"b\\n"}', '4:1 {"c":1}']],
  ["tabs where they are allowed", "a:\t1\t# c\nb: x\ty\nc: |\n  \tx\n", ['1:1 {"a":1,"b":"x\\ty","c":"\\tx\\n"}']],
  [
    "an anchor ends with its document",
    "a: &x 1\n---\nb: *x\n---\nc: 1\n",
    ['1:1 {"a":1}', '5:1 {"c":1}'],
    ["3:4 BadAlias"],
  ],
];

const json: readonly Row[] = [
  ["an object", '{"a": 1}', ['1:1 {"a":1}']],
  ["behind space", '\n\n  {"a": 1}\n', ['3:3 {"a":1}']],
  [
    "one after the other",
    '{"a": 1}{"b": 2} {"c": 3}\n\n{"d": 4}\n',
    ['1:1 {"a":1}', '1:9 {"b":2}', '1:18 {"c":3}', '3:1 {"d":4}'],
  ],
  ["over several lines", '{\n  "a": {\n    "b": 1\n  }\n}\n{\n  "c": 2\n}\n', ['1:1 {"a":{"b":1}}', '6:1 {"c":2}']],
  ["between markers", '---\n{"a": 1}\n---\n{"b": 2}\n', ['2:1 {"a":1}', '4:1 {"b":2}']],
  ["on the marker's line", '--- {"a": 1}\n', ['1:5 {"a":1}']],
  ["with a comment it is YAML", '{"a": 1} # c\n', ['1:1 {"a":1}']],
  ["with a comma too many it is YAML", '{"a": [1,],}\n', ['1:1 {"a":[1]}']],
  ["what looks like a marker", '{"a": "\\n---\\n"}\n', ['1:1 {"a":"\\n---\\n"}']],
  ["CR LF", '{\r\n"a": 1\r\n}\r\n{"b": 2}\r\n', ['1:1 {"a":1}', '4:1 {"b":2}']],
  ["a duplicate key", '{"a": 1,\n "a": 2}\n', ['1:1 {"a":2}'], ["2:2 DuplicateKey"]],
  ["a long number", '{"a": 12345678901234567890}', ['1:1 {"a":12345678901234567000}'], ["1:7 UnsafeInteger"]],
  [
    "a list, a string, a number",
    '[1]\n---\n"x"\n---\n3\n',
    [],
    ["1:1 NotAnObject", "3:1 NotAnObject", "5:1 NotAnObject"],
  ],
];

const lists: readonly Row[] = [
  ["List", "kind: List\napiVersion: v1\nitems:\n- {kind: A}\n-\n  kind: B\n", ['4:3 {"kind":"A"}', '6:3 {"kind":"B"}']],
  ["empty", "kind: List\nitems: []\n", []],
  [
    "a typed list",
    "apiVersion: g/v1\nkind: RouteList\nitems:\n- metadata: {name: a}\n- {kind: Other, apiVersion: v1}\n",
    ['4:3 {"apiVersion":"g/v1","kind":"Route","metadata":{"name":"a"}}', '5:3 {"kind":"Other","apiVersion":"v1"}'],
  ],
  [
    "a list of lists",
    "kind: List\nitems:\n- kind: List\n  items:\n  - {kind: A}\n- {kind: B}\n",
    ['5:5 {"kind":"A"}', '6:3 {"kind":"B"}'],
  ],
  [
    "items that are no objects",
    "kind: List\nitems:\n- 3\n- {kind: A}\n-\n- [1]\n",
    ['4:3 {"kind":"A"}'],
    ["3:3 NotAnObject", "1:1 NotAnObject", "6:3 NotAnObject"],
  ],
  ["items that are no list", "kind: List\nitems: 3\n", ['1:1 {"kind":"List","items":3}']],
  ["a kind that only ends so", "kind: List\nspec: {items: []}\n", ['1:1 {"kind":"List","spec":{"items":[]}}']],
  ["items by alias", "kind: List\nx: &x [{kind: A}]\nitems: *x\n", ['1:1 {"kind":"A"}']],
  [
    "an item by alias",
    "kind: List\nx: &x {kind: A}\nitems: [*x, {kind: B}]\n",
    ['3:9 {"kind":"A"}', '3:13 {"kind":"B"}'],
  ],
  [
    "JSON",
    '{"kind": "List", "items": [\n  {"kind": "A"}, {"kind": "B"},\n  5\n]}',
    ['2:3 {"kind":"A"}', '2:18 {"kind":"B"}'],
    ["3:3 NotAnObject"],
  ],
];

/** Each has one good document before and one behind. */
const broken: readonly (readonly [name: string, text: string, finding: string])[] = [
  ["an open bracket", "a: [1, 2", "4:1 YamlSyntax"],
  ["an open brace", "a: {b: 1", "4:1 YamlSyntax"],
  ["an open quote", 'a: "b', "4:1 YamlSyntax"],
  ["a tab", "a:\n\tb: 1", "4:1 YamlSyntax"],
  ["a bad indentation", "a:\n  b: 1\n c: 2", "5:2 YamlSyntax"],
  ["a bad escape", 'a: "\\q"', "3:6 YamlSyntax"],
  ["a null byte", "a: \0", "3:4 YamlSyntax"],
  ["a control character", "a: \u0007", "3:4 YamlSyntax"],
  ["broken JSON", '{"a": 1]', "3:8 YamlSyntax"],
  ["JSON without a colon", '{"a" 1}', "3:6 YamlSyntax"],
  ["a duplicate kind", "kind: A\nkind: B", "4:1 DuplicateKey"],
  ["an alias to nothing", "a: [*x]", "3:5 BadAlias"],
  ["an alias to itself", "a: &x [*x]", "3:8 BadAlias"],
  ["a list as a key", "? [a]\n: 1", "3:3 BadKey"],
  ["a tag that does not fit", "a: !!int b", "3:10 BadTag"],
  ["a merge of a number", "<<: 1", "3:1 BadMerge"],
  ["infinity", "a: .inf", "3:4 NotFinite"],
  ["text", "hello", "3:1 NotAnObject"],
  ["a list", "- a\n- b", "3:1 NotAnObject"],
  ["too deep", `a: ${"[".repeat(300)}${"]".repeat(300)}`, "3:261 TooDeep"],
  ["too deep JSON", `${'{"a":'.repeat(300)}1${"}".repeat(300)}`, "3:1282 TooDeep"],
];

describe("a stream of documents, each with its position", () => {
  test.each(expected(streams))("%s", (_, text, outcome) => expect(read(text)).toEqual(outcome));
});

describe("JSON is read too, a stream of it without markers included", () => {
  test.each(expected(json))("%s", (_, text, outcome) => expect(read(text)).toEqual(outcome));
});

describe("a list is its items", () => {
  test.each(expected(lists))("%s", (_, text, outcome) => expect(read(text)).toEqual(outcome));
});

describe("a broken document costs only itself", () => {
  test.each(broken)("%s", (_, text, finding) => {
    const lines = text.split("\n").length;
    expect(read(`good: 1\n---\n${text}\n---\ngood: 2\n`)).toEqual({
      documents: ['1:1 {"good":1}', `${4 + lines}:1 {"good":2}`],
      findings: [finding],
    });
  });

  test("a JSON stream has no markers to go on by: what follows the broken value is left out", () => {
    expect(read('{"a": 1}\n{"b": }}\n{"c": 3}\n---\n{"d": 4}\n')).toEqual({
      documents: ['1:1 {"a":1}', '5:1 {"d":4}'],
      findings: ["2:8 YamlSyntax"],
    });
  });

  test("a document beyond the limit", () => {
    const text = `a: 1\n---\nb: ${"x".repeat(100)}\n---\nc: 3\n`;
    expect(read(text, { maxDocumentLength: 50 })).toEqual({
      documents: ['1:1 {"a":1}', '5:1 {"c":3}'],
      findings: ["2:1 TooLarge"],
    });
    expect(parseDocuments(text, "in.yaml", { maxDocumentLength: 50 }).findings[0]?.message).toBe(
      "a document of 108 characters; at most 50 are read: split it",
    );
  });
});

describe("nesting is allowed to the limit, however it is written", () => {
  test.each([
    ["mappings in braces", (depth: number) => `${"{a: ".repeat(depth)}1${"}".repeat(depth)}`],
    ["JSON", (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
    ["JSON with a comment", (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)} # c`],
    ["lists in brackets", (depth: number) => `a: ${"[".repeat(depth - 1)}1${"]".repeat(depth - 1)}`],
    ["lists with dashes", (depth: number) => `a:\n${"- ".repeat(depth - 1)}1`],
    ["explicit keys", (depth: number) => `${"{? a : ".repeat(depth)}1${"}".repeat(depth)}`],
    [
      "mappings by indentation",
      (depth: number) => Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}a:\n`).join(""),
    ],
  ])("%s", (_, nested) => {
    expect(read(nested(20), { maxDepth: 20 }).findings).toEqual([]);
    expect(parseDocuments(nested(21), "in.yaml", { maxDepth: 20 }).findings).toMatchObject([
      { code: "TooDeep", message: "nested deeper than 20 levels: no Kubernetes object is; flatten it" },
    ]);
  });
});

test("a finding has file, position, severity and what to do", () => {
  expect(parseDocuments("kind: A\nspec: 3\n---\ntext\n---\non: 1\n", "dir/in.yaml").findings).toEqual([
    {
      code: "NotAnObject",
      severity: "error",
      message: "found a string: every document must be an object with apiVersion and kind",
      file: "dir/in.yaml",
      line: 4,
      column: 1,
    },
    {
      code: "SurprisingYaml",
      severity: "warning",
      message: "`on` is read as true, as Kubernetes does: write true, or quote it if text is meant",
      file: "dir/in.yaml",
      line: 6,
      column: 1,
    },
  ]);
});

describe("a field has a position", () => {
  const positions = (text: string, pointer: string): readonly string[] =>
    parseDocuments(text, "in.yaml").documents.map(({ locate }) => {
      const { line, column } = locate(pointer);
      return `${line}:${column}`;
    });

  test.each([
    [
      "YAML",
      "# c\nspec:\n  a: 1\n---\nspec: {a: 1}\n---\n- no\n---\nspec:\n  b: 1\n",
      "/spec/a",
      ["3:6", "5:11", "10:3"],
    ],
    ["CR LF", "x: 1\r\nspec:\r\n  a: 1\r\n---\r\nspec:\r\n\r\n  a: 1\r\n", "/spec/a", ["3:6", "7:6"]],
    ["JSON", '{"spec": {"a": 1}}\n{\n  "spec": {\n    "a": 1\n  }\n}', "/spec/a", ["1:16", "4:10"]],
    ["items of a list", "kind: List\nitems:\n- spec: {a: 1}\n- spec:\n    a: 1\n", "/spec/a", ["3:13", "5:8"]],
    [
      "items of a JSON list",
      '{"kind": "List", "items": [{"spec": {"a": 1}},\n{"spec": {"a": 1}}]}',
      "/spec/a",
      ["1:43", "2:16"],
    ],
    ["before the object, through an alias", "x: &x {a: 1}\nspec: *x\n", "/spec/a", ["1:11"]],
    ["in another item, through an alias", "kind: List\nx: &x {a: 1}\nitems:\n- spec: *x\n", "/spec/a", ["2:11"]],
    ["behind wide characters", "spec: {é😀: 1, a: 2}\n", "/spec/a", ["1:19"]],
    ["behind a byte order mark", "\uFEFFspec: {a: 2}\n", "/spec/a", ["1:11"]],
    ["not there: the nearest above it", "spec:\n  b: 1\n", "/spec/a/x/0", ["2:3"]],
    ["the object itself", "\n\nspec: 1\n", "", ["3:1"]],
  ])("%s", (_, text, pointer, found) => expect(positions(text, pointer)).toEqual(found));

  test("asked in any order, across documents", () => {
    const [first, second] = parseDocuments("a: {x: 1}\n---\nb: {x: 1}\n", "in.yaml").documents;
    expect([second?.locate("/b/x"), first?.locate("/a/x"), second?.locate("/b"), first?.locate("/a")]).toEqual([
      { line: 3, column: 8 },
      { line: 1, column: 8 },
      { line: 3, column: 4 },
      { line: 1, column: 4 },
    ]);
  });
});

test("fifteen thousand documents are read one by one", () => {
  const one = (at: number): string =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: s${at}}\nspec:\n  ports:\n  - {name: http, port: 80}\n`;
  const text = Array.from({ length: 15_000 }, (_, at) => one(at)).join("---\n");
  const { documents, findings } = parseDocuments(text, "in.yaml");
  expect(findings).toEqual([]);
  expect(documents).toHaveLength(15_000);
  expect(documents.at(-1)).toMatchObject({ line: 14_999 * 7 + 1, column: 1, value: { metadata: { name: "s14999" } } });
  expect(documents.at(-1)?.locate("/spec/ports/0/port")).toEqual({ line: 15_000 * 7 - 1, column: 24 });
});
