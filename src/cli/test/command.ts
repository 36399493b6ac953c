import type { LoadedSource } from "../../sources/load-source.ts";
import { hideNothing } from "../args/redaction.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { reportGithub } from "./github.ts";
import { reportJson } from "./json.ts";
import { reportJunit } from "./junit.ts";
import { buildTestReport, countCases, type TestReport } from "./report.ts";
import { printReport } from "./text.ts";

export const command: Command = {
  usage: ["-f FILE|DIR|- [options]"],
  description: [
    "Runs the PolicyTests among the files: requests, and what must happen to them. Each request is traced as by trace, and the listener, the route, its rule and backends, the status that the client " +
      "gets, the number of attempts, and settings with the policy that each comes from are compared with what the test expects. What a test does not mention is not checked.",
    "A case that fails prints the expectation, what happens instead, and why. If several Gateways listen for a request, each must do what is expected. " +
      "The number of attempts follows from the retry and timeout settings and from how the attempts end, which the test says: responses: [503, reset, 200].",
    "A mistake in a test is an error with its position, and the test is not run. A case whose answer has caveats says so when it passes. " +
      "The exit code is 1 if a case fails, and 65 if a test has a mistake.",
  ],
  options: [],
  takes: ["source", "definitions"],
  outputs: ["junit", "github", "json", "yaml"],
  examples: [
    { what: "Do requests to the bakery get what they should?", line: "test -f examples/bakery" },
    { what: "As annotations on a pull request", line: "test -o github -f examples/bakery" },
    { what: "As a test report for a CI server", line: "test -o junit -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, fail, failWith, load, io } = context;
    const [word] = args;
    if (word !== undefined)
      return fail(
        `unexpected argument '${word}': test takes options only`,
        `Files are given with -f: ${io.program} test -f ${word}`,
      );
    const source = await load();
    if (source === undefined) return exitCodes.input;
    const report = buildTestReport(source);
    if (report.tests.length + report.mistakes.length === 0)
      return failWith(
        exitCodes.input,
        `there are no tests in ${source.origin}: add documents of kind PolicyTest (prevail.dev/v1alpha1)`,
        context.example,
      );
    return write(report, source, context);
  },
};

function write(report: TestReport, source: LoadedSource, context: CommandContext): ExitCode {
  const { output, print, errorPrint, options } = context;
  const { caveats } = report;
  if (output === "json" || output === "yaml") printData(print, output, reportJson(report));
  else if (output === "junit") print.raw(reportJunit(report, source));
  else if (output === "github") print.raw(reportGithub(report, source));
  else {
    printReport(report, { print, source, redaction: hideNothing, caveats, wide: false, allPaths: false });
    printCaveats(caveats, print);
  }
  // These formats have no field for the caveats of all cases.
  if (output === "junit" || output === "github") printCaveats(caveats, errorPrint);
  const { failed, mistakes } = countCases(report);
  if (mistakes > 0) return exitCodes.input;
  return exitCodeWith(caveats, options, failed > 0 ? exitCodes.failed : exitCodes.ok);
}
