/**
 * Parses header and trailer lines of HTTP/1.1. Folding, a space before the colon, control characters and line ends other than CR LF are
 * refused, because readers interpret them differently.
 */
import { RecentCache } from "./recent-cache.ts";

/** Matches all lines at once. In a line that matches, the first colon ends the name and the next CR LF ends the value. */
const FIELD_LINES = /(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*/y;

/** A line feed without a carriage return, or the reverse. Readers interpret them differently. */
const BAD_LINE_END = /(?<!\r)\n|\r[^\n]/g;

/** True if the text from `start` on has a bad line end. The last line may be incomplete. */
export function hasBadLineEnd(text: string, start: number): boolean {
  BAD_LINE_END.lastIndex = start;
  return BAD_LINE_END.test(text);
}

/** Header names in lower case. Shared by all connections: the function is pure, and the cache is bounded. */
const lowerCase = new RecentCache((name) => name.toLowerCase());

/** Parses the lines from `start` to `end`, the last line end included. Undefined: a line is malformed. */
export function parseHeaderLines(text: string, start: number, end: number): string[] | undefined {
  FIELD_LINES.lastIndex = start;
  FIELD_LINES.test(text);
  if (FIELD_LINES.lastIndex !== end) return undefined;
  const headers: string[] = [];
  for (let at = start; at < end; ) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r\n", colon);
    headers.push(lowerCase.get(text.slice(at, colon)), trimSpaces(text, colon + 1, lineEnd));
    at = lineEnd + 2;
  }
  return headers;
}

const SPACE = 0x20;
const TAB = 0x09;
const isSpace = (code: number): boolean => code === SPACE || code === TAB;

/** Trims spaces and tabs. `trim` also removes other characters, and a regular expression takes quadratic time. */
function trimSpaces(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
