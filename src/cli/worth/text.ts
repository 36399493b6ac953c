import type { ChangedTraffic } from "../../core/explain/worth/traffic-changed.ts";
import { formatRef } from "../../core/model/refs.ts";
import { capital } from "../../core/model/words/capital.ts";
import { formatRetryCounts, formatWindow } from "../../core/retry/format-share.ts";
import { type RetryCounts, type RetryReport, sumCounts, type TrafficCounts } from "../../core/retry/retry-counts.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { glued, styled } from "../print/terminal/styled-text.ts";

const MOST_ROWS = 12;

/** Prints what retries were worth to requests, by rule and backend. Without requests it prints that there were none. */
export function printTraffic(
  traffic: readonly TrafficCounts[],
  report: RetryReport,
  print: Printer,
  /** The sum, if there is more than these rows. */
  sum: RetryCounts = sumCounts(traffic),
): void {
  print.line();
  print.line(styled("What retries are worth", "bold"));
  const when = formatWindow(report.windowMs);
  if (sum.requests === 0) return print.paragraph({ indent: 2 }, `No request was counted ${when}.`);
  const shown = byWorth(traffic).slice(0, MOST_ROWS);
  print.paragraph({ indent: 2, hanging: 2 }, `${capital(when)} ${formatRetryCounts(sum)}.`);
  if (traffic.length < 2) return;
  for (const one of shown) {
    const from = `${glued(formatRef(one.route, one.rule))} → ${glued(`${formatRef(one.backend)}:${one.port}`)}`;
    print.paragraph({ indent: 4, hanging: 2 }, from, `: ${formatRetryCounts(one)}`);
  }
  if (shown.length < traffic.length)
    print.line(`    … and ${traffic.length - shown.length} more (-o json lists them all)`);
}

/** Prints what retries were worth on the paths where a plan changes them, by backend. */
export function printChangedTraffic(traffic: ChangedTraffic, print: Printer): void {
  print.line();
  print.line(styled("What retries are worth where they change", "bold"));
  for (const sentence of changedTrafficSentences(traffic)) print.paragraph({ indent: 2, hanging: 2 }, sentence);
  const left = traffic.backends.length - MOST_ROWS;
  if (left > 0) print.line(`  … and ${left} more (-o json lists them all)`);
}

/** `In the last hour 18 % of the 1200 requests to Service bakery/baker:8080 succeeded only by a retry.` */
export function changedTrafficSentences({ backends, windowMs }: ChangedTraffic): readonly string[] {
  const when = formatWindow(windowMs);
  if (backends.length === 0) return [`No request was counted there ${when}.`];
  return backends
    .slice(0, MOST_ROWS)
    .map((one) => `${capital(when)} ${formatRetryCounts(one, glued(`${formatRef(one.backend)}:${one.port}`))}.`);
}

/** Traffic that owes most to retries comes first. */
const byWorth = (traffic: readonly TrafficCounts[]): readonly TrafficCounts[] =>
  traffic.toSorted((a, b) => b.succeededByRetry - a.succeededByRetry);
