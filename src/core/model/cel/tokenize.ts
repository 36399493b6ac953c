import { CelUnsupported } from "./values.ts";

/** A part of an expression. `text` of a string is its value. */
export interface Token {
  readonly type: "name" | "quoted name" | "int" | "double" | "string" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

const SPACE = /(?:[\t\n\f\r ]|\/\/[^\n]*)*/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const SIGN = /&&|\|\||==|!=|<=|>=|[<>+\-*/%!?:.,()[\]{}]/y;
const TEXT_START = /([rR]?)("""|'''|"|')/y;
const QUOTED_NAME = /`([a-zA-Z0-9_.\-/ ]+)`/y;

/** Splits an expression into tokens. Throws CelUnsupported if it is not CEL, or if it uses unsigned integers or bytes. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skip(SPACE, source, 0);
  while (at < source.length) {
    const [token, next] = readToken(source, at);
    tokens.push(token);
    at = skip(SPACE, source, next);
  }
  tokens.push({ type: "end", text: "", at });
  return tokens;
}

function skip(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readToken(source: string, at: number): readonly [Token, number] {
  if (/^[bB][rR]?["']|^[rR][bB]["']/.test(source.slice(at, at + 3)))
    throw new CelUnsupported("bytes are not supported");
  const quote = match(TEXT_START, source, at);
  if (quote !== null) return readText(source, at, quote[2] as string, quote[1] !== "");
  const name = match(NAME, source, at);
  if (name !== null) return [{ type: "name", text: name[0], at }, at + name[0].length];
  const quoted = match(QUOTED_NAME, source, at);
  if (quoted !== null) return [{ type: "quoted name", text: quoted[1] as string, at }, at + quoted[0].length];
  const number = match(NUMBER, source, at);
  if (number !== null) return readNumber(source, at, number[0]);
  const sign = match(SIGN, source, at);
  if (sign !== null) return [{ type: "sign", text: sign[0], at }, at + sign[0].length];
  throw new CelUnsupported(`syntax error at character ${at + 1}: unexpected ${JSON.stringify(source[at])}`);
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
