import type { Severity } from "../../core/model/finding.ts";
import { objectId } from "../../core/model/refs.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { OptionValues } from "../args/option.ts";
import { redactionFor, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { isFailure } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import { chooseDefinitions } from "../choose-definitions.ts";
import type { CliIo } from "../cli-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { loadPaths } from "../load-paths.ts";
import { printData } from "../print/data/print-data.ts";
import { scopeProblem } from "../target/check-scope.ts";
import type { Focus } from "../watch/focus.ts";
import { followAnswer } from "../watch/follow-answer.ts";
import { watchOption } from "../watch/watch-option.ts";
import { type FailingSeverity, failOnOption, isFailing, parseFailOn } from "./fail-on.ts";
import { findCode } from "./find-code.ts";
import { buildFindingReport, dataplaneNames, type FindingReport, severities } from "./finding-report.ts";
import { type Baseline, formatBaseline } from "./ignore/baseline.ts";
import { formatIgnored } from "./ignore/format-ignored.ts";
import { loadIgnoring } from "./ignore/load-ignoring.ts";
import { ignoreOption } from "./ignore/parse-ignores.ts";
import { listCodes } from "./list-codes.ts";
import { repositoryPaths } from "./repository-path.ts";

const DEFAULT_SEVERITY: Severity = "warning";

export const command: Command = {
  usage: [
    "[-f FILE|DIR|-] [--severity error|warning|info] [--fail-on error|warning|never] [--dataplane embedded|envoy]",
    "[-f FILE|DIR|-] --write-baseline FILE",
    "--explain CODE",
    "--list",
  ],
  description: [
    "Prints what is wrong with the configuration: documents that cannot be read, references to missing objects, policies whose target does not exist, that conflict or never take effect, " +
      "conditions that are never true, retries that do not fit into their timeout, and status that differs from the verdict. Each finding has a position, a message and a fix.",
    "With --dataplane also what the gateway cannot serve as configured: requests that get a 500, unsupported features and, with envoy, settings that Envoy refuses or supports only approximately.",
    "CoverageRule documents among the files state, in CEL, what every effective policy must satisfy. A violation is a finding.",
    "Findings that are accepted can be ignored: by the annotation prevail.dev/ignore: CODE,… on the object, by --ignore, or by a baseline file, which names them by code, object and field, so that it survives edits. " +
      "Ignored findings do not fail, and are counted in the output.",
    "The exit code is 1 if there are findings that --fail-on names, by default errors and warnings, and 65 if a file or a document cannot be read. Every code has a section in docs/findings.md, which --explain prints.",
  ],
  options: [
    {
      name: "severity",
      value: severities.join("|"),
      choices: severities,
      help: `show findings of this severity and above (default: ${DEFAULT_SEVERITY})`,
    },
    failOnOption,
    {
      name: "dataplane",
      value: dataplaneNames.join("|"),
      choices: dataplaneNames,
      help: "also report what this gateway cannot serve as configured (default: no gateway)",
    },
    ignoreOption,
    {
      name: "baseline",
      value: "FILE",
      help: "ignore the findings that this file has, and report its entries that match none",
    },
    { name: "write-baseline", value: "FILE", help: "write the findings that are shown to this file, for --baseline" },
    { name: "explain", value: "CODE", help: "print what a code means, why it matters and how to fix it" },
    { name: "list", help: "print every code with its severity and meaning" },
    watchOption,
    redactOption,
  ],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["sarif", "junit", "github", "json"],
  examples: [
    { what: "What is wrong with the bakery?", line: "check -f examples/bakery" },
    { what: "Errors only", line: "check --severity error -f examples/bakery" },
    {
      what: "Errors and warnings, but only errors are a failure",
      line: "check --fail-on error -f examples/bakery",
    },
    {
      what: "All findings about objects in the namespace shop",
      line: "check -n shop --severity info -f examples/bakery",
    },
    {
      what: "Also what Envoy cannot serve as configured",
      line: "check --dataplane envoy -f examples/bakery",
    },
    {
      what: "Without two kinds of findings, one of them about one object only",
      line: "check --ignore RuleNameCollision,TargetNotFound=retrypolicy/no-double-orders -f examples/bakery",
    },
    { what: "What does a code mean?", line: "check --explain NeverTakesEffect" },
    { what: "All codes", line: "check --list" },
    { what: "As annotations on a pull request", line: "check -o github -f examples/bakery" },
    { what: "For a code scanner", line: "check -o sarif -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, fail, load, io } = context;
    const code = options.value("explain");
    if (code !== undefined) return explainCode(code, context);
    if (options.has("list")) return listCodes(context);
    const [word] = args;
    if (word !== undefined)
      return fail(
        `unexpected argument '${word}': check takes options only`,
        `Files are given with -f: ${io.program} check -f ${word}`,
      );
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope } = parsed.view;
    const failOn = parseFailOn(options);
    if (!failOn.ok) return fail(failOn.message);
    const paths = options.values("filename");
    const source = paths.length === 0 ? await load() : await loadAll(paths, context);
    if (source === undefined) return exitCodes.failed;
    const problem = scopeProblem(source.world, scope);
    if (problem !== undefined && source.tables.objects.size > 0) return fail(problem.message, problem.hint);
    const severity = severities.find((one) => one === options.value("severity")) ?? DEFAULT_SEVERITY;
    const dataplane = dataplaneNames.find((one) => one === options.value("dataplane"));
    const ignoring = await loadIgnoring(source.world, context);
    if (typeof ignoring === "number") return ignoring;
    const redaction = redactionFor(parsed.view.redaction, source.world);
    const reporting = { scope, severity, redaction, dataplane, ignoring };
    const report = await buildFindingReport(source, reporting);
    if (report.newBaseline !== undefined) {
      const code = await writeBaseline(report.newBaseline, context);
      if (code !== exitCodes.ok) return code;
    }
    await (writers[context.output ?? ""] ?? printText)(report, context);
    // These formats have no field for caveats and for what is ignored.
    if (["sarif", "junit", "github"].includes(context.output ?? "")) {
      for (const sentence of formatIgnored(report)) context.note(sentence);
      printCaveats(report.otherCaveats, context.errorPrint);
    }
    const focus = findingsFocus((now) => buildFindingReport(now, reporting));
    return followAnswer({ source, redaction, focus }, context, exitCodeOf(report, failOn.failing, options));
  },
};

/** The answer of `check`: the findings of its report. */
const findingsFocus = (build: (source: LoadedSource) => Promise<FindingReport>): Focus => ({
  hasPath: () => false,
  hasPolicy: () => false,
  findingsOf: async (source) =>
    (await build(source)).findings.map(({ object, code, severity, field, message }) => ({
      code,
      severity,
      message,
      ...(object === undefined ? {} : { object: objectId(object) }),
      ...(field === undefined ? {} : { field }),
    })),
});

/** Loads the source without printing unreadable documents: here they are findings of the report. */
async function loadAll(
  paths: readonly string[],
  { io, options, failWith }: CommandContext,
): Promise<LoadedSource | undefined> {
  const definitions = await chooseDefinitions(options, io);
  if (!definitions.ok) return void failWith(exitCodes.input, definitions.message, ...definitions.hints);
  const source = await loadPaths({ paths }, options, io, definitions.known);
  if (source.tables.objects.size > 0 || source.findings().length > 0) return source;
  failWith(exitCodes.input, `there are no objects in ${formatOrigin(paths)}`);
  return undefined;
}

type Write = (report: FindingReport, context: CommandContext) => Promise<void>;

/** The writer for each value of `-o`. A format is loaded only when it is used. */
const writers: Readonly<Record<string, Write>> = {
  json: async (report, { print }) => {
    const { findingsJson } = await import("./json.ts");
    printData(print, "json", findingsJson(report));
  },
  sarif: async (report, { print, io }) => {
    const [{ findingsSarif }, { findingDocs }] = await Promise.all([
      import("./sarif.ts"),
      import("./gen/finding-docs.ts"),
    ]);
    const docOf = (code: string): string | undefined => findingDocs.get(code);
    const nameOf = await namesIn(report, io);
    printData(print, "json", findingsSarif(report, { version: io.version(), docOf, nameOf }));
  },
  junit: async (report, { print }) => {
    const { findingsJunit } = await import("./junit.ts");
    print.raw(findingsJunit(report));
  },
  github: async (report, { print, io }) => {
    const { findingsGithub } = await import("./github.ts");
    print.raw(findingsGithub(report, await namesIn(report, io)));
  },
};

/** The files of a report, relative to the root of their repository. */
async function namesIn({ findings }: FindingReport, io: CliIo): Promise<(file: string) => string> {
  const positions = findings.flatMap(({ position, related }) => [position, ...related.map((other) => other.position)]);
  return repositoryPaths(
    positions.flatMap((position) => (position === undefined ? [] : [position.file])),
    io,
  );
}

const printText: Write = async (report, { print, io, options }) => {
  const { printFindings } = await import("./text.ts");
  const failOn = parseFailOn(options);
  const isFailed = (severity: Severity): boolean => failOn.ok && isFailing(severity, failOn.failing);
  const hiddenFail = [...report.occurring].some(isFailed) && !report.findings.some((one) => isFailed(one.severity));
  printFindings(report, print, { program: io.program, isQuiet: options.has("quiet"), hiddenFail });
};

/** Unreadable input is no matter of severity: what is in it was not checked. A broken caveat is a mistake in the input that was read, such as an error. */
function exitCodeOf(
  { occurring, isUnread, isBroken, caveats }: FindingReport,
  failing: FailingSeverity,
  options: OptionValues,
): ExitCode {
  if (isUnread) return exitCodes.input;
  const isPartial = isFailure(caveats, options);
  const hasFailing = [...occurring].some((severity) => isFailing(severity, failing));
  return hasFailing || isPartial || (isBroken && failing !== "never") ? exitCodes.failed : exitCodes.ok;
}

async function writeBaseline(baseline: Baseline, { options, io, failWith, note }: CommandContext): Promise<ExitCode> {
  const path = options.value("write-baseline") ?? "";
  try {
    await io.writeFile(path, formatBaseline(baseline));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failWith(exitCodes.output, `the baseline cannot be written: ${reason}`);
  }
  const { length } = baseline.findings;
  note(`${path} is written, with ${length === 1 ? "1 entry" : `${length} entries`}`);
  return exitCodes.ok;
}

async function explainCode(word: string, { print, fail }: CommandContext): Promise<ExitCode> {
  const search = findCode(word);
  if (!search.ok) return fail(search.message, search.hint);
  const [{ findingDocs }, { printFindingDoc }] = await Promise.all([
    import("./gen/finding-docs.ts"),
    import("./finding-doc-text.ts"),
  ]);
  printFindingDoc(findingDocs.get(search.code) ?? "", print);
  return exitCodes.ok;
}
