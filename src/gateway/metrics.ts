/**
 * What a gateway did, counted, in Prometheus' text format. Names and labels are part of what users rely on: docs/gateway.md lists them.
 * Label values come from the configuration, never from requests, so that no client can make the number of series grow.
 */
import { type ConfigMetrics, createConfigMetrics } from "../adapters/admin/config-metrics.ts";
import {
  addDuration,
  type Cell,
  type Counters,
  createCounters,
  createHistograms,
  type Histograms,
  label,
} from "../adapters/admin/metric-families.ts";
import type { RuleConfig } from "../core/dataplane/gateway-config.ts";
import type { AttemptOutcome } from "../core/retry/retry-schedule.ts";
import type { AttemptFinished, GatewayEvent, RequestFinished } from "./gateway-event.ts";

export interface Metrics {
  readonly observe: (event: GatewayEvent) => void;
  readonly noteConfig: ConfigMetrics["noteConfig"];
  readonly render: () => string;
}

export function createMetrics(): Metrics {
  const requests = createCounters("prevail_requests_total", "Requests that were answered or given up.");
  const refused = createCounters(
    "prevail_refused_requests_total",
    "What came and was no request: malformed or too slow.",
  );
  const attempts = createCounters("prevail_attempts_total", "Attempts at backends, by how they ended.");
  const retries = createCounters("prevail_retries_total", "Retries, by what the attempt before them ended with.");
  const budget = createCounters(
    "prevail_retry_budget_refusals_total",
    "Retries that were due and for which the budget had no room.",
  );
  const config = createConfigMetrics();
  const durations = createHistograms(
    "prevail_request_duration_seconds",
    "From the first byte of a request to the last of its answer.",
  );
  const attemptDurations = createHistograms(
    "prevail_attempt_duration_seconds",
    "From the start of an attempt to the head of its answer, or to its failure.",
  );
  const requestSeries = createSeriesCache(requests, durations);
  const attemptSeries = createSeriesCache(attempts, attemptDurations);
  return {
    observe: (event) => {
      switch (event.type) {
        case "RequestFinished": {
          const { gateway, rule = NO_RULE, status } = event;
          const series = requestSeries.of(gateway, rule, () => requestLabels(event));
          series.count(status ?? "none", (code) => `code="${code}"`);
          series.time(event.durationMs);
          return;
        }
        case "RequestRefused":
          refused.cell(`gateway="${label(nameOf(event.gateway))}",code="${event.status}"`).count++;
          return;
        case "AttemptFinished": {
          const series = attemptSeries.of(event.backend, event.backend, () => backendLabels(event));
          series.count(describeOutcome(event.outcome), (outcome) => `outcome="${outcome}"`);
          series.time(event.durationMs);
          return;
        }
        case "RetryScheduled":
          retries.cell(`${ruleLabels(event.rule)},${backendLabels(event)},reason="${describeOutcome(event.reason)}"`)
            .count++;
          return;
        case "BudgetRefused":
          budget.cell(`${ruleLabels(event.rule)},${backendLabels(event)}`).count++;
          return;
      }
    },
    noteConfig: config.noteConfig,
    render: () =>
      [requests, refused, durations, attempts, attemptDurations, retries, budget, ...config.families]
        .map((family) => family.render())
        .join(""),
  };
}

/** The counters and the histogram of one thing, found once and then at hand: this is on the way of every request. */
interface Series {
  readonly count: (value: string | number, toLabel: (value: string | number) => string) => void;
  readonly time: (durationMs: number) => void;
}

interface SeriesCache {
  /** By two parts of the configuration; a new configuration has new ones, and the old ones are forgotten with it. */
  readonly of: (first: object, second: object, toLabels: () => string) => Series;
}

function createSeriesCache(counters: Counters, histograms: Histograms): SeriesCache {
  const known = new WeakMap<object, WeakMap<object, Series>>();
  const create = (labels: string): Series => {
    const cells = new Map<string | number, Cell>();
    const histogram = histograms.histogram(labels);
    return {
      count: (value, toLabel) => {
        let cell = cells.get(value);
        if (cell === undefined) {
          cell = counters.cell(`${labels},${toLabel(value)}`);
          cells.set(value, cell);
        }
        cell.count++;
      },
      time: (durationMs) => addDuration(histogram, durationMs),
    };
  };
  return {
    of: (first, second, toLabels) => {
      let inner = known.get(first);
      if (inner === undefined) {
        inner = new WeakMap();
        known.set(first, inner);
      }
      let series = inner.get(second);
      if (series === undefined) {
        series = create(toLabels());
        inner.set(second, series);
      }
      return series;
    },
  };
}

const nameOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

const ruleLabels = ({ route, rule }: RuleConfig): string =>
  `route_kind="${label(route.kind)}",route="${label(nameOf(route))}",rule="${label(rule)}"`;

/** In the place of a rule, where none took the request. */
const NO_RULE = {};

const requestLabels = ({ gateway, rule }: RequestFinished): string =>
  `gateway="${label(nameOf(gateway))}",${rule === undefined ? 'route_kind="",route="",rule=""' : ruleLabels(rule)}`;

const backendLabels = ({ backend }: Pick<AttemptFinished, "backend">): string =>
  `backend="${label(nameOf(backend.object))}:${backend.port}"`;

function describeOutcome(outcome: AttemptOutcome | { readonly type: "Cancelled" }): string {
  switch (outcome.type) {
    case "Responded":
      return String(outcome.status);
    case "NotConnected":
      return "not_connected";
    case "Refused":
      return "refused";
    case "Reset":
      return "reset";
    case "TimedOut":
      return "timed_out";
    case "Cancelled":
      return "cancelled";
  }
}
