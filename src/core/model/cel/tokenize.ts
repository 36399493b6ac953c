import { CelUnsupported } from "./values.ts";

/** A part of an expression. `text` of a string is its value. */
export interface Token {
  readonly type: "name" | "quoted name" | "int" | "double" | "string" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

/** Space and comments, then a token: a name, a quoted name, a number, or a sign. Texts are read by hand. */
const TOKEN =
  /(?:[\t\n\f\r ]+|\/\/[^\n]*)*(?:([_a-zA-Z][_a-zA-Z0-9]*)|`([a-zA-Z0-9_.\-/ ]+)`|(0[xX][0-9a-fA-F]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?)|(&&|\|\||[=!<>]=|[<>+\-*/%!?:.,()[\]{}])|(["']|$))/y;
const BYTES = /^[bB][rR]?$|^[rR][bB]$/;

/** Splits an expression into tokens. Throws CelUnsupported if it is not CEL, or if it uses unsigned integers or bytes. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let next = 0; ; ) {
    TOKEN.lastIndex = next;
    const found = TOKEN.exec(source);
    if (found === null) throw new CelUnsupported(`syntax error at character ${next + 1}`);
    const [, name, quotedName, number, sign, quote] = found;
    const end = TOKEN.lastIndex;
    if (quote === "") {
      tokens.push({ type: "end", text: "", at: end });
      return tokens;
    }
    const [token, after] =
      quote !== undefined
        ? readText(source, end - 1, quoteAt(source, end - 1), false)
        : name !== undefined
          ? readName(source, end, name)
          : number !== undefined
            ? readNumber(source, end - number.length, number)
            : readPlain(end, quotedName, sign);
    tokens.push(token);
    next = after;
  }
}

const quoteAt = (source: string, at: number): string => {
  const one = source[at] as string;
  return source.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
};

function readPlain(end: number, quotedName: string | undefined, sign: string | undefined): readonly [Token, number] {
  const text = quotedName ?? sign ?? "";
  const at = end - text.length - (quotedName === undefined ? 0 : 2);
  return [{ type: quotedName === undefined ? "sign" : "quoted name", text, at }, end];
}

/** A name, or the prefix of a text: `r"…"` is raw, `b"…"` has bytes. */
function readName(source: string, end: number, name: string): readonly [Token, number] {
  const isBeforeText = name.length <= 2 && (source[end] === '"' || source[end] === "'");
  if (isBeforeText && BYTES.test(name)) throw new CelUnsupported("bytes are not supported");
  if (isBeforeText && /^[rR]$/.test(name)) return readText(source, end - 1, quoteAt(source, end), true);
  return [{ type: "name", text: name, at: end - name.length }, end];
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readNumber(source: string, at: number, text: string): readonly [Token, number] {
  const next = at + text.length;
  if (/[uU]/.test(source[next] ?? "")) throw new CelUnsupported("unsigned integers are not supported");
  const isDouble = !/^0[xX]/.test(text) && /[.eE]/.test(text);
  return [{ type: isDouble ? "double" : "int", text, at }, next];
}

function readText(source: string, at: number, quote: string, isRaw: boolean): readonly [Token, number] {
  let text = "";
  let next = at + quote.length + (isRaw ? 1 : 0);
  for (;;) {
    if (source.startsWith(quote, next)) return [{ type: "string", text, at }, next + quote.length];
    const one = source[next];
    if (one === undefined || (quote.length === 1 && (one === "\n" || one === "\r")))
      throw new CelUnsupported(`syntax error at character ${at + 1}: the string does not end`);
    if (one === "\\" && !isRaw) {
      const [character, length] = readEscape(source, next);
      text += character;
      next += length;
    } else {
      text += one;
      next++;
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "?": "?",
  '"': '"',
  "'": "'",
  "`": "`",
};
const CODE_POINT = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(source: string, at: number): readonly [string, number] {
  const simple = ESCAPES[source[at + 1] ?? ""];
  if (simple !== undefined) return [simple, 2];
  const code = match(CODE_POINT, source, at);
  const point =
    code === null
      ? Number.NaN
      : Number.parseInt(code[1] ?? code[2] ?? code[3] ?? code[4] ?? "", code[4] === undefined ? 16 : 8);
  if (code === null || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
    throw new CelUnsupported(`syntax error at character ${at + 1}: invalid escape in a string`);
  return [String.fromCodePoint(point), code[0].length];
}
