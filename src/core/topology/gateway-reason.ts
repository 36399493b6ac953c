import type { ObjectRef } from "../model/refs.ts";

/** Reasons of Gateway API for a condition of a Gateway, GatewayClass, ListenerSet, listener or route. */
export type GatewayReason =
  | "UnsupportedProtocol"
  | "InvalidRouteKinds"
  | "HostnameConflict"
  | "ProtocolConflict"
  | "InvalidCertificateRef"
  | "InvalidClientCertificateRef"
  | "InvalidCACertificateRef"
  | "InvalidCACertificateKind"
  | "NoValidCACertificate"
  | "InvalidParameters"
  | "ParentNotAccepted"
  | "BackendNotFound"
  | "InvalidKind"
  | "RefNotPermitted";

/** Why a condition is not as it should be: `Accepted` or `ResolvedRefs` is False, or `Conflicted` is True. */
export interface ConditionProblem {
  readonly field: string;
  readonly condition: "Accepted" | "ResolvedRefs" | "Conflicted";
  readonly reason: GatewayReason;
  readonly message: string;
  /** The object in another namespace that must not be referred to without a ReferenceGrant. */
  readonly notPermitted?: ObjectRef;
}
