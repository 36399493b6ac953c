/** What Envoy cannot keep exactly, told to people. docs/envoy.md gives the reason for each. */
import type { BackendTarget, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { displayRef } from "../../core/model/refs.ts";
import { MOST_ATTEMPTS, waitsOf } from "./compile-retries.ts";

export function limitsOf({ action, filters }: RuleConfig): readonly string[] {
  if (action.type !== "Forward") return [];
  return action.backends.flatMap(({ target }) => {
    if (target.type === "Unavailable") return [];
    const paths = [...filters, ...target.filters].filter(
      (filter) => filter.type === "URLRewrite" && filter.path !== undefined,
    );
    return [
      ...retryLimits(target),
      ...(paths.length > 1 ? ["Envoy rewrites a path once: the last rewrite counts, of the path as it came"] : []),
    ];
  });
}

function retryLimits({ backend, retry }: Extract<BackendTarget, { type: "Backend" }>): readonly string[] {
  if (retry === undefined || retry.plan.attempts === 0) return [];
  const name = displayRef(backend.object);
  const hasBudget = retry.budget !== undefined || backend.budget !== undefined;
  const limits: string[] = [];
  if (hasBudget && waitsOf(retry.plan, 0) !== undefined) {
    limits.push(`Envoy cannot keep a retry budget together with a backoff: retries to ${name} are not bounded`);
  } else if (hasBudget) {
    limits.push(
      `Envoy counts minRetryRate as retries under way at the same time, not per interval, for retries to ${name}; of two budgets the one with the lower percentage counts`,
    );
  }
  if (retry.plan.attempts > MOST_ATTEMPTS) {
    limits.push(`Envoy is told to retry ${MOST_ATTEMPTS} times at most, not ${retry.plan.attempts}, for ${name}`);
  }
  return limits;
}
