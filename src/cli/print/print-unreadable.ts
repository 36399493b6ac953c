import type { Finding } from "../../core/model/finding.ts";
import { formatPosition } from "../../core/model/words/format-position.ts";
import type { Printer } from "./terminal/create-printer.ts";
import { styled } from "./terminal/styled-text.ts";

const SHOWN = 10;

/** Prints the input that was ignored to standard error: the output may be incomplete. */
export function printUnreadable(print: Printer, findings: readonly Finding[]): void {
  for (const { code, message, source } of findings.slice(0, SHOWN)) {
    const prefix = source === undefined ? "" : ` ${code.startsWith("Path") ? source.file : formatPosition(source)}:`;
    print.paragraph({ hanging: 7 }, styled("error:", "red"), `${prefix} ${message}`);
  }
  if (findings.length > SHOWN) print.line(`… and ${findings.length - SHOWN} more; 'prevail check' lists them all.`);
}
