/** The settings that Envoy cannot carry out exactly, for `check` and for the xDS server. docs/envoy.md gives the reasons. */
import type { BackendConfig, RuleConfig, UsableTarget } from "../dataplane/gateway-config.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";
import { hasWaits, MOST_ATTEMPTS } from "./envoy-waits.ts";

export type EnvoyLimitCode =
  | "EnvoyDropsBudget"
  | "EnvoyCountsBudgetOtherwise"
  | "EnvoyCapsAttempts"
  | "EnvoyRewritesOnce"
  | "EnvoySplitsSessions"
  | "EnvoyKeepsSessions"
  | "EnvoyKeepsCookies"
  | "EnvoyShortensBackoff";

export interface EnvoyLimit {
  readonly code: EnvoyLimitCode;
  readonly message: string;
}

/** A limit, and the backend that it concerns. */
export interface RuleLimit extends EnvoyLimit {
  /** The field of the rule, or of the backend's XBackendTrafficPolicy. */
  readonly setting: "filters" | "retry" | "sessionPersistence";
  /** Undefined: it does not concern a single backend. */
  readonly backend: BackendConfig | undefined;
}

/** `hasBudget`: a RetryPolicy or an XBackendTrafficPolicy sets a budget. With sessions there are no waits. */
export function retryLimits(
  plan: RetryPlan,
  { hasBudget, hasSession = false }: { readonly hasBudget: boolean; readonly hasSession?: boolean },
): readonly EnvoyLimit[] {
  if (plan.attempts === 0) return [];
  const limits: EnvoyLimit[] = [];
  if (hasBudget && hasWaits(plan) && !hasSession) {
    limits.push({
      code: "EnvoyDropsBudget",
      message: "Envoy cannot enforce a retry budget together with a backoff: retries are not limited",
    });
  } else if (hasBudget) {
    limits.push({
      code: "EnvoyCountsBudgetOtherwise",
      message:
        "Envoy counts minRetryRate as concurrent retries, not per interval, and uses only the budget with the lower percentage",
    });
  }
  if (plan.attempts > MOST_ATTEMPTS) {
    limits.push({
      code: "EnvoyCapsAttempts",
      message: `Envoy retries at most ${MOST_ATTEMPTS} times, not ${plan.attempts} times`,
    });
  }
  return limits;
}

export function ruleLimits({ action, filters }: RuleConfig): readonly RuleLimit[] {
  if (action.type !== "Forward") return [];
  return action.backends.flatMap(({ target }) => {
    if (target.type === "Unavailable") return [];
    const paths = [...filters, ...target.filters].filter(
      (filter) => filter.type === "URLRewrite" && filter.path !== undefined,
    );
    const limits = [...targetLimits(target), ...sessionLimits(target, action.backends.length)];
    return paths.length > 1 ? [...limits, REWRITES_ONCE] : limits;
  });
}

/** Envoy has the address of the endpoint in the cookie or the header, and an end of the session only in cookies. */
function sessionLimits({ session, backend, retry }: UsableTarget, backends: number): readonly RuleLimit[] {
  if (session === undefined) return NONE;
  const limits: EnvoyLimit[] = [];
  if (session.type === "Header" && backends > 1) limits.push(SPLITS_SESSIONS);
  if (session.absoluteTimeoutMs !== undefined) {
    if (session.type === "Header") limits.push(KEEPS_SESSIONS);
    else if (!session.isPermanent) limits.push(KEEPS_COOKIES);
  }
  if (retry !== undefined && hasWaits(retry.plan)) limits.push(SHORTENS_BACKOFF);
  const isOfBackend = session === backend.session;
  return limits.map((limit) => ({
    ...limit,
    setting: "sessionPersistence",
    backend: isOfBackend ? backend : undefined,
  }));
}

const SPLITS_SESSIONS: EnvoyLimit = {
  code: "EnvoySplitsSessions",
  message:
    "Envoy cannot keep a session of type Header at one of several backends: each request gets a backend by weight",
};

const KEEPS_SESSIONS: EnvoyLimit = {
  code: "EnvoyKeepsSessions",
  message: "Envoy does not end sessions of type Header: absoluteTimeout has no effect",
};

const KEEPS_COOKIES: EnvoyLimit = {
  code: "EnvoyKeepsCookies",
  message: "Envoy ends a session after absoluteTimeout by the Max-Age of its cookie, so lifetimeType is Permanent",
};

const SHORTENS_BACKOFF: EnvoyLimit = {
  code: "EnvoyShortensBackoff",
  message:
    "with session persistence Envoy waits a random time below the backoff before a retry, not at least the backoff",
};

const REWRITES_ONCE: RuleLimit = {
  code: "EnvoyRewritesOnce",
  message: "Envoy rewrites a path only once: the last rewrite takes effect, on the original path",
  setting: "filters",
  backend: undefined,
};

const NONE: readonly RuleLimit[] = [];

function targetLimits({ backend, retry, session }: UsableTarget): readonly RuleLimit[] {
  if (retry === undefined) return NONE;
  const hasBudget = retry.budget !== undefined || backend.budget !== undefined;
  return retryLimits(retry.plan, { hasBudget, hasSession: session !== undefined }).map((limit) => ({
    ...limit,
    setting: "retry",
    backend,
  }));
}
