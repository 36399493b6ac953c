import { expect, test } from "vitest";
import { finishedRequest } from "../../../test/support/gateway/finished-request.ts";
import { backendConfig, rule as ruleOf } from "../../../test/support/gateway/gateway-configs.ts";
import type { RequestFinished } from "./gateway-event.ts";
import { createRetryWorth } from "./retry-worth.ts";

const rule = ruleOf([]);
const backend = backendConfig("bread");
const finished = (more: Partial<RequestFinished>): RequestFinished =>
  finishedRequest({ rule, backend, attempts: 2, ...more });

test.each([
  ["one attempt", { attempts: 1 }, [1, 0, 0]],
  ["one attempt that fails", { attempts: 1, status: 503, flags: ["NotConnected"] }, [1, 0, 0]],
  ["two attempts, and a response", {}, [1, 1, 1]],
  ["a response that is the client's mistake is one all the same", { status: 404 }, [1, 1, 1]],
  ["all attempts fail", { attempts: 3, status: 503, flags: ["Exhausted"] }, [1, 1, 0]],
  ["a listed code of the client's range, exhausted", { status: 429, flags: ["Exhausted"] }, [1, 1, 0]],
  ["another error after a retry", { status: 500 }, [1, 1, 0]],
  ["the client disconnects", { status: undefined, flags: ["ClientGone"] }, [1, 1, 0]],
  ["the request times out", { status: 504, flags: ["RequestTimeout"] }, [1, 1, 0]],
  ["a response that is aborted", { flags: ["Cut"] }, [1, 1, 0]],
] satisfies readonly (readonly [string, Partial<RequestFinished>, readonly number[]])[])(
  "%s",
  (_, more, [requests, retried, succeededByRetry]) => {
    const worth = createRetryWorth(() => 0);
    worth.count(finished(more));
    expect(worth.report().counts).toMatchObject([{ requests, retried, succeededByRetry }]);
  },
);

test.each([
  ["no rule matches", { rule: undefined, backend: undefined, attempts: 0, status: 404 }],
  ["the gateway responds itself", { backend: undefined, attempts: 0, status: 500 }],
  ["no endpoint", { attempts: 0, status: 503, flags: ["NoEndpoints"] }],
] satisfies readonly (readonly [string, Partial<RequestFinished>])[])("%s: nothing was forwarded", (_, more) => {
  const worth = createRetryWorth(() => 0);
  worth.count(finished(more));
  expect(worth.report().counts).toEqual([]);
});

test("metrics: counters for any interval, and the shares of the last hour; without requests no share", () => {
  let nowMs = 0;
  const worth = createRetryWorth(() => nowMs);
  for (const more of [{ attempts: 1 }, { attempts: 1 }, {}, { status: 503, flags: ["Exhausted"] as const }]) {
    worth.count(finished(more));
  }
  const text = (): string =>
    worth.families
      .map(({ render }) => render().replaceAll(/^#.*\n/gm, ""))
      .join("")
      .replaceAll(/gateway=.*backend="[^"]*"/g, "…");
  expect(text()).toBe(
    [
      'prevail_forwarded_requests_total{…,retry="failed"} 1',
      'prevail_forwarded_requests_total{…,retry="none"} 2',
      'prevail_forwarded_requests_total{…,retry="succeeded"} 1',
      "prevail_forwarded_requests_uncounted_total 0",
      "prevail_retried_requests_ratio{…} 0.5",
      "prevail_requests_succeeded_by_retry_ratio{…} 0.25",
      "",
    ].join("\n"),
  );
  nowMs = 2 * 3_600_000;
  expect(text()).not.toContain("ratio");
});
