/** Counts what retries are worth, from the requests that have ended. */
import { createGauge, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { BackendConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import {
  createRetryMeter,
  type RetryOutcome,
  type RetryReport,
  type TrafficCounts,
} from "../../core/retry/retry-counts.ts";
import { createForwardedRequests, type ForwardedRequests, trafficLabels } from "./forwarded-requests.ts";
import type { RequestFinished, RequestFlag } from "./gateway-event.ts";

export interface RetryWorth {
  /** Counts a request that was forwarded to a backend; others do not count. */
  readonly count: (event: RequestFinished) => void;
  /** Counts equal requests that another process has forwarded. */
  readonly add: (gateway: ObjectRef, forwarded: ForwardedAlike) => void;
  /** The configuration that is served: counters of other rules and backends are forgotten after some time. */
  readonly use: ForwardedRequests["use"];
  readonly report: () => RetryReport;
  readonly families: readonly MetricFamily[];
}

/** Requests of a rule to a backend that ended alike. */
export interface ForwardedAlike {
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
  const forwarded = createForwardedRequests(nowMs);
  const report = (): RetryReport => meter.report(nowMs());
  const shares = (part: (counts: TrafficCounts) => number) => (): ReadonlyMap<string, number> =>
    new Map(report().counts.map((counts) => [trafficLabels(counts), part(counts) / counts.requests]));
  const add: RetryWorth["add"] = (gateway, { rule, backend, requests, ...ended }) => {
    const outcome = outcomeOf(ended);
    const known = forwarded.of(gateway, rule, backend);
    forwarded.add(known, outcome, requests);
    meter.count(known.key, known.traffic, outcome, nowMs(), requests);
  };
  return {
    count: (event) => {
      const { gateway, rule, backend, attempts, status, flags } = event;
      if (rule === undefined || backend === undefined || attempts === 0) return;
      add(gateway, { rule, backend, attempts, status, flags, requests: 1 });
    },
    add,
    use: forwarded.use,
    report,
    families: [
      ...forwarded.families,
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
}: Pick<ForwardedAlike, "attempts" | "status" | "flags">): RetryOutcome {
  if (attempts === 1) return "NotRetried";
  const hasFailed = status === 0 || status >= 500 || flags.some((flag) => FAILURES.has(flag));
  return hasFailed ? "Failed" : "Succeeded";
}
