import type { Caveat } from "../../core/caveats/caveat.ts";
import type { CaveatSeverity } from "../../core/caveats/caveat-codes.ts";
import { summarizeCaveats } from "../../core/caveats/summarize-caveats.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { type Style, styled } from "../print/terminal/styled-text.ts";

const STYLES: Readonly<Record<CaveatSeverity, Style>> = { broken: "red", partial: "yellow" };

/** Prints the caveats at the end of an answer, under one heading. */
export function printCaveats(caveats: readonly Caveat[], print: Printer): void {
  if (caveats.length === 0) return;
  print.line();
  print.line(styled("Caveats", "bold"));
  for (const caveat of caveats) {
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(`${caveat.severity}:`, STYLES[caveat.severity]),
      ` ${formatCaveat(caveat)}`,
    );
    print.paragraph({ indent: 4, hanging: 2 }, styled("fix: ", "green"), caveat.fix);
  }
}

/** `policy-kinds.yaml:18: … 3 AuthPolicies are ignored until this is fixed.` */
export function formatCaveat({ message, objects: [first] }: Caveat): string {
  const at = first?.source === undefined ? "" : `${formatLine(first.source)}: `;
  return `${at}${message}.`;
}

/** `; 3 AuthPolicies are ignored, see below`. Empty without caveats. */
export function qualification(caveats: readonly Caveat[]): string {
  const summary = summarizeCaveats(caveats);
  return summary === undefined ? "" : `; ${summary}, see below`;
}
