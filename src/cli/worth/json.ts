import type { ChangedTraffic } from "../../core/explain/worth/traffic-changed.ts";
import { trafficJson } from "../../core/retry/parse-retry-report.ts";
import type { RetryReport, TrafficCounts } from "../../core/retry/retry-counts.ts";

/** The field `retries` of an explanation or a trace. Absent: nothing is known. */
export const trafficCountsJson = (traffic: readonly TrafficCounts[], { windowMs }: RetryReport): object => ({
  windowSeconds: Math.floor(windowMs / 1000),
  traffic: traffic.map(trafficJson),
});

/** The field `retries` of a plan. */
export const changedTrafficJson = ({ backends, windowMs }: ChangedTraffic): object => ({
  windowSeconds: Math.floor(windowMs / 1000),
  backends: backends.map(({ backend, port, requests, retried, succeededByRetry }) => ({
    backend: { ...backend, port },
    requests,
    retried,
    succeededByRetry,
  })),
});
