import { formatRef } from "../../../core/model/refs.ts";
import type { FindingReport } from "../finding-report.ts";
import type { BaselineEntry } from "./baseline.ts";
import type { IgnoredBy } from "./ignore-findings.ts";

const names: Readonly<Record<IgnoredBy, string>> = {
  annotation: "annotation",
  option: "--ignore",
  baseline: "the baseline",
};

const SHOWN = 5;

/** Sentences about what is ignored, and about rules that ignore nothing. Empty without either. */
export function formatIgnored({ ignored, unusedIgnores, stale }: FindingReport): readonly string[] {
  return [
    ...(ignored.length === 0 ? [] : [formatCounts(ignored)]),
    ...unusedIgnores.map((text) => `--ignore ${text} matches no finding.`),
    ...(stale.length === 0 ? [] : [formatStale(stale)]),
  ];
}

/** `3 findings ignored: 2 NeverTakesEffect by annotation, 1 TargetNotFound by --ignore.` */
function formatCounts(ignored: FindingReport["ignored"]): string {
  const counts = new Map<string, number>();
  for (const { finding, by } of ignored) {
    const reason = `${finding.code} by ${names[by]}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
  return `${ignored.length === 1 ? "1 finding" : `${ignored.length} findings`} ignored: ${someOf(reasons)}.`;
}

function formatStale(stale: readonly BaselineEntry[]): string {
  const what = stale.length === 1 ? "1 entry of the baseline matches" : `${stale.length} entries of the baseline match`;
  return `${what} no finding any more: ${someOf(stale.map(formatEntry))}. Write the baseline again with --write-baseline.`;
}

const formatEntry = ({ code, object, file }: BaselineEntry): string =>
  `${code}${object === undefined ? (file === undefined ? "" : ` in ${file}`) : ` of ${formatRef(object)}`}`;

const someOf = (texts: readonly string[]): string =>
  `${texts.slice(0, SHOWN).join(", ")}${texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ""}`;
