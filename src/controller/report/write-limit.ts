import { setTimeout as sleep } from "node:timers/promises";

export interface WriteLimit {
  /** Resolves when one more is allowed, at once if fewer than the limit have been. Rejects if the signal aborts. */
  readonly take: (signal: AbortSignal) => Promise<void>;
}

/** A token bucket: `burst` at once, and then `perSecond`. */
export function createWriteLimit(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  monotonicMs: () => number,
): WriteLimit {
  /** When the bucket would be full again, if nothing more were taken. */
  let fullAtMs = monotonicMs();
  const costMs = 1000 / perSecond;
  return {
    take: async (signal) => {
      const nowMs = monotonicMs();
      fullAtMs = Math.max(fullAtMs, nowMs) + costMs;
      const waitMs = fullAtMs - nowMs - burst * costMs;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
  };
}
