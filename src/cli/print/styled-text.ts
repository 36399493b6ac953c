/** Text for people, before anyone knows whether there is colour or how wide the lines are. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Styled {
  readonly text: string;
  readonly style: Style;
}

export type Piece = string | Styled;

export const styled = (text: string, style: Style): Styled => ({ text, style });
export const textOf = (piece: Piece): string => (typeof piece === "string" ? piece : piece.text);

/** Input is hostile: a name or a value must not move the cursor, colour the screen or turn the direction of writing. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });

const GLUE = "\u00a0";
/** Spaces at which no line is broken: names that belong to their kind. They come out as spaces. */
export const glued = (text: string): string => text.replaceAll(" ", GLUE);
export const unglued = (text: string): string => text.replaceAll(GLUE, " ");

/** What a text takes on a terminal, near enough: characters, not code units. */
export function widthOf(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) if (!isLowSurrogate(text.charCodeAt(at))) width++;
  return width;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Cut to fit, with an ellipsis in place of what is missing. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width <= 1
    ? "…".slice(0, width)
    : `${Array.from(text)
        .slice(0, width - 1)
        .join("")}…`;
}
