import type { Finding } from "../core/model/finding.ts";
import { clipText } from "../core/model/words/clip-text.ts";
import { didYouMean } from "../core/model/words/did-you-mean.ts";
import { formatOrigin } from "../sources/format-origin.ts";
import type { LoadedSource } from "../sources/load-source.ts";
import type { OptionValues } from "./args/option.ts";
import { helpOption, optionsOf } from "./args/option-groups.ts";
import { parseArguments } from "./args/parse-arguments.ts";
import { parseRedaction, redactOption } from "./args/redaction.ts";
import type { CliIo } from "./cli-io.ts";
import type { Command, CommandContext } from "./command.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { printCommandHelp, printOverview } from "./help/text.ts";
import { createPrinter, type Printer } from "./print/create-printer.ts";
import { withProgress } from "./print/create-progress.ts";
import { printUnreadable } from "./print/print-unreadable.ts";
import { styled } from "./print/styled-text.ts";
import type { scopeProblem } from "./target/check-scope.ts";

/** Runs a command line (`argv` without the program) and returns its exit code. It neither throws nor exits. */
export async function execute(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    errorPrinter(io).line(styled("internal error:", "red"), ` ${reason}`);
    if (io.env["PREVAIL_DEBUG"] && error instanceof Error) io.stderr(`${error.stack}\n`);
    else io.stderr("This is a mistake in prevail. PREVAIL_DEBUG=1 shows where it happened.\n");
    return exitCodes.internal;
  }
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h") return help(rest, io);
  if (first === "--version") return dispatch(["version"], io);
  const entry = commandTable.find(({ name }) => name === first);
  if (entry === undefined) return unknownCommand(first, io);
  const { command } = await entry.load();
  const parsed = parseArguments(rest, optionsOf(command));
  if (!parsed.ok) return refuse(io, parsed.message, seeHelp(io, entry.name));
  const { args, options } = parsed;
  if (options.has(helpOption.name)) {
    printCommandHelp(outputPrinter(io), io.program, entry, command);
    return exitCodes.ok;
  }
  return runCommand(entry, command, { args, options }, io);
}

async function runCommand(
  entry: CommandEntry,
  command: Command,
  { args, options }: { readonly args: readonly string[]; readonly options: OptionValues },
  io: CliIo,
): Promise<ExitCode> {
  let isWhole = true;
  const line = command.examples.find((one) => one.line.includes(BAKERY))?.line ?? `${entry.name} -f ${BAKERY}`;
  const example = `For example: ${io.program} ${line.replaceAll(BAKERY, await io.bakery())}`;
  const load: CommandContext["load"] = async (origin) => {
    const paths = origin?.paths ?? options.values("filename");
    if (paths.length === 0 && origin === undefined) {
      refuse(io, "nothing to read: name the objects with -f FILE, -f DIR or -f -", example);
      return undefined;
    }
    const { loadSource } = await import("../sources/load-source.ts");
    const defaultNamespace = options.value("default-namespace");
    const completeness = options.has("complete") ? "Complete" : "Partial";
    const source = await withProgress(io, (onFile) =>
      loadSource(paths, origin?.fileSystem ?? io.fileSystem, {
        defaultNamespace,
        completeness,
        onFile,
        nameOf: origin?.nameOf,
      }),
    );
    if (source.unreadable.length > 0) {
      isWhole = false;
      const visible = await visibleFindings(source, options);
      printUnreadable(errorPrinter(io), visible);
      if (visible.length < source.unreadable.length) refuse(io, "policies that may not be shown were left out");
    }
    if (origin !== undefined) return source;
    if (source.tables.objects.size > 0) {
      const problem = await problemOfScope(source, options);
      if (problem === undefined) return source;
      refuse(io, problem.message, problem.hint);
      return undefined;
    }
    const leftOut = source.findings().map(({ message }) => message);
    if (source.unreadable.length === 0) refuse(io, `there are no objects in ${formatOrigin(paths)}`, ...leftOut);
    return undefined;
  };
  const code = await command.run({
    args,
    options,
    output: options.value("output"),
    io,
    commands: commandTable,
    example,
    seeHelp: seeHelp(io, entry.name),
    print: outputPrinter(io, options),
    errorPrint: errorPrinter(io),
    load,
    fail: (message, ...hints) => refuse(io, message, ...hints),
    note: (message) => errorPrinter(io).paragraph({ hanging: 6 }, styled("note:", "yellow"), ` ${message}`),
  });
  return code === exitCodes.ok && !isWhole ? exitCodes.failed : code;
}

/** A namespace or a selector that matches nothing is a mistake. A mistake in the selector itself is reported by the command. */
async function problemOfScope(
  { world }: LoadedSource,
  options: OptionValues,
): Promise<ReturnType<typeof scopeProblem>> {
  if (!options.has("namespace") && !options.has("selector")) return undefined;
  const [{ parseScope }, { scopeProblem: problemOf }] = await Promise.all([
    import("./target/find-targets.ts"),
    import("./target/check-scope.ts"),
  ]);
  const parsed = parseScope(options);
  return parsed.ok ? problemOf(world, parsed.scope) : undefined;
}

/** The findings about unreadable input that redaction allows. */
async function visibleFindings(
  { unreadable, world }: LoadedSource,
  options: OptionValues,
): Promise<readonly Finding[]> {
  if (!options.has(redactOption.name)) return unreadable;
  const { redactFindings } = await import("./print/redact-findings.ts");
  const parsed = parseRedaction(options);
  return parsed.ok ? redactFindings(unreadable, world, parsed.redaction) : [];
}

const BAKERY = "examples/bakery";

async function help([name, ...others]: readonly string[], io: CliIo): Promise<ExitCode> {
  if (name === undefined || name.startsWith("-") || name === "help") {
    printOverview(outputPrinter(io), io.program);
    return exitCodes.ok;
  }
  const entry = commandTable.find((candidate) => candidate.name === name);
  if (entry === undefined) return unknownCommand(name, io);
  const more = others.find((word) => !word.startsWith("-"));
  if (more !== undefined) return refuse(io, `unexpected argument '${more}': help takes one command`, seeHelp(io, name));
  const { command } = await entry.load();
  printCommandHelp(outputPrinter(io), io.program, entry, command);
  return exitCodes.ok;
}

function unknownCommand(word: string, io: CliIo): ExitCode {
  const names = [...commandTable.map(({ name }) => name), "help"];
  const what = word.startsWith("-") ? "the command comes first, then its options" : `there is no command '${word}'`;
  return refuse(io, `${what}${didYouMean(word, names)}`, seeHelp(io));
}

const seeHelp = ({ program }: CliIo, command?: string): string =>
  `See '${program} help${command === undefined ? "" : ` ${command}`}'.`;

function refuse(io: CliIo, message: string, ...hints: readonly string[]): ExitCode {
  const print = errorPrinter(io);
  print.paragraph({ hanging: 7 }, styled("error:", "red"), ` ${clipText(message)}`);
  // A hint may be a command or name to copy, so it is not wrapped.
  for (const hint of hints) {
    if (hint.startsWith(" ") || hint.includes(`${io.program} `)) print.line(hint);
    else print.paragraph({ hanging: 2 }, hint);
  }
  return exitCodes.failed;
}

/** NO_COLOR disables colour unless it is empty (https://no-color.org). */
const wantsColour = ({ env }: CliIo): boolean => (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";

const outputPrinter = (io: CliIo, options?: OptionValues): Printer =>
  createPrinter({
    write: io.stdout,
    columns: io.columns,
    colour: io.isTerminal.stdout && wantsColour(io),
    headers: options?.has("no-headers") !== true,
  });

const errorPrinter = (io: CliIo): Printer =>
  createPrinter({
    write: io.stderr,
    columns: io.columns,
    colour: io.isTerminal.stderr && wantsColour(io),
    headers: true,
  });
