import { layoutTable, type Table } from "./layout-table.ts";
import { type Piece, printable, type Style, textOf, unglued, widthOf } from "./styled-text.ts";

/** Where all text for people goes through: here it is made harmless, coloured, and fitted to the terminal. */
export interface Printer {
  /** One line as it is, however long. */
  line(...pieces: readonly Piece[]): void;
  /** Text that is broken at spaces; `hanging`: how much further its other lines are indented. */
  paragraph(layout: { readonly indent?: number; readonly hanging?: number }, ...pieces: readonly Piece[]): void;
  /** `indent`: how far from the left. */
  table(table: Table, layout?: { readonly indent?: number }): void;
  /** As it is: for JSON and the like, which have their own way of quoting. */
  raw(text: string): void;
}

export interface PrinterOptions {
  readonly write: (text: string) => void;
  readonly columns: number | undefined;
  readonly colour: boolean;
  readonly headers: boolean;
}

/** Prose in a pipe or on a very wide terminal is easier to read in lines of this length. */
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
    table: (table, { indent = 0 } = {}) => {
      const width = columns === undefined ? undefined : columns - indent;
      for (const line of layoutTable(table, { columns: width, headers })) put([" ".repeat(indent), ...line]);
    },
    raw: write,
  };
}

const harmless = (piece: Piece): Piece =>
  typeof piece === "string" ? printable(piece) : { ...piece, text: printable(piece.text) };

const codes: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
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

/** Breaks at spaces; a word that is longer than a line stands on one of its own. */
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

/** Words may be made of several pieces: `(` and a name in another colour belong together. */
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
