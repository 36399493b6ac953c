import { RETRY_WINDOW_MS, type RetryCounts } from "./retry-counts.ts";

/** `18 %`. Some are never `0 %`, and not all are never `100 %`. `whole` is not 0. */
export function formatShare(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.1) return "less than 0.1 %";
  if (part < whole && percent > 99.9) return "more than 99.9 %";
  const isNearEnd = (part > 0 && percent < 1) || (part < whole && percent > 99);
  return `${isNearEnd ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** `in the last hour`, or `in the 12 minutes since counting began`. */
export function formatWindow(windowMs: number): string {
  if (windowMs >= RETRY_WINDOW_MS) return "in the last hour";
  const seconds = Math.max(1, Math.floor(windowMs / 1000));
  const [count, unit] = seconds < 120 ? [seconds, "second"] : [Math.floor(seconds / 60), "minute"];
  return `in the ${count} ${unit}${count === 1 ? "" : "s"} since counting began`;
}

/** `18 % of the 1200 requests to Service bakery/baker:8080 succeeded only by a retry, and 2 % failed in spite of one`. */
export function formatRetryCounts({ requests, retried, succeededByRetry }: RetryCounts, to?: string): string {
  const where = to === undefined ? "" : ` to ${to}`;
  if (requests === 0) return `no request${where} was counted`;
  const all = requests === 1 ? `the 1 request${where}` : `the ${requests} requests${where}`;
  if (retried === 0) return `none of ${all} needed a retry`;
  const failed = retried - succeededByRetry;
  const inSpite = failed === 0 ? "" : `, and ${formatShare(failed, requests)} failed in spite of one`;
  return `${formatShare(succeededByRetry, requests)} of ${all} succeeded only by a retry${inSpite}`;
}
