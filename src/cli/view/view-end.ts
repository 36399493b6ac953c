import type { EffectivePolicyView, PolicyReachView } from "../../core/view/view-types.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";

/** Prints the notes about what was left out of a view, and its caveats. */
export function printViewEnd({ caveats, notes }: EffectivePolicyView | PolicyReachView, print: Printer): void {
  for (const note of notes) print.paragraph({}, note);
  if (caveats.length === 0) return;
  print.line();
  print.line(styled("Caveats", "bold"));
  for (const { severity, message, fix } of caveats) {
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(`${severity}:`, severity === "broken" ? "red" : "yellow"),
      ` ${message}.`,
    );
    print.paragraph({ indent: 4, hanging: 2 }, styled("fix: ", "green"), fix);
  }
}
