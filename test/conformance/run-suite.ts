/** Runs the conformance suite in the rig. */
import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import { isJsonObject } from "../../src/core/model/json.ts";
import type { Rig } from "../support/rig/start-rig.ts";
import type { Counts, ProfileResult } from "./format-suite.ts";
import { SuiteOutput, type SuiteTest } from "./suite-output.ts";

export interface SuiteOptions {
  readonly suite: string;
  readonly gatewayClass: string;
  /** Flags of the suite, such as `-run-test=HTTPRouteWeight`. */
  readonly flags: readonly string[];
  /** The profiles of the report, if the flags have none. */
  readonly profiles: readonly string[];
  /** Only these tests, by name. */
  readonly tests?: readonly string[] | undefined;
  readonly version: string;
  readonly onTest: (test: SuiteTest) => void;
}

export interface SuiteResult {
  readonly tests: readonly SuiteTest[];
  readonly profiles: readonly ProfileResult[];
  /** The suite's own ConformanceReport; empty if it did not write one. */
  readonly report: string;
  /** Why no test ran. */
  readonly failure: string | undefined;
  readonly log: string;
}

const STREAMS_AND_HTTP = ["GATEWAY-HTTP", "GATEWAY-GRPC", "GATEWAY-TLS", "GATEWAY-TCP"];
/** Mesh profiles are left out: their tests run programs inside Pods. The embedded gateway does not serve UDP. */
export const PROFILES = { envoy: [...STREAMS_AND_HTTP, "GATEWAY-UDP"], embedded: STREAMS_AND_HTTP } as const;

export async function runSuite({ plane, folder }: Rig, options: SuiteOptions): Promise<SuiteResult> {
  const { suite, gatewayClass, flags, profiles, tests, version, onTest } = options;
  const [log, report] = [join(folder, "suite.log"), join(folder, "report.yaml")];
  const output = new SuiteOutput(onTest);
  // The program has other tests, which need its sources.
  const chosen = tests === undefined ? "^TestConformance$" : `^TestConformance$/^(${tests.join("|")})$`;
  const hasProfiles = flags.some((flag) => /^-+(?:conformance-profiles|run-test)=/.test(flag));
  const args = [
    "-test.v=test2json",
    `-test.run=${chosen}`,
    "-test.parallel=4",
    `-gateway-class=${gatewayClass}`,
    "-organization=prevail",
    "-project=prevail",
    "-url=https://prevail.dev",
    "-contact=https://prevail.dev",
    `-version=${version}`,
    `-report-output=${report}`,
    ...(hasProfiles ? [] : [`-conformance-profiles=${profiles.join(",")}`]),
    ...flags,
  ];
  const status = await runLogged(suite, args, plane.kubeconfig, log, (line) => output.readLine(line));
  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  const ran = output.tests.some(({ outcome }) => outcome !== "skipped");
  return {
    tests: output.tests,
    profiles: text === "" ? [] : parseProfiles(text),
    report: text,
    failure: ran || status === 0 ? undefined : output.setupFailure || `the suite ended with exit code ${status}`,
    log,
  };
}

function runLogged(
  program: string,
  args: readonly string[],
  kubeconfig: string,
  log: string,
  onLine: (line: string) => void,
): Promise<number | null> {
  const child = spawn(program, [...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const file = createWriteStream(log);
  const follow = (line: string): void => {
    file.write(`${line}\n`);
    onLine(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", follow);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => file.end(() => resolve(status)));
  });
}

/** The counts of a ConformanceReport. */
export function parseProfiles(report: string): readonly ProfileResult[] {
  const [document] = parseDocuments(report, "report.yaml").documents;
  const profiles = at(document?.value, "profiles");
  if (!Array.isArray(profiles)) return [];
  return profiles.map((profile) => ({
    name: textAt(profile, "name"),
    core: countsOf(at(profile, "core")),
    extended: at(profile, "extended") === undefined ? undefined : countsOf(at(profile, "extended")),
  }));
}

function countsOf(status: unknown): Counts {
  const statistics = at(status, "statistics");
  const count = (name: string): number => Number(at(statistics, name) ?? 0);
  return { passed: count("Passed"), failed: count("Failed"), skipped: count("Skipped") };
}

const textAt = (value: unknown, key: string): string => {
  const text = at(value, key);
  return typeof text === "string" ? text : "";
};

const at = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);
