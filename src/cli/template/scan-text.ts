/** The index of the closing quote of a quoted text that begins at `from`; -1 if it has none. A backslash escapes the next character. */
export function endOfQuote(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

export const isQuote = (character: string): boolean => character === '"' || character === "'";

/** The index of the first character for which `isWanted` is true outside of quotes and, below `from`, outside of brackets and parentheses; -1 if there is none. */
export function indexOutside(text: string, from: number, isWanted: (character: string) => boolean): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (depth === 0 && isWanted(character)) return at;
    if (character === "\\") at++;
    else if (isQuote(character)) {
      const end = endOfQuote(text, at);
      if (end === -1) return -1;
      at = end;
    } else if (character === "[" || character === "(") depth++;
    else if (character === "]" || character === ")") depth--;
  }
  return -1;
}

/** Splits a text at commas outside of quotes, brackets and parentheses. */
export function splitOutside(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = indexOutside(text, 0, isComma); at !== -1; at = indexOutside(text, from, isComma)) {
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}

const isComma = (character: string): boolean => character === ",";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** The text in quotes, with the escapes of a Go string: `\n`, `\t`, `\"`, `\x41`, `é`. Undefined: an escape is unknown. */
export function unquote(quoted: string): string | undefined {
  let isKnown = true;
  const text = quoted
    .slice(1, -1)
    .replaceAll(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.?))/gs,
      (
        _,
        hex: string | undefined,
        short: string | undefined,
        long: string | undefined,
        octal: string | undefined,
        one: string,
      ) => {
        const code = hex ?? short ?? long;
        if (code !== undefined) return fromCode(Number.parseInt(code, 16));
        if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
        const known = ESCAPES[one];
        if (known === undefined) isKnown = false;
        return known ?? "";
      },
    );
  return isKnown ? text : undefined;
}

const fromCode = (code: number): string => (code > 0x10_ff_ff ? "\ufffd" : String.fromCodePoint(code));
