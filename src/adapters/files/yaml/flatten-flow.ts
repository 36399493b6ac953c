/**
 * Kubernetes reads YAML with libyaml's rules: brackets and quoted texts may go on at any depth, and tabs may separate what is in
 * brackets. The YAML package asks for indentation. This file finds brackets and quoted texts, so that the package can read them as one line.
 */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

interface FlowSpans {
  /** Brackets and quoted texts that have more than one line, or tabs. */
  readonly flows: TextSpan[];
  /** Comments inside brackets. */
  readonly comments: TextSpan[];
}

/**
 * The text with line breaks and tabs in brackets and quoted texts as spaces, and comments in brackets as spaces, so that every offset
 * stays. Undefined if nothing changes.
 */
export function flattenFlow(source: string): string | undefined {
  const spans: FlowSpans = { flows: [], comments: [] };
  for (let at = 0; at < source.length; ) at = scanLine(source, at, spans);
  if (spans.flows.length === 0) return undefined;
  const bare = replaceSpans(source, spans.comments, (comment) => " ".repeat(comment.length));
  return replaceSpans(bare, spans.flows, (flow) => flow.replace(/[\r\n\t]/g, " "));
}

/** `spans`: in order, and apart from each other. */
function replaceSpans(text: string, spans: readonly TextSpan[], replacement: (part: string) => string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(done, start), replacement(text.slice(start, end)));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Reads one line of block style, with the brackets, quoted texts and block texts that begin on it. Returns where the next line begins. */
function scanLine(source: string, lineStart: number, spans: FlowSpans): number {
  let at = lineStart + (source.startsWith("---", lineStart) ? 3 : 0);
  // The column of the innermost list item or key on the line: text of `|` and `>` is indented deeper.
  let parent = -1;
  for (;;) {
    const from = at;
    at = skipBlanks(source, at);
    if (from > lineStart && source.slice(from, at).includes("\t")) spans.flows.push({ start: from, end: at });
    const char = source[at];
    if (char === undefined || isBreak(char) || char === "#" || (char === "%" && at === lineStart)) break;
    if ((char === "-" || char === "?") && isSpace(source[at + 1])) {
      parent = at - lineStart;
      at++;
    } else if (char === "!" || char === "&") {
      while (!isSpace(source[at])) at++;
    } else if (char === "|" || char === ">") {
      return skipBlockText(source, nextLine(source, at), parent);
    } else {
      const end = endOfNode(source, at, spans);
      if (end === undefined) return source.length;
      const colon = skipBlanks(source, end);
      const isKey = source[colon] === ":" && !hasBreak(source, at, end);
      // A plain scalar goes on in deeper lines.
      if (!isKey) return isMark(char) ? nextLine(source, end) : skipBlockText(source, nextLine(source, end), parent);
      parent = at - lineStart;
      at = colon + 1;
    }
  }
  return nextLine(source, at);
}

/** The end of a scalar or of brackets; undefined if they are not closed. A plain scalar ends at `: `, at a comment or with the line. */
function endOfNode(source: string, at: number, spans: FlowSpans): number | undefined {
  const char = source[at];
  if (!isMark(char)) return endOfPlain(source, at);
  const end = char === "[" || char === "{" ? endOfBrackets(source, at, spans) : endOfQuotes(source, at);
  if (end !== undefined && (hasBreak(source, at, end) || source.slice(at, end).includes("\t")))
    spans.flows.push({ start: at, end });
  return end;
}

function endOfPlain(source: string, start: number): number {
  let at = start;
  for (; at < source.length && !isBreak(source[at]); at++) {
    if (source[at] === ":" && isSpace(source[at + 1])) return at;
    if (source[at] === "#" && isBlank(source[at - 1])) return at;
  }
  return at;
}

function endOfQuotes(source: string, start: number): number | undefined {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\" && quote === '"') at++;
    else if (source[at] === quote) {
      if (quote === '"' || source[at + 1] !== "'") return at + 1;
      at++;
    }
  }
  return undefined;
}

function endOfBrackets(source: string, start: number, { comments }: FlowSpans): number | undefined {
  let depth = 0;
  // True where a scalar may begin: only there are quotes marks.
  let begins = true;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (char === "[" || char === "{" || char === ",") {
      if (char !== ",") depth++;
      begins = true;
    } else if (char === "]" || char === "}") {
      if (--depth === 0) return at + 1;
      begins = false;
    } else if (char === "#" && isSpace(source[at - 1])) {
      const end = endOfLine(source, at);
      comments.push({ start: at, end });
      at = end - 1;
    } else if (begins && (char === '"' || char === "'")) {
      const end = endOfQuotes(source, at);
      if (end === undefined) return undefined;
      at = end - 1;
      // Behind a quoted key a value may follow without a space.
      begins = source[skipBlanks(source, end)] === ":";
    } else if (char === ":" && isSpace(source[at + 1])) {
      begins = true;
    } else if (char !== ":" && !isSpace(char)) {
      begins = false;
    }
  }
  return undefined;
}

/** The first line that is not deeper than the parent of a text of several lines. */
function skipBlockText(source: string, start: number, parent: number): number {
  let line = start;
  while (line < source.length) {
    let at = line;
    while (source[at] === " ") at++;
    if (at - line <= parent && !isBreak(source[at])) return line;
    line = nextLine(source, at);
  }
  return line;
}

/** True for what opens a quoted text or brackets. */
const isMark = (char: string | undefined): boolean => char === '"' || char === "'" || char === "[" || char === "{";
const isBreak = (char: string | undefined): boolean => char === "\n" || char === "\r";
const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";
const isSpace = (char: string | undefined): boolean => char === undefined || isBlank(char) || isBreak(char);

const hasBreak = (source: string, start: number, end: number): boolean => endOfLine(source, start) < end;

function skipBlanks(source: string, start: number): number {
  let at = start;
  while (isBlank(source[at])) at++;
  return at;
}

function endOfLine(source: string, start: number): number {
  let at = start;
  while (at < source.length && !isBreak(source[at])) at++;
  return at;
}

function nextLine(source: string, start: number): number {
  const end = endOfLine(source, start);
  return source[end] === "\r" && source[end + 1] === "\n" ? end + 2 : end + 1;
}
