import type { SortedMap } from "../../model/collections/sorted-map.ts";
import type { ObjectId, PolicyId, TargetId } from "../../model/refs.ts";

/** The paths of one policy through one ancestor, counted. */
export interface AncestorTally {
  /** Paths whose stack contains the policy. */
  readonly paths: number;
  /** Paths that begin below a parent that is not in the snapshot. They count in none of the following. */
  readonly incomplete: number;
  /** Complete paths on which all, some, or none of its units take effect. */
  readonly full: number;
  readonly partial: number;
  readonly none: number;
  /** Paths on which its condition is not met, so that it sets nothing ("constraint met"). */
  readonly met: number;
  /** Paths on which it sets nothing, and on which there is nothing that it could remove. */
  readonly idle: number;
  /** The policies that override units, with the number of paths. */
  readonly overriddenBy: SortedMap<PolicyId, number>;
  /** The effective targets at which units are overridden, with the number of paths. */
  readonly overriddenAt: SortedMap<TargetId, number>;
  /** Conditions that could not be evaluated, by block and message, with the number of paths. */
  readonly errors: SortedMap<string, number>;
}

/** The counters of one policy, by ancestor. */
export type PolicyTally = SortedMap<ObjectId, AncestorTally>;

/** A Gateway of a controller that does not carry a policy kind out. */
export interface ForeignGateway {
  readonly gateway: ObjectId;
  readonly controller: string;
}

/** Where a policy would take effect if the controllers of these Gateways carried its kind out. */
export interface Unenforced {
  /** The controllers, by Gateway, in order. */
  readonly gateways: ReadonlyMap<ObjectId, string>;
  /** The objects that the policy targets on such paths, itself or one of their sections. */
  readonly targets: ReadonlySet<ObjectId>;
}
