/**
 * Header and trailer lines as HTTP/1.1 writes them. No folding, no space before a colon, no control characters, no line end but CR LF: a
 * line that two readers could take for two things is not read at all.
 */
import { RecentCache } from "./recent-cache.ts";

/** All lines at once: after that, the first colon of a line ends its name, and the next line end its value. */
const FIELD_LINES = /(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*/y;

/** Bare line feeds and carriage returns, of which readers make what they like. */
const BAD_LINE_END = /(?<!\r)\n|\r[^\n]/g;

/** From that place on, also where the last line is not whole yet. */
export function hasBadLineEnd(text: string, start: number): boolean {
  BAD_LINE_END.lastIndex = start;
  return BAD_LINE_END.test(text);
}

const lowerCase = new RecentCache((name) => name.toLowerCase());

/** The lines between two places of a text, the last line end included: name, value, name, value, names in lower case. Undefined: a line cannot be read. */
export function parseFieldLines(text: string, start: number, end: number): string[] | undefined {
  FIELD_LINES.lastIndex = start;
  FIELD_LINES.test(text);
  if (FIELD_LINES.lastIndex !== end) return undefined;
  const fields: string[] = [];
  for (let at = start; at < end; ) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r\n", colon);
    fields.push(lowerCase.get(text.slice(at, colon)), withoutSpaces(text, colon + 1, lineEnd));
    at = lineEnd + 2;
  }
  return fields;
}

const SPACE = 0x20;
const TAB = 0x09;
const isSpace = (code: number): boolean => code === SPACE || code === TAB;

/** By hand: `trim` also takes what HTTP does not call a space, and a regular expression takes time quadratic in spaces. */
function withoutSpaces(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
