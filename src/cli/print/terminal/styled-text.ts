/** Styled text, independent of colour support and line width. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "strong";

export interface Styled {
  readonly text: string;
  readonly style: Style;
}

export type Piece = string | Styled;

export const styled = (text: string, style: Style): Styled => ({ text, style });
/** The text in one style, whatever styles its pieces have. */
export const restyled = (pieces: readonly Piece[], style: Style): readonly Styled[] =>
  pieces.map((piece) => styled(textOf(piece), style));
export const textOf = (piece: Piece): string => (typeof piece === "string" ? piece : piece.text);

const GLUE = "\u00a0";
/** Replaces spaces by non-breaking ones, for example between kind and name. They are printed as spaces. */
export const glued = (text: string): string => text.replaceAll(" ", GLUE);
export const unglued = (text: string): string => text.replaceAll(GLUE, " ");

/** The approximate width of a text on a terminal, in characters instead of code units. */
export function widthOf(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) if (!isLowSurrogate(text.charCodeAt(at))) width++;
  return width;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Cuts a text to a width and appends an ellipsis. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width <= 1
    ? "…".slice(0, width)
    : `${Array.from(text)
        .slice(0, width - 1)
        .join("")}…`;
}
