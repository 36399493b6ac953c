/** Plain words in comments, texts, names and pages: [docs/glossary.md](../../docs/glossary.md) has the words that we use instead. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A pattern, what to write instead, and the paths that the rule is for, if it is not for all. */
type Rule = readonly [RegExp, string, RegExp?];

/** Files about requests. Elsewhere an answer is the result of a user's question. */
const ABOUT_REQUESTS =
  /^(?:src\/(?:adapters|gateway|serve|xds)|src\/core\/(?:dataplane|envoy|retry|routing)|test\/e2e|test\/support\/gateway|bench(?!\/controller-webhook)|docs\/(?:envoy|gateway|run|performance)|docs\/decisions)\b/;

/** Files about policies in conflict. Elsewhere a candidate is a word that could complete or correct another. */
const ABOUT_MERGING =
  /^(?:src\/core\/(?:merge|attachment|status)|test\/(?:oracle|spec)|docs\/(?:concepts|glossary|semantics))\b/;

/** Everything but tests and what they share. */
const NOT_TESTS = /^(?!test\/)(?!.*\.test\.ts$)/;

/** Rules for sentences: comments, pages, and strings in code that have several words. */
const proseRules: readonly Rule[] = [
  [/\bwhoever\b/i, "name the reader: the caller, the command line, a data plane"],
  [/\b(?:nobody|somebody|anybody)\b/i, "name the subject, or write the sentence without one"],
  [/\bin vain\b/i, "refused"],
  [/\bmend(?:s|ed|ing)?\b/, "fix"],
  [/\b(?:hangs?|hung)\b/, "is attached to, is below"],
  [/\bfares?\b/, "takes effect, is overridden"],
  [/\bbeat(?:s|en)?\b/, "overrides, replaces"],
  [/\b(?:gives? way|given way|gave way)\b/, "is overridden, is replaced"],
  [/\bprevail(?:s|ed|ing)\b/, "takes effect; prevail is the name of the product only"],
  [/\bin force\b/, "in effect"],
  [/(?<!-)\bholds?\b/, "takes effect; contains; is true"],
  [/(?<!`remove` )\bact(?:s|ed)? on\b/, "takes effect on"],
  [/\b(?:polic(?:y|ies)|overrides?|defaults?|settings?|values?) (?:only )?appl(?:y|ies)\b/, "takes effect"],
  [
    /(?<!\bin |\btakes? |\bmore |\bfewer |\binto )\b[Pp]laces?\b(?! of a )/,
    "index (list), position (file), pointer (spec), level (hierarchy), target",
  ],
  [/\bholders?\b/, "established, challenger; owner, object, source"],
  [/\bcandidates?\b/i, "setting; established, challenger", ABOUT_MERGING],
  [
    /\b(?:polic(?:y|ies)|overrides?|defaults?|settings?|values?|blocks?)(?: that| who)? decides?\b|\bdecides? (?:the |a |wanted )*(?:values?|settings?)\b|\bdeciders?\b/,
    "takes effect",
  ],
  [/\byields\b/, "returns; is overridden by, is replaced by"],
  [
    /\b(?:polic(?:y|ies)|overrides?|defaults?|settings?|values?|blocks?|rules?)(?: that| who)? loses?\b|\bloses? (?:to|against|everything)\b/,
    "is overridden by, is replaced by",
  ],
  [/\b(?:tries|tried)\b/, "attempts, attempted"],
  [/\banswer(?:s|ed|ing)?\b/i, "response, responds", ABOUT_REQUESTS],
  [/\b(?:tells?|told|telling)\b/i, "format, print, report; distinguish"],
  [/\bsaid\b/, "reported, printed"],
];

/** Rules for the beginning of a comment. */
const commentRules: readonly Rule[] = [
  [/^[\s*]*(?:Of (?!course|two |several )|Those |They,|The same\b|What who|Who |Whose )/, "a sentence with a subject"],
  [/^[\s*]*(?:What|Which) /, "a sentence with a subject: the thing itself, or a verb in the present tense", NOT_TESTS],
  [/^[\s*]*Whether /, "True if …; the words of the value, and the meaning of each", NOT_TESTS],
  [/^[\s*]*So (?:many|much|few|long) /, "The number of …", NOT_TESTS],
  [/^[\s*]*As (?:many|much|few|long|if|in|it|they) |^[\s*]*As `/, "a sentence with a subject", NOT_TESTS],
  [/^[\s*]*(?:Its |It (?!is ))/, "the name of the thing, which the line above may not have", NOT_TESTS],
  [/^[\s*]*(?:Such as |That of |And |But |Or )/, "a sentence with a subject", NOT_TESTS],
];

/** Rules for the names of variables, functions and types, word by word. */
const nameRules: readonly Rule[] = [
  [/^(?:place|places)$/, "index, position, pointer, level, target"],
  [/^(?:holder|holders)$/, "established, challenger; owner, object, source"],
  [/^(?:candidate|candidates)$/, "setting; established, challenger", ABOUT_MERGING],
  [/^(?:answer|answers|answered)$/, "response", ABOUT_REQUESTS],
  [/^(?:tell|tells|told|untold|said|say|says)$/, "format, print, report"],
  [/^(?:decider|deciders|deciding)$/, "in effect, source"],
  [/^(?:tries|tried)$/, "attempts"],
  [/^(?:hangs|beaten|beats|mend|mends|fate|whoever|nobody|somebody)$/, "a word of the glossary"],
];

/** Rules for whole names. */
const wholeNameRules: readonly Rule[] = [
  [/^describe(?=[A-Z])/, "format…"],
  [/^(?:holds|yields|loses)$/, "is true; returns; is overridden, is replaced"],
];

/** Sentences of the specifications that tests are named after. */
const quotations: readonly string[] = [
  "less specific beats more specific",
  "more specific beats less specific",
  "more specific specs beats less specific ones",
  "less specific specs beats more specific ones",
  "the same setting in overrides beats the one in defaults",
  "each policy applies to the referenced resource and everything below it",
  "a policy that tries to deactivate an override policy rule set a higher level",
];

/** Not written for readers, or quoted from elsewhere. */
const isSkipped = (path: string): boolean =>
  /\/(?:gen|testdata|node_modules)\/|^test\/golden\/|^docs\/(?:images|schemas)\/|words\.(?:test\.ts|md)$/.test(path);

const files = ["src", "test", "bench", "scripts", "docs", "examples"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(?:ts|mjs|md|yaml)$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .concat("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
  .filter((path) => !isSkipped(path));

/** One text of a file that people read, with its line. */
interface Text {
  readonly line: number;
  readonly text: string;
  readonly rules: readonly Rule[];
}

const textsOf = (path: string, source: string): readonly Text[] =>
  /\.(?:md|yaml)$/.test(path)
    ? source.split("\n").map((text, index) => ({ line: index + 1, text, rules: proseRules }))
    : textsOfCode(path, source);

/** The comments, the strings with several words, and the words of the declared and used names of a source file. */
function textsOfCode(path: string, source: string): readonly Text[] {
  const { program, comments } = parseSync(path, source);
  const texts: Text[] = [];
  const lineAt = lineCounter(source);
  const add = (start: number, text: string, rules: readonly Rule[]): void => {
    texts.push({ line: lineAt(start), text, rules });
  };
  for (const [index, { start, value }] of comments.entries()) {
    const above = comments[index - 1];
    const isContinued = above?.type === "Line" && /^\n[ \t]*$/.test(source.slice(above.end, start));
    if (!isContinued) add(start, value.replace(/^\*/, ""), commentRules);
    for (const [index, text] of value.split("\n").entries())
      texts.push({ line: lineAt(start) + index, text, rules: proseRules });
  }
  visitNodes(program, (node) => {
    const text = stringIn(node);
    if (text?.includes(" ") === true) add(node.start, text, proseRules);
    if ((node.type === "Identifier" || node.type === "PrivateIdentifier") && node.name !== undefined) {
      add(node.start, node.name, wholeNameRules);
      for (const word of wordsOf(node.name)) add(node.start, word, nameRules);
    }
  });
  return texts;
}

/** A node of the syntax tree, with the properties that this test reads. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly value?: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

function visitNodes(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visitNodes(item, visit);
  else if (isNode(value)) {
    visit(value);
    for (const child of Object.values(value)) if (typeof child === "object") visitNodes(child, visit);
  }
}

function stringIn({ type, value }: SyntaxNode): string | undefined {
  if (type === "Literal" && typeof value === "string") return value;
  const isPart = type === "TemplateElement" && typeof value === "object" && value !== null && "cooked" in value;
  return isPart && typeof value.cooked === "string" ? value.cooked : undefined;
}

/** `placeOf` has the words `place` and `of`. */
const wordsOf = (name: string): readonly string[] =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|[_$#]+/).map((word) => word.toLowerCase());

/** The number of the line of an offset. Offsets that do not decrease are found in one pass. */
function lineCounter(source: string): (offset: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    const index = ends.findIndex((end) => end >= offset);
    return (index < 0 ? ends.length : index) + 1;
  };
}

const withoutQuotations = (text: string): string =>
  quotations.reduce((rest, quote) => rest.replaceAll(quote, ""), text);

const violationsIn = (path: string, source: string): readonly string[] =>
  textsOf(path, source).flatMap(({ line, text, rules }) => {
    const own = withoutQuotations(text);
    return rules.flatMap(([pattern, instead, where]) => {
      const found = where?.test(path) === false ? null : pattern.exec(own);
      return found === null ? [] : [`${path}:${line}: ${found[0].trim()}: write: ${instead}`];
    });
  });

const violations = files.flatMap((path) => violationsIn(path, readFileSync(join(root, path), "utf8")));

const EXPORTED_TYPE = /^export (?:interface|type|class|abstract class) (?<name>\w+)\b/gm;

describe("words", () => {
  test("comments, texts, names and pages are read", () => {
    expect(files.length).toBeGreaterThan(300);
    const texts = textsOfCode("example.ts", "/** A comment. */\nconst placeOf = `a ${b} text`;\n");
    expect(texts.map(({ line, text }) => `${line} ${text.trim()}`)).toEqual([
      "1 A comment.",
      "1 * A comment.",
      "2 placeOf",
      "2 place",
      "2 of",
      "2 a",
      "2 text",
      "2 b",
      "2 b",
    ]);
  });

  test.each([
    "/** What is folded and left out. */",
    "/**\n * Which settings take effect.\n */",
    "// So many at once.",
    "/** Whether the port is free. */",
    "/** As many as Linux follows. */",
    "/** Its index. */",
    "/** Of the first block the draft that changes least. */",
    "// The policy decides the value.",
    "const text = `${policy} yields nothing`;",
    "const text = 'a default loses to an override';",
    "const describeFailure = 1;",
  ])("%s is found", (source) => {
    expect(violationsIn("src/example.ts", source)).toEqual([expect.stringMatching(/^src\/example\.ts:1: .+: write: /)]);
  });

  test.each([
    "/** The index of the policy. */",
    "// The sections of an object that a route is attached to, and\n// Which is the second line of the same comment.",
    "/** Of two policies on one target the older is higher. */",
    "/** The result of `explain`: what takes effect, and why. */",
    "const text = 'an annotation decides between objects only';",
  ])("%s is accepted", (source) => {
    expect(violationsIn("src/example.ts", source)).toEqual([]);
  });

  test.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "examples", "src", "test", "bench", "scripts"])(
    "in %s",
    (folder) => {
      const own = violations.filter((text) => text.startsWith(folder));
      expect(own, own.join("\n")).toEqual([]);
    },
  );

  test("the name of an exported type has one meaning", () => {
    const names = files
      .filter((path) => path.startsWith("src/") && path.endsWith(".ts"))
      .flatMap((path) => [...readFileSync(join(root, path), "utf8").matchAll(EXPORTED_TYPE)])
      .map(({ groups }) => groups?.["name"]);
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
