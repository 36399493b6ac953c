import type { DocumentFindingCode } from "../../../core/model/finding-code.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, setOwn } from "../../../core/model/json.ts";
import {
  eventOffset,
  scalarStyle,
  scalarText,
  skipNode,
  type YamlEvent,
  type YamlScalar,
  yamlEvent,
} from "./parse-yaml-events.ts";
import { explainPlainScalar, readPlainScalar } from "./read-plain-scalar.ts";

/** A finding that still speaks in offsets of the text given. */
export interface DocumentProblem {
  readonly code: DocumentFindingCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly offset: number;
}

export interface ConstructInput {
  readonly events: readonly YamlEvent[];
  /** Index of the root node's event. */
  readonly root: number;
  readonly source: string;
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly report: (problem: DocumentProblem) => void;
  readonly lineOf: (offset: number) => number;
}

/** The value that an anchor names. `nodes` and `height` are those of the tree it stands for, with its own aliases written out. */
interface Anchor {
  value: Json;
  nodes: number;
  height: number;
  isOpen: boolean;
}

interface Reading extends ConstructInput {
  readonly anchors: Map<string, Anchor>;
  /** The most nodes the document may have once every alias is written out. */
  readonly maxNodes: number;
  next: number;
  /** The key whose value is being read. */
  key: string;
  depth: number;
  /** Height of the node read last: 0 for a scalar. */
  height: number;
  nodes: number;
  aliases: number;
  errors: number;
  warnings: number;
  isStopped: boolean;
}

/** Findings of each severity that are shown for one document: a hostile one could have a million. */
const maxProblems = 20;

/**
 * Builds plain JSON data from events, as `sigs.k8s.io/yaml` would, and reports what it would refuse. Aliases become
 * shared references, but never a cycle, and the tree a reader sees stays within a small multiple of the text, so
 * the value is safe to walk. The value is valid only if no error was reported.
 */
export function constructDocument(input: ConstructInput): Json {
  // Written out: spreading `input` costs a tenth of the time for a stream of small documents.
  return readNode({
    events: input.events,
    root: input.root,
    source: input.source,
    maxDepth: input.maxDepth,
    maxAliases: input.maxAliases,
    report: input.report,
    lineOf: input.lineOf,
    anchors: new Map(),
    // A node takes two characters or so; legitimate use of aliases repeats parts a few times, a bomb multiplies them.
    maxNodes: 10_000 + 10 * input.source.length,
    next: input.root,
    key: "",
    depth: 0,
    height: 0,
    nodes: 0,
    aliases: 0,
    errors: 0,
    warnings: 0,
    isStopped: false,
  });
}

function readNode(reading: Reading): Json {
  const event = reading.events[reading.next];
  if (event === undefined) return null;
  switch (event.type) {
    case yamlEvent.SCALAR:
      return readScalarNode(reading, event);
    case yamlEvent.MAPPING:
    case yamlEvent.SEQUENCE:
      return readCollection(reading, event);
    case yamlEvent.ALIAS:
      return readAlias(reading, event);
    case yamlEvent.DOCUMENT:
    case yamlEvent.POP:
      return null;
  }
}

function readScalarNode(reading: Reading, event: YamlScalar): Json {
  reading.next++;
  reading.nodes++;
  reading.height = 0;
  const text = scalarText(reading.source, event);
  const value = event.tagStart === -1 ? readUntagged(reading, event, text) : readTagged(reading, event, text);
  if (event.anchorStart !== -1) {
    const name = reading.source.slice(event.anchorStart, event.anchorEnd);
    reading.anchors.set(name, { value, nodes: 1, height: 0, isOpen: false });
  }
  return value;
}

function readUntagged(reading: Reading, event: YamlScalar, text: string): Json {
  if (event.style !== scalarStyle.PLAIN) return text;
  const value = readPlainScalar(text);
  if (typeof value === "string" || value === null) return value;
  const note = explainPlainScalar(text, value);
  // `defaultMode: 0644` means what it says: file modes are octal.
  if (note === undefined || (typeof value === "number" && FILE_MODE.test(text) && MODE_KEY.test(reading.key)))
    return value;
  report(reading, note.code, event, note.message);
  return note.code === "NotFinite" ? text : value;
}

const FILE_MODE = /^0[0-7]{3,4}$/;
const MODE_KEY = /mode$/i;

const coreTag = /^!(?:!|<tag:yaml\.org,2002:)(int|float|bool|null|timestamp|binary)>?$/;

/** Go's rules: a core tag must fit the text, any other tag (`!!str`, `!Ref`) just makes it a string. */
function readTagged(reading: Reading, event: YamlScalar, text: string): Json {
  const tag = reading.source.slice(event.tagStart, event.tagEnd);
  const type = coreTag.exec(tag)?.[1];
  if (type === undefined) return text;
  const value = readPlainScalar(text);
  switch (type) {
    case "int":
      if (Number.isInteger(value)) return value;
      break;
    case "float":
      if (Number.isFinite(value)) return value;
      break;
    case "bool":
      if (typeof value === "boolean") return value;
      break;
    case "null":
      if (value === null) return null;
      break;
    case "timestamp":
      if (/^\d{4}-\d/.test(text)) return text;
      break;
  }
  const advice = type === "binary" ? "write the decoded text, without the tag" : "remove the tag, or fix the value";
  report(reading, "BadTag", event, `${quote(text)} cannot be read as ${tag}: ${advice}`);
  return null;
}

function readCollection(reading: Reading, event: Extract<YamlEvent, { start: number }>): Json {
  if (reading.depth >= reading.maxDepth) {
    return stop(reading, "TooDeep", event, tooDeep(reading.maxDepth));
  }
  const nodesBefore = reading.nodes++;
  const isMapping = event.type === yamlEvent.MAPPING;
  const start = reading.next++;
  const value: { [key: string]: Json } | Json[] = isMapping ? {} : [];
  const anchor: Anchor | undefined =
    event.anchorStart === -1 ? undefined : { value, nodes: 0, height: 0, isOpen: true };
  if (anchor !== undefined) reading.anchors.set(reading.source.slice(event.anchorStart, event.anchorEnd), anchor);
  reading.depth++;
  const height = Array.isArray(value) ? readItems(reading, value) : readPairs(reading, value, start);
  reading.depth--;
  reading.next++;
  reading.height = height;
  if (anchor !== undefined) {
    anchor.nodes = reading.nodes - nodesBefore;
    anchor.height = height;
    anchor.isOpen = false;
  }
  return value;
}

function atEnd(reading: Reading): boolean {
  return reading.isStopped || (reading.events[reading.next]?.type ?? yamlEvent.POP) === yamlEvent.POP;
}

function readItems(reading: Reading, items: Json[]): number {
  let height = 1;
  while (!atEnd(reading)) {
    items.push(readNode(reading));
    if (reading.height >= height) height = reading.height + 1;
  }
  return height;
}

function readPairs(reading: Reading, pairs: { [key: string]: Json }, start: number): number {
  let height = 1;
  // Keys that came by `<<`: a key written out may replace them.
  let merged: Set<string> | undefined;
  while (!atEnd(reading)) {
    const keyEvent = reading.events[reading.next];
    if (keyEvent === undefined) break;
    const isMerge = isMergeKey(reading.source, keyEvent);
    const key = isMerge ? "<<" : readKey(reading, keyEvent);
    if (isMerge) reading.next++;
    if (reading.isStopped) break;
    reading.key = key ?? "";
    const value = readNode(reading);
    if (reading.height >= height) height = reading.height + 1;
    if (isMerge) {
      merged ??= new Set();
      mergeInto(reading, pairs, value, { event: keyEvent, merged });
    } else if (key !== undefined) {
      const isNew = !Object.hasOwn(pairs, key) || merged?.delete(key) === true;
      if (!isNew) reportDuplicate(reading, key, { event: keyEvent, start });
      setOwn(pairs, key, value);
    }
  }
  return height;
}

/** Only the plain `<<` merges; quoted it is a key like any other. */
export function isMergeKey(source: string, event: YamlEvent): boolean {
  return (
    event.type === yamlEvent.SCALAR &&
    event.valueEnd - event.valueStart === 2 &&
    event.style === scalarStyle.PLAIN &&
    event.tagStart === -1 &&
    source.startsWith("<<", event.valueStart)
  );
}

/** JSON has only string keys; Kubernetes turns numbers and booleans into strings and refuses the rest. */
function readKey(reading: Reading, event: YamlEvent): string | undefined {
  const value = readNode(reading);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : "a mapping";
  if (!reading.isStopped)
    report(reading, "BadKey", event, `a key is ${found}: keys must be strings; quote it or remove it`);
  return undefined;
}

/** The key as `constructDocument` would read it, for finding it again; undefined where that is not simple. */
export function keyText(source: string, event: YamlEvent): string | undefined {
  if (event.type !== yamlEvent.SCALAR) return undefined;
  const text = scalarText(source, event);
  if (event.style !== scalarStyle.PLAIN || event.tagStart !== -1) return text;
  const value = readPlainScalar(text);
  return typeof value === "number" && !Number.isFinite(value) ? text : String(value);
}

interface MergeSite {
  readonly event: YamlEvent;
  readonly merged: Set<string>;
}

/** A merge key, as in Kubernetes: `<<` replaces keys before it and is replaced by keys after it. The first of several merges takes effect. */
function mergeInto(reading: Reading, pairs: { [key: string]: Json }, value: Json, site: MergeSite): void {
  const sources: readonly Json[] = isJsonList(value) ? value.toReversed() : [value];
  for (const source of sources) {
    if (!isJsonObject(source)) {
      if (!reading.isStopped)
        report(reading, "BadMerge", site.event, "`<<` merges mappings only: give it an alias to a mapping");
      return;
    }
    mergePairs(reading, pairs, source, site);
  }
}

function mergePairs(reading: Reading, pairs: { [key: string]: Json }, source: JsonObject, site: MergeSite): void {
  for (const [key, value] of Object.entries(source)) {
    if (Object.hasOwn(pairs, key) && !site.merged.has(key)) {
      const message = `\`<<\` replaces ${quote(key)}, which stands before it, as Kubernetes does: put \`<<\` first`;
      report(reading, "SurprisingYaml", site.event, message);
    }
    setOwn(pairs, key, value);
    site.merged.add(key);
  }
}

function reportDuplicate(
  reading: Reading,
  key: string,
  at: { readonly event: YamlEvent; readonly start: number },
): void {
  const { events, source } = reading;
  let index = at.start + 1;
  while (index < reading.next) {
    const event = events[index];
    if (event === undefined || keyText(source, event) === key) break;
    index = skipNode(events, skipNode(events, index));
  }
  const first = events[index];
  const offset = first === undefined ? undefined : eventOffset(source, first);
  const where = offset === undefined ? "" : ` (first on line ${reading.lineOf(offset)})`;
  const isNextObject = at.start === reading.root && BEGINNINGS.has(key);
  const fix = isNextObject
    ? "if another object begins here, a line '---' is missing before it"
    : "Kubernetes uses the last one; keep one of them";
  const message = `key ${quote(key)} is written twice in one mapping${where}: ${fix}`;
  report(reading, "DuplicateKey", at.event, message, isNextObject ? "error" : "warning");
}

/** Keys that an object has at its root, and mostly first. */
const BEGINNINGS: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

function readAlias(reading: Reading, event: Extract<YamlEvent, { type: typeof yamlEvent.ALIAS }>): Json {
  reading.next++;
  reading.height = 0;
  const name = reading.source.slice(event.anchorStart, event.anchorEnd);
  const anchor = reading.anchors.get(name);
  if (anchor === undefined || anchor.isOpen) {
    const reason = anchor === undefined ? "refers to no anchor before it" : "refers to something that contains it";
    report(reading, "BadAlias", event, `alias \`*${name}\` ${reason}: write the value out`);
    return null;
  }
  reading.nodes += anchor.nodes;
  reading.height = anchor.height;
  if (++reading.aliases > reading.maxAliases) {
    const message = `more than ${reading.maxAliases} aliases in one document: write the values out, or split the document`;
    return stop(reading, "TooManyAliases", event, message);
  }
  if (reading.nodes > reading.maxNodes) {
    const message = `aliases multiply this document to more than ${reading.maxNodes} values: write out what is needed`;
    return stop(reading, "TooManyAliases", event, message);
  }
  if (reading.depth + anchor.height > reading.maxDepth) {
    return stop(reading, "TooDeep", event, tooDeep(reading.maxDepth));
  }
  return anchor.value;
}

export function tooDeep(maxDepth: number): string {
  return `nested deeper than ${maxDepth} levels: no Kubernetes object is; flatten it`;
}

/** Reports, and ends the reading: what follows would only cost more. */
function stop(reading: Reading, code: DocumentFindingCode, event: YamlEvent, message: string): null {
  report(reading, code, event, message);
  reading.isStopped = true;
  return null;
}

const severityOf = (code: DocumentFindingCode): DocumentProblem["severity"] =>
  code === "SurprisingYaml" || code === "UnsafeInteger" ? "warning" : "error";

function report(
  reading: Reading,
  code: DocumentFindingCode,
  event: YamlEvent,
  message: string,
  severity: DocumentProblem["severity"] = severityOf(code),
): void {
  const count = severity === "error" ? ++reading.errors : ++reading.warnings;
  const offset = eventOffset(reading.source, event) ?? 0;
  if (count <= maxProblems) {
    reading.report({ code, severity, message, offset });
  } else if (count === maxProblems + 1) {
    const more = `more ${severity}s follow in this document: fix the ${maxProblems} shown and run again`;
    reading.report({ code: "MoreFindings", severity: "warning", message: more, offset });
    // With an error the value is of no use, so there is nothing left to read for.
    if (severity === "error") reading.isStopped = true;
  }
}

/** Hostile keys can be long; a message shows the beginning. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
