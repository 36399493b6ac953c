/**
 * Rules of the specifications, read from the sources. A function that decides a rule opens with a comment of this shape:
 *
 *   Older wins, then namespace/name
 *   (empty line)
 *   Of two policies on one target the older is higher …
 *   GEP-713, "Conflict resolution"
 *
 * What else a caller has to know, such as the meaning of an argument, is a paragraph below the citation.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The documents that a rule may cite, in the order of docs/rules.md. */
export const DOCUMENTS = [
  "GEP-713",
  "GEP-713 experimental",
  "Policy attachment reference",
  "RFC 9",
  "Gateway API",
  "GEP-1294",
  "GEP-1619",
  "GEP-1713",
  "GEP-1731",
  "GEP-1897",
  "GEP-2644",
  "GEP-3388",
  "Kubernetes",
  "RFC 9110",
];

const CITATION = new RegExp(`^(${DOCUMENTS.join("|")}), "(.+?)"`);
const COMMENT = /\/\*\*\n(?:[ \t]*\*.*\n)*?[ \t]*\*\//g;

/** Every rule, in the order of files and lines: title, definition, document, heading, file and the offset of its comment. */
export function readRules() {
  return readComments().flatMap(({ lines, file, index }) => {
    const rule = parseRule(lines);
    return rule === undefined ? [] : [{ ...rule, file, index }];
  });
}

/** Comments that look like a rule but are not parsed as one, as `file:line: first line`: they would be missing from docs/rules.md. */
export function readUnparsedRules() {
  return readComments()
    .filter(({ lines }) => hasRuleShape(lines) && parseRule(lines) === undefined)
    .map(({ lines, file, line }) => `${file}:${line}: ${lines[0]}`);
}

/** Comments of several lines, each with its lines, file, offset and number of its first line. */
function readComments() {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
      lines: comment
        .split("\n")
        .slice(1, -1)
        .map((line) => line.replace(/^\s*\* ?/, "")),
      file,
      index,
      line: text.slice(0, index).split("\n").length,
    }));
  });
}

const sourceFiles = () =>
  filesIn("src").filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("/gen/"));

/** Every file below a folder, as a path from the root of the project, sorted. */
const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();

/** Undefined for a comment of another shape. */
function parseRule([title, empty, ...rest]) {
  if (title === undefined || !isTitle(title) || empty !== "") return undefined;
  const end = rest.findIndex((line, i) => CITATION.test(line) && (rest[i + 1] ?? "") === "");
  const citation = CITATION.exec(rest[end] ?? "");
  if (end < 1 || citation === null) return undefined;
  return { title, definition: rest.slice(0, end).join(" "), document: citation[1], heading: citation[2] };
}

/** True if a comment has a title or a line that cites, of whatever document. */
function hasRuleShape([first = "", empty, ...rest]) {
  return (isTitle(first) && empty === "") || rest.some((line) => ANY_CITATION.test(line));
}

/** A title is no sentence. */
const isTitle = (line) => line !== "" && !/[.:]$/.test(line);

/** A line that names a document and a heading of it, and nothing else. */
const ANY_CITATION = /^[A-Z][\w ,.-]*, ["“][^"”]+["”]\.?$/;

/** The tests of a rule: those that cite its document and heading at their top, that import its file, or that are beside it. */
export function testsOf({ document, heading, file }) {
  const beside = file.replace(/\.ts$/, ".test.ts");
  const isTest = ({ path, citations, imports }) =>
    path === beside ||
    imports.has(file) ||
    citations.some((one) => one.document === document && sameHeading(one.heading, heading));
  return tests()
    .filter(isTest)
    .map(({ path }) => path);
}

let known;

/** Every test file, with what it cites and what it imports. */
function tests() {
  known ??= [...filesIn("test"), ...filesIn("src")].filter((path) => TEST.test(path)).map(readTest);
  return known;
}

/** Test files, and the rows of the behaviour table, which every data plane runs. */
const TEST = /\.test\.ts$|^test\/e2e\/behaviour\/.*\.ts$/;

function readTest(path) {
  const text = readFileSync(join(root, path), "utf8");
  const [top = ""] = text.split("*/", 1);
  const citations = top.split("\n").flatMap((line) => {
    const citation = CITATION.exec(line.replace(/^\s*\/?\*+ ?/, ""));
    return citation === null ? [] : [{ document: citation[1], heading: citation[2] }];
  });
  const imports = new Set(
    [...text.matchAll(/ from "(\.[^"]+)"/g)].map(([, from]) => posix.join(posix.dirname(path), from)),
  );
  return { path, citations, imports };
}

const sameHeading = (a, b) => a.replaceAll("`", "").toLowerCase() === b.replaceAll("`", "").toLowerCase();

/** The rule that a mistake breaks: the last one in its file whose comment stands before the mistake. */
export function ruleBrokenBy({ file, text }, rules) {
  const own = rules.filter((rule) => rule.file === file);
  if (own.length === 0) return undefined;
  const at = readFileSync(join(root, file), "utf8").indexOf(text);
  return own.findLast(({ index }) => index < at) ?? own[0];
}
