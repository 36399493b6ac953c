/** The program behind `npm run conformance`: starts the rig and the controller, runs the suite, and prints tables. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { findRigParts } from "../support/rig/find-rig-parts.ts";
import { type Rig, startRig } from "../support/rig/start-rig.ts";
import { formatSuite } from "./format-suite.ts";
import { lostProfiles } from "./lost-profiles.ts";
import { type ConformanceOptions, parseConformanceArgs, USAGE } from "./parse-conformance-args.ts";
import { PROFILES, parseProfiles, runSuite, type SuiteResult } from "./run-suite.ts";
import { addressFlags, startImplementation } from "./start-implementation.ts";

const REPORTS = "docs/conformance";
const REPORT_OF = { envoy: "report.yaml", embedded: "report-embedded.yaml" } as const;
/** The report says which data plane it is about. */
const modeFlags = ({ dataplane }: ConformanceOptions): readonly string[] =>
  dataplane === "envoy" ? [] : [`-mode=${dataplane}`];

async function main(options: ConformanceOptions): Promise<number> {
  const started = Date.now();
  const parts = findRigParts();
  const rig = await startRig(parts);
  const gatewayClass = await startImplementation(rig, parts, options);
  console.log(`conformance: the cluster and the controller are ready (${seconds(started)})`);
  if (options.hold) {
    printEntrance(rig, gatewayClass);
    await new Promise(() => setInterval(() => undefined, 60_000));
  }
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  const result = await runSuite(rig, {
    suite: parts.suite,
    gatewayClass,
    flags: [...addressFlags(options), ...modeFlags(options), ...options.suiteFlags],
    profiles: PROFILES[options.dataplane],
    tests: options.tests,
    version,
    onTest: ({ name, outcome, seconds: time, reason }) => {
      if (outcome !== "skipped")
        console.log(`${outcome}  ${name}  ${time.toFixed(2)} s${reason === "" ? "" : `  ${reason}`}`);
    },
  });
  print(result, started);
  const lost = isWhole(options) ? lostProfiles(publishedProfiles(options), result.profiles) : [];
  for (const line of lost) console.log(`conformance: ${line}`);
  keep(result, options);
  return printSummary(result, lost.length);
}

/** True if every test of the claimed features runs, against our own controller. */
const isWhole = ({ tests, suiteFlags, controller }: ConformanceOptions): boolean =>
  tests === undefined && suiteFlags.length === 0 && controller === undefined;

/** The profiles of the report that is published. */
function publishedProfiles({ dataplane }: ConformanceOptions): ReturnType<typeof parseProfiles> {
  const path = `${REPORTS}/${REPORT_OF[dataplane]}`;
  return existsSync(path) ? parseProfiles(readFileSync(path, "utf8")) : [];
}

/** The last line is that of `npm test`. A suite without a test is a failure. */
function printSummary({ tests, failure }: SuiteResult, lost: number): number {
  const count = (state: string): number => tests.filter(({ outcome }) => outcome === state).length;
  const failed = count("failed") + lost + (failure === undefined ? 0 : 1);
  console.log(`${count("passed")} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function print({ tests, profiles, failure }: SuiteResult, started: number): void {
  console.log(failure === undefined ? `\n${formatSuite(tests, profiles)}` : `conformance: no test ran: ${failure}`);
  console.log(`conformance: ${seconds(started)} in all`);
}

/** The suite's own report, and what a test reads. */
function keep(
  { tests, profiles, report, failure, log }: SuiteResult,
  { isReported, dataplane, json, logFile }: ConformanceOptions,
): void {
  if (json !== undefined) writeFileSync(json, JSON.stringify({ tests, profiles, failure }));
  if (logFile !== undefined) copyFileSync(log, logFile);
  if (!isReported || report === "") return;
  mkdirSync(REPORTS, { recursive: true });
  const file = `${REPORTS}/${REPORT_OF[dataplane]}`;
  writeFileSync(file, report);
  console.log(`conformance: ${file} is written`);
}

function printEntrance({ plane, folder }: Rig, gatewayClass: string): void {
  const enter = `nsenter -t $(pgrep -f ${process.argv[1] ?? ""} | tail -n 1) --net --mount --pid env -C ${process.cwd()} KUBECONFIG=${plane.kubeconfig}`;
  console.log(
    `conformance: class ${gatewayClass}, logs in ${folder}; run programs in the cluster with: ${enter} COMMAND`,
  );
}

const seconds = (startedMs: number): string => `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;

const options = parseConformanceArgs(process.argv.slice(2));
if (typeof options === "string") {
  console.error(`conformance: ${options}\n\n${USAGE}`);
  process.exit(2);
}
if (options.isHelp) {
  console.log(USAGE);
  process.exit(0);
}
process.exit(
  await main(options).catch((error: unknown) => {
    console.error(error);
    return 1;
  }),
);
