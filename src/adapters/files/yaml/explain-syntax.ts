import { startOfLine } from "./split-stream.ts";

/** The error of the YAML scanner, and its offset. */
export interface SyntaxFailure {
  readonly reason: string;
  readonly offset: number;
}

/** Gives the most frequent mistakes their own message, because the scanner calls most of them "bad indentation". */
export function explainSyntax(source: string, { reason, offset }: SyntaxFailure): string {
  const line = source.slice(startOfLine(source, offset), offset);
  if (reason.includes("tab characters") || /^ *\t/.test(line)) {
    return "a tab in the indentation: YAML allows only spaces there";
  }
  if (/deficient indentation|unexpected end/.test(reason) && offset >= source.trimEnd().length) {
    return "the document ends inside a bracket or a quoted text: close it";
  }
  const char = source.charAt(offset);
  if (/\$\{\w*$/.test(line) || /\$\{\w+\}/.test(source.slice(offset - line.length).split("\n", 1)[0] ?? ""))
    return "a placeholder such as ${NAME} where YAML has a bracket: replace placeholders first, such as with envsubst, or quote it";
  if ((char === "@" || char === "`" || char === "%") && line !== "")
    return `a value cannot begin with "${char}": quote it`;
  if (char === ":" && reason.includes("bad indentation")) {
    return "a `: ` where none can be: quote the text that contains it, or fix the indentation";
  }
  return `${reason}: this document is left out until it is fixed`;
}
