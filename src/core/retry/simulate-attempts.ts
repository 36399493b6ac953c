/** How often a request is sent to a backend, and what its client gets, if it is known how each attempt ends. */
import { waitRangeMs } from "./backoff.ts";
import { type AttemptOutcome, nextStep, type RetryPlan } from "./retry-schedule.ts";
import type { Timeouts } from "./retry-timeline.ts";

export interface SimulatedRequest {
  /** Undefined: no `retry` stanza takes effect. */
  readonly plan: RetryPlan | undefined;
  readonly timeouts: Timeouts;
  readonly method: string;
  /** True if the whole request can be sent again. */
  readonly canResend: boolean;
  /** How each attempt ends. The last one is repeated; there is at least one. */
  readonly outcomes: readonly AttemptOutcome[];
}

export interface Simulation {
  /** The number of attempts, if responses come at once and waits are as short as allowed. */
  readonly attempts: number;
  /** The number of attempts, if responses and waits take as long as allowed: the request timeout may end them earlier. */
  readonly fewestAttempts: number;
  /** The status that the client gets. Undefined: it waits for ever, because no timeout takes effect. */
  readonly status: number | undefined;
  /** Why there is no further attempt. */
  readonly because: "Final" | "NotRetried" | "Exhausted" | "BodyNotKept" | "Budget" | "RequestTimeout" | "NoTimeout";
}

type Pace = "Fastest" | "Slowest";

/** Attempts beyond this are not simulated: no timeout of a real request leaves time for them. */
const MAX_SIMULATED = 100_000;

export function simulateAttempts(request: SimulatedRequest): Simulation {
  const fastest = run(request, "Fastest");
  const { attempts: fewestAttempts } = request.timeouts.requestMs === undefined ? fastest : run(request, "Slowest");
  return { ...fastest, fewestAttempts: Math.min(fastest.attempts, fewestAttempts) };
}

function run(request: SimulatedRequest, pace: Pace): Omit<Simulation, "fewestAttempts"> {
  const { plan, timeouts, method, canResend, outcomes } = request;
  const deadlineMs = timeouts.requestMs ?? Number.POSITIVE_INFINITY;
  let nowMs = 0;
  for (let attempts = 1; ; attempts++) {
    const outcome = outcomes[Math.min(attempts, outcomes.length) - 1] ?? DELIVERED;
    nowMs += durationMs(outcome, timeouts, pace);
    if (nowMs === Number.POSITIVE_INFINITY && deadlineMs === nowMs)
      return { attempts, status: undefined, because: "NoTimeout" };
    if (nowMs >= deadlineMs) return { attempts, status: 504, because: "RequestTimeout" };
    const step = nextStep({
      plan,
      method,
      outcome,
      attemptsMade: attempts,
      canResend,
      nowMs,
      random: 0,
      isWithinBudget: () => true,
    });
    if (step.do === "Respond") return { attempts, status: statusOf(outcome), because: step.because };
    if (attempts >= MAX_SIMULATED)
      return { attempts: (plan?.attempts ?? 0) + 1, status: statusOf(outcome), because: "Exhausted" };
    nowMs = pace === "Fastest" || plan === undefined ? step.atMs : nowMs + waitRangeMs(plan, attempts).most;
    if (nowMs >= deadlineMs) return { attempts, status: 504, because: "RequestTimeout" };
  }
}

const DELIVERED: AttemptOutcome = { type: "Responded", status: 200 };

/** A backend that does not respond is given up when `timeouts.backendRequest` expires. Other failures, and at best responses, come at once. */
function durationMs(
  { type }: AttemptOutcome,
  { backendRequestMs = Number.POSITIVE_INFINITY }: Timeouts,
  pace: Pace,
): number {
  if (type === "TimedOut") return backendRequestMs;
  return type === "Responded" && pace === "Slowest" ? backendRequestMs : 0;
}

/** The status that a client gets without a response of a backend: 504 if it took too long, else 503. */
function statusOf(outcome: AttemptOutcome): number {
  if (outcome.type === "Responded") return outcome.status;
  return outcome.type === "TimedOut" ? 504 : 503;
}
