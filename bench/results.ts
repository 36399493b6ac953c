import type { Measurement } from "./bench-context.ts";

export interface Result extends Measurement {
  readonly bench: string;
}

/** Adds whether the bar is met: a value up to the bar meets it, unless the bench has set `ok`. */
export function resultOf(bench: string, measurement: Measurement): Result {
  const { bar } = measurement;
  const ok = measurement.ok ?? (bar === undefined ? undefined : measurement.value <= bar);
  return { bench, ...measurement, ...(ok === undefined ? {} : { ok }) };
}

export function isMissed(result: Result): boolean {
  return result.ok === false;
}

/** One line of JSON with a fixed order of keys. */
export function formatJson({ bench, case: name, metric, value, unit, bar, ok }: Result): string {
  return JSON.stringify({ bench, case: name, metric, value, unit, bar, ok });
}

const headings = ["CASE", "METRIC", "VALUE", "UNIT", "BAR", ""] as const;
const numeric = new Set([2, 4]);

/** A table without borders: text is aligned left, figures right; a missed bar is marked at the end of its row. */
export function formatTable(results: readonly Result[]): string {
  const rows = [headings, ...results.map(cells)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => formatRow(row, widths)).join("\n");
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const padded = row.map((cell, column) => {
    const width = widths[column] ?? 0;
    return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join("  ").trimEnd();
}

function cells(result: Result): readonly string[] {
  const bar = result.bar === undefined ? "" : formatNumber(result.bar);
  return [result.case, result.metric, formatNumber(result.value), result.unit, bar, verdict(result)];
}

function verdict({ ok }: Result): string {
  if (ok === undefined) return "";
  return ok ? "ok" : "MISSED";
}

/** Three significant digits, with separators for thousands: 0.0123, 12.3, 1,234. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 3;
  return digits === 0
    ? value.toLocaleString("en-US", { maximumFractionDigits: 0 })
    : value.toLocaleString("en-US", { maximumSignificantDigits: digits });
}
