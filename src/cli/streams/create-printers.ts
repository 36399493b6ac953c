import type { OptionValues } from "../args/option.ts";
import type { CliIo } from "../cli-io.ts";
import { createPrinter, type Printer } from "../print/terminal/create-printer.ts";
import { wantsColour } from "./wants-colour.ts";

/** The printers for both streams. `options` are absent as long as the command line is not parsed. */
export function createPrinters(
  io: CliIo,
  options?: OptionValues,
): { readonly print: Printer; readonly errorPrint: Printer } {
  const { columns, env, isTerminal } = io;
  const mode = options?.value("color");
  return {
    print: createPrinter({
      write: io.stdout,
      columns,
      colour: wantsColour(mode, { env, isTerminal: isTerminal.stdout }),
      headers: options?.has("no-headers") !== true,
    }),
    errorPrint: createPrinter({
      write: io.stderr,
      columns,
      colour: wantsColour(mode, { env, isTerminal: isTerminal.stderr }),
      headers: true,
    }),
  };
}
