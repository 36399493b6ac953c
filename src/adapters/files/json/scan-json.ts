/** Facts about a JSON text that `JSON.parse` does not report. */
export interface JsonScan {
  /** Offset just behind the value. */
  readonly end: number;
  readonly depth: number;
  /** Members of all objects, duplicates included. */
  readonly members: number;
  /** Has a number of 16 digits or more, which may not fit into a 64-bit float. */
  readonly hasLongNumber: boolean;
}

const quote = 34;
const colon = 58;
const longNumberDigits = 16;

/** Measures the object or array that starts at `start`, or undefined if it does not end before `limit`. */
export function scanJson(text: string, start: number, limit: number): JsonScan | undefined {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let digits = 0;
  let hasLongNumber = false;
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      if (++digits >= longNumberDigits) hasLongNumber = true;
      continue;
    }
    digits = 0;
    if (code === quote) {
      at = skipString(text, at, limit) - 1;
    } else if (code === colon) {
      members++;
    } else if (code === 123 || code === 91) {
      if (++depth > deepest) deepest = depth;
    } else if ((code === 125 || code === 93) && --depth === 0) {
      return { end: at + 1, depth: deepest, members, hasLongNumber };
    }
  }
  return undefined;
}

/** The offset behind the string that starts at `start`, or `limit` if it does not end. */
function skipString(text: string, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92) at++;
  }
  return limit;
}

export function skipJsonSpace(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Where the elements of the array under the top-level key `items` are written. `range` must contain one valid JSON object. */
export function findJsonItems(text: string, range: TextRange): readonly TextRange[] {
  let at = skipJsonSpace(text, range.start, range.end) + 1;
  while (at < range.end) {
    const keyStart = skipJsonSpace(text, at, range.end);
    if (text.charCodeAt(keyStart) !== quote) return [];
    const keyEnd = skipString(text, keyStart, range.end);
    const valueStart = skipJsonSpace(text, skipJsonSpace(text, keyEnd, range.end) + 1, range.end);
    const valueEnd = skipValue(text, valueStart, range.end);
    if (JSON.parse(text.slice(keyStart, keyEnd)) === "items")
      return splitArray(text, { start: valueStart, end: valueEnd });
    at = skipJsonSpace(text, valueEnd, range.end) + 1;
  }
  return [];
}

function splitArray(text: string, range: TextRange): readonly TextRange[] {
  const elements: TextRange[] = [];
  let at = range.start + 1;
  while (at < range.end) {
    const start = skipJsonSpace(text, at, range.end);
    if (start >= range.end - 1) break;
    const end = skipValue(text, start, range.end);
    elements.push({ start, end });
    at = skipJsonSpace(text, end, range.end) + 1;
  }
  return elements;
}

function skipValue(text: string, start: number, limit: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return skipString(text, start, limit);
  if (code === 123 || code === 91) return scanJson(text, start, limit)?.end ?? limit;
  let at = start;
  while (at < limit && !isSpace(text.charCodeAt(at)) && !",]}".includes(text.charAt(at))) at++;
  return at;
}
