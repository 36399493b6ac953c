import type { CliIo } from "../cli-io.ts";
import type { CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";
import { printRefusal } from "./print-refusal.ts";

/** How a command reports what is wrong, and the exit code that follows from it. */
export interface MistakeReports extends Pick<CommandContext, "fail" | "failWith" | "note"> {
  /** Prints something before the first failure, once. A command that answers says it in its caveats; one that fails has none. */
  readonly beforeFailure: (print: () => void) => void;
  /** Prints now what would be printed before the first failure. */
  readonly printPending: () => void;
  /** Without an answer the program ends with this code, unless an earlier failure had another one. */
  readonly refuse: (code: ExitCode) => void;
  /** The exit code of the program, from what the command returned. */
  readonly codeAfter: (code: ExitCode) => ExitCode;
}

export function reportMistakes({ program }: CliIo, errorPrint: Printer, isQuiet: boolean): MistakeReports {
  let pending = (): void => {};
  let refused: ExitCode | undefined;
  const printPending = (): void => {
    const print = pending;
    pending = () => {};
    print();
  };
  const refuse = (code: ExitCode): void => {
    refused ??= code;
  };
  const failWith: CommandContext["failWith"] = (code, message, ...hints) => {
    printPending();
    printRefusal(errorPrint, program, message, hints);
    refuse(code);
    return code;
  };
  return {
    fail: (message, ...hints) => failWith(exitCodes.usage, message, ...hints),
    failWith,
    note: (message) => {
      if (!isQuiet) errorPrint.paragraph({ hanging: 6 }, styled("note:", "yellow"), ` ${message}`);
    },
    beforeFailure: (print) => {
      pending = print;
    },
    printPending,
    refuse,
    // A command that could not answer returns `failed`. The reason that was printed knows better.
    codeAfter: (code) => (code === exitCodes.failed && refused !== undefined ? refused : code),
  };
}
