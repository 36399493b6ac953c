/** A token bucket: a burst, and a rate per second. */
export interface RateLimit {
  readonly take: (nowMs: number) => boolean;
}

export function createRateLimit(burst: number, perSecond: number): RateLimit {
  let tokens = burst;
  let lastMs: number | undefined;
  return {
    take: (nowMs) => {
      tokens = Math.min(burst, tokens + ((nowMs - (lastMs ?? nowMs)) * perSecond) / 1000);
      lastMs = nowMs;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}
