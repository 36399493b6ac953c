/**
 * Text from the input in Markdown of GitHub and GitLab. Names and values may have been written by anyone who can open a pull request, so they stand in code spans
 * and code blocks only: there, neither Markdown nor HTML nor a mention (`@team`, `#123`) has a meaning.
 */
import { printable } from "../../../core/model/words/printable.ts";

/** A text in one line, at most `maxLength` characters of it. */
const clipped = (text: string, maxLength: number): string => {
  const line = printable(text);
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
};

/** The longest run of backticks in a text. */
const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

/** A code span, whose delimiter is longer than any run of backticks in it. */
export function codeSpan(text: string, maxLength = 300): string {
  const line = clipped(text, maxLength);
  if (line.trim() === "") return "";
  const delimiter = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${delimiter}${pad}${line}${pad}${delimiter}`;
}

/** A code span in the cell of a table, where a `|` ends the cell even in code, and a backslash before it does not help. */
export const codeCell = (text: string): string => codeSpan(printable(text).replaceAll(/[|\\]/g, "�"), MAX_CELL);

const MAX_CELL = 100;

/** Words of our own stay text. Words with anything that could mean something are code: kinds are names from the input, too. */
export const textOrCode = (text: string): string => (isPlain(text) ? text : codeSpan(text, 1000));

/** In the cell of a table, words of our own stay text, too. */
export const textOrCodeCell = (text: string): string => (isPlain(text) ? text : codeCell(text));

/** In HTML, such as `<summary>`. */
export const htmlOrCode = (text: string): string =>
  isPlain(text) ? text : `<code>${escapeHtml(clipped(text, 300))}</code>`;

const isPlain = (text: string): boolean => /^[A-Za-z0-9 .,:;()→]*$/.test(text) && !/www\.|GH|\w\.\w/i.test(text);

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A code block, whose fence is longer than any run of backticks in it. */
export function codeBlock(lines: readonly string[], language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [`${fence}${language}`, ...lines, fence].join("\n");
}
