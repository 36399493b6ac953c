/** Counts what retries are worth, from the requests that have ended. */
import {
  type Cell,
  type Counters,
  createCounters,
  createGauge,
  label,
  type MetricFamily,
} from "../../adapters/admin/metric-families.ts";
import type { BackendConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import {
  createRetryMeter,
  type RetryOutcome,
  type RetryReport,
  type Traffic,
  type TrafficCounts,
  trafficKey,
} from "../../core/retry/retry-counts.ts";
import type { RequestFinished, RequestFlag } from "./gateway-event.ts";

export interface RetryWorth {
  /** Counts a request that was forwarded to a backend; others do not count. */
  readonly count: (event: RequestFinished) => void;
  /** Counts equal requests that another process has forwarded. */
  readonly add: (gateway: ObjectRef, forwarded: ForwardedRequests) => void;
  readonly report: () => RetryReport;
  readonly families: readonly MetricFamily[];
}

/** Requests of a rule to a backend that ended alike. */
export interface ForwardedRequests {
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
  readonly attempts: number;
  /** Undefined: there was no response. */
  readonly status: number | undefined;
  readonly flags: readonly RequestFlag[];
  readonly requests: number;
}

/** `nowMs`: a clock that never goes back. */
export function createRetryWorth(nowMs: () => number): RetryWorth {
  const meter = createRetryMeter(nowMs());
  const forwarded = createCounters(
    "prevail_forwarded_requests_total",
    "Requests that were forwarded to a backend, by what retries did for them.",
  );
  const seriesOf = createSeriesCache(forwarded);
  const report = (): RetryReport => meter.report(nowMs());
  const shares = (part: (counts: TrafficCounts) => number) => (): ReadonlyMap<string, number> =>
    new Map(report().counts.map((counts) => [trafficLabels(counts), part(counts) / counts.requests]));
  const add: RetryWorth["add"] = (gateway, { rule, backend, requests, ...ended }) => {
    const outcome = outcomeOf(ended);
    const { key, traffic, cells } = seriesOf(gateway, rule, backend);
    cells[outcome].count += requests;
    meter.count(key, traffic, outcome, nowMs(), requests);
  };
  return {
    count: (event) => {
      const { gateway, rule, backend, attempts, status, flags } = event;
      if (rule === undefined || backend === undefined || attempts === 0) return;
      add(gateway, { rule, backend, attempts, status, flags, requests: 1 });
    },
    add,
    report,
    families: [
      forwarded,
      createGauge(
        "prevail_retried_requests_ratio",
        "The share of the forwarded requests of the last hour that needed a retry.",
        shares(({ retried }) => retried),
      ),
      createGauge(
        "prevail_requests_succeeded_by_retry_ratio",
        "The share of the forwarded requests of the last hour that succeeded only by a retry.",
        shares(({ succeededByRetry }) => succeededByRetry),
      ),
    ],
  };
}

/** How an attempt failed, or why the response is not what the client asked for. */
const FAILURES: ReadonlySet<RequestFlag> = new Set([
  "BackendTimeout",
  "BodyNotKept",
  "Budget",
  "ClientGone",
  "Cut",
  "Exhausted",
  "NoEndpoints",
  "NotConnected",
  "Refused",
  "RequestTimeout",
  "Reset",
]);

/** A response that the retry policy does not retry and that is not an error of the server is a success. */
function outcomeOf({
  attempts,
  status = 0,
  flags,
}: Pick<ForwardedRequests, "attempts" | "status" | "flags">): RetryOutcome {
  if (attempts === 1) return "NotRetried";
  const hasFailed = status === 0 || status >= 500 || flags.some((flag) => FAILURES.has(flag));
  return hasFailed ? "Failed" : "Succeeded";
}

/** The counters of one set of labels. */
interface TrafficSeries {
  readonly key: string;
  readonly traffic: Traffic;
  readonly cells: Readonly<Record<RetryOutcome, Cell>>;
}

type SeriesCache = (gateway: ObjectRef, rule: RuleConfig, backend: BackendConfig) => TrafficSeries;

/** Keys and labels are computed once for each configuration, because every request needs them. */
function createSeriesCache(forwarded: Counters): SeriesCache {
  const known = new WeakMap<ObjectRef, WeakMap<RuleConfig, WeakMap<BackendConfig, TrafficSeries>>>();
  return (gateway, rule, backend) => {
    const rules = remember(known, gateway, () => new WeakMap());
    const backends = remember(rules, rule, () => new WeakMap());
    return remember(backends, backend, () => {
      const traffic: Traffic = {
        gateway,
        route: rule.route,
        rule: rule.rule,
        backend: backend.object,
        port: backend.port,
      };
      const cell = (retry: string): Cell => forwarded.cell(`${trafficLabels(traffic)},retry="${retry}"`);
      const cells = { NotRetried: cell("none"), Succeeded: cell("succeeded"), Failed: cell("failed") };
      return { key: trafficKey(traffic), traffic, cells };
    });
  };
}

const nameOf = ({ namespace, name }: ObjectRef): string => label(`${namespace}/${name}`);

/** The labels of a series: `gateway`, `route_kind`, `route`, `rule`, `backend`. */
const trafficLabels = ({ gateway, route, rule, backend, port }: Traffic): string =>
  `gateway="${nameOf(gateway)}",route_kind="${label(route.kind)}",route="${nameOf(route)}",rule="${label(rule)}",backend="${nameOf(backend)}:${port}"`;
