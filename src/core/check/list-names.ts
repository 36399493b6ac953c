import { formatRef, type PolicyId, parseObjectId } from "../model/refs.ts";

/** `a`, `a and b`, `a, b and 3 more`. `total`: the number of all names, if not all are given. */
export function listNames(names: readonly string[], total: number = names.length): string {
  if (total > names.length) return `${names.join(", ")} and ${total - names.length} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

export const listPolicies = (policies: readonly PolicyId[], total: number = policies.length): string =>
  listNames(
    policies.map((policy) => formatRef(parseObjectId(policy))),
    total,
  );
