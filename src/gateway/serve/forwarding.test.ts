/** Attempts, waits and timeouts in virtual time: thousands of requests, each over in no time at all. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BackendConfig, BackendId, EndpointsId, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { waitRangeMs } from "../../core/retry/backoff.ts";
import type { RetryBudget } from "../../core/retry/retry-budget.ts";
import type { RetryPlan } from "../../core/retry/retry-schedule.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import { DEFAULT_LIMITS } from "../contract/gateway-limits.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import { createPieceQueue } from "../contract/piece-meter.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { AttemptFailure, AttemptSink, Upstream } from "../contract/upstream.ts";
import { RequestRecord } from "../observe/request-record.ts";
import { createRetryBudgets, type RetryBudgets } from "../upstream/retry-budgets.ts";
import { Forwarding } from "./forwarding.ts";
import type { ServingContext } from "./serving-context.ts";
import { createSessions } from "./sessions.ts";

/** What an attempt brings, and after how long. */
interface Deed {
  readonly brings: number | AttemptFailure["type"] | "Nothing";
  readonly afterMs: number;
}

interface Settings {
  readonly plan: RetryPlan | undefined;
  readonly requestMs: number | undefined;
  readonly backendRequestMs: number | undefined;
  readonly method: string;
  readonly script: readonly Deed[];
  readonly random: number;
}

interface SeenAttempt {
  readonly startedMs: number;
  /** Undefined: it was cancelled. */
  endedMs: number | undefined;
  brought: Deed["brings"] | undefined;
}

interface Outcome {
  readonly attempts: readonly SeenAttempt[];
  readonly status: number | undefined;
  readonly responses: number;
  readonly endedMs: number;
  readonly timersLeft: number;
}

/** A clock that jumps from one timer to the next. */
function createVirtualClock(random: number) {
  let nowMs = 0;
  let order = 0;
  const timers = new Map<number, { readonly dueMs: number; readonly onTime: () => void }>();
  const clock: GatewayClock = {
    nowMs: () => nowMs,
    wallClockMs: () => nowMs,
    random: () => random,
    startTimer: (delayMs, onTime) => {
      const id = order++;
      timers.set(id, { dueMs: nowMs + Math.max(0, delayMs), onTime });
      return { cancel: () => timers.delete(id) };
    },
  };
  /** Until nothing is left to happen. */
  const run = (): void => {
    for (let steps = 0; steps < 10_000 && timers.size > 0; steps++) {
      const [id, timer] = [...timers].reduce((first, other) => (other[1].dueMs < first[1].dueMs ? other : first));
      timers.delete(id);
      nowMs = timer.dueMs;
      timer.onTime();
    }
  };
  return { clock, run, left: () => timers.size };
}

const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "a", name: "b" };
const backend: BackendConfig = {
  id: "b" as BackendId,
  object: { group: "", kind: "Service", namespace: "a", name: "b" },
  port: 80,
  protocol: "HTTP/1.1",
  tls: undefined,
  endpoints: "e" as EndpointsId,
  budget: undefined,
  session: undefined,
};

function simulate(
  settings: Settings,
  { budget, budgets = createRetryBudgets() }: { readonly budget?: RetryBudget; readonly budgets?: RetryBudgets } = {},
): Outcome {
  const { plan, requestMs, backendRequestMs, method, script, random } = settings;
  const virtual = createVirtualClock(random);
  const attempts: SeenAttempt[] = [];
  const upstream: Upstream = {
    send: (_, sink) => {
      const deed = script[attempts.length % script.length] ?? { brings: 200, afterMs: 0 };
      const seen: SeenAttempt = { startedMs: virtual.clock.nowMs(), endedMs: undefined, brought: undefined };
      attempts.push(seen);
      const timer = virtual.clock.startTimer(deed.afterMs, () => {
        if (deed.brings === "Nothing") return;
        seen.endedMs = virtual.clock.nowMs();
        seen.brought = deed.brings;
        bring(deed.brings, sink);
      });
      return { cancel: () => timer.cancel(), resume: () => undefined };
    },
    running: () => 0,
    sweep: () => undefined,
    close: () => undefined,
  };
  const context = contextOf(virtual.clock, upstream, budgets);
  const client = createClient();
  const record = new RequestRecord(client.exchange, virtual.clock.nowMs(), virtual.clock);
  const rule: RuleConfig = {
    route,
    rule: "rule-1",
    filters: [],
    action: { type: "Respond", status: 500, reason: "" },
    requestTimeoutMs: requestMs,
  };
  let endedMs = Number.NaN;
  const forwarding = new Forwarding(
    {
      context,
      lookup: {
        endpointsOf: () => [{ address: "127.0.0.1", port: 1 }],
        tlsOf: () => ({ state: "plain" }),
        problem: undefined,
      },
      record,
      head: headOf(method),
      endpoint: undefined,
      rule,
      target: {
        type: "Backend",
        backend,
        filters: [],
        retry: plan === undefined ? undefined : { plan, maxBodyBytes: 0, budget },
        session: undefined,
        backendRequestTimeoutMs: backendRequestMs,
      },
      request: { authority: "a", path: "/", headers: [] },
      mirrors: [],
      changeResponse: ({ headers }) => headers,
      onFinished: () => {
        endedMs = virtual.clock.nowMs();
      },
    },
    undefined,
  );
  forwarding.start();
  virtual.run();
  return { attempts, status: record.status, responses: client.responses(), endedMs, timersLeft: virtual.left() };
}

function bring(brings: Exclude<Deed["brings"], "Nothing">, sink: AttemptSink): void {
  if (typeof brings === "string") {
    sink.onFail({ type: brings, message: "as planned" });
    return;
  }
  sink.onHead({ status: brings, statusText: "", headers: [] });
  sink.onEnd([]);
}

const contextOf = (clock: GatewayClock, upstream: Upstream, budgets: RetryBudgets): ServingContext => ({
  clock,
  limits: DEFAULT_LIMITS,
  emit: () => undefined,
  budgets,
  sessions: createSessions(),
  upstreams: {
    pick: (_, [endpoint]) => endpoint,
    get: () => upstream,
    record: () => undefined,
    isOut: () => false,
    sweep: () => undefined,
    close: () => undefined,
  },
  pieces: createPieceQueue(clock),
  bufferedBytes: { limit: 0, used: 0 },
  mirrors: { limit: 0, running: 0 },
  debugHeaders: false,
  trustedHops: 0,
});

function createClient(): { readonly exchange: HttpExchange; readonly responses: () => number } {
  let responses = 0;
  return {
    responses: () => responses,
    exchange: {
      protocol: "HTTP/1.1",
      client: "127.0.0.1",
      isSecure: false,
      body: undefined,
      onGone: () => undefined,
      onDrain: () => undefined,
      sendContinue: () => undefined,
      sendHints: () => undefined,
      sendHead: () => {
        responses++;
      },
      write: () => true,
      end: () => undefined,
      switchProtocols: () => undefined,
      cut: () => undefined,
    },
  };
}

const headOf = (method: string): RequestHead => ({
  method,
  host: "a.example",
  hostPort: undefined,
  path: "/",
  query: "",
  headers: [],
  contentLength: undefined,
  hasBody: false,
  upgrade: undefined,
  wantsUpgrade: false,
  takesTrailers: false,
  version: "1.1",
  expectsContinue: false,
  keepsAlive: true,
});

const deeds = fc.record({
  brings: fc.constantFrom<Deed["brings"]>(
    200,
    404,
    500,
    503,
    "NotConnected",
    "Refused",
    "Reset",
    "TimedOut",
    "Nothing",
  ),
  afterMs: fc.integer({ min: 0, max: 400 }),
});
const durations = fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined });
const plans: fc.Arbitrary<RetryPlan> = fc.record({
  codes: fc.subarray([404, 500, 503]),
  attempts: fc.integer({ min: 0, max: 6 }),
  backoffMs: durations,
  maxBackoffMs: durations,
  afterSend: fc.constantFrom("Never" as const, "Idempotent" as const, "Always" as const),
});
const settings: fc.Arbitrary<Settings> = fc.record({
  plan: fc.option(plans, { nil: undefined }),
  requestMs: durations,
  backendRequestMs: durations,
  method: fc.constantFrom("GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"),
  script: fc.array(deeds, { minLength: 1, maxLength: 6 }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

const RUNS = { numRuns: 2000 };
/** A backend that never responds ends by a timeout, or not at all: then there is no end to report. */
const ends = ({ script, requestMs, backendRequestMs }: Settings): boolean =>
  requestMs !== undefined || backendRequestMs !== undefined || script.every(({ brings }) => brings !== "Nothing");

describe("whatever is configured and whatever the backend does", () => {
  test("count: no more attempts than one and the attempts", () => {
    fc.assert(
      fc.property(settings, (given) => {
        expect(simulate(given).attempts.length).toBeLessThanOrEqual((given.plan?.attempts ?? 0) + 1);
      }),
      RUNS,
    );
  });

  test("minimum: no attempt earlier than the backoff after the failure, and it grows", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { attempts } = simulate(given);
        for (const [index, { startedMs }] of attempts.entries()) {
          const before = attempts[index - 1];
          if (before === undefined || given.plan === undefined) continue;
          // An attempt that was given up failed when its time was over.
          const failedMs = before.endedMs ?? before.startedMs + (given.backendRequestMs ?? 0);
          const { least, most } = waitRangeMs(given.plan, index);
          expect(startedMs - failedMs).toBeGreaterThanOrEqual(least - 1e-6);
          expect(startedMs - failedMs).toBeLessThanOrEqual(most + 1e-6);
        }
      }),
      RUNS,
    );
  });

  test("total: the client has its response when the request's time is over, and no attempt starts later", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { requestMs } = given;
        fc.pre(requestMs !== undefined);
        const { attempts, endedMs } = simulate(given);
        expect(endedMs).toBeLessThanOrEqual(requestMs ?? 0);
        for (const { startedMs } of attempts) expect(startedMs).toBeLessThanOrEqual(requestMs ?? 0);
      }),
      RUNS,
    );
  });

  test("each attempt: no longer than its time", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { backendRequestMs } = given;
        fc.pre(backendRequestMs !== undefined);
        for (const { startedMs, endedMs } of simulate(given).attempts) {
          if (endedMs !== undefined) expect(endedMs - startedMs).toBeLessThanOrEqual(backendRequestMs ?? 0);
        }
      }),
      RUNS,
    );
  });

  test("what was sent and may have been processed is sent again only where that is allowed", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { plan, method } = given;
        const mayResend =
          plan?.afterSend === "Always" || (plan?.afterSend === "Idempotent" && method !== "POST" && method !== "PATCH");
        const { attempts } = simulate(given);
        for (const { brought } of attempts.slice(0, -1)) {
          const wasSent =
            brought === "Reset" || brought === "TimedOut" || brought === "Nothing" || brought === undefined;
          if (wasSent) expect(mayResend).toBe(true);
        }
      }),
      RUNS,
    );
  });

  test("exactly one response, and nothing left running behind it", () => {
    fc.assert(
      fc.property(settings.filter(ends), (given) => {
        const { responses, status, timersLeft, endedMs } = simulate(given);
        expect(responses).toBe(1);
        expect(status).toBeDefined();
        expect(Number.isNaN(endedMs)).toBe(false);
        expect(timersLeft).toBe(0);
      }),
      RUNS,
    );
  });
});

test("budget: of all requests together no more are retried than it allows", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 5 }), (percent, count) => {
      const budgets = createRetryBudgets();
      const budget = { percent, intervalMs: 60_000, minRetryRate: { count, intervalMs: 60_000 } };
      const plan: RetryPlan = {
        codes: [503],
        attempts: 3,
        backoffMs: 1,
        maxBackoffMs: 1,
        afterSend: "Idempotent",
      };
      const script = [{ brings: 503, afterMs: 1 }] as const;
      const given: Settings = {
        plan,
        requestMs: undefined,
        backendRequestMs: undefined,
        method: "GET",
        script,
        random: 0,
      };
      const requests = 50;
      let attempts = 0;
      for (let request = 0; request < requests; request++)
        attempts += simulate(given, { budget, budgets }).attempts.length;
      expect(attempts - requests).toBeLessThanOrEqual(Math.max(count, Math.floor((percent * requests) / 100)));
      expect(attempts - requests).toBeGreaterThanOrEqual(Math.min(count, 3 * requests));
    }),
    { numRuns: 100 },
  );
});
