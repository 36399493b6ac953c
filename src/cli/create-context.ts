import type { CliIo } from "./cli-io.ts";
import { openCluster } from "./cluster/open-cluster.ts";
import type { Command, CommandContext } from "./command.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import type { ExitCode } from "./exit-codes.ts";
import { sourceLoader } from "./source-loader.ts";
import { createPrinters } from "./streams/create-printers.ts";
import { reportMistakes } from "./streams/report-mistakes.ts";

export interface CreatedContext {
  readonly context: CommandContext;
  /** The exit code of the program, from what the command returned. */
  readonly codeAfter: (code: ExitCode) => ExitCode;
}

/** Builds what a command gets to run: its arguments, its printers, and the functions that load the source and report mistakes. */
export async function createContext(
  entry: CommandEntry,
  command: Command,
  { args, options: given, seeHelp }: Pick<CommandContext, "args" | "options" | "seeHelp">,
  io: CliIo,
): Promise<CreatedContext> {
  const readsCluster = command.takes.includes("cluster") && given.values("filename").length === 0;
  const cluster = readsCluster ? await openCluster(given, io) : undefined;
  const options = cluster?.ok === true ? cluster.value.options : given;
  const { print, errorPrint } = createPrinters(io, options);
  const reports = reportMistakes(io, errorPrint, options.has("quiet"));
  const line = command.examples.find((one) => one.line.includes(BAKERY))?.line ?? `${entry.name} -f ${BAKERY}`;
  const example = `For example: ${io.program} ${line.replaceAll(BAKERY, await io.bakery())}`;
  return {
    context: {
      args,
      options,
      output: options.value("output"),
      example,
      seeHelp,
      commands: commandTable,
      io,
      print,
      errorPrint,
      cluster: cluster?.ok === true ? cluster.value.connection : undefined,
      load: sourceLoader({ io, given, options, cluster, reports, errorPrint, example }),
      fail: reports.fail,
      failWith: reports.failWith,
      note: reports.note,
    },
    codeAfter: reports.codeAfter,
  };
}

const BAKERY = "examples/bakery";
