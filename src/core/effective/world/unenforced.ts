import type { ObjectId } from "../../model/refs.ts";

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
