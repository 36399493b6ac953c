import { describe, expect, test } from "vitest";
import { constructDocument, type DocumentProblem } from "./construct-document.ts";
import { parseYamlEvents } from "./parse-yaml-events.ts";
import { countLines } from "./split-stream.ts";

interface Constructed {
  readonly value: unknown;
  readonly problems: readonly DocumentProblem[];
}

function construct(source: string, limits: { maxDepth?: number; maxAliases?: number } = {}): Constructed {
  const parsed = parseYamlEvents(source, 1000);
  if (!parsed.ok) throw new Error(parsed.reason);
  const problems: DocumentProblem[] = [];
  const value = constructDocument({
    events: parsed.events,
    root: 1,
    source,
    maxDepth: limits.maxDepth ?? 256,
    maxAliases: limits.maxAliases ?? 1000,
    report: (problem) => problems.push(problem),
    lineOf: (offset) => 1 + countLines(source, 0, offset),
  });
  return { value, problems };
}

const values: readonly (readonly [name: string, source: string, value: unknown])[] = [
  [
    "scalars of every style",
    `a: 1\nb: '1'\nc: "1"\nd: |\n  1\ne: >-\n  1\n  2\n`,
    { a: 1, b: "1", c: "1", d: "1\n", e: "1 2" },
  ],
  ["quoted words stay words", `a: 'on'\nb: "null"\nc: ! 12\n`, { a: "on", b: "null", c: "12" }],
  ["escapes", `a: "\\t\\u00e9\\x41\\n\\"\\/"\nb: 'it''s'\n`, { a: '\té\u0041\n"/', b: "it's" }],
  [
    "a block scalar keeps what looks like markup",
    "a: |\n  ---\n  # no comment\n  b: [\n",
    { a: "---\n# no comment\nb: [\n" },
  ],
  ["chomping", "a: |-\n  x\n\nb: |+\n  y\n\nc: |\n  z\n\n", { a: "x", b: "y\n\n", c: "z\n" }],
  ["a block scalar at the end of a file without a last line break, as kubectl adds one", "a: |\n  x", { a: "x\n" }],
  ["an explicit indentation", "a: |2\n   x\n", { a: " x\n" }],
  ["folding", "a: >\n  x\n  y\n\n  z\n", { a: "x y\nz\n" }],
  ["values left out", "a:\nb: ~\nc: {d: , e}\n", { a: null, b: null, c: { d: null, e: null } }],
  ["a list no deeper than its key", "a:\n- 1\n- - 2\n", { a: [1, [2]] }],
  [
    "keys that are numbers or booleans become strings",
    "1: a\ntrue: b\n1.5: c\n0x10: d\n",
    { 1: "a", true: "b", 1.5: "c", 16: "d" },
  ],
  ["an explicit key", "? a\n: 1\n? b\n", { a: 1, b: null }],
  [
    "tags that fit",
    "a: !!str 1\nb: !!int '1'\nc: !!float 1\nd: !!bool 'yes'\ne: !!null ''\nf: !!timestamp 2001-01-01\n",
    { a: "1", b: 1, c: 1, d: true, e: null, f: "2001-01-01" },
  ],
  ["unknown tags make strings", "a: !Ref x\nb: !<tag:example.com,2000:t> 1\n", { a: "x", b: "1" }],
  ["a verbatim core tag", "a: !<tag:yaml.org,2002:int> 7\n", { a: 7 }],
  ["an alias", "a: &x {b: [1]}\nc: *x\nd: [*x]\n", { a: { b: [1] }, c: { b: [1] }, d: [{ b: [1] }] }],
  ["an anchor named again", "a: &x 1\nb: &x 2\nc: *x\n", { a: 1, b: 2, c: 2 }],
  ["an anchor on nothing", "a: &x\nb: *x\n", { a: null, b: null }],
  ["an alias as a key", "a: &x k\n*x : 1\n", { a: "k", k: 1 }],
  ["a merge", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
  ["a merge of several: the first wins", "a: {<<: [{b: 1}, {b: 2, c: 3}]}\n", { a: { b: 1, c: 3 } }],
  [
    "a merge of a merge",
    "a: &x {b: 1}\nc: &y {<<: *x, d: 2}\ne: {<<: *y}\n",
    { a: { b: 1 }, c: { b: 1, d: 2 }, e: { b: 1, d: 2 } },
  ],
  ["a quoted `<<` is a key", "a: {'<<': {b: 1}}\n", { a: { "<<": { b: 1 } } }],
];

describe("values are what `sigs.k8s.io/yaml` makes of them", () => {
  test.each(values)("%s", (_, source, value) => {
    expect(construct(source)).toEqual({ value, problems: [] });
  });

  test("`__proto__` is a key, merged too", () => {
    const { value } = construct("a: &x {__proto__: {b: 1}}\nc: {<<: *x}\n");
    const { a, c } = value as { a: object; c: object };
    for (const object of [a, c]) {
      expect(Object.keys(object)).toEqual(["__proto__"]);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
  });
});

const problems: readonly (readonly [source: string, at: number, code: string, message: string])[] = [
  [
    "a: 1\nb: 2\na: 3\n",
    10,
    "DuplicateKey",
    'key "a" is written twice in one mapping (first on line 1): Kubernetes uses the last one; keep one of them',
  ],
  [
    "x: {a: 1, 'a': 2}\n",
    10,
    "DuplicateKey",
    'key "a" is written twice in one mapping (first on line 1): Kubernetes uses the last one; keep one of them',
  ],
  [
    "kind: A\nkind: B\n",
    8,
    "DuplicateKey",
    "key \"kind\" is written twice in one mapping (first on line 1): if another object begins here, a line '---' is missing before it",
  ],
  [
    "targetRef:\n  kind: A\n  kind: B\n",
    23,
    "DuplicateKey",
    'key "kind" is written twice in one mapping (first on line 2): Kubernetes uses the last one; keep one of them',
  ],
  [
    "1: a\n'1': b\n",
    5,
    "DuplicateKey",
    'key "1" is written twice in one mapping (first on line 1): Kubernetes uses the last one; keep one of them',
  ],
  ["? [a]\n: 1\n", 2, "BadKey", "a key is a list: keys must be strings; quote it or remove it"],
  ["? {a: 1}\n: 1\n", 2, "BadKey", "a key is a mapping: keys must be strings; quote it or remove it"],
  ["~: 1\n", 0, "BadKey", "a key is null: keys must be strings; quote it or remove it"],
  ["a: !!int x\n", 9, "BadTag", '"x" cannot be read as !!int: remove the tag, or fix the value'],
  ["a: !!bool 1\n", 10, "BadTag", '"1" cannot be read as !!bool: remove the tag, or fix the value'],
  ["a: !!binary aGk=\n", 12, "BadTag", '"aGk=" cannot be read as !!binary: write the decoded text, without the tag'],
  ["a: *x\n", 3, "BadAlias", "alias `*x` refers to no anchor before it: write the value out"],
  ["a: *x\nb: &x 1\n", 3, "BadAlias", "alias `*x` refers to no anchor before it: write the value out"],
  ["a: &x [*x]\n", 7, "BadAlias", "alias `*x` refers to something that contains it: write the value out"],
  ["a: &x {b: {c: *x}}\n", 14, "BadAlias", "alias `*x` refers to something that contains it: write the value out"],
  ["a: &x {<<: *x}\n", 11, "BadAlias", "alias `*x` refers to something that contains it: write the value out"],
  ["a: {<<: 1}\n", 4, "BadMerge", "`<<` merges mappings only: give it an alias to a mapping"],
  ["a: {<<: [{b: 1}, 2]}\n", 4, "BadMerge", "`<<` merges mappings only: give it an alias to a mapping"],
  [
    "a: .nan\n",
    3,
    "NotFinite",
    "`.nan` cannot be carried by JSON, so Kubernetes refuses it: write a finite number, or quote it",
  ],
  [
    "a: off\n",
    3,
    "SurprisingYaml",
    "`off` is read as false, as Kubernetes does: write false, or quote it if text is meant",
  ],
  [
    "a: &x {b: 1}\nc: {b: 2, <<: *x}\n",
    23,
    "SurprisingYaml",
    '`<<` replaces "b", which stands before it, as Kubernetes does: put `<<` first',
  ],
  [
    "a: 9007199254740993\n",
    3,
    "UnsafeInteger",
    "`9007199254740993` is beyond 2^53 and read as 9007199254740992: quote it if every digit matters",
  ],
];

describe("a value that Kubernetes would refuse, or read in another way, is reported at its position", () => {
  test.each(problems)("%j at %i: %s", (source, offset, code, message) => {
    const found = construct(source).problems.filter((problem) => problem.code === code);
    const isWarning = /SurprisingYaml|UnsafeInteger/.test(code) || message.includes("Kubernetes uses the last one");
    const severity = isWarning ? "warning" : "error";
    expect(found).toEqual([{ code, severity, message, offset }]);
  });

  test("of a key that is written twice the last value counts, as for Kubernetes", () => {
    expect(construct("a: 1\nb: 2\na: 3\n").value).toEqual({ a: 3, b: 2 });
  });

  test("a file mode is octal, as it is written: no finding", () => {
    expect(construct("defaultMode: 0644\nitems: [{mode: 0400}]\n")).toEqual({
      value: { defaultMode: 420, items: [{ mode: 256 }] },
      problems: [],
    });
    expect(construct("port: 0644\n").problems.map(({ code }) => code)).toEqual(["SurprisingYaml"]);
  });

  test("several at once", () => {
    const { problems: found } = construct("a: .inf\nb: *x\nc: 1\nc: 2\n");
    expect(found.map(({ code }) => code)).toEqual(["NotFinite", "BadAlias", "DuplicateKey"]);
  });

  test("not more than twenty of a kind, and a word that there are more", () => {
    const { problems: errors } = construct(`[${"*x, ".repeat(100)}]`);
    expect(errors.map(({ code }) => code)).toEqual([...Array(20).fill("BadAlias"), "MoreFindings"]);
    expect(errors.at(-1)?.message).toBe("more errors follow in this document: fix the 20 shown and run again");
    const { value, problems: warnings } = construct(`[${"on, ".repeat(100)}]`);
    expect(warnings).toHaveLength(21);
    expect(value).toHaveLength(100);
  });

  test("a long key is shown by its beginning", () => {
    const key = "k".repeat(1000);
    const [problem] = construct(`${key}: 1\n? ${key}\n: 2\n`).problems;
    expect(problem?.message).toBe(
      `key "${"k".repeat(59)}…" is written twice in one mapping (first on line 1): Kubernetes uses the last one; keep one of them`,
    );
  });
});

describe("what a reader of the value may walk is bounded", () => {
  test.each([
    ["lists", "[[[1]]]", 3],
    ["mappings", "{a: {b: {c: 1}}}", 3],
    ["through an alias", "{a: &x [[1]], b: *x}", 3],
    ["through aliases of aliases", "{a: &x [1], b: &y [*x], c: [*y]}", 4],
  ])("depth: %s", (_, source, depth) => {
    expect(construct(source, { maxDepth: depth }).problems).toEqual([]);
    expect(construct(source, { maxDepth: depth - 1 }).problems).toMatchObject([
      { code: "TooDeep", message: `nested deeper than ${depth - 1} levels: no Kubernetes object is; flatten it` },
    ]);
  });

  test("the number of aliases", () => {
    const source = "a: &x 1\nb: [*x, *x, *x]\n";
    expect(construct(source, { maxAliases: 3 }).problems).toEqual([]);
    expect(construct(source, { maxAliases: 2 }).problems).toMatchObject([
      {
        code: "TooManyAliases",
        message: "more than 2 aliases in one document: write the values out, or split the document",
      },
    ]);
  });

  test.each([
    ["lists", (below: string) => `[${Array(9).fill(below).join(", ")}]`],
    ["mappings", (below: string) => `{a: ${below}, b: ${below}, c: ${below}, d: ${below}}`],
    ["merges", (below: string) => `{<<: [${Array(9).fill(below).join(", ")}]}`],
  ])("aliases that multiply: %s", (_, level) => {
    const bomb = [
      "a0: &a0 {k: 1}",
      ...Array.from({ length: 30 }, (__, at) => `a${at + 1}: &a${at + 1} ${level(`*a${at}`)}`),
    ];
    const source = bomb.join("\n");
    expect(construct(source).problems).toMatchObject([
      {
        code: "TooManyAliases",
        message: `aliases multiply this document to more than ${10_000 + 10 * source.length} values: write out what is needed`,
      },
    ]);
  });
});
