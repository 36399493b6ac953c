import { didYouMean } from "../core/model/words/did-you-mean.ts";
import { helpOption, optionsOf, sharedOptions } from "./args/option-groups.ts";
import { parseArguments } from "./args/parse-arguments.ts";
import type { CliIo } from "./cli-io.ts";
import type { Command, CommandContext } from "./command.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import { createContext } from "./create-context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { findCommand } from "./find-command.ts";
import { printCommandHelp, printOverview } from "./help/text.ts";
import { styled } from "./print/terminal/styled-text.ts";
import { createPrinters } from "./streams/create-printers.ts";
import { printRefusal } from "./streams/print-refusal.ts";
import { suggestCommand } from "./suggest-command.ts";
import { watchMistake } from "./watch/watch-option.ts";

/** Runs a command line (`argv` without the program) and returns its exit code. It neither throws nor exits. */
export async function execute(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    createPrinters(io).errorPrint.line(styled("internal error:", "red"), ` ${reason}`);
    if (io.env["PREVAIL_DEBUG"] && error instanceof Error) io.stderr(`${error.stack}\n`);
    else io.stderr("This is a mistake in prevail. PREVAIL_DEBUG=1 shows where it happened.\n");
    return exitCodes.internal;
  }
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const [first, ...others] = argv;
  if (first === "--version") return dispatch(["version", ...others], io);
  const split = await findCommand(argv, commandTable);
  switch (split.found) {
    case "unknown option":
      return refuseUsage(io, unknownOption(split.word), seeHelp(io));
    case "nothing":
      return withoutCommand(argv, io);
    case "command":
      return split.name === "help" ? help(split.rest, io) : call(split.name, split.rest, io);
  }
}

function unknownOption(word: string): string {
  const name = word.split("=")[0] ?? word;
  const long = sharedOptions.flatMap((option) => (option.hidden ? [] : [`--${option.name}`]));
  return `there is no option ${name}${didYouMean(name, long)}`;
}

/** `prevail`, `prevail --help` and `prevail -h` print the overview. Other options alone are a mistake. */
function withoutCommand(argv: readonly string[], io: CliIo): ExitCode {
  const parsed = parseArguments(argv, sharedOptions);
  if (!parsed.ok) return refuseUsage(io, parsed.message, seeHelp(io));
  const isHelp = parsed.options.has(helpOption.name);
  if (argv.length > 0 && !isHelp) return refuseUsage(io, "no command given", seeHelp(io));
  printOverview(createPrinters(io, parsed.options).print, io.program);
  return exitCodes.ok;
}

async function call(name: string, rest: readonly string[], io: CliIo): Promise<ExitCode> {
  const entry = commandTable.find((candidate) => candidate.name === name);
  if (entry === undefined) return unknownCommand(name, rest, io);
  const { command } = await entry.load();
  const parsed = parseArguments(rest, optionsOf(command));
  if (!parsed.ok) return refuseUsage(io, parsed.message, seeHelp(io, name));
  const { args, options } = parsed;
  if (options.has(helpOption.name)) {
    printCommandHelp(createPrinters(io, options).print, io.program, entry, command);
    return exitCodes.ok;
  }
  const folder = options.value("kustomize");
  if (folder !== undefined) return refuseKustomize(entry, args, folder, io);
  const mistake = watchMistake(options);
  if (mistake !== undefined) return refuseUsage(io, mistake, seeHelp(io, name));
  const { context, codeAfter } = await createContext(entry, command, { args, options, seeHelp: seeHelp(io, name) }, io);
  return codeAfter(await runCommand(command, context));
}

/** Only an output such as `-o jsonpath=…` has a template. */
async function runCommand(command: Command, context: CommandContext): Promise<ExitCode> {
  if (context.output?.includes("=") !== true) return command.run(context);
  const { runWithTemplate } = await import("./template/run-with-template.ts");
  return (await runWithTemplate(command, context)) ?? command.run(context);
}

function refuseKustomize({ name }: CommandEntry, args: readonly string[], folder: string, io: CliIo): ExitCode {
  const line = [io.program, name, ...args, "-f -"].join(" ");
  return refuseUsage(
    io,
    `-k ${folder}: prevail does not build kustomizations; pipe what kustomize builds`,
    `kubectl kustomize ${folder} | ${line}`,
  );
}

async function help(words: readonly string[], io: CliIo): Promise<ExitCode> {
  const [name, more] = words.filter((word) => !word.startsWith("-"));
  if (name === undefined || name === "help") {
    printOverview(createPrinters(io).print, io.program);
    return exitCodes.ok;
  }
  const entry = commandTable.find((candidate) => candidate.name === name);
  if (entry === undefined) return unknownCommand(name, [], io);
  if (more !== undefined)
    return refuseUsage(io, `unexpected argument '${more}': help takes one command`, seeHelp(io, name));
  const { command } = await entry.load();
  printCommandHelp(createPrinters(io).print, io.program, entry, command);
  return exitCodes.ok;
}

function unknownCommand(word: string, rest: readonly string[], io: CliIo): ExitCode {
  const { message, hints } = suggestCommand(word, rest, { program: io.program, commands: commandTable });
  return refuseUsage(io, `there is no command '${word}'${message}`, ...hints, seeHelp(io));
}

const seeHelp = ({ program }: CliIo, command?: string): string =>
  `See '${program} help${command === undefined ? "" : ` ${command}`}'.`;

function refuseUsage(io: CliIo, message: string, ...hints: readonly string[]): ExitCode {
  printRefusal(createPrinters(io).errorPrint, io.program, message, hints);
  return exitCodes.usage;
}
