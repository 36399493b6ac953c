import type { Finding } from "../../core/model/finding.ts";
import type { Printer } from "./create-printer.ts";
import { formatPosition } from "./format-position.ts";
import { styled } from "./styled-text.ts";

const SHOWN = 10;

/** Says on standard error what of the input was left out, so that the output is not taken for complete. */
export function printUnreadable(print: Printer, findings: readonly Finding[]): void {
  for (const { code, message, source } of findings.slice(0, SHOWN)) {
    const place = source === undefined ? "" : ` ${code.startsWith("Path") ? source.file : formatPosition(source)}:`;
    print.paragraph({ hanging: 7 }, styled("error:", "red"), `${place} ${message}`);
  }
  if (findings.length > SHOWN) print.line(`… and ${findings.length - SHOWN} more; 'prevail check' lists them all.`);
}
