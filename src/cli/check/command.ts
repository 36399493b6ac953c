import type { Severity } from "../../core/model/finding.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withProgress } from "../print/create-progress.ts";
import { printData } from "../print/print-data.ts";
import { buildFindingReport, dataplaneNames, type FindingReport, severities } from "./finding-report.ts";

const DEFAULT_SEVERITY: Severity = "warning";

export const command: Command = {
  usage: ["-f FILE|DIR|- [--severity error|warning|info] [--dataplane embedded|envoy]", "--explain CODE"],
  description: [
    "What somebody should fix: documents that cannot be read, references that lead nowhere, policies whose target is misspelt, that conflict, or that never prevail; " +
      "conditions that never hold, retries that cannot fit into their timeout, status that says otherwise. Each with its place, what is wrong, and what to do.",
    "With --dataplane also what a gateway would not do as it is told: shares of requests that are answered 500, features that are not served and, with envoy, what Envoy refuses or cannot keep exactly.",
    "CoverageRule documents among the files say what must hold of the effective policies, in CEL: whatever breaks one is a finding, too.",
    "The exit code is 1 if there are errors, 2 if what is shown has none, and 0 if nothing is shown. Every code has a section in docs/findings.md, which --explain prints.",
  ],
  options: [
    {
      name: "severity",
      value: severities.join("|"),
      choices: severities,
      help: `show findings of this severity and above (default: ${DEFAULT_SEVERITY})`,
    },
    {
      name: "dataplane",
      value: dataplaneNames.join("|"),
      choices: dataplaneNames,
      help: "also tell what this gateway would not do as it is told (default: nobody serves)",
    },
    { name: "explain", value: "CODE", help: "what a code means, why it matters and what to do about it" },
    redactOption,
  ],
  takes: ["scope", "source"],
  outputs: ["sarif", "junit", "github", "json"],
  examples: [
    { what: "What is wrong with the bakery?", line: "check -f examples/bakery" },
    { what: "Only what breaks something", line: "check --severity error -f examples/bakery" },
    { what: "Of the shop's own objects", line: "check -n shop --severity info -f examples/bakery" },
    {
      what: "Also what Envoy would do otherwise",
      line: "check --dataplane envoy -f examples/bakery",
    },
    { what: "What does that code mean?", line: "check --explain NeverTakesEffect" },
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
        `check takes no target, and has '${word}'`,
        `Files are given with -f: ${io.program} check -f ${word}`,
      );
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope, redaction } = parsed.view;
    const paths = options.values("filename");
    const source = paths.length === 0 ? await load() : await loadAll(paths, context);
    if (source === undefined) return exitCodes.failed;
    const severity = severities.find((one) => one === options.value("severity")) ?? DEFAULT_SEVERITY;
    const dataplane = dataplaneNames.find((one) => one === options.value("dataplane"));
    const report = await buildFindingReport(source, { scope, severity, redaction, dataplane });
    await (writers[context.output ?? ""] ?? tell)(report, context);
    return exitCodeOf(report);
  },
};

/** What cannot be read is part of the answer here, so nothing is told beside it. */
async function loadAll(
  paths: readonly string[],
  { io, options, fail }: CommandContext,
): Promise<LoadedSource | undefined> {
  const { loadSource } = await import("../../sources/load-source.ts");
  const defaultNamespace = options.value("default-namespace");
  const source = await withProgress(io, (onFile) => loadSource(paths, io.fileSystem, { defaultNamespace, onFile }));
  if (source.tables.objects.size > 0 || source.findings().length > 0) return source;
  fail(`there are no objects in ${formatOrigin(paths)}`);
  return undefined;
}

type Write = (report: FindingReport, context: CommandContext) => Promise<void>;

/** By what `-o` can be. Each is loaded only when it is asked for. */
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

const tell: Write = async (report, { print, io }) => {
  const { printFindings } = await import("./text.ts");
  printFindings(report, print, io.program);
};

function exitCodeOf({ findings }: FindingReport): ExitCode {
  if (findings.some(({ severity }) => severity === "error")) return exitCodes.failed;
  return findings.length > 0 ? exitCodes.differs : exitCodes.ok;
}

async function explainCode(word: string, { print, fail }: CommandContext): Promise<ExitCode> {
  const codes = Object.keys(findingCodes);
  const code = codes.find((one) => one.toLowerCase() === word.toLowerCase());
  if (code === undefined) {
    const near = nearMiss(word, codes);
    const hint = near === undefined ? `There are: ${codes.join(", ")}` : `Did you mean ${near}?`;
    return fail(`there is no finding with the code '${word}'`, hint);
  }
  const [{ findingDocs }, { printFindingDoc }] = await Promise.all([
    import("./gen/finding-docs.ts"),
    import("./finding-doc-text.ts"),
  ]);
  printFindingDoc(findingDocs.get(code) ?? "", print);
  return exitCodes.ok;
}
