/**
 * What a gateway did, counted, in Prometheus' text format. Names and labels are part of what users rely on: docs/gateway.md lists them.
 * Label values come from the configuration, never from requests, so that no client can make the number of series grow.
 */
import type { RuleConfig } from "../core/dataplane/gateway-config.ts";
import type { TryOutcome } from "../core/retry/retry-schedule.ts";
import type { GatewayEvent, RequestFinished, TryFinished } from "./gateway-event.ts";

export interface Metrics {
  readonly observe: (event: GatewayEvent) => void;
  /** A configuration was taken up (its number), or left where it was. */
  readonly noteConfig: (outcome: { readonly generation: number } | "Kept") => void;
  readonly render: () => string;
}

/** Seconds. From what a cache answers to what a person gives up on. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

export function createMetrics(): Metrics {
  const requests = createCounters("prevail_requests_total", "Requests that were answered or given up.");
  const refused = createCounters(
    "prevail_refused_requests_total",
    "What came and was no request: malformed or too slow.",
  );
  const tries = createCounters("prevail_tries_total", "Tries at backends, by how they ended.");
  const retries = createCounters("prevail_retries_total", "Retries, by what the try before them ended with.");
  const budget = createCounters(
    "prevail_retry_budget_refusals_total",
    "Retries that were due and for which the budget had no room.",
  );
  const reloads = createCounters(
    "prevail_config_reloads_total",
    "Configurations that were taken up, and changes that could not be.",
  );
  const durations = createHistograms(
    "prevail_request_duration_seconds",
    "From the first byte of a request to the last of its answer.",
  );
  const tryDurations = createHistograms(
    "prevail_try_duration_seconds",
    "From the start of a try to the head of its answer, or to its failure.",
  );
  let generation = 0;
  return {
    observe: (event) => {
      switch (event.type) {
        case "RequestFinished": {
          const labels = requestLabels(event);
          requests.add(`${labels},code="${event.status ?? "none"}"`);
          durations.add(labels, event.durationMs);
          return;
        }
        case "RequestRefused":
          refused.add(`gateway="${label(nameOf(event.gateway))}",code="${event.status}"`);
          return;
        case "TryFinished": {
          const labels = backendLabels(event);
          tries.add(`${labels},outcome="${describeOutcome(event.outcome)}"`);
          tryDurations.add(labels, event.durationMs);
          return;
        }
        case "RetryScheduled":
          retries.add(`${ruleLabels(event.rule)},${backendLabels(event)},reason="${describeOutcome(event.reason)}"`);
          return;
        case "BudgetRefused":
          budget.add(`${ruleLabels(event.rule)},${backendLabels(event)}`);
          return;
      }
    },
    noteConfig: (outcome) => {
      if (outcome === "Kept") {
        reloads.add('result="kept"');
        return;
      }
      generation = outcome.generation;
      reloads.add('result="applied"');
    },
    render: () =>
      [
        ...[requests, refused, durations, tries, tryDurations, retries, budget, reloads].map((family) =>
          family.render(),
        ),
        "# HELP prevail_config_generation The number of the configuration that is served.\n",
        "# TYPE prevail_config_generation gauge\n",
        `prevail_config_generation ${generation}\n`,
      ].join(""),
  };
}

const nameOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

/** Prometheus, "Text format details": what must be escaped in a label's value. */
const label = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const ruleLabelCache = new WeakMap<RuleConfig, string>();

/** Worked out once for each rule: this is on the way of every request. */
function ruleLabels(rule: RuleConfig): string {
  let labels = ruleLabelCache.get(rule);
  if (labels === undefined) {
    labels = `route_kind="${label(rule.route.kind)}",route="${label(nameOf(rule.route))}",rule="${label(rule.rule)}"`;
    ruleLabelCache.set(rule, labels);
  }
  return labels;
}

const NO_RULE = 'route_kind="",route="",rule=""';

const requestLabels = ({ gateway, rule }: RequestFinished): string =>
  `gateway="${label(nameOf(gateway))}",${rule === undefined ? NO_RULE : ruleLabels(rule)}`;

const backendLabels = ({ backend }: Pick<TryFinished, "backend">): string =>
  `backend="${label(nameOf(backend.object))}:${backend.port}"`;

function describeOutcome(outcome: TryOutcome | { readonly type: "Cancelled" }): string {
  switch (outcome.type) {
    case "Answered":
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

interface Family {
  readonly render: () => string;
}

const heading = (name: string, help: string, type: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** Series come out in the order of their labels: two renderings of the same counts are the same text. */
const inOrder = <Value>(series: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...series].sort(([a], [b]) => (a < b ? -1 : 1));

function createCounters(name: string, help: string): Family & { readonly add: (labels: string) => void } {
  const series = new Map<string, { count: number }>();
  return {
    add: (labels) => {
      const known = series.get(labels);
      if (known === undefined) series.set(labels, { count: 1 });
      else known.count++;
    },
    render: () =>
      heading(name, help, "counter") +
      inOrder(series)
        .map(([labels, { count }]) => `${name}{${labels}} ${count}\n`)
        .join(""),
  };
}

interface Histogram {
  readonly counts: number[];
  sumSeconds: number;
  count: number;
}

function createHistograms(
  name: string,
  help: string,
): Family & { readonly add: (labels: string, durationMs: number) => void } {
  const series = new Map<string, Histogram>();
  return {
    add: (labels, durationMs) => {
      let histogram = series.get(labels);
      if (histogram === undefined) {
        histogram = { counts: BUCKETS.map(() => 0), sumSeconds: 0, count: 0 };
        series.set(labels, histogram);
      }
      const seconds = durationMs / 1000;
      const at = BUCKETS.findIndex((limit) => seconds <= limit);
      if (at !== -1) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
      histogram.sumSeconds += seconds;
      histogram.count++;
    },
    render: () =>
      heading(name, help, "histogram") +
      inOrder(series)
        .map(([labels, histogram]) => histogramText(name, labels, histogram))
        .join(""),
  };
}

/** Buckets are cumulative: each counts whatever is not longer. */
function histogramText(name: string, labels: string, { counts, sumSeconds, count }: Histogram): string {
  let sum = 0;
  const lines = BUCKETS.map((limit, at) => {
    sum += counts[at] ?? 0;
    return `${name}_bucket{${labels},le="${limit}"} ${sum}\n`;
  });
  return `${lines.join("")}${name}_bucket{${labels},le="+Inf"} ${count}\n${name}_sum{${labels}} ${sumSeconds}\n${name}_count{${labels}} ${count}\n`;
}
