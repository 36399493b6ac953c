/** The rights of a user, as the API server reports them. */
import type { ResourceAccess, ReviewedUser } from "../../adapters/cluster/client/reviews.ts";

export interface AccessReviews {
  /** Rejects if the API server cannot be asked. */
  readonly isAllowed: (user: ReviewedUser, access: ResourceAccess) => Promise<boolean>;
  /** For metrics. */
  readonly counts: { readonly asked: () => number; readonly cached: () => number };
}

export interface AccessReviewOptions {
  /** Sends a SubjectAccessReview. */
  readonly review: (user: ReviewedUser, access: ResourceAccess) => Promise<boolean>;
  readonly nowMs: () => number;
  readonly ttlMs?: number;
  readonly maxEntries?: number;
}

/** How long a decision counts. A right that is revoked is seen for no longer than this. */
const TTL_MS = 5000;
/** One list by a user without rights over all namespaces asks for each policy kind in each namespace. */
const MAX_ENTRIES = 10_000;

interface Decision {
  readonly allowed: Promise<boolean>;
  readonly untilMs: number;
}

export function createAccessReviews(options: AccessReviewOptions): AccessReviews {
  const { review, nowMs, ttlMs = TTL_MS, maxEntries = MAX_ENTRIES } = options;
  /** In the order in which they were made, so the first is the oldest. */
  const decisions = new Map<string, Decision>();
  let asked = 0;
  let cached = 0;
  return {
    isAllowed: (user, access) => {
      const key = JSON.stringify([user, access]);
      const known = decisions.get(key);
      if (known !== undefined && nowMs() < known.untilMs) {
        cached++;
        return known.allowed;
      }
      asked++;
      const allowed = review(user, access);
      decisions.delete(key);
      decisions.set(key, { allowed, untilMs: nowMs() + ttlMs });
      allowed.catch(() => decisions.delete(key));
      if (decisions.size > maxEntries) {
        const [oldest] = decisions.keys();
        if (oldest !== undefined) decisions.delete(oldest);
      }
      return allowed;
    },
    counts: { asked: () => asked, cached: () => cached },
  };
}
