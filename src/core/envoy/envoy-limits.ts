/** What Envoy cannot keep exactly: the one place for whoever configures an Envoy and for `check`. docs/envoy.md gives the reasons. */
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

/** Of a rule, where it shows. */
export interface RuleLimit extends EnvoyLimit {
  /** Undefined: it is no matter of a backend. */
  readonly backend: BackendConfig | undefined;
}

/** `hasBudget`: of whatever policy. */
export function retryLimits(plan: RetryPlan, { hasBudget }: { readonly hasBudget: boolean }): readonly EnvoyLimit[] {
  if (plan.attempts === 0) return [];
  const limits: EnvoyLimit[] = [];
  if (hasBudget && hasWaits(plan)) {
    limits.push({
      code: "EnvoyDropsBudget",
      message: "Envoy cannot keep a retry budget together with a backoff: retries are not bounded",
    });
  } else if (hasBudget) {
    limits.push({
      code: "EnvoyCountsBudgetOtherwise",
      message:
        "Envoy counts minRetryRate as retries under way at the same time, not per interval, and of two budgets the one with the lower percentage",
    });
  }
  if (plan.attempts > MOST_ATTEMPTS) {
    limits.push({
      code: "EnvoyCapsAttempts",
      message: `Envoy is told to retry ${MOST_ATTEMPTS} times at most, not ${plan.attempts} times`,
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
  message: "Envoy rewrites a path once: the last rewrite counts, of the path as it came",
  backend: undefined,
};

const NONE: readonly RuleLimit[] = [];

function targetLimits({ backend, retry }: Extract<BackendTarget, { type: "Backend" }>): readonly RuleLimit[] {
  if (retry === undefined) return NONE;
  const hasBudget = retry.budget !== undefined || backend.budget !== undefined;
  return retryLimits(retry.plan, { hasBudget }).map((limit) => ({ ...limit, backend }));
}
