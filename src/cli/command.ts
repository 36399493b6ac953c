import type { FileSystem } from "../adapters/files/file-system.ts";
import type { ClusterConnection } from "../sources/cluster/load-cluster.ts";
import type { LoadedSource } from "../sources/load-source.ts";
import type { Option, OptionValues } from "./args/option.ts";
import type { CliIo } from "./cli-io.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Printer } from "./print/terminal/create-printer.ts";

/** One command. `NAME/command.ts` exports it as `command`, and `command-table.ts` has a row for it. */
export interface Command {
  /** The arguments after the command's name, such as `TARGET…`. One line for each form. */
  readonly usage: readonly string[];
  /** Paragraphs for `help COMMAND`. */
  readonly description: readonly string[];
  /** The options of this command alone, in addition to those of `takes`. */
  readonly options: readonly Option[];
  /** Groups of options that several commands share. `option-groups.ts` defines them. */
  readonly takes: readonly OptionGroup[];
  /** The values of `-o`. Empty: the command has no `-o`. */
  readonly outputs: readonly string[];
  readonly examples: readonly Example[];
  run(context: CommandContext): Promise<ExitCode>;
}

/** `source`: -f and how documents are read. `cluster`: --context and the like; without -f the command reads a cluster. `definitions`: --definitions. `scope`: -n, -A, -l. `table`: --no-headers. */
export type OptionGroup = "cluster" | "source" | "definitions" | "scope" | "table";

/** An example for the help page. `line` begins after the program's name. A test runs every example. */
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

/** Where objects are read from, instead of the files of `-f`. Here there may be no objects. */
export interface SourceOrigin {
  readonly paths: readonly string[];
  readonly fileSystem: FileSystem;
  /** The name of a file in positions. */
  readonly nameOf: (file: string) => string;
}

export interface CommandContext {
  readonly args: readonly string[];
  readonly options: OptionValues;
  /** The value of `-o`. Undefined: the default text format. */
  readonly output: string | undefined;
  readonly io: CliIo;
  /** All commands, for `completion`. */
  readonly commands: readonly LoadableCommand[];
  /** `For example: …`, with the first example of the command. */
  readonly example: string;
  /** `See 'prevail help COMMAND'.` */
  readonly seeHelp: string;
  readonly print: Printer;
  /** Prints to standard error. */
  readonly errorPrint: Printer;
  /** The cluster that the command reads. Undefined: it reads files, or there is no cluster. */
  readonly cluster: ClusterConnection | undefined;
  /** Loads the source that the options name, or another one. Undefined if it has no objects. The reason has then been printed. */
  readonly load: (origin?: SourceOrigin) => Promise<LoadedSource | undefined>;
  /** Reports a mistake in the command line: prints `error: …`, then each hint on its own line, and returns the exit code. */
  readonly fail: (message: string, ...hints: readonly string[]) => ExitCode;
  /** Reports another reason why there is no answer: unusable input, or a server that cannot be started. */
  readonly failWith: (code: ExitCode, message: string, ...hints: readonly string[]) => ExitCode;
  /** Prints `note: …` to standard error, unless `-q` is given. */
  readonly note: (message: string) => void;
}
