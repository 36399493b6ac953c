import { foreignController } from "../../effective/world/gateway-controllers.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";
import { kindId, objectId } from "../../model/refs.ts";
import { BACKEND_TRAFFIC_POLICY, backendBudget } from "../../retry/retry-budget.ts";
import { retrySettings } from "../../retry/retry-settings.ts";
import { type Simulation, simulateAttempts } from "../../retry/simulate-attempts.ts";
import type { KindExplanation, PathOutcome } from "../explain/result.ts";
import type { GatewayTrace, TraceRequest } from "../trace/result.ts";
import { type Trace, usableBackends } from "./check-routing.ts";
import type { CheckReason, ExpectationCheck, TestCase } from "./policy-test.ts";

/** One way in which the request can end; backends may differ in their settings. */
interface Ending {
  readonly attempts: number;
  readonly fewestAttempts: number;
  /** Undefined: the client gets no response. */
  readonly status: number | undefined;
  readonly isBudgeted: boolean;
  /** Why there is no further attempt. Undefined: it does not depend on settings. */
  readonly because: Simulation["because"] | undefined;
}

/** The settings because of which there is no further attempt. */
const DECIDED_BY: Readonly<Record<Simulation["because"], readonly string[]>> = {
  Final: ["/retry/codes"],
  NotRetried: ["/retry/afterSend"],
  Exhausted: ["/retry/attempts", "/retry/codes"],
  BodyNotKept: ["/retry/maxBodyBytes"],
  Budget: ["/retry/budget"],
  RequestTimeout: ["/retry/attempts", "/retry/backoff", "/timeouts"],
  NoTimeout: ["/timeouts"],
};

export interface CheckedResponse {
  readonly checks: readonly ExpectationCheck[];
  readonly notes: readonly string[];
}

const RETRY_POLICY = { group: "prevail.dev", kind: "RetryPolicy" };

/** Compares the status that the client gets, and the number of attempts, with what is expected. */
export function checkResponse(world: World, trace: Trace, testCase: TestCase): CheckedResponse {
  const { expected, field } = testCase;
  const outcomes = retryOutcomes(trace);
  const unknown = whyUnknown(world, trace, testCase);
  const endings = unknown === undefined ? endingsOf(trace, testCase, outcomes) : [];
  const pointers = [...new Set(endings.flatMap(({ because }) => (because === undefined ? [] : DECIDED_BY[because])))];
  const reason: CheckReason =
    outcomes.length === 0 || pointers.length === 0
      ? { about: "Routing" }
      : { about: "Settings", policyKind: RETRY_POLICY, pointers, outcomes };
  const check = (what: "status" | "attempts", wanted: number | undefined): readonly ExpectationCheck[] => {
    if (wanted === undefined) return [];
    const values = [...new Set(endings.map((ending) => ending[what] ?? null))];
    const [only = null] = values;
    return [
      {
        field: `${field}.expect.${what}`,
        what,
        expected: wanted,
        actual: unknown ?? (values.length > 1 ? values : only),
        isMet: values.length === 1 && only === wanted,
        reason,
      },
    ];
  };
  return {
    checks: [...check("status", expected.status), ...check("attempts", expected.attempts)],
    notes: [
      ...(expected.status === undefined && expected.attempts === undefined ? [] : authorizationNotes(trace)),
      ...(expected.attempts === undefined ? [] : notesOn(endings)),
    ],
  };
}

/** The responses of a test are those of backends. What an authorization server responds is not part of it. */
function authorizationNotes(trace: Trace): readonly string[] {
  const filters = trace.outcome === "Routed" ? trace.filters : [];
  const isAsked = filters.some(({ type }) => type === "ExternalAuth");
  return isAsked ? ["status, attempts: if the authorization server of the ExternalAuth filter allows the request"] : [];
}

function notesOn(endings: readonly Ending[]): readonly string[] {
  const slow = endings.find(({ attempts, fewestAttempts }) => fewestAttempts < attempts);
  return [
    ...(slow === undefined
      ? []
      : [`attempts: if the backend is slow, the request timeout leaves time for ${slow.fewestAttempts} only`]),
    ...(endings.some(({ isBudgeted, attempts }) => isBudgeted && attempts > 1)
      ? ["attempts: a retry budget takes effect, which may allow fewer when many requests are retried"]
      : []),
  ];
}

const kindsOf = (trace: Trace): readonly KindExplanation[] =>
  trace.outcome === "Routed" || trace.outcome === "Unrouted" ? trace.kinds : [];

const retryOutcomes = (trace: Trace): readonly PathOutcome[] =>
  kindsOf(trace)
    .filter(({ policyKind }) => kindId(policyKind) === kindId(RETRY_POLICY))
    .flatMap(({ outcomes }) => outcomes);

function endingsOf(
  trace: Trace,
  { request, bodyBytes, outcomes: given }: TestCase,
  retries: readonly PathOutcome[],
): readonly Ending[] {
  const own = (status: number | undefined): readonly Ending[] => [
    { attempts: 0, fewestAttempts: 0, status, isBudgeted: false, because: undefined },
  ];
  switch (trace.outcome) {
    case "NoListener":
      return own(isHeard(trace, request) ? 404 : undefined);
    case "NoMatch":
      return own(404);
    case "NoPort":
      return own(undefined);
    case "Unrouted":
    case "Routed":
      break;
  }
  if (trace.outcome === "Routed" && trace.response !== undefined) return own(redirectStatus(trace.filters) ?? 500);
  const isRefused =
    trace.outcome === "Routed" &&
    usableBackends(trace.backends).length < trace.backends.filter(({ weight }) => weight > 0).length;
  const budgets = kindsOf(trace)
    .filter(({ policyKind }) => kindId(policyKind) === kindId(BACKEND_TRAFFIC_POLICY))
    .some(({ outcomes }) => outcomes.some(({ spec }) => backendBudget(spec) !== undefined));
  const specs = retries.length === 0 ? [{}] : retries.map(({ spec }) => spec);
  const asked = specs.map((spec): Ending => {
    const { plan, timeouts, maxBodyBytes, budget } = retrySettings(spec);
    const outcomes = given.length === 0 ? [{ type: "Responded", status: 200 } as const] : given;
    const canResend = bodyBytes <= maxBodyBytes;
    const ending = simulateAttempts({ plan, timeouts, method: request.method, canResend, outcomes });
    // A response that succeeds at once needs no explanation.
    const isPlain = ending.attempts === 1 && ending.status !== undefined && ending.status < 400;
    return { ...ending, isBudgeted: budgets || budget !== undefined, because: isPlain ? undefined : ending.because };
  });
  return isRefused ? [...asked, ...own(500)] : asked;
}

/** A Gateway that listens on the port without TLS responds to hosts that it does not know. */
const isHeard = (
  { refusals }: Extract<GatewayTrace, { readonly outcome: "NoListener" }>,
  { port, scheme }: TraceRequest,
): boolean =>
  scheme === "http" && refusals.some(({ listener }) => listener.port === port && listener.protocol === "HTTP");

function redirectStatus(filters: readonly JsonObject[]): number | undefined {
  const redirect = filters.find(({ type }) => type === "RequestRedirect");
  if (redirect === undefined) return undefined;
  const settings = ownValue(redirect, "requestRedirect");
  const status = isJsonObject(settings) ? ownValue(settings, "statusCode") : undefined;
  return typeof status === "number" ? status : 302;
}

/** Retries of a Gateway that does not carry RetryPolicies out are up to its controller. */
function whyUnknown(world: World, trace: Trace, { outcomes }: TestCase): string | undefined {
  if (!("gateway" in trace) || trace.outcome !== "Routed" || trace.response !== undefined) return undefined;
  const [first] = outcomes;
  if (first === undefined || (first.type === "Responded" && first.status < 400)) return undefined;
  const definition = world.rulebook.byPolicyKind.get(kindId(RETRY_POLICY))?.definition;
  const gateway = world.objects.get(objectId(trace.gateway))?.raw;
  const controller = definition === undefined ? undefined : foreignController(world, definition, gateway);
  return controller === undefined ? undefined : `not known: ${controller} decides about retries`;
}
