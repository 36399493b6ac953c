/** The policies on one target that conflict with each other. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { relation } from "./fold-state.ts";
import { byPrecedence } from "./policy-order.ts";
import type { OraclePolicy } from "./read-policy.ts";

/** The policies that are not accepted on a target, each with the policy that it conflicts with. */
export function conflictsAmong(
  all: readonly OraclePolicy[],
  definition: PolicyDefinition,
): ReadonlyMap<OraclePolicy, PolicyId> {
  const sorted = [...all].sort(byPrecedence(definition));
  const { none, sameTarget, limit = Number.POSITIVE_INFINITY } = definition.merge;
  const conflicts = new Map<OraclePolicy, PolicyId>();
  const [highest] = sorted;
  if (highest === undefined) return conflicts;
  if (sameTarget === "NoneWins" || sameTarget === "Undefined") {
    for (const policy of sorted) {
      const other = sorted.find((one) => one !== policy);
      if (other !== undefined) conflicts.set(policy, other.id);
    }
    return conflicts;
  }
  const accepted: OraclePolicy[] = [];
  for (const policy of sorted) {
    const rival = accepted.find((one) => sameTarget === "ConflictedWhereBothSet" && setTheSame(one, policy));
    const isSecond = (none || sameTarget === "Conflicted") && accepted.length > 0;
    if (rival !== undefined) conflicts.set(policy, rival.id);
    else if (isSecond) conflicts.set(policy, highest.id);
    else accepted.push(policy);
  }
  for (const policy of accepted.slice(limit)) conflicts.set(policy, highest.id);
  return conflicts;
}

const setTheSame = (a: OraclePolicy, b: OraclePolicy): boolean => {
  const [ours, theirs] = [a, b].map(({ blocks }) => blocks.flatMap(({ units }) => units));
  return (ours ?? []).some((one) => (theirs ?? []).some((other) => relation(one, other) !== "apart"));
};
