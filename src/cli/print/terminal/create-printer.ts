import { printable } from "../../../core/model/words/printable.ts";
import { layoutTable, type Table, tableFits } from "./layout-table.ts";
import { type Piece, type Style, textOf, unglued, widthOf } from "./styled-text.ts";

/** Prints all text output: it escapes control characters, adds colour and wraps lines to the terminal. */
export interface Printer {
  /** Prints one line without wrapping it. */
  line(...pieces: readonly Piece[]): void;
  /** Prints text that is wrapped at spaces. `hanging` is the additional indentation of all lines after the first. */
  paragraph(layout: { readonly indent?: number; readonly hanging?: number }, ...pieces: readonly Piece[]): void;
  /** Prints a table, indented by `indent`. With `whole` nothing is cut or omitted, however narrow the terminal is. */
  table(table: Table, layout?: { readonly indent?: number; readonly whole?: boolean }): void;
  /** True if a table fits on the terminal with all its columns. */
  fits(table: Table): boolean;
  /** True if lines have no limit, as in a pipe: then lists in tables are complete. */
  readonly isUnlimited: boolean;
  /** Prints text unchanged: for formats that have their own escaping, such as JSON. */
  raw(text: string): void;
}

export interface PrinterOptions {
  readonly write: (text: string) => void;
  readonly columns: number | undefined;
  readonly colour: boolean;
  readonly headers: boolean;
}

/** The line length of prose in a pipe or on a very wide terminal. */
const PROSE = 100;
const NARROWEST = 20;

export function createPrinter({ write, columns, colour, headers }: PrinterOptions): Printer {
  const paint = colour ? paintPiece : textOf;
  const put = (pieces: readonly Piece[]): void => write(`${unglued(pieces.map(paint).join("")).trimEnd()}\n`);
  return {
    line: (...pieces) => put(pieces.map(harmless)),
    paragraph: ({ indent = 0, hanging = 0 }, ...pieces) => {
      const width = Math.max(NARROWEST, Math.min(columns ?? PROSE, PROSE));
      for (const line of wrap(pieces.map(harmless), { width, indent, hanging })) put(line);
    },
    table: (table, { indent = 0, whole = false } = {}) => {
      const width = columns === undefined || whole ? undefined : columns - indent;
      for (const line of layoutTable(table, { columns: width, headers })) put([" ".repeat(indent), ...line]);
    },
    fits: (table) => tableFits(table, { columns, headers }),
    isUnlimited: columns === undefined,
    raw: write,
  };
}

const harmless = (piece: Piece): Piece =>
  typeof piece === "string" ? printable(piece) : { ...piece, text: printable(piece.text) };

/** `strong` is bold and green: for the answer itself, such as the value that takes effect. */
const codes: Readonly<Record<Style, readonly [on: string, off: string]>> = {
  bold: ["1", "22"],
  dim: ["2", "22"],
  red: ["31", "39"],
  green: ["32", "39"],
  yellow: ["33", "39"],
  cyan: ["36", "39"],
  strong: ["1;32", "22;39"],
};

function paintPiece(piece: Piece): string {
  if (typeof piece === "string" || piece.text === "") return textOf(piece);
  const [on, off] = codes[piece.style];
  return `\u001b[${on}m${piece.text}\u001b[${off}m`;
}

interface Wrapping {
  readonly width: number;
  readonly indent: number;
  readonly hanging: number;
}

/** Wraps at spaces. A word that is longer than a line gets its own line. */
function wrap(pieces: readonly Piece[], { width, indent, hanging }: Wrapping): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [];
  let line: Piece[] = [" ".repeat(indent)];
  let used = indent;
  let isEmpty = true;
  let space = false;
  for (const word of words(pieces)) {
    if (word === "space") {
      space = !isEmpty;
      continue;
    }
    const length = word.reduce((sum, piece) => sum + widthOf(textOf(piece)), 0);
    if (!isEmpty && used + (space ? 1 : 0) + length > width) {
      lines.push(line);
      line = [" ".repeat(indent + hanging)];
      used = indent + hanging;
      space = false;
    }
    if (space) line.push(" ");
    line.push(...word);
    used += length + (space ? 1 : 0);
    isEmpty = false;
    space = false;
  }
  return [...lines, line];
}

/** Splits pieces into words. A word may have several pieces, such as `(` and a name in another colour. */
function* words(pieces: readonly Piece[]): Iterable<readonly Piece[] | "space"> {
  let word: Piece[] = [];
  for (const piece of pieces) {
    const text = textOf(piece);
    for (const part of text.split(/( +)/)) {
      if (part === "") continue;
      if (!part.startsWith(" ")) {
        word.push(typeof piece === "string" ? part : { ...piece, text: part });
        continue;
      }
      if (word.length > 0) yield word;
      word = [];
      yield "space";
    }
  }
  if (word.length > 0) yield word;
}
