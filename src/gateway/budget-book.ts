/** Which meters bound the retries of a backend: one for each budget, the same for all who name it, through all configurations. */
import type { BackendConfig, RetryConfig } from "../core/dataplane/gateway-config.ts";
import { remember } from "../core/model/collections/remember.ts";
import { type BudgetMeter, createBudgetMeter, type RetryBudget } from "../core/retry/retry-budget.ts";

export interface BudgetBook {
  /** Without retries too: a request counts, as others are measured by it. */
  readonly metersOf: (backend: BackendConfig, retry: RetryConfig | undefined) => readonly BudgetMeter[];
}

const NONE: readonly BudgetMeter[] = [];
/** Stands for the settings of those who have none. */
const NO_RETRY = {};
/** Meters that nobody uses any more are looked for when there are so many. */
const SWEEP_SIZE = 1000;

export function createBudgetBook(): BudgetBook {
  /** Those in use are held by their settings. */
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
