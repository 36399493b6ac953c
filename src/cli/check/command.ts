import type { Severity } from "../../core/model/finding.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { OptionValues } from "../args/option.ts";
import { redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { isStrict } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { loadPaths } from "../load-paths.ts";
import { printData } from "../print/print-data.ts";
import { scopeProblem } from "../target/check-scope.ts";
import { type FailingSeverity, failOnOption, isFailing, parseFailOn } from "./fail-on.ts";
import { buildFindingReport, dataplaneNames, type FindingReport, severities } from "./finding-report.ts";

const DEFAULT_SEVERITY: Severity = "warning";

export const command: Command = {
  usage: [
    "[-f FILE|DIR|-] [--severity error|warning|info] [--fail-on error|warning|never] [--dataplane embedded|envoy]",
    "--explain CODE",
  ],
  description: [
    "Prints what is wrong with the configuration: documents that cannot be read, references to missing objects, policies whose target does not exist, that conflict or never take effect, " +
      "conditions that are never true, retries that do not fit into their timeout, and status that differs from the verdict. Each finding has a position, a message and a fix.",
    "With --dataplane also what the gateway cannot serve as configured: requests that get a 500, unsupported features and, with envoy, settings that Envoy refuses or supports only approximately.",
    "CoverageRule documents among the files state, in CEL, what every effective policy must satisfy. A violation is a finding.",
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
    { name: "explain", value: "CODE", help: "print what a code means, why it matters and how to fix it" },
    redactOption,
  ],
  takes: ["scope", "source", "cluster"],
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
    { what: "What does a code mean?", line: "check --explain NeverTakesEffect" },
    { what: "As annotations on a pull request", line: "check -o github -f examples/bakery" },
    { what: "For a code scanner", line: "check -o sarif -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, fail, load, io } = context;
    const code = options.value("explain");
    if (code !== undefined) return explainCode(code, context);
    const [word] = args;
    if (word !== undefined)
      return fail(
        `unexpected argument '${word}': check takes options only`,
        `Files are given with -f: ${io.program} check -f ${word}`,
      );
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope, redaction } = parsed.view;
    const failOn = parseFailOn(options);
    if (!failOn.ok) return fail(failOn.message);
    const paths = options.values("filename");
    const source = paths.length === 0 ? await load() : await loadAll(paths, context);
    if (source === undefined) return exitCodes.failed;
    const problem = scopeProblem(source.world, scope);
    if (problem !== undefined && source.tables.objects.size > 0) return fail(problem.message, problem.hint);
    const severity = severities.find((one) => one === options.value("severity")) ?? DEFAULT_SEVERITY;
    const dataplane = dataplaneNames.find((one) => one === options.value("dataplane"));
    const report = await buildFindingReport(source, { scope, severity, redaction, dataplane });
    await (writers[context.output ?? ""] ?? printText)(report, context);
    // These formats have no field for caveats.
    if (["sarif", "junit", "github"].includes(context.output ?? "")) printCaveats(report.caveats, context.errorPrint);
    return exitCodeOf(report, failOn.failing, options);
  },
};

/** Loads the source without printing unreadable documents: here they are findings of the report. */
async function loadAll(
  paths: readonly string[],
  { io, options, failWith }: CommandContext,
): Promise<LoadedSource | undefined> {
  const source = await loadPaths({ paths }, options, io);
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
    printData(print, "json", findingsSarif(report, { version: io.version(), docOf }));
  },
  junit: async (report, { print }) => {
    const { findingsJunit } = await import("./junit.ts");
    print.raw(findingsJunit(report));
  },
  github: async (report, { print }) => {
    const { findingsGithub } = await import("./github.ts");
    print.raw(findingsGithub(report));
  },
};

const printText: Write = async (report, { print, io }) => {
  const { printFindings } = await import("./text.ts");
  printFindings(report, print, io.program);
};

/** Unreadable input is no matter of severity: what is in it was not checked. A broken caveat is a mistake in the input that was read, such as an error. */
function exitCodeOf(
  { occurring, isUnread, caveats }: FindingReport,
  failing: FailingSeverity,
  options: OptionValues,
): ExitCode {
  if (isUnread) return exitCodes.input;
  const isBroken = failing !== "never" && caveats.some(({ severity }) => severity === "broken");
  const isPartial = caveats.length > 0 && isStrict(options);
  const hasFailing = [...occurring].some((severity) => isFailing(severity, failing));
  return hasFailing || isBroken || isPartial ? exitCodes.failed : exitCodes.ok;
}

async function explainCode(word: string, { print, fail }: CommandContext): Promise<ExitCode> {
  const codes = Object.keys(findingCodes);
  const code = codes.find((one) => one.toLowerCase() === word.toLowerCase());
  if (code === undefined) {
    const near = nearMiss(word, codes);
    const hint = near === undefined ? `Known codes: ${codes.join(", ")}` : `Did you mean ${near}?`;
    return fail(`unknown finding code '${word}'`, hint);
  }
  const [{ findingDocs }, { printFindingDoc }] = await Promise.all([
    import("./gen/finding-docs.ts"),
    import("./finding-doc-text.ts"),
  ]);
  printFindingDoc(findingDocs.get(code) ?? "", print);
  return exitCodes.ok;
}
