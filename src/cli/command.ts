import type { LoadedSource } from "../sources/load-source.ts";
import type { Option, OptionValues } from "./args/option.ts";
import type { CliIo } from "./cli-io.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Printer } from "./print/create-printer.ts";

/** One command. Each has a file in `commands/` that exports one as `command`, and a row in `command-table.ts`. */
export interface Command {
  /** The words after the command's name: `TARGET…`. One line for each way to call it. */
  readonly usage: readonly string[];
  /** Paragraphs for `help COMMAND`. */
  readonly description: readonly string[];
  /** Its own, besides those of `takes`. */
  readonly options: readonly Option[];
  /** Groups of options that several commands have: see `option-groups.ts`. */
  readonly takes: readonly OptionGroup[];
  /** What `-o` can be; empty: there is no `-o`. */
  readonly outputs: readonly string[];
  readonly examples: readonly Example[];
  run(context: CommandContext): Promise<ExitCode>;
}

/** `source`: -f and how documents are read. `scope`: -n, -A, -l. `table`: --no-headers. */
export type OptionGroup = "source" | "scope" | "table";

/** `line` begins after the program's name; every example is run in a test. */
export interface Example {
  readonly what: string;
  readonly line: string;
}

/** A command before it is loaded. */
export interface LoadableCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export interface CommandContext {
  readonly args: readonly string[];
  readonly options: OptionValues;
  /** The value of `-o`; undefined: the command's own format for people. */
  readonly output: string | undefined;
  readonly io: CliIo;
  /** Every command, for one that speaks of the others. */
  readonly commands: readonly LoadableCommand[];
  /** `For example: …`, with a command line that works here. */
  readonly example: string;
  /** `See 'prevail help COMMAND'.` */
  readonly seeHelp: string;
  readonly print: Printer;
  /** For people, on standard error. */
  readonly errorPrint: Printer;
  /** Reads the source that the options name. Undefined: there is nothing to answer from, and the reason has been printed. */
  readonly load: () => Promise<LoadedSource | undefined>;
  /** Prints `error: …` and gives the exit code for it. Each hint is a line of its own. */
  readonly fail: (message: string, ...hints: readonly string[]) => ExitCode;
  /** Prints `note: …` for people, beside the answer and never in it. */
  readonly note: (message: string) => void;
}
