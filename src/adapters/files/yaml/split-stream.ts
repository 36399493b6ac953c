/** A part of a stream with at most one YAML document. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** Line of `start`, from 1. */
  readonly line: number;
}

/**
 * Cuts a stream at its document markers, so that a broken document cannot take its neighbours with it. `---` and `...`
 * at the start of a line are markers wherever they stand: YAML 1.2 (rule c-forbidden) lets no content contain them,
 * and in block scalars content is indented.
 */
export function splitStream(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  let line = 1;
  let hasMarker = false;
  const cut = (end: number): void => {
    chunks.push({ start, end, line });
    line += countLines(text, start, end);
    start = end;
    hasMarker = false;
  };
  const markers = /^\uFEFF?(?:---|\.\.\.)(?![^ \t\r\n])/gm;
  for (let match = markers.exec(text); match !== null; match = markers.exec(text)) {
    if (!isLineStart(text, match.index)) continue;
    if (match[0].endsWith(".")) {
      cut(endOfLine(text, match.index));
    } else {
      // Comments and directives before the first `---` belong to the document it opens.
      if (hasMarker || !isPrologue(text, start, match.index)) cut(match.index);
      hasMarker = true;
    }
  }
  cut(text.length);
  return chunks;
}

/** JavaScript's `^` also matches behind U+2028 and U+2029, which are no line breaks in YAML. */
function isLineStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const before = text.charCodeAt(index - 1);
  return before === 10 || before === 13;
}

function isPrologue(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at = endOfLine(text, at)) {
    let first = at;
    while (first < end && (text[first] === " " || text[first] === "\t" || text[first] === "\uFEFF")) first++;
    const char = first < end ? text.charAt(first) : "\n";
    const isDirective = char === "%" && first === at;
    if (!isDirective && char !== "#" && char !== "\n" && char !== "\r") return false;
  }
  return true;
}

function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return at + 1;
    if (code === 13) return text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
  }
  return text.length;
}

/** Line breaks between two offsets: LF, CR LF or CR, as in YAML. */
export function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) lines++;
  }
  return lines;
}

export function startOfLine(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isLineStart(text, at)) at--;
  return at;
}
