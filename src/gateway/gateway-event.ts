/** What happens in a gateway, told as it happens: access logs and metrics are made of this. */
import type { BackendConfig, Endpoint, RuleConfig } from "../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import type { AttemptOutcome } from "../core/retry/retry-schedule.ts";

export type GatewayEvent = RequestFinished | RequestRefused | AttemptFinished | RetryScheduled | BudgetRefused;

/** A request has been answered, or given up. Exactly one for each request that could be read. */
export interface RequestFinished {
  readonly type: "RequestFinished";
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** The address of the connection, without its port. */
  readonly client: string;
  readonly protocol: ClientProtocol;
  /** The Gateway, and the port as the configuration has it. */
  readonly gateway: ObjectRef;
  readonly port: number;
  readonly method: string;
  /** In lower case, without a port. */
  readonly host: string;
  /** As routed and forwarded; no query. */
  readonly path: string;
  /** Without the question mark; empty: none. */
  readonly query: string;
  readonly userAgent: string | undefined;
  /** Undefined: the client went before there was an answer. */
  readonly status: number | undefined;
  /** Of the body. */
  readonly responseBytes: number;
  /** Undefined: no rule took the request. */
  readonly rule: RuleConfig | undefined;
  /** Undefined: none was asked. */
  readonly backend: BackendConfig | undefined;
  readonly attempts: number;
  /** Sorted; empty: nothing is worth telling. */
  readonly flags: readonly RequestFlag[];
  /** Why the gateway answered in the place of a backend. For logs: it may tell what clients must not know. */
  readonly reason: string | undefined;
}

export type ClientProtocol = "HTTP/1.0" | "HTTP/1.1" | "HTTP/2";

export type RequestFlag =
  /** The request was malformed or ambiguous. */
  | "BadRequest"
  | "NoRoute"
  /** The rule has no backend that may be asked. */
  | "Unavailable"
  | "NoEndpoints"
  /** The last attempt found no connection, was refused, broke off, or took too long. */
  | "NotConnected"
  | "Refused"
  | "Reset"
  | "BackendTimeout"
  /** `timeouts.request` ran out. */
  | "RequestTimeout"
  /** A retry was due, and: no attempts were left; the body was not kept; the budget was spent. */
  | "Exhausted"
  | "BodyNotKept"
  | "Budget"
  | "ClientGone"
  /** The answer had begun and could not be finished. */
  | "Cut"
  | "Upgraded";

/** What came was no request at all: a parser error, or too slow. */
export interface RequestRefused {
  readonly type: "RequestRefused";
  readonly client: string;
  readonly gateway: ObjectRef;
  readonly port: number;
  readonly status: number;
  readonly reason: string;
}

export interface AttemptFinished {
  readonly type: "AttemptFinished";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
  readonly endpoint: Endpoint;
  /** From 1. */
  readonly number: number;
  /** `Cancelled`: the client went, or the request's time was over. */
  readonly outcome: AttemptOutcome | { readonly type: "Cancelled" };
  /** To the head of the answer, or to the failure. */
  readonly durationMs: number;
}

export interface RetryScheduled {
  readonly type: "RetryScheduled";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
  /** The outcome of the attempt before it. */
  readonly reason: AttemptOutcome;
  /** From 1. */
  readonly retry: number;
  readonly waitMs: number;
}

/** A retry was due, and the budget had no room for it. */
export interface BudgetRefused {
  readonly type: "BudgetRefused";
  readonly rule: RuleConfig;
  readonly backend: BackendConfig;
}
