/**
 * Rules of the specifications, read from the sources. A function that decides a rule opens with a comment of this shape:
 *
 *   Older wins, then namespace/name
 *   (empty line)
 *   Of two policies on one target the older is higher …
 *   GEP-713, "Conflict resolution"
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
  "GEP-3388",
  "Kubernetes",
  "RFC 9110",
];

const CITATION = new RegExp(`^(${DOCUMENTS.join("|")}), "(.+?)"`);
const COMMENT = /\/\*\*\n(?:[ \t]*\*.*\n)*?[ \t]*\*\//g;

/** Every rule, in the order of files and lines: title, definition, document, heading, file and the offset of its comment. */
export function readRules() {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
      const rule = parseRule(comment);
      return rule === undefined ? [] : [{ ...rule, file, index }];
    });
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
function parseRule(comment) {
  const lines = comment
    .split("\n")
    .slice(1, -1)
    .map((line) => line.replace(/^\s*\* ?/, ""));
  const [title, empty, ...rest] = lines;
  const citation = CITATION.exec(rest.at(-1) ?? "");
  if (title === undefined || title === "" || empty !== "" || citation === null) return undefined;
  return { title, definition: rest.slice(0, -1).join(" "), document: citation[1], heading: citation[2] };
}

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
