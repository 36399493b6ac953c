import type { Printer } from "./create-printer.ts";

/** A printer whose lines are indented by `columns` more. */
export const indentPrinter = (print: Printer, columns: number): Printer => ({
  ...print,
  line: (...pieces) => print.line(...(pieces.length === 0 ? [] : [" ".repeat(columns)]), ...pieces),
  paragraph: ({ indent = 0, hanging = 0 }, ...pieces) =>
    print.paragraph({ indent: indent + columns, hanging }, ...pieces),
  table: (table, { indent = 0 } = {}) => print.table(table, { indent: indent + columns }),
});
