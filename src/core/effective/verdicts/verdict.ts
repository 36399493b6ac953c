/** What became of a policy (GEP-713, "Meta resource status"). */
import type { GroupKind, ObjectId, PolicyId, TargetId } from "../../model/refs.ts";

/** `Invalid`, `TargetNotFound`, `Conflicted`, or the reason that a definition names for references that are all invalid. */
export type NotAcceptedReason = "Invalid" | "TargetNotFound" | "Conflicted" | (string & Record<never, never>);
export type Enforcement = "Enforced" | "PartiallyEnforced" | "Overridden" | "NoPath";

/** How a policy fares on a set of paths. Counters, and the first ten names in defined order; `reach` tells the rest. */
export interface Tally {
  /** Paths whose stack it is in. */
  readonly paths: number;
  /** Paths on which all its units prevail. */
  readonly full: number;
  /** Paths on which some do. */
  readonly partial: number;
  /** Paths on which none does. */
  readonly none: number;
  /** Paths on which it has nothing to say because its condition does not hold ("constraint met"). */
  readonly met: number;
  /** Policies it lost units to, with the number of paths; the first ten by name. */
  readonly overriddenBy: ReadonlyArray<{ readonly policy: PolicyId; readonly paths: number }>;
  readonly overriddenByTotal: number;
  /** Effective targets where it lost units; the first ten in order. */
  readonly overriddenAt: ReadonlyArray<{ readonly target: TargetId; readonly paths: number }>;
  readonly overriddenAtTotal: number;
}

export type Verdict =
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
      /** The same per ancestor: each Gateway (mesh: parent Service) on its paths, or the GatewayClass or Namespace it targets. */
      readonly ancestors: readonly AncestorVerdict[];
    };

export interface AncestorVerdict {
  readonly ancestor: ObjectId;
  readonly enforcement: Enforcement;
  readonly tally: Tally;
}

export interface PolicyVerdict {
  readonly policy: PolicyId;
  readonly policyKind: GroupKind;
  readonly verdict: Verdict;
}
