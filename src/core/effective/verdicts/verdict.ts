/** The verdict of a policy (GEP-713, "Meta resource status"). */
import type { GroupKind, ObjectId, PolicyId, TargetId } from "../../model/refs.ts";

/** `Invalid`, `TargetNotFound`, `Conflicted`, or the reason that a definition names for references that are all invalid. */
export type NotAcceptedReason = "Invalid" | "TargetNotFound" | "Conflicted" | (string & Record<never, never>);

/** How far an accepted policy takes effect. `NoPath`: it is on no path. `Incomplete`: the paths that it is on are not known. */
export type Enforcement = "Enforced" | "PartiallyEnforced" | "Overridden" | "NoPath" | "Incomplete";

/** The effect of a policy on a set of paths: counters, and the first ten names in a defined order. `reach` lists all. */
export interface Tally {
  /** Paths whose stack contains the policy. */
  readonly paths: number;
  /** Paths that begin below a parent that is not in the snapshot. The other counters and names are about complete paths. */
  readonly incomplete: number;
  /** Paths on which all its units take effect. */
  readonly full: number;
  /** Paths on which some of its units take effect. */
  readonly partial: number;
  /** Paths on which none of its units takes effect. */
  readonly none: number;
  /** Paths on which it sets nothing because its condition is false ("constraint met"). */
  readonly met: number;
  /** Paths on which it sets nothing, and on which there is nothing that it could remove. */
  readonly idle: number;
  /** Policies that override its units, with the number of paths; the first ten by name. */
  readonly overriddenBy: ReadonlyArray<{ readonly policy: PolicyId; readonly paths: number }>;
  readonly overriddenByTotal: number;
  /** Effective targets on which its units are overridden; the first ten in order. */
  readonly overriddenAt: ReadonlyArray<{ readonly target: TargetId; readonly paths: number }>;
  readonly overriddenAtTotal: number;
}

/** A verdict as the paths of the input show it. */
export type CountedVerdict =
  | {
      readonly state: "NotAccepted";
      readonly reason: NotAcceptedReason;
      readonly message: string;
      readonly by: readonly PolicyId[];
    }
  | {
      readonly state: "Accepted";
      readonly enforcement: Enforcement;
      readonly total: Tally;
      /** The effect on the paths of each ancestor: each Gateway (mesh: parent Service) on its paths, or the GatewayClass or Namespace that it targets. */
      readonly ancestors: readonly AncestorVerdict[];
    };

/**
 * The verdict of a policy. `Unknown`: whether it is accepted is not known, because none of its targets is known (`Incomplete`), or because it
 * is not defined which of the policies on its targets takes effect (`Undefined`). `Accepted` with the enforcement
 * `Incomplete`: where it takes effect is not known, because a parent, or the route to its target, is not in the input.
 */
export type Verdict =
  | CountedVerdict
  | {
      readonly state: "Unknown";
      readonly reason: "Incomplete" | "Undefined";
      readonly message: string;
      readonly by: readonly PolicyId[];
    };

/**
 * The effect of a policy on the paths of one ancestor: a Gateway, the parent Service of a mesh, or the GatewayClass or Namespace that it targets.
 */
export interface AncestorVerdict {
  readonly ancestor: ObjectId;
  readonly enforcement: Enforcement;
  readonly tally: Tally;
}

/** The verdict of one policy, as `verdicts` returns it. */
export interface PolicyVerdict {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly verdict: Verdict;
}
