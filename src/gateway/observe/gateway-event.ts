/** Events of a gateway. Access logs and metrics are derived from them. */
import type { HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import type { BackendConfig, Endpoint, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { AttemptOutcome } from "../../core/retry/retry-schedule.ts";
import type { ClientProtocol } from "../contract/http-exchange.ts";

export type GatewayEvent =
  | RequestFinished
  | RequestRefused
  | ConnectionFinished
  | HandshakeFailed
  | AttemptFinished
  | RetryScheduled
  | BudgetRefused;

/** A connection that is not HTTP has ended. */
export interface ConnectionFinished {
  readonly type: "ConnectionFinished";
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** The client's address, without the port. */
  readonly client: string;
  readonly gateway: ObjectRef;
  /** The port of the listener in the configuration. */
  readonly port: number;
  /** The TLS server name that the client sent. Empty: none. */
  readonly serverName: string;
  /** Undefined: no rule matched. */
  readonly rule: RuleConfig | undefined;
  /** Undefined: the connection was not forwarded. */
  readonly backend: BackendConfig | undefined;
  /** Bytes from the client. */
  readonly receivedBytes: number;
  /** Bytes to the client. */
  readonly sentBytes: number;
  readonly attempts: number;
  /** Sorted. Empty: nothing unusual happened. */
  readonly flags: readonly RequestFlag[];
  /** For logs only, because it may contain internal details. */
  readonly reason: string | undefined;
}

/** A request has ended, with or without a response. There is exactly one for each valid request. */
export interface RequestFinished {
  readonly type: "RequestFinished";
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** The client's address, without the port. */
  readonly client: string;
  readonly protocol: ClientProtocol;
  readonly gateway: ObjectRef;
  /** The port of the listener in the configuration. */
  readonly port: number;
  readonly method: string;
  /** In lower case, without a port. */
  readonly host: string;
  /** The normalized path, without the query. */
  readonly path: string;
  /** Without the question mark. Empty: there is no query. */
  readonly query: string;
  readonly userAgent: string | undefined;
  /** Undefined: the client disconnected before there was a response. */
  readonly status: number | undefined;
  /** The size of the response body. */
  readonly responseBytes: number;
  /** Undefined: no rule matched. */
  readonly rule: RuleConfig | undefined;
  /** Undefined: the request was not forwarded. */
  readonly backend: BackendConfig | undefined;
  readonly attempts: number;
  /** Sorted. Empty: nothing unusual happened. */
  readonly flags: readonly RequestFlag[];
  /** Why the gateway sent a response of its own. For logs only, because it may contain internal details. */
  readonly reason: string | undefined;
}

export type RequestFlag =
  /** The request was malformed or ambiguous. */
  | "BadRequest"
  | "NoRoute"
  /** The rule has no usable backend. */
  | "Unavailable"
  /** The authorization server refused the request, or could not be asked. */
  | "Denied"
  | "NoEndpoints"
  /** `NotConnected` to `BackendTimeout`: how the last attempt failed. */
  | "NotConnected"
  | "Refused"
  | "Reset"
  | "BackendTimeout"
  /** `timeouts.request` expired. */
  | "RequestTimeout"
  /** `Exhausted`, `BodyNotKept`, `Budget`: why a retryable attempt was not retried. */
  | "Exhausted"
  | "BodyNotKept"
  | "Budget"
  | "ClientGone"
  /** The response was aborted after it had begun. */
  | "Cut"
  | "Upgraded";

/** A connection sent bytes that are not a valid request, or sent them too slowly. */
export interface RequestRefused {
  readonly type: "RequestRefused";
  readonly client: string;
  readonly gateway: ObjectRef;
  readonly port: number;
  readonly status: number;
  readonly reason: string;
}

/** A connection was closed because its TLS handshake failed or took too long. */
export interface HandshakeFailed {
  readonly type: "HandshakeFailed";
  readonly gateway: ObjectRef;
  readonly port: number;
  readonly failure: HandshakeFailure;
}

export interface AttemptFinished {
  readonly type: "AttemptFinished";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
  readonly endpoint: Endpoint;
  /** From 1. */
  readonly number: number;
  /** `Cancelled`: the client disconnected, or the request timed out. */
  readonly outcome: AttemptOutcome | { readonly type: "Cancelled" };
  /** Until the head of the response, or until the failure. */
  readonly durationMs: number;
}

export interface RetryScheduled {
  readonly type: "RetryScheduled";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
  /** The outcome of the attempt that is retried. */
  readonly reason: AttemptOutcome;
  /** From 1. */
  readonly retry: number;
  readonly waitMs: number;
}

/** A retry was not made because the budget was exhausted. */
export interface BudgetRefused {
  readonly type: "BudgetRefused";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
}
