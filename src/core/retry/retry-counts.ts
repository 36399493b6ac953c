/**
 * The worth of retries: of the requests of a rule to a backend, how many needed a retry, and how many succeeded only by one, over the last
 * hour. Time arrives as an argument.
 */
import { compareText, type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";

/** How a request that was forwarded to a backend ended. */
export type RetryOutcome =
  /** One attempt, whatever came of it. */
  | "NotRetried"
  /** The request was retried, and the last attempt succeeded: without retries the client would have got an error. */
  | "Succeeded"
  /** The request was retried, and failed all the same. */
  | "Failed";

/** Requests of one rule to one backend through one Gateway. */
export interface Traffic {
  readonly gateway: ObjectRef;
  readonly route: ObjectRef;
  /** The name of the rule, or `rule-2` for the second rule if it has no name. */
  readonly rule: string;
  readonly backend: ObjectRef;
  readonly port: number;
}

export interface RetryCounts {
  /** Forwarded requests. A request counts once, however often it is retried. */
  readonly requests: number;
  /** Requests that needed a retry. */
  readonly retried: number;
  /** Requests that succeeded only by a retry. */
  readonly succeededByRetry: number;
}

export interface TrafficCounts extends Traffic, RetryCounts {}

/** The counts of one gateway process. */
export interface RetryReport {
  /** The counted interval: an hour, or less if the gateway has run for less. */
  readonly windowMs: number;
  /** Traffic with requests in the interval, sorted by Gateway, route, rule and backend. */
  readonly counts: readonly TrafficCounts[];
  /** Requests that were not counted, because there was more different traffic than is kept. */
  readonly uncounted: number;
}

/** The counts of the data planes of a controller, and what is not known. */
export interface RetryKnowledge {
  readonly report: RetryReport;
  /** The Gateways whose requests are counted. */
  readonly counted: ReadonlySet<ObjectId>;
  /** The Gateways whose requests are not counted, or not all of them, with the reason. */
  readonly gaps: ReadonlyMap<ObjectId, string>;
}

/** Adds the requests of a gateway up. */
export interface RetryMeter {
  /** `key` is `trafficKey(traffic)`; callers keep it, because every request needs it. `requests`: how many ended like that (default: 1). */
  readonly count: (key: string, traffic: Traffic, outcome: RetryOutcome, nowMs: number, requests?: number) => void;
  readonly report: (nowMs: number) => RetryReport;
}

const MINUTE_MS = 60_000;
/** The minute that is not over yet, and those before it. */
const MINUTES = 60;
export const RETRY_WINDOW_MS: number = MINUTES * MINUTE_MS;

/** About 1.3 KB each. */
const MOST_TRAFFIC = 10_000;

export const trafficKey = ({ gateway, route, rule, backend, port }: Traffic): string =>
  [objectId(gateway), objectId(route), rule, objectId(backend), port].join(" ");

/** `startedMs`: when the gateway began to count. */
export function createRetryMeter(startedMs: number, mostTraffic: number = MOST_TRAFFIC): RetryMeter {
  const rings = new Map<string, { readonly traffic: Traffic; readonly ring: Ring }>();
  const uncounted = createRing();
  let tidiedAt = Number.NaN;
  /** Drops traffic without requests in the last hour, at most once a minute. */
  const tidy = (minute: number): void => {
    if (minute === tidiedAt) return;
    tidiedAt = minute;
    for (const [key, { ring }] of rings) if (ring.sum(minute).requests === 0) rings.delete(key);
  };
  return {
    count: (key, traffic, outcome, nowMs, requests = 1) => {
      const minute = minuteOf(nowMs);
      const known = rings.get(key);
      if (known !== undefined) return known.ring.add(minute, outcome, requests);
      if (rings.size >= mostTraffic) tidy(minute);
      if (rings.size >= mostTraffic) return uncounted.add(minute, outcome, requests);
      const ring = createRing();
      ring.add(minute, outcome, requests);
      rings.set(key, { traffic, ring });
    },
    report: (nowMs) => {
      const minute = minuteOf(nowMs);
      const counts = [...rings].flatMap(([key, { traffic, ring }]) => {
        const sum = ring.sum(minute);
        return sum.requests === 0 ? [] : [{ key, counts: { ...traffic, ...sum } }];
      });
      return {
        windowMs: Math.min(RETRY_WINDOW_MS, nowMs - startedMs),
        counts: counts.sort((a, b) => compareText(a.key, b.key)).map((one) => one.counts),
        uncounted: uncounted.sum(minute).requests,
      };
    },
  };
}

const minuteOf = (nowMs: number): number => Math.floor(nowMs / MINUTE_MS);

/** Counts by minute, in constant space. */
interface Ring {
  readonly add: (minute: number, outcome: RetryOutcome, times: number) => void;
  readonly sum: (minute: number) => RetryCounts;
}

function createRing(): Ring {
  /** The minute that each slot counts. */
  const minutes = new Float64Array(MINUTES).fill(Number.NaN);
  const requests = new Uint32Array(MINUTES);
  const retried = new Uint32Array(MINUTES);
  const succeeded = new Uint32Array(MINUTES);
  const increment = (counts: Uint32Array, at: number, times: number): void => {
    counts[at] = (counts[at] ?? 0) + times;
  };
  return {
    add: (minute, outcome, times) => {
      const at = minute % MINUTES;
      if (minutes[at] !== minute) {
        minutes[at] = minute;
        for (const counts of [requests, retried, succeeded]) counts[at] = 0;
      }
      increment(requests, at, times);
      if (outcome !== "NotRetried") increment(retried, at, times);
      if (outcome === "Succeeded") increment(succeeded, at, times);
    },
    sum: (minute) => {
      let sum: RetryCounts = { requests: 0, retried: 0, succeededByRetry: 0 };
      minutes.forEach((of, at) => {
        if (!(of > minute - MINUTES)) return;
        sum = addCounts(sum, {
          requests: requests[at] ?? 0,
          retried: retried[at] ?? 0,
          succeededByRetry: succeeded[at] ?? 0,
        });
      });
      return sum;
    },
  };
}

const addCounts = (a: RetryCounts, b: RetryCounts): RetryCounts => ({
  requests: a.requests + b.requests,
  retried: a.retried + b.retried,
  succeededByRetry: a.succeededByRetry + b.succeededByRetry,
});

/** The sum of all counts. */
export const sumCounts = (counts: readonly RetryCounts[]): RetryCounts =>
  counts.reduce(addCounts, { requests: 0, retried: 0, succeededByRetry: 0 });

/** Joins the reports of several gateways: equal traffic is one row. The interval is the longest: a gateway that started later has served nothing before. */
export function joinReports(reports: readonly RetryReport[]): RetryReport {
  const byKey = new Map<string, TrafficCounts>();
  for (const one of reports.flatMap(({ counts }) => counts)) {
    const key = trafficKey(one);
    byKey.set(key, { ...one, ...addCounts(one, byKey.get(key) ?? { requests: 0, retried: 0, succeededByRetry: 0 }) });
  }
  return {
    windowMs: Math.max(0, ...reports.map(({ windowMs }) => windowMs)),
    counts: [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, counts]) => counts),
    uncounted: reports.reduce((sum, { uncounted }) => sum + uncounted, 0),
  };
}
