import { isJsonObject, type Json } from "../../core/model/json.ts";
import type { DocumentFinding } from "./document-finding.ts";
import { type ParsedJson, parseJson } from "./json/parse-json.ts";
import { findJsonItems, skipJsonSpace, type TextRange } from "./json/scan-json.ts";
import type { Position, SourceDocument } from "./source-document.ts";
import { unwrapList } from "./unwrap-list.ts";
import { constructDocument, type DocumentProblem, tooDeep } from "./yaml/construct-document.ts";
import { explainSyntax } from "./yaml/explain-syntax.ts";
import { childrenOf, findChild, findNode, type YamlTree } from "./yaml/find-node.ts";
import { eventOffset, parseYamlEvents, type YamlEvent, yamlEvent } from "./yaml/parse-yaml-events.ts";
import { countLines, splitStream, startOfLine } from "./yaml/split-stream.ts";

/**
 * Options of `parseDocuments`: limits against input that is made to use up memory.
 *
 * @example
 * ```ts
 * const options: ParseOptions = { maxDepth: 20, maxAliases: 0 };
 * console.log(parseDocuments("a: 1", "a.yaml", options).documents.length);
 * ```
 */
export interface ParseOptions {
  /** How deep lists and mappings may nest, aliases written out. Default 256. */
  readonly maxDepth?: number;
  /** Aliases (`*name`) in one document. Default 1000. */
  readonly maxAliases?: number;
  /** Length of one document in UTF-16 units. Default 64 Mi. */
  readonly maxDocumentLength?: number;
}

/** The documents of a text, and the problems that were found. */
export interface ParsedDocuments {
  readonly documents: SourceDocument[];
  readonly findings: DocumentFinding[];
}

/** One part of a stream, between two markers. */
export interface ParsedPart extends ParsedDocuments {
  readonly text: string;
  /** The line on which it begins. */
  readonly line: number;
}

/** A known position, from which later ones are counted. */
interface TextPosition extends Position {
  readonly offset: number;
}

/** The text that contains a document. `root` is the event of its root node, once the text is turned into events again. */
interface Origin {
  readonly range: TextRange;
  readonly rangePosition: TextPosition;
  readonly root: number;
  /** The position of the root itself. */
  readonly position: TextPosition;
}

interface Parsing extends ParsedDocuments {
  readonly text: string;
  readonly hasByteOrderMark: boolean;
  readonly file: string;
  readonly limits: Required<ParseOptions>;
  /** The events that `locate` used last: callers often locate several values of one document in a row. */
  readonly cache: { last?: { readonly range: TextRange; readonly events: readonly YamlEvent[] } };
}

const defaults: Required<ParseOptions> = { maxDepth: 256, maxAliases: 1000, maxDocumentLength: 64 * 1024 * 1024 };

/**
 * Reads the YAML or JSON documents in a text. `file` is its name in findings. Items of a list are documents of their own.
 *
 * @example
 * ```ts
 * const { documents } = parseDocuments("kind: A\nspec: {b: 1}\n", "a.yaml");
 * console.log(documents[0]?.locate("/spec/b"));
 * ```
 */
export function parseDocuments(text: string, file: string, options: ParseOptions = {}): ParsedDocuments {
  const documents: SourceDocument[] = [];
  const findings: DocumentFinding[] = [];
  for (const part of parseParts(text, file, options)) {
    for (const document of part.documents) documents.push(document);
    findings.push(...part.findings);
  }
  return { documents, findings };
}

/** Parses documents like `parseDocuments`, part by part. */
export function* parseParts(text: string, file: string, options: ParseOptions = {}): Iterable<ParsedPart> {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const limits = { ...defaults, ...options };
  const whole = { text: body, hasByteOrderMark: body.includes("\uFEFF"), file, limits, cache: {} };
  for (const { start, end, line } of splitStream(body)) {
    const parsing: Parsing = { ...whole, documents: [], findings: [] };
    const position = { offset: start, line, column: 1 };
    if (end - start > limits.maxDocumentLength) {
      const message = `a document of ${end - start} characters; at most ${limits.maxDocumentLength} are read: split it`;
      addFinding(parsing, position, { code: "TooLarge", severity: "error", message, offset: start });
    } else {
      parseChunk(parsing, { start, end }, position);
    }
    yield { documents: parsing.documents, findings: parsing.findings, text: body.slice(start, end), line };
  }
}

/** JSON values may follow each other without any marker, as `jq` prints them. */
function parseChunk(parsing: Parsing, chunk: TextRange, chunkPosition: TextPosition): void {
  let range = parsing.hasByteOrderMark ? withoutByteOrderMark(parsing.text, chunk) : chunk;
  let position = positionAt(parsing.text, chunkPosition, range.start);
  for (let json = readJson(parsing, range); json !== undefined; json = readJson(parsing, range)) {
    const next = skipJsonSpace(parsing.text, json.end, range.end);
    const isLast = next >= range.end;
    // Anything else behind it means that this is not JSON but YAML in flow style, with a comment, for instance.
    if (!isLast && !startsJson(parsing.text, next)) break;
    position = positionAt(parsing.text, position, json.start);
    addJson(parsing, json.value, { start: json.start, end: json.end }, position);
    if (isLast) return;
    range = { start: next, end: range.end };
    position = positionAt(parsing.text, position, next);
  }
  parseYaml(parsing, range, position);
}

const toByteOrderMark = /(?:---[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))?(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*\uFEFF/y;

/** Files that were joined may have one before any document, behind the marker too. */
function withoutByteOrderMark(text: string, range: TextRange): TextRange {
  toByteOrderMark.lastIndex = range.start;
  const found = toByteOrderMark.exec(text);
  const start = found === null ? range.start : range.start + found[0].length;
  return start <= range.end ? { start, end: range.end } : range;
}

function readJson({ text, limits }: Parsing, range: TextRange): (ParsedJson & TextRange) | undefined {
  const marker = text.startsWith("---", range.start) ? 3 : 0;
  const start = skipJsonSpace(text, range.start + marker, range.end);
  if (!startsJson(text, start)) return undefined;
  const json = parseJson(text, start, range.end, limits.maxDepth);
  return json === undefined ? undefined : { ...json, start };
}

function startsJson(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === 123 || code === 91;
}

function addJson(parsing: Parsing, value: Json, range: TextRange, position: TextPosition): void {
  const items = unwrapList(value);
  // Event 0 opens the document, event 1 is its root.
  if (items === undefined) {
    addDocument(parsing, value, { range, rangePosition: position, root: 1, position });
    return;
  }
  const ranges = findJsonItems(parsing.text, range);
  let itemPosition = position;
  items.forEach((item, index) => {
    const itemRange = ranges[index] ?? range;
    itemPosition = positionAt(parsing.text, itemPosition, itemRange.start);
    addJson(parsing, item, itemRange, itemPosition);
  });
}

function parseYaml(parsing: Parsing, range: TextRange, rangePosition: TextPosition): void {
  const source = parsing.text.slice(range.start, range.end);
  const result = parseYamlEvents(source, parsing.limits.maxDepth);
  if (!result.ok) {
    const message = result.code === "TooDeep" ? tooDeep(parsing.limits.maxDepth) : explainSyntax(source, result);
    const offset = range.start + result.offset;
    addFinding(parsing, rangePosition, { code: result.code, severity: "error", message, offset });
    return;
  }
  const tree = { events: result.events, source };
  result.events.forEach((event, index) => {
    if (event.type !== yamlEvent.DOCUMENT) return;
    addYamlDocument(parsing, tree, { range, rangePosition, root: index + 1, position: rangePosition });
  });
}

function addYamlDocument(parsing: Parsing, tree: YamlTree, origin: Origin): void {
  const { range, rangePosition, root } = origin;
  let isBroken = false;
  const value = constructDocument({
    events: tree.events,
    source: tree.source,
    root,
    maxDepth: parsing.limits.maxDepth,
    maxAliases: parsing.limits.maxAliases,
    report: (problem) => {
      if (problem.severity === "error") isBroken = true;
      addFinding(parsing, rangePosition, { ...problem, offset: range.start + problem.offset });
    },
    lineOf: (offset) => positionAt(parsing.text, rangePosition, range.start + offset).line,
  });
  // Null is nothing between two markers, or nothing but comments: no document at all.
  if (isBroken || value === null) return;
  const position = findPosition(parsing, tree, origin) ?? rangePosition;
  addYaml(parsing, value, tree, { range, rangePosition, root, position });
}

function addYaml(parsing: Parsing, value: Json, tree: YamlTree, origin: Origin): void {
  const items = unwrapList(value);
  if (items === undefined) {
    addDocument(parsing, value, origin);
    return;
  }
  const roots = findYamlItems(tree, origin.root);
  let last = origin.position;
  items.forEach((item, index) => {
    const root = roots[index] ?? origin.root;
    const position = findPosition(parsing, tree, { ...origin, root, position: last });
    last = position ?? last;
    addYaml(parsing, item, tree, { ...origin, root, position: position ?? origin.position });
  });
}

/** Items that are not written in the list itself (`items: *other`) have no position of their own, and get the list's. */
function findYamlItems(tree: YamlTree, root: number): readonly number[] {
  if (tree.events[root]?.type !== yamlEvent.MAPPING) return [];
  const items = findChild(tree, root, "items")?.value ?? 0;
  return items > root && tree.events[items]?.type === yamlEvent.SEQUENCE ? childrenOf(tree.events, items) : [];
}

function addDocument(parsing: Parsing, value: Json, origin: Origin): void {
  const { text, file } = parsing;
  const { range, rangePosition, root, position } = origin;
  if (!isJsonObject(value)) {
    const found = value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
    const message = `found ${found}: every document must be an object with apiVersion and kind`;
    addFinding(parsing, position, { code: "NotAnObject", severity: "error", message, offset: position.offset });
    return;
  }
  const locate = (pointer: string): Position => {
    const offset = range.start + findNode(treeOf(parsing, range), root, pointer);
    // An alias leads back to its anchor, which may stand before the object.
    const { line, column } = positionAt(text, offset < position.offset ? rangePosition : position, offset);
    return { line, column };
  };
  parsing.documents.push({ value, file, line: position.line, column: position.column, locate });
}

function treeOf(parsing: Parsing, range: TextRange): YamlTree {
  const source = parsing.text.slice(range.start, range.end);
  const { cache } = parsing;
  if (cache.last?.range.start !== range.start || cache.last.range.end !== range.end) {
    const result = parseYamlEvents(source, parsing.limits.maxDepth);
    cache.last = { range, events: result.ok ? result.events : [] };
  }
  return { events: cache.last.events, source };
}

/** The position of the root; undefined for a value that the document leaves out. */
function findPosition(parsing: Parsing, tree: YamlTree, { range, root, position }: Origin): TextPosition | undefined {
  const event = tree.events[root];
  const offset = event && eventOffset(tree.source, event);
  return offset === undefined ? undefined : positionAt(parsing.text, position, range.start + offset);
}

/** The position of an offset, counted from a known one. An offset before the known position gives that position. */
function positionAt(text: string, from: TextPosition, offset: number): TextPosition {
  if (offset <= from.offset) return from;
  const lines = countLines(text, from.offset, offset);
  if (lines === 0) return { offset, line: from.line, column: from.column + offset - from.offset };
  return { offset, line: from.line + lines, column: offset - startOfLine(text, offset) + 1 };
}

function addFinding(parsing: Parsing, from: TextPosition, problem: DocumentProblem): void {
  const { code, severity, message } = problem;
  const { line, column } = positionAt(parsing.text, from, problem.offset);
  parsing.findings.push({ code, severity, message, file: parsing.file, line, column });
}
