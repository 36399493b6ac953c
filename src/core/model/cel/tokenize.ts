import { encodeText } from "./bytes.ts";
import { CelSyntaxError } from "./values.ts";

/** A part of an expression. `text` of a string is its value; that of bytes has a character for each byte. */
export interface Token {
  readonly type: "name" | "quoted name" | "int" | "uint" | "double" | "string" | "bytes" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

/** Each character can be read in one way only, so that a long run of spaces or slashes is read once. */
const SPACE = /(?:[\t\n\f\r ]|\/\/[^\n]*(?:\n|$))*/y;
/** A name, a quoted name, a number, or a sign. Texts are read by hand. */
const TOKEN =
  /([_a-zA-Z][_a-zA-Z0-9]*)|`([a-zA-Z0-9_.\-/ ]+)`|(0[xX][0-9a-fA-F]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?)|(&&|\|\||[=!<>]=|[<>+\-*/%!?:.,()[\]{}])|(["']|$)/y;
const PREFIX = /^(?:[rR]|[bB]|[bB][rR]|[rR][bB])$/;

/** Splits an expression into tokens. Throws CelSyntaxError if it is not CEL. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let next = afterSpace(source, 0); ; ) {
    const found = match(TOKEN, source, next);
    if (found === null)
      throw new CelSyntaxError(`'${String.fromCodePoint(source.codePointAt(next) ?? 0)}' is not CEL`, next);
    const [, name, quotedName, number, sign, quote] = found;
    const end = TOKEN.lastIndex;
    if (quote === "") {
      tokens.push({ type: "end", text: "", at: end });
      return tokens;
    }
    const [token, after] =
      quote !== undefined
        ? readText(source, end - 1, "")
        : name !== undefined
          ? readName(source, end, name)
          : number !== undefined
            ? readNumber(source, end - number.length, number)
            : readPlain(end, quotedName, sign);
    tokens.push(token);
    next = afterSpace(source, after);
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

function afterSpace(source: string, at: number): number {
  const code = source.charCodeAt(at);
  if (code > 32 && code !== 47) return at;
  return at + (match(SPACE, source, at)?.[0].length ?? 0);
}

/** A name, or the prefix of a text: `r"…"` is raw, `b"…"` has bytes. */
function readName(source: string, end: number, name: string): readonly [Token, number] {
  if (PREFIX.test(name) && (source[end] === '"' || source[end] === "'"))
    return readText(source, end - name.length, name.toLowerCase());
  return [{ type: "name", text: name, at: end - name.length }, end];
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readNumber(source: string, at: number, text: string): readonly [Token, number] {
  const next = at + text.length;
  const isDouble = !/^0[xX]/.test(text) && /[.eE]/.test(text);
  if (!isDouble && /[uU]/.test(source[next] ?? "")) return [{ type: "uint", text, at }, next + 1];
  return [{ type: isDouble ? "double" : "int", text, at }, next];
}

function readText(source: string, at: number, prefix: string): readonly [Token, number] {
  const quote = quoteAt(source, at + prefix.length);
  const [isRaw, isBytes] = [prefix.includes("r"), prefix.includes("b")];
  let text = "";
  let next = at + prefix.length + quote.length;
  for (;;) {
    if (source.startsWith(quote, next)) return [{ type: isBytes ? "bytes" : "string", text, at }, next + quote.length];
    const one = source.codePointAt(next);
    if (one === undefined || (quote.length === 1 && (one === 10 || one === 13)))
      throw new CelSyntaxError("the string does not end", at);
    if (one === 92 && !isRaw) {
      const [character, length] = readEscape(source, next, isBytes);
      text += character;
      next += length;
    } else {
      const character = String.fromCodePoint(one);
      text += isBytes ? String.fromCharCode(...encodeText(character)) : character;
      next += character.length;
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

/** In bytes `\xff` and `\377` are a byte, and there are no code points. */
function readEscape(source: string, at: number, isBytes: boolean): readonly [string, number] {
  const simple = ESCAPES[source[at + 1] ?? ""];
  if (simple !== undefined) return [simple, 2];
  const code = match(CODE_POINT, source, at);
  const [, byte, short, long, octal] = code ?? [];
  const point = Number.parseInt(byte ?? short ?? long ?? octal ?? "", octal === undefined ? 16 : 8);
  const isWrong = isBytes
    ? short !== undefined || long !== undefined
    : point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff);
  if (code === null || isWrong) throw new CelSyntaxError("invalid escape in a string", at);
  return [String.fromCodePoint(point), code[0].length];
}
