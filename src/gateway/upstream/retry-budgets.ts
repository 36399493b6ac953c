/** The budget meters of backends. A budget has one meter for all rules that use it, and keeps it across configurations. */
import type { BackendConfig, RetryConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { type BudgetMeter, createBudgetMeter, type RetryBudget } from "../../core/retry/retry-budget.ts";

export interface RetryBudgets {
  /** A request without a retry plan has meters too: it counts towards the percentage of the backend's budget. */
  readonly metersOf: (backend: BackendConfig, retry: RetryConfig | undefined) => readonly BudgetMeter[];
}

const NONE: readonly BudgetMeter[] = [];
/** The key for requests without a retry plan. */
const NO_RETRY = {};
/** Unused meters are removed when the table grows beyond this size. */
const SWEEP_SIZE = 1000;

export function createRetryBudgets(): RetryBudgets {
  /** Weak references: `held` keeps a meter alive as long as its configuration. */
  const known = new Map<string, WeakRef<BudgetMeter>>();
  const held = new WeakMap<object, WeakMap<BackendConfig, readonly BudgetMeter[]>>();
  let sweepSize = SWEEP_SIZE;

  const meterOf = (backend: BackendConfig, source: "policy" | "backend", budget: RetryBudget): BudgetMeter => {
    const { percent, intervalMs, minRetryRate } = budget;
    const key = [source, percent, intervalMs, minRetryRate.count, minRetryRate.intervalMs, backend.id].join(" ");
    const meter = known.get(key)?.deref() ?? createBudgetMeter(budget);
    known.set(key, new WeakRef(meter));
    if (known.size > sweepSize) {
      for (const [old, reference] of known) if (reference.deref() === undefined) known.delete(old);
      sweepSize = Math.max(SWEEP_SIZE, 2 * known.size);
    }
    return meter;
  };

  return {
    metersOf: (backend, retry) => {
      const budget = retry?.budget;
      if (budget === undefined && backend.budget === undefined) return NONE;
      const ofRetry = remember(held, retry ?? NO_RETRY, () => new WeakMap<BackendConfig, readonly BudgetMeter[]>());
      return remember(ofRetry, backend, () => [
        ...(budget === undefined ? [] : [meterOf(backend, "policy", budget)]),
        ...(backend.budget === undefined ? [] : [meterOf(backend, "backend", backend.budget)]),
      ]);
    },
  };
}
