import type { Finding } from "../core/model/finding.ts";
import type { KnownDefinitions } from "../definitions/known-definitions.ts";
import { formatOrigin } from "../sources/format-origin.ts";
import type { LoadedSource } from "../sources/load-source.ts";
import type { OptionValues } from "./args/option.ts";
import { parseRedaction, redactOption } from "./args/redaction.ts";
import { chooseDefinitions } from "./choose-definitions.ts";
import type { CliIo } from "./cli-io.ts";
import { findClusterOption } from "./cluster/cluster-options.ts";
import { type ClusterRefusal, openCluster, refusing } from "./cluster/open-cluster.ts";
import type { Command, CommandContext } from "./command.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { loadPaths } from "./load-paths.ts";
import { printUnreadable } from "./print/print-unreadable.ts";
import { styled } from "./print/terminal/styled-text.ts";
import { createPrinters } from "./streams/create-printers.ts";
import { printRefusal } from "./streams/print-refusal.ts";
import type { scopeProblem } from "./target/check-scope.ts";

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
  const line = command.examples.find((one) => one.line.includes(BAKERY))?.line ?? `${entry.name} -f ${BAKERY}`;
  const example = `For example: ${io.program} ${line.replaceAll(BAKERY, await io.bakery())}`;
  /** Prints what could not be read, once. A command that answers says it in its caveats; one that fails has none. */
  let printPending = (): void => {};
  let refused: ExitCode | undefined;
  const failWith: CommandContext["failWith"] = (code, message, ...hints) => {
    printPending();
    printRefusal(errorPrint, io.program, message, hints);
    refused ??= code;
    return code;
  };
  const fail: CommandContext["fail"] = (message, ...hints) => failWith(exitCodes.usage, message, ...hints);
  const noteUnreadable = async (source: LoadedSource): Promise<void> => {
    const visible = await visibleFindings(source, options);
    printPending = () => {
      printPending = () => {};
      printUnreadable(errorPrint, visible);
      if (visible.length < source.unreadable.length)
        printRefusal(errorPrint, io.program, "policies that may not be shown were left out", []);
    };
  };
  const note: CommandContext["note"] = (message) => {
    if (!options.has("quiet")) errorPrint.paragraph({ hanging: 6 }, styled("note:", "yellow"), ` ${message}`);
  };
  const refuseCluster = ({ message, hints }: ClusterRefusal): undefined =>
    void failWith(exitCodes.input, message, ...hints);
  const loadFromCluster = async (known: KnownDefinitions | undefined): Promise<LoadedSource | undefined> => {
    if (cluster?.ok !== true) return void fail(nothingToRead(cluster, given), ...(cluster?.hints ?? []), example);
    const { value } = cluster;
    const loaded = await refusing(() => value.load(note, known));
    return loaded.ok ? loaded.value : refuseCluster(loaded);
  };
  const load: CommandContext["load"] = async (origin) => {
    const paths = origin?.paths ?? options.values("filename");
    const isCluster = paths.length === 0 && origin === undefined;
    const chosen = isCluster ? undefined : findClusterOption(options);
    if (chosen !== undefined) {
      fail(`--${chosen} is about a cluster, and -f about files: leave one of them out`);
      return undefined;
    }
    const definitions = await chooseDefinitions(options, io);
    if (!definitions.ok) return void failWith(exitCodes.input, definitions.message, ...definitions.hints);
    const { known } = definitions;
    const source = isCluster ? await loadFromCluster(known) : await loadPaths(origin ?? { paths }, options, io, known);
    if (source === undefined) return undefined;
    if (source.unreadable.length > 0) await noteUnreadable(source);
    if (origin !== undefined) {
      if (source.tables.objects.size === 0) printPending();
      return source;
    }
    if (source.tables.objects.size === 0) {
      printPending();
      const leftOut = source.findings().map(({ message }) => message);
      if (source.unreadable.length === 0)
        failWith(
          exitCodes.input,
          `there are no objects in ${isCluster ? source.origin : formatOrigin(paths)}`,
          ...leftOut,
        );
      refused ??= exitCodes.input;
      return undefined;
    }
    const problem = await problemOfScope(source, options);
    if (problem === undefined) return source;
    fail(problem.message, problem.hint);
    return undefined;
  };
  const output = options.value("output");
  const words = { args, options, output, example, seeHelp, commands: commandTable };
  return {
    context: {
      ...words,
      io,
      print,
      errorPrint,
      cluster: cluster?.ok === true ? cluster.value.connection : undefined,
      load,
      fail,
      failWith,
      note,
    },
    codeAfter: (code) => {
      // A command that could not answer returns `failed`. The reason that was printed knows better.
      return code === exitCodes.failed && refused !== undefined ? refused : code;
    },
  };
}

const BAKERY = "examples/bakery";

/** Neither files nor a cluster. A cluster that was asked for is the reason; otherwise files are the likelier wish. */
function nothingToRead(cluster: ClusterRefusal | undefined, options: OptionValues): string {
  const files = "nothing to read: name the objects with -f FILE, -f DIR or -f -";
  if (cluster === undefined) return files;
  return findClusterOption(options) === undefined
    ? `${files}, or choose a cluster: ${cluster.message}`
    : cluster.message;
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
  const { redactFindings } = await import("./print/redact/redact-findings.ts");
  const parsed = parseRedaction(options);
  return parsed.ok ? redactFindings(unreadable, world, parsed.redaction) : [];
}
