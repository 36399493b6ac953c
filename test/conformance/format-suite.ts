/** The results of the conformance suite as tables. */
import type { SuiteTest } from "./suite-output.ts";

/** One profile of the suite's report. */
export interface ProfileResult {
  readonly name: string;
  readonly core: Counts;
  readonly extended: Counts | undefined;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const ROUTES = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"];

/** A row for each profile, as the suite counts, then a row for each kind of route with times, then what failed and what is not claimed. */
export function formatSuite(tests: readonly SuiteTest[], profiles: readonly ProfileResult[]): string {
  return [
    ...(profiles.length === 0 ? [] : [formatTable(profileRows(profiles)), ""]),
    formatTable(kindRows(tests)),
    ...section("failed", failures(tests)),
    ...section("not claimed", notClaimed(tests)),
    "",
  ].join("\n");
}

function profileRows(profiles: readonly ProfileResult[]): readonly (readonly string[])[] {
  const count = (counts: Counts | undefined): string =>
    counts === undefined ? "–" : `${counts.passed} of ${counts.passed + counts.failed + counts.skipped}`;
  return [
    ["profile", "core passed", "extended passed"],
    ...profiles.map(({ name, core, extended }) => [name, count(core), count(extended)]),
  ];
}

function kindRows(tests: readonly SuiteTest[]): readonly (readonly string[])[] {
  const ran = tests.filter(({ outcome }) => outcome !== "skipped");
  const groups = [...ROUTES, "Gateway"].map((kind) => ({ kind, of: ran.filter((test) => kindOf(test) === kind) }));
  const row = (name: string, of: readonly SuiteTest[]): readonly string[] => [
    name,
    String(of.filter(({ outcome }) => outcome === "passed").length),
    String(of.filter(({ outcome }) => outcome === "failed").length),
    `${of.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(1)} s`,
  ];
  return [
    ["tests of", "passed", "failed", "time"],
    ...groups.filter(({ of }) => of.length > 0).map(({ kind, of }) => row(kind, of)),
    row("all", ran),
  ];
}

/** The first kind of route that a test relies on. A test of Gateways, listeners and GatewayClasses relies on none. */
const kindOf = ({ features, name }: SuiteTest): string =>
  ROUTES.find((kind) => features.includes(kind)) ??
  (features.length === 0 ? (ROUTES.find((kind) => name.startsWith(kind)) ?? "Gateway") : "Gateway");

const failures = (tests: readonly SuiteTest[]): readonly string[] =>
  tests
    .filter(({ outcome }) => outcome === "failed")
    .map(({ name, seconds, reason }) => `${name} (${seconds.toFixed(1)} s): ${reason}`);

/** Skipped tests by reason: the feature that is not claimed. */
function notClaimed(tests: readonly SuiteTest[]): readonly string[] {
  const skipped = tests.filter(
    ({ outcome, reason }) => outcome === "skipped" && reason.startsWith("suite does not support"),
  );
  const byFeature = new Map<string, string[]>();
  for (const { name, reason } of skipped) {
    const feature = reason.replace("suite does not support ", "");
    byFeature.set(feature, [...(byFeature.get(feature) ?? []), name]);
  }
  return [...byFeature]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([feature, names]) => `${feature}: ${names.join(", ")}`);
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}
