import { describe, expect, test } from "vitest";
import { formatRetryCounts, formatShare, formatWindow } from "./format-share.ts";
import { parseRetryReport, retryReportJson } from "./parse-retry-report.ts";
import { createRetryMeter, joinReports, type RetryOutcome, type Traffic, trafficKey } from "./retry-counts.ts";

const MINUTE = 60_000;
const ref = (kind: string, name: string) => ({ group: "", kind, namespace: "bakery", name });
const traffic = (rule: string, more: Partial<Traffic> = {}): Traffic => ({
  gateway: ref("Gateway", "prod"),
  route: ref("HTTPRoute", "baker"),
  rule,
  backend: ref("Service", "baker"),
  port: 8080,
  ...more,
});
const menu = traffic("menu");

describe("what retries were worth in the last hour", () => {
  test("a request counts once, for what retries did for it", () => {
    const meter = createRetryMeter(0);
    for (const outcome of ["NotRetried", "NotRetried", "Succeeded", "Failed"] as const) {
      meter.count(trafficKey(menu), menu, outcome, 1000);
    }
    expect(meter.report(2000)).toEqual({
      windowMs: 2000,
      counts: [{ ...menu, requests: 4, retried: 2, succeededByRetry: 1 }],
      uncounted: 0,
    });
  });

  test("requests of more than an hour ago do not count, and the interval is never longer", () => {
    const meter = createRetryMeter(0);
    meter.count(trafficKey(menu), menu, "Succeeded", 0);
    meter.count(trafficKey(menu), menu, "NotRetried", 30 * MINUTE);
    expect(meter.report(59 * MINUTE).counts).toMatchObject([{ requests: 2, succeededByRetry: 1 }]);
    expect(meter.report(61 * MINUTE)).toMatchObject({ windowMs: 60 * MINUTE, counts: [{ requests: 1, retried: 0 }] });
    expect(meter.report(91 * MINUTE).counts).toEqual([]);
  });

  test("for any sequence of requests it counts those of this minute and the 59 before it", () => {
    const meter = createRetryMeter(0);
    const seen: { readonly minute: number; readonly outcome: RetryOutcome }[] = [];
    const outcomes = ["NotRetried", "Succeeded", "Failed"] as const;
    let nowMs = 0;
    for (let step = 0; step < 3000; step++) {
      // Gaps from none to more than an hour.
      nowMs += (step * 7919) % 97 === 0 ? 65 * MINUTE : (step * 104_729) % 90_000;
      const outcome = outcomes[(step * 31) % 3] ?? "Failed";
      seen.push({ minute: Math.floor(nowMs / MINUTE), outcome });
      meter.count(trafficKey(menu), menu, outcome, nowMs);
      const recent = seen.filter(({ minute }) => minute > Math.floor(nowMs / MINUTE) - 60);
      expect(meter.report(nowMs).counts).toEqual([
        {
          ...menu,
          requests: recent.length,
          retried: recent.filter((one) => one.outcome !== "NotRetried").length,
          succeededByRetry: recent.filter((one) => one.outcome === "Succeeded").length,
        },
      ]);
    }
  });

  test("its memory is bounded: what does not fit is reported as uncounted, and room is made by traffic that has ended", () => {
    const meter = createRetryMeter(0, 2);
    const rules = ["a", "b", "c"].map((rule) => traffic(rule));
    const countAll = (nowMs: number): void => {
      for (const rule of rules) meter.count(trafficKey(rule), rule, "Succeeded", nowMs);
    };
    countAll(0);
    expect(meter.report(0)).toMatchObject({ counts: [{ rule: "a" }, { rule: "b" }], uncounted: 1 });
    const late = traffic("late");
    meter.count(trafficKey(late), late, "NotRetried", 90 * MINUTE);
    expect(meter.report(90 * MINUTE)).toMatchObject({ counts: [{ rule: "late", requests: 1 }], uncounted: 0 });
  });

  test("the reports of several gateways add up", () => {
    const one = { ...menu, requests: 10, retried: 3, succeededByRetry: 2 };
    const other = { ...traffic("bread"), requests: 1, retried: 0, succeededByRetry: 0 };
    const joined = joinReports([
      { windowMs: 60 * MINUTE, counts: [one], uncounted: 0 },
      { windowMs: MINUTE, counts: [one, other], uncounted: 4 },
    ]);
    expect(joined).toEqual({
      windowMs: 60 * MINUTE,
      counts: [other, { ...menu, requests: 20, retried: 6, succeededByRetry: 4 }],
      uncounted: 4,
    });
  });
});

describe("the report as JSON", () => {
  const report = {
    windowMs: 90_000,
    counts: [{ ...menu, requests: 4, retried: 2, succeededByRetry: 1 }],
    uncounted: 3,
  };

  test("is read as it was written", () => expect(parseRetryReport(retryReportJson(report))).toEqual(report));

  test("a row that cannot be read is uncounted, never absent", () => {
    const [row] = [retryReportJson(report)["traffic"]].flat();
    const bad = [{ ...(row as object), requests: -1 }, { ...(row as object), gateway: "prod" }, "row"];
    expect(parseRetryReport({ windowSeconds: 90, traffic: bad as never, uncounted: 0 })).toEqual({
      windowMs: 90_000,
      counts: [],
      uncounted: 3,
    });
  });

  test.each([[null], [[]], [{}], [{ windowSeconds: 1, traffic: {}, uncounted: 0 }], [{ nodes: [] }]])(
    "%j is no report",
    (document) => expect(parseRetryReport(document)).toBe(undefined),
  );
});

describe("shares in words", () => {
  test.each([
    [18, 100, "18 %"],
    [1, 3, "33 %"],
    [0, 7, "0 %"],
    [7, 7, "100 %"],
    [4, 1000, "0.4 %"],
    [996, 1000, "99.6 %"],
    [1, 100_000, "less than 0.1 %"],
    [99_999, 100_000, "more than 99.9 %"],
  ])("%i of %i: %s", (part, whole, text) => expect(formatShare(part, whole)).toBe(text));

  test.each([
    [3_600_000, "in the last hour"],
    [720_000, "in the 12 minutes since counting began"],
    [61_000, "in the 61 seconds since counting began"],
    [0, "in the 1 second since counting began"],
  ])("%i ms: %s", (windowMs, text) => expect(formatWindow(windowMs)).toBe(text));

  test.each([
    [{ requests: 0, retried: 0, succeededByRetry: 0 }, "no request to it was counted"],
    [{ requests: 5, retried: 0, succeededByRetry: 0 }, "none of the 5 requests to it needed a retry"],
    [{ requests: 1, retried: 1, succeededByRetry: 1 }, "100 % of the 1 request to it succeeded only by a retry"],
    [
      { requests: 100, retried: 20, succeededByRetry: 18 },
      "18 % of the 100 requests to it succeeded only by a retry, and 2 % failed in spite of one",
    ],
  ])("%j", (counts, text) => expect(formatRetryCounts(counts, "it")).toBe(text));
});
