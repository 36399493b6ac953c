/**
 * The only file that knows js-yaml. We take its scanner, which turns text into a flat list of events with offsets, and
 * build the values ourselves (`construct-document.ts`), because Kubernetes reads scalars differently from any schema of
 * js-yaml, and because several findings at exact positions are better than the first exception.
 */
import {
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { flattenFlow } from "./flatten-flow.ts";
import { startOfLine } from "./split-stream.ts";

export type YamlEvent = Event;
export type YamlScalar = ScalarEvent;
export const yamlEvent: typeof EVENT_ID = EVENT_ID;
export const scalarStyle: typeof SCALAR_STYLE = SCALAR_STYLE;

export type YamlEvents =
  | { readonly ok: true; readonly events: readonly YamlEvent[] }
  | { readonly ok: false; readonly code: "YamlSyntax" | "TooDeep"; readonly reason: string; readonly offset: number };

/** Collections may nest `maxDepth` deep, or one deeper; the scanner recurses, so this is what keeps the stack safe. */
export function parseYamlEvents(source: string, maxDepth: number): YamlEvents {
  const result = scanEvents(source, maxDepth);
  if (result.ok || !/deficient indentation|tab characters/.test(result.reason)) return result;
  const flat = flattenFlow(source);
  if (flat === undefined) return result;
  const again = scanEvents(flat, maxDepth);
  return again.ok ? { ok: true, events: again.events.map((event) => readFromSource(event, source)) } : again;
}

function scanEvents(source: string, maxDepth: number): YamlEvents {
  try {
    // js-yaml counts keys and scalars as levels of their own, sometimes one and sometimes two; the reader of the events counts exactly.
    return { ok: true, events: parseEvents(source, { maxDepth: maxDepth + 2 }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) {
      return { ok: false, code: "YamlSyntax", reason: `the YAML reader failed: ${String(error)}`, offset: 0 };
    }
    const code = error.reason.startsWith("nesting exceeded") ? "TooDeep" : "YamlSyntax";
    return { ok: false, code, reason: error.reason, offset: Math.min(error.mark?.position ?? 0, source.length) };
  }
}

/** `fast`: the scanner found a scalar that needs no folding. In the text as it is written it has several lines. */
const readFromSource = (event: YamlEvent, source: string): YamlEvent =>
  event.type === EVENT_ID.SCALAR && event.fast && /[\r\n]/.test(source.slice(event.valueStart, event.valueEnd))
    ? { ...event, fast: false }
    : event;

/** The text of a scalar, with quotes, escapes, folding and indentation undone. `kubectl` ends the last line of a file if it has no end. */
export const scalarText = (source: string, event: YamlScalar): string => getScalarValue(source, event);

/** Where a node is written, or undefined for a value that was left out (`key:` with nothing behind it). */
export function eventOffset(source: string, event: YamlEvent): number | undefined {
  switch (event.type) {
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SCALAR:
      return scalarOffset(source, event);
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
      return undefined;
  }
}

function scalarOffset(source: string, event: YamlScalar): number | undefined {
  if (event.valueStart === -1) {
    if (event.tagStart !== -1) return event.tagStart;
    return event.anchorStart === -1 ? undefined : event.anchorStart - 1;
  }
  switch (event.style) {
    case SCALAR_STYLE.PLAIN:
      return event.valueStart;
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return event.valueStart - 1;
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK:
      return blockHeaderOffset(source, event.valueStart);
  }
}

/** js-yaml says where the content of a block scalar starts; people look for the `|` or `>` on the line before. */
function blockHeaderOffset(source: string, contentStart: number): number {
  const headerEnd = source.slice(0, contentStart).trimEnd().length;
  const lineStart = startOfLine(source, headerEnd);
  const header = /[|>][-+0-9]*(?:[ \t]+#.*)?$/.exec(source.slice(lineStart, headerEnd));
  return header === null ? contentStart : lineStart + header.index;
}

/** The index just behind the node that starts at `index`. */
export function skipNode(events: readonly YamlEvent[], index: number): number {
  let depth = 0;
  for (let at = index; at < events.length; at++) {
    const type = events[at]?.type;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++;
    else if (type === EVENT_ID.POP) depth--;
    if (depth <= 0) return at + 1;
  }
  return events.length;
}
