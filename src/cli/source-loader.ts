import type { Finding } from "../core/model/finding.ts";
import type { KnownDefinitions } from "../definitions/known-definitions.ts";
import { formatOrigin } from "../sources/format-origin.ts";
import type { LoadedSource } from "../sources/load-source.ts";
import type { OptionValues } from "./args/option.ts";
import { parseRedaction, redactOption } from "./args/redaction.ts";
import { chooseDefinitions } from "./choose-definitions.ts";
import type { CliIo } from "./cli-io.ts";
import { findClusterOption } from "./cluster/cluster-options.ts";
import { type ClusterRefusal, type ClusterResult, type OpenedCluster, refusing } from "./cluster/open-cluster.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadPaths } from "./load-paths.ts";
import { printUnreadable } from "./print/print-unreadable.ts";
import type { Printer } from "./print/terminal/create-printer.ts";
import { printRefusal } from "./streams/print-refusal.ts";
import type { MistakeReports } from "./streams/report-mistakes.ts";
import type { scopeProblem } from "./target/check-scope.ts";

export interface CommandSource {
  readonly io: CliIo;
  /** The options as they were given, without those that the cluster adds. */
  readonly given: OptionValues;
  readonly options: OptionValues;
  /** Undefined: the command does not read a cluster. */
  readonly cluster: ClusterResult<OpenedCluster> | undefined;
  readonly reports: MistakeReports;
  readonly errorPrint: Printer;
  /** A command line that has something to read, for those who gave nothing. */
  readonly example: string;
}

/** Returns a function that loads what a command reads, and reports the reason if there is nothing. */
export function sourceLoader(all: CommandSource): CommandContext["load"] {
  const { io, options, reports } = all;
  return async (origin) => {
    const paths = origin?.paths ?? options.values("filename");
    const isCluster = paths.length === 0 && origin === undefined;
    const chosen = isCluster ? undefined : findClusterOption(options);
    if (chosen !== undefined)
      return void reports.fail(`--${chosen} is about a cluster, and -f about files: leave one of them out`);
    const definitions = await chooseDefinitions(options, io);
    if (!definitions.ok) return void reports.failWith(exitCodes.input, definitions.message, ...definitions.hints);
    const { known } = definitions;
    const source = isCluster
      ? await loadFromCluster(all, known)
      : await loadPaths(origin ?? { paths }, options, io, known);
    if (source === undefined) return undefined;
    if (source.unreadable.length > 0) await noteUnreadable(source, all);
    const isEmpty = source.tables.objects.size === 0;
    if (isEmpty) reports.printPending();
    if (origin !== undefined) return source;
    if (isEmpty) return refuseEmpty(source, isCluster ? source.origin : formatOrigin(paths), reports);
    const problem = await problemOfScope(source, options);
    return problem === undefined ? source : void reports.fail(problem.message, problem.hint);
  };
}

async function loadFromCluster(
  { cluster, given, reports, example }: CommandSource,
  known: KnownDefinitions | undefined,
): Promise<LoadedSource | undefined> {
  if (cluster?.ok !== true) return void reports.fail(nothingToRead(cluster, given), ...(cluster?.hints ?? []), example);
  const loaded = await refusing(() => cluster.value.load(reports.note, known));
  return loaded.ok ? loaded.value : void reports.failWith(exitCodes.input, loaded.message, ...loaded.hints);
}

function refuseEmpty(source: LoadedSource, origin: string, { failWith, refuse }: MistakeReports): undefined {
  const leftOut = source.findings().map(({ message }) => message);
  if (source.unreadable.length === 0) failWith(exitCodes.input, `there are no objects in ${origin}`, ...leftOut);
  refuse(exitCodes.input);
}

/** Prints the resources that could not be read, before the first failure. */
async function noteUnreadable(
  source: LoadedSource,
  { io, options, reports, errorPrint }: CommandSource,
): Promise<void> {
  const visible = await visibleFindings(source, options);
  reports.beforeFailure(() => {
    printUnreadable(errorPrint, visible);
    if (visible.length < source.unreadable.length)
      printRefusal(errorPrint, io.program, "policies that may not be shown were left out", []);
  });
}

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
