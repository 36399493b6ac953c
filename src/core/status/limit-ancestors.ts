import type { Finding } from "../model/finding.ts";
import { formatRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { AncestorRef } from "./status-report.ts";

/** The list `status.ancestors` of a policy has room for 16 entries. */
export const MAX_ANCESTORS = 16;

/** Ancestors that a finding names. */
const MAX_NAMED = 10;

export interface LimitedAncestors<T> {
  readonly ancestors: readonly T[];
  /** Undefined if no ancestor is left out. */
  readonly finding: Finding | undefined;
}

/**
 * At most 16 ancestors
 *
 * The status of a policy lists at most 16 ancestors. Further ancestors are left out and reported as the finding `AncestorsLeftOut`.
 * Gateway API, "PolicyStatus.ancestors"
 */
export function limitAncestors<T extends { readonly ref: AncestorRef }>(
  policy: PolicyId,
  ancestors: readonly T[],
): LimitedAncestors<T> {
  if (ancestors.length <= MAX_ANCESTORS) return { ancestors, finding: undefined };
  const leftOut = ancestors.slice(MAX_ANCESTORS);
  const names = leftOut
    .slice(0, MAX_NAMED)
    .map(({ ref }) => formatRef({ ...ref, namespace: ref.namespace ?? "" }, ref.sectionName));
  const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : "";
  return {
    ancestors: ancestors.slice(0, MAX_ANCESTORS),
    finding: {
      code: "AncestorsLeftOut",
      severity: "warning",
      object: policy,
      field: "status.ancestors",
      message: `${formatRef(parseObjectId(policy))} has ${ancestors.length} ancestors, but its status can list only ${MAX_ANCESTORS}; left out: ${names.join(", ")}${more}`,
    },
  };
}
