import type { JsonObject } from "../model/json.ts";
import type { ObjectId } from "../model/refs.ts";

/**
 * What is known of the data plane of a Gateway.
 * - `Unknown`: nothing, as for files.
 * - `Serving`: it has acknowledged the configuration of this evaluation.
 * - `Pending`: it is not there yet, or it has not acknowledged yet.
 * - `Refused`: it has refused the configuration.
 */
export type DataplaneState =
  | { readonly state: "Unknown" }
  | { readonly state: "Serving"; readonly addresses: readonly JsonObject[] }
  | { readonly state: "Pending" | "Refused" | "AddressNotUsable"; readonly message: string };

export interface GatewayStatusOptions {
  /** GatewayClasses that name this controller are ours. */
  readonly controllerName: string;
  /** Absent: no data plane is known. */
  readonly dataplaneOf?: (gateway: ObjectId) => DataplaneState;
  /** Features of Gateway API that the data plane supports, for GatewayClasses. Absent: not reported. */
  readonly supportedFeatures?: readonly string[];
}

export const UNKNOWN_DATAPLANE: DataplaneState = { state: "Unknown" };
