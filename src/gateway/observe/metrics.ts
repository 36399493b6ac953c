/**
 * The metrics of a gateway, in Prometheus' text format. docs/run.md documents their names and labels, which users rely on. Label values
 * come from the configuration, never from requests, so that clients cannot increase the number of series.
 */
import { type ConfigMetrics, createConfigMetrics } from "../../adapters/admin/config-metrics.ts";
import {
  addDuration,
  type Cell,
  type Counters,
  createCounters,
  createHistograms,
  type Histograms,
  label,
} from "../../adapters/admin/metric-families.ts";
import type { DataplaneConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { RetryReport } from "../../core/retry/retry-counts.ts";
import type { AttemptOutcome } from "../../core/retry/retry-schedule.ts";
import type { AttemptFinished, ConnectionFinished, GatewayEvent, RequestFinished } from "./gateway-event.ts";
import { createRetryWorth } from "./retry-worth.ts";

export interface Metrics {
  readonly observe: (event: GatewayEvent) => void;
  readonly noteConfig: ConfigMetrics["noteConfig"];
  /** The configuration that is served: counters of what is gone from it are forgotten after some time. */
  readonly useConfig: (config: Pick<DataplaneConfig, "gateways">) => void;
  readonly render: () => string;
  /** The worth of retries in the last hour. */
  readonly retries: () => RetryReport;
}

/** `nowMs`: a clock that never goes back. */
export function createMetrics(nowMs: () => number = () => performance.now()): Metrics {
  const families = createFamilies();
  const worth = createRetryWorth(nowMs);
  const config = createConfigMetrics();
  const series = {
    requests: createSeriesCache(families.requests, families.durations),
    attempts: createSeriesCache(families.attempts, families.attemptDurations),
  };
  const rendered = [...Object.values(families), ...worth.families, ...config.families];
  return {
    observe: (event) => {
      observe(event, families, series);
      if (event.type === "RequestFinished") worth.count(event);
    },
    noteConfig: config.noteConfig,
    useConfig: worth.use,
    render: () => rendered.map((family) => family.render()).join(""),
    retries: worth.report,
  };
}

/** In the order in which they are rendered. */
const createFamilies = () => ({
  requests: createCounters("prevail_requests_total", "Requests that have ended, by status code."),
  refused: createCounters(
    "prevail_refused_requests_total",
    "Malformed or too slow requests, by the status code of the response.",
  ),
  handshakes: createCounters(
    "prevail_failed_handshakes_total",
    "Connections that were closed because their TLS handshake failed or took too long, by reason.",
  ),
  connections: createCounters("prevail_connections_total", "Connections that are not HTTP and have ended, by result."),
  connectionBytes: createCounters(
    "prevail_connection_bytes_total",
    "Bytes of connections that are not HTTP, from and to clients.",
  ),
  durations: createHistograms(
    "prevail_request_duration_seconds",
    "Time from the first byte of a request to the last byte of its response.",
  ),
  attempts: createCounters("prevail_attempts_total", "Attempts, by outcome."),
  attemptDurations: createHistograms(
    "prevail_attempt_duration_seconds",
    "Time from the start of an attempt to the head of its response, or to its failure.",
  ),
  retries: createCounters("prevail_retries_total", "Retries, by the outcome of the attempt before."),
  budget: createCounters(
    "prevail_retry_budget_refusals_total",
    "Retries that were not made because the retry budget was exhausted.",
  ),
});

function observe(
  event: GatewayEvent,
  families: ReturnType<typeof createFamilies>,
  series: { readonly requests: SeriesCache; readonly attempts: SeriesCache },
): void {
  switch (event.type) {
    case "RequestFinished": {
      const { gateway, rule = NO_RULE, status } = event;
      const own = series.requests.of(gateway, rule, () => requestLabels(event));
      own.count(status ?? "none", (code) => `code="${code}"`);
      own.time(event.durationMs);
      return;
    }
    case "RequestRefused":
      families.refused.cell(`gateway="${label(nameOf(event.gateway))}",code="${event.status}"`).count++;
      return;
    case "ConnectionFinished": {
      const labels = requestLabels(event);
      families.connections.cell(`${labels},result="${resultOf(event)}"`).count++;
      families.connectionBytes.cell(`${labels},direction="received"`).count += event.receivedBytes;
      families.connectionBytes.cell(`${labels},direction="sent"`).count += event.sentBytes;
      return;
    }
    case "HandshakeFailed":
      families.handshakes.cell(`gateway="${label(nameOf(event.gateway))}",reason="${event.failure.reason}"`).count++;
      return;
    case "AttemptFinished": {
      const own = series.attempts.of(event.backend, event.backend, () => backendLabels(event));
      own.count(formatOutcome(event.outcome), (outcome) => `outcome="${outcome}"`);
      own.time(event.durationMs);
      return;
    }
    case "RetryScheduled": {
      const labels = `${ruleLabels(event.rule)},${backendLabels(event)},reason="${formatOutcome(event.reason)}"`;
      families.retries.cell(labels).count++;
      return;
    }
    case "BudgetRefused":
      families.budget.cell(`${ruleLabels(event.rule)},${backendLabels(event)}`).count++;
      return;
  }
}

/** The counters and the histogram of one set of labels, cached because every request uses them. */
interface Series {
  readonly count: (value: string | number, toLabel: (value: string | number) => string) => void;
  readonly time: (durationMs: number) => void;
}

interface SeriesCache {
  /** Keyed by two objects of the configuration. An entry is collected with its configuration. */
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

/** The key for requests that no rule matched. */
const NO_RULE = {};

const requestLabels = ({ gateway, rule }: RequestFinished | ConnectionFinished): string =>
  `gateway="${label(nameOf(gateway))}",${rule === undefined ? 'route_kind="",route="",rule=""' : ruleLabels(rule)}`;

const backendLabels = ({ backend }: Pick<AttemptFinished, "backend">): string =>
  `backend="${label(nameOf(backend.object))}:${backend.port}"`;

/** `finished`, or the first flag in the form of a label: `NotConnected` → `not_connected`. */
const resultOf = ({ flags: [first] }: ConnectionFinished): string =>
  first === undefined ? "finished" : first.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase();

function formatOutcome(outcome: AttemptOutcome | { readonly type: "Cancelled" }): string {
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
