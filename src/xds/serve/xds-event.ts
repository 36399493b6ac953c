/** The events that an xDS server reports about its Envoys. */
import type { HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import type { ResourceType } from "./encode/resource-type.ts";
import type { Refusal } from "./session/session-state.ts";

export type XdsEvent =
  | { readonly type: "Connected" | "Disconnected"; readonly node: string; readonly gateway: string }
  | { readonly type: "Refused"; readonly node: string; readonly gateway: string; readonly refusal: Refusal }
  | { readonly type: "Rejected"; readonly node: string; readonly cause: RejectionCause; readonly reason: string }
  /** A connection was closed because its TLS handshake failed or took too long. */
  | { readonly type: "HandshakeFailed"; readonly failure: HandshakeFailure }
  | {
      readonly type: "Sent";
      readonly resourceType: ResourceType;
      readonly resources: number;
      readonly removed: number;
      readonly bytes: number;
    }
  /** `response`: whether it accepts what it was sent. Undefined: a request. */
  | { readonly type: "Received"; readonly bytes: number; readonly acknowledgement: Acknowledgement | undefined }
  /** The Envoy has acknowledged or refused everything that it must have, which was not so before this message. */
  | { readonly type: "Current"; readonly node: string; readonly gateway: string };

/** The reason for closing a stream. */
export type RejectionCause = "no_node" | "certificate" | "too_many_nodes" | "unreadable" | "rate_limit";

export interface Acknowledgement {
  readonly resourceType: ResourceType;
  readonly isTaken: boolean;
}
