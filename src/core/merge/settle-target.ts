import type { MergeRules } from "../model/definition.ts";
import { liesBelow } from "../model/json-pointer.ts";
import type { Policy } from "../model/policy.ts";
import { comparePrecedence } from "./precedence.ts";

/** The policies on one target, after conflicts among them. */
export interface SettledTarget {
  /** The policies that take effect on the target, highest first. */
  readonly policies: readonly Policy[];
  /** The policies that are not accepted on the target, highest first. */
  readonly conflicted: readonly Policy[];
  /** True if one of `conflicted` takes effect, and it is not defined which. */
  readonly isUndefined?: true;
}

const NO_POLICIES: readonly Policy[] = [];

/** True if a policy of the kind may be Conflicted: not accepted on a target because of others there. */
export const mayConflict = (merge: MergeRules): boolean => conflictRule(merge) !== "Never" || merge.limit !== undefined;

type ConflictRule = "Never" | "OneTakesEffect" | "WhereBothSet" | "NoneTakesEffect" | "Undefined";

/**
 * None: one policy takes effect on a target, the others are Conflicted
 *
 * Under the strategy None the oldest policy on a target takes effect, then the first by `namespace/name`. The other policies
 * are not accepted there (`Accepted=False`, reason `Conflicted`). In a mesh a target is an object or section together with
 * the namespace that requests come from. A kind that merges the policies of different levels may have the same rule for one target.
 * GEP-713, "Basic merge strategies"
 */
function conflictRule({ none, sameTarget }: MergeRules): ConflictRule {
  switch (sameTarget) {
    case "Conflicted":
      return "OneTakesEffect";
    case "ConflictedWhereBothSet":
      return "WhereBothSet";
    case "NoneWins":
      return "NoneTakesEffect";
    case "Undefined":
      return "Undefined";
    case "Established":
    case "OldestWins":
      return none ? "OneTakesEffect" : "Never";
  }
}

/** Selects the policies on one target that take effect there. */
export function settleTarget(policies: readonly Policy[], merge: MergeRules): SettledTarget {
  if (policies.length === 0 || (policies.length === 1 && merge.limit === undefined))
    return { policies, conflicted: NO_POLICIES };
  // All of them take effect, in the order that they have.
  if (merge.accumulate !== undefined && merge.limit === undefined) return { policies, conflicted: NO_POLICIES };
  return limited(settled([...policies].sort(comparePrecedence(merge)), merge), merge);
}

function settled(policies: readonly Policy[], merge: MergeRules): SettledTarget {
  switch (conflictRule(merge)) {
    case "Never":
      return { policies, conflicted: NO_POLICIES };
    case "OneTakesEffect":
      return { policies: policies.slice(0, 1), conflicted: policies.slice(1) };
    case "WhereBothSet":
      return whereBothSet(policies);
    case "NoneTakesEffect":
      return policies.length < 2
        ? { policies, conflicted: NO_POLICIES }
        : { policies: NO_POLICIES, conflicted: policies };
    case "Undefined":
      return undefinedAmong(policies);
  }
}

/**
 * It is not defined which policy takes effect
 *
 * Some implementations have no rule for two policies on one target: one of them takes effect, and which one depends on chance. Then
 * none of their settings is in the result, and what takes effect below the target is not known.
 * GEP-713, "Conflict resolution"
 */
const undefinedAmong = (policies: readonly Policy[]): SettledTarget =>
  policies.length < 2
    ? { policies, conflicted: NO_POLICIES }
    : { policies: NO_POLICIES, conflicted: policies, isUndefined: true };

/**
 * Conflicted where both set a field
 *
 * Policies on one target are merged as long as no field is set by two of them. A policy that sets a field which a higher policy on the
 * target sets, too, is not accepted there as a whole.
 * GEP-713, "Conflict resolution"
 */
function whereBothSet(policies: readonly Policy[]): SettledTarget {
  const kept: Policy[] = [];
  const conflicted: Policy[] = [];
  for (const policy of policies)
    (kept.some((other) => sharedFields(other, policy).length > 0) ? conflicted : kept).push(policy);
  return { policies: kept, conflicted };
}

/** The pointers of the settings of a policy that another one sets, too, in part or as a whole. */
export function sharedFields(other: Policy, policy: Policy): readonly string[] {
  const pointers = pointersOf(other);
  return pointersOf(policy).filter((pointer) =>
    pointers.some((one) => one === pointer || liesBelow(one, pointer) || liesBelow(pointer, one)),
  );
}

const pointersOf = ({ blocks }: Policy): readonly string[] =>
  blocks.flatMap(({ units }) => units.map(({ pointer }) => pointer));

/** The policies beyond the limit of a target are not accepted there. */
function limited(settledTarget: SettledTarget, { limit }: MergeRules): SettledTarget {
  const { policies, conflicted } = settledTarget;
  if (limit === undefined || policies.length <= limit) return settledTarget;
  return { policies: policies.slice(0, limit), conflicted: [...policies.slice(limit), ...conflicted] };
}

/** Why a policy is not accepted on a target. */
export interface TargetConflict {
  /** The policy that it conflicts with. */
  readonly by: Policy;
  readonly because: "OneTakesEffect" | "BothSet" | "NoneTakesEffect" | "Undefined" | "Limit";
}

/** Why a policy is not accepted among the policies on a target; undefined: it takes effect. */
export function conflictAmong(policy: Policy, all: readonly Policy[], merge: MergeRules): TargetConflict | undefined {
  const { policies, conflicted } = settleTarget(all, merge);
  if (!conflicted.some(({ id }) => id === policy.id)) return undefined;
  const [first] = policies;
  const rule = conflictRule(merge);
  if (rule === "NoneTakesEffect" || rule === "Undefined") {
    const by = conflicted.find(({ id }) => id !== policy.id);
    return by === undefined ? undefined : { by, because: rule };
  }
  const rival = rule === "WhereBothSet" ? policies.find((other) => sharedFields(other, policy).length > 0) : undefined;
  if (rival !== undefined) return { by: rival, because: "BothSet" };
  return first === undefined ? undefined : { by: first, because: rule === "OneTakesEffect" ? rule : "Limit" };
}
