/** Which meters bound the retries of a backend: one for each budget, the same for all who name it, through all configurations. */
import type { BackendConfig, RetryConfig } from "../core/dataplane/gateway-config.ts";
import { type BudgetMeter, createBudgetMeter, type RetryBudget } from "../core/retry/retry-budget.ts";
import { remember } from "./remember.ts";

export interface BudgetBook {
  readonly metersOf: (backend: BackendConfig, retry: RetryConfig) => readonly BudgetMeter[];
}

const NONE: readonly BudgetMeter[] = [];
/** Meters that nobody uses any more are looked for when there are so many. */
const SWEEP_SIZE = 1000;

export function createBudgetBook(): BudgetBook {
  /** Those in use are held by their settings. */
  const known = new Map<string, WeakRef<BudgetMeter>>();
  const held = new WeakMap<RetryConfig, WeakMap<BackendConfig, readonly BudgetMeter[]>>();
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
      if (retry.budget === undefined && backend.budget === undefined) return NONE;
      const ofRetry = remember(held, retry, () => new WeakMap<BackendConfig, readonly BudgetMeter[]>());
      return remember(ofRetry, backend, () => [
        ...(retry.budget === undefined ? [] : [meterOf(backend, "policy", retry.budget)]),
        ...(backend.budget === undefined ? [] : [meterOf(backend, "backend", backend.budget)]),
      ]);
    },
  };
}
