import { GATEWAY_PARAMETERS, type ParameterRights } from "../infrastructure/gateway-parameters.ts";
import type { JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectId, ObjectRef } from "../model/refs.ts";
import type { Implementation } from "../topology/object-references.ts";
import type { AttachedRoutes } from "./attached-routes.ts";

/**
 * The known state of the data plane of a Gateway.
 * - `Unknown`: nothing, as for files, or too little to say more.
 * - `Serving`: it has acknowledged the configuration of this evaluation.
 * - `Updating`: it has acknowledged an earlier one. What was reported about that stays until it has acknowledged this one, or refused it.
 * - `Pending`: it is not there yet, or it has never acknowledged.
 * - `Refused`: it has refused a part of the configuration: that of these ports, or one that belongs to no port.
 */
export type DataplaneState =
  | { readonly state: "Unknown"; readonly message?: string; readonly addresses?: readonly JsonObject[] }
  | { readonly state: "Updating" }
  | { readonly state: "Serving"; readonly addresses: readonly JsonObject[] }
  | {
      readonly state: "Refused";
      readonly message: string;
      readonly ports: readonly number[] | "All";
      readonly addresses: readonly JsonObject[];
    }
  | { readonly state: "Pending" | "AddressNotAssigned" | "AddressNotUsable"; readonly message: string };

/** The parts of Gateway API that a data plane does not serve. */
export interface DataplaneLimits {
  /** Protocols of listeners, and why they are not served. */
  readonly unservedProtocols?: ReadonlyMap<string, string>;
  /** The rules of a route whose requests are refused: a field of the rule, and why. */
  readonly refusedRules?: (route: KubeObject) => readonly { readonly field: string; readonly reason: string }[];
}

export interface GatewayStatusOptions {
  /** GatewayClasses that name this controller are ours. */
  readonly controllerName: string;
  /** Absent: no data plane is known. */
  readonly dataplaneOf?: (gateway: ObjectId) => DataplaneState;
  /** Absent: it serves all of Gateway API. */
  readonly limits?: DataplaneLimits;
  /** Features of Gateway API that the data plane supports, for GatewayClasses. Absent: not reported. */
  readonly supportedFeatures?: readonly string[];
  /** The problem of the content of a Secret, as the end of a sentence. Absent: the content of Secrets is not known. */
  readonly secretProblem?: (secret: ObjectRef) => string | undefined;
  /** The controller runs Envoys, and GatewayParameters say how. Absent: no parameters are supported. */
  readonly parameters?: ParameterRights | undefined;
  /** The keys of `spec.infrastructure` that the objects of Gateways may have. Absent: not known. */
  readonly infrastructureKeys?: readonly string[] | undefined;
  /** The routes on the listeners of an owner, where they have been counted. */
  readonly routesOf?: (owner: ObjectId) => AttachedRoutes;
}

/** The features that this controller supports: the kinds that Gateway API requires, and no others. */
export const implementationOf = ({ secretProblem, parameters }: GatewayStatusOptions): Implementation => ({
  secretProblem: (secret) => secretProblem?.(secret),
  parameters: parameters === undefined ? undefined : GATEWAY_PARAMETERS,
});

export const UNKNOWN_DATAPLANE: DataplaneState = { state: "Unknown" };
