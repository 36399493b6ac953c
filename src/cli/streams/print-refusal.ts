import { clipText } from "../../core/model/words/clip-text.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";

/** Prints `error: …`, then each hint on its own line. */
export function printRefusal(print: Printer, program: string, message: string, hints: readonly string[]): void {
  print.paragraph({ hanging: 7 }, styled("error:", "red"), ` ${clipText(message)}`);
  // A hint may be a command or name to copy, so it is not wrapped.
  for (const hint of hints) {
    if (hint.startsWith(" ") || hint.includes(`${program} `)) print.line(clipText(hint));
    else print.paragraph({ hanging: 2 }, hint);
  }
}
