/** The settings that Envoy cannot carry out exactly, for `check` and for the xDS server. docs/envoy.md gives the reasons. */
import type { BackendConfig, BackendTarget, RuleConfig } from "../dataplane/gateway-config.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";
import { hasWaits, MOST_ATTEMPTS } from "./envoy-waits.ts";

export type EnvoyLimitCode =
  | "EnvoyDropsBudget"
  | "EnvoyCountsBudgetOtherwise"
  | "EnvoyCapsAttempts"
  | "EnvoyRewritesOnce";

export interface EnvoyLimit {
  readonly code: EnvoyLimitCode;
  readonly message: string;
}

/** A limit, and the backend that it concerns. */
export interface RuleLimit extends EnvoyLimit {
  /** Undefined: it does not concern a single backend. */
  readonly backend: BackendConfig | undefined;
}

/** `hasBudget`: a RetryPolicy or an XBackendTrafficPolicy sets a budget. */
export function retryLimits(plan: RetryPlan, { hasBudget }: { readonly hasBudget: boolean }): readonly EnvoyLimit[] {
  if (plan.attempts === 0) return [];
  const limits: EnvoyLimit[] = [];
  if (hasBudget && hasWaits(plan)) {
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
    return paths.length > 1 ? [...targetLimits(target), REWRITES_ONCE] : targetLimits(target);
  });
}

const REWRITES_ONCE: RuleLimit = {
  code: "EnvoyRewritesOnce",
  message: "Envoy rewrites a path only once: the last rewrite takes effect, on the original path",
  backend: undefined,
};

const NONE: readonly RuleLimit[] = [];

function targetLimits({ backend, retry }: Extract<BackendTarget, { type: "Backend" }>): readonly RuleLimit[] {
  if (retry === undefined) return NONE;
  const hasBudget = retry.budget !== undefined || backend.budget !== undefined;
  return retryLimits(retry.plan, { hasBudget }).map((limit) => ({ ...limit, backend }));
}
