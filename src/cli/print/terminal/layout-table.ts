import { printable } from "../../../core/model/words/printable.ts";
import { type Piece, shorten, textOf, widthOf } from "./styled-text.ts";

export interface Column {
  readonly header: string;
  /** True if the column is cut first on a narrow terminal. */
  readonly flexible?: true;
  /** The width that a flexible column keeps as long as other columns can be omitted. */
  readonly least?: number;
  /** The order in which columns are omitted if cutting is not enough: columns with 1 first, from right to left, then those with 2. */
  readonly optional?: number;
  readonly align?: "right";
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Piece[])[];
}

const GAP = 3;
const LEAST_FLEXIBLE = 12;
const LEAST = 5;

/** Lays out a table as kubectl does: no rules, headers in capitals, three spaces between columns. `columns` is the terminal width; undefined: nothing is cut. */
export function layoutTable(
  table: Table,
  { columns, headers }: { readonly columns: number | undefined; readonly headers: boolean },
): readonly (readonly Piece[])[] {
  const natural = naturalWidths(table, headers);
  const shown = columns === undefined ? natural.map((width) => width) : fitWidths(table.columns, natural, columns);
  const line = (cells: readonly Piece[]): readonly Piece[] => layoutRow(table.columns, cells, shown);
  return [...(headers ? [line(table.columns.map(({ header }) => header))] : []), ...table.rows.map(line)];
}

/** True if a table has all its columns at a width, and flexible columns at least their least width. */
export function tableFits(
  table: Table,
  { columns, headers }: { readonly columns: number | undefined; readonly headers: boolean },
): boolean {
  if (columns === undefined) return true;
  const widths = naturalWidths(table, headers).map((width, index) =>
    Math.min(width, leastWidth(table.columns[index]) ?? width),
  );
  return total(widths) <= columns;
}

const leastWidth = (column: Column | undefined): number | undefined =>
  column?.flexible ? (column.least ?? LEAST_FLEXIBLE) : undefined;

function naturalWidths({ columns, rows }: Table, headers: boolean): readonly number[] {
  return columns.map(({ header }, index) =>
    rows.reduce((most, row) => Math.max(most, cellWidth(row[index])), headers ? header.length : 0),
  );
}

const cellWidth = (cell: Piece | undefined): number => (cell === undefined ? 0 : widthOf(printable(textOf(cell))));

/** The width of each column. 0: the column is omitted. */
function fitWidths(columns: readonly Column[], natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  shrink(widths, available, (index) => leastWidth(columns[index]));
  for (const dropped of dropOrder(columns)) {
    if (total(widths) <= available) break;
    widths[dropped] = 0;
    // The width of the omitted column goes back to the columns that were cut.
    natural.forEach((width, at) => {
      if (widths[at] !== 0) widths[at] = width;
    });
    shrink(widths, available, (at) => leastWidth(columns[at]));
  }
  shrink(widths, available, () => LEAST);
  return widths;
}

const dropOrder = (columns: readonly Column[]): readonly number[] =>
  columns
    .flatMap(({ optional }, index) => (optional === undefined ? [] : [{ optional, index }]))
    .sort((a, b) => a.optional - b.optional || b.index - a.index)
    .map(({ index }) => index);

/** Shrinks the widest flexible column until the row fits or no column can shrink. */
function shrink(widths: number[], available: number, least: (index: number) => number | undefined): void {
  for (let excess = total(widths) - available; excess > 0; excess = total(widths) - available) {
    const giving = widths
      .map((width, index) => ({ index, spare: width - Math.max(least(index) ?? width, 1), width }))
      .filter(({ spare, width }) => spare > 0 && width > 0)
      .sort((a, b) => b.width - a.width);
    const [widest, next] = giving;
    if (widest === undefined) return;
    const step = Math.min(widest.spare, excess, Math.max(1, next === undefined ? excess : widest.width - next.width));
    widths[widest.index] = widest.width - step;
  }
}

function total(widths: readonly number[]): number {
  const used = widths.filter((width) => width > 0);
  return used.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, used.length - 1);
}

function layoutRow(columns: readonly Column[], cells: readonly Piece[], widths: readonly number[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let gap = 0;
  columns.forEach(({ align }, index) => {
    const width = widths[index] ?? 0;
    if (width === 0) return;
    const cell = cells[index] ?? "";
    const text = shorten(printable(textOf(cell)), width);
    const padding = width - widthOf(text);
    if (gap + (align === "right" ? padding : 0) > 0) pieces.push(" ".repeat(gap + (align === "right" ? padding : 0)));
    pieces.push(typeof cell === "string" ? text : { ...cell, text });
    gap = GAP + (align === "right" ? 0 : padding);
  });
  return pieces;
}
