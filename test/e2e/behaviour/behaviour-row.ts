/** One row of the behaviour table: what is configured, what the backends do, what is asked, and what must come of it. */
import type { JsonObject } from "../../../src/core/model/json.ts";
import type { Deed } from "./recording-backend.ts";

export interface BehaviourRow {
  /** Unique, and what a failure reads like. */
  readonly name: string;
  /** `spec.retry` and `spec.timeouts` of a RetryPolicy on the route; absent: none. */
  readonly retry?: JsonObject;
  readonly timeouts?: JsonObject;
  /** `retryConstraint` of an XBackendTrafficPolicy on the Service. */
  readonly retryConstraint?: JsonObject;
  /** The kind of the route. Default HTTPRoute. */
  readonly kind?: "GRPCRoute";
  /** More of the route's rule: filters, and the like. */
  readonly rule?: JsonObject;
  /** What each endpoint of the Service is; by default one that lives. Those that stall or reset do so whatever the script is. */
  readonly endpoints?: ReadonlyArray<"Alive" | "Dead" | "Stalled" | "Resetting">;
  /** What the backend speaks. Default HTTP/1.1. */
  readonly protocol?: "HTTP/2";
  /** `appProtocol` of the Service's port. Default: that of the protocol. */
  readonly appProtocol?: string;
  /** By attempt, over all endpoints; the last one for all that follow. */
  readonly script: readonly Deed[];
  readonly request?: RowRequest;
  /** So many requests, one after the other. Default 1. */
  readonly repeat?: number;
  readonly expect: RowExpectation;
}

export interface RowRequest {
  /** What the client speaks, HTTP/2 without TLS and without asking first. Default HTTP/1.1. */
  readonly protocol?: "HTTP/2" | "HTTP/1.0";
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bodyBytes?: number;
  /** Without a length: sent in chunks. */
  readonly isChunked?: boolean;
  /** Asks for a WebSocket, and expects this to come back. */
  readonly echo?: string;
  /** So long after the protocols were switched. Default: at once. */
  readonly echoAfterMs?: number;
}

export interface RowExpectation {
  /** Expected of every response. Several: any of them, where data planes differ (`differences.test.ts`). */
  readonly status: number | readonly number[];
  /** True if the response began and was cut off. */
  readonly isCut?: true;
  /** How many attempts all endpoints saw together: exactly, or between two bounds where time decides. */
  readonly attempts: number | readonly [least: number, most: number];
  /** The endpoints that saw the last half of the attempts. */
  readonly lastEndpoints?: readonly number[];
  /** Between the failure of an attempt and the arrival of the next: at least so much, in order. */
  readonly gapsMs?: readonly number[];
  /** From asking to the arrival of the last attempt, at least. The clock of an attempt runs before a backend sees it. */
  readonly lastAttemptMs?: number;
  /** The least time from the request to the end of the response. */
  readonly tookMs?: number;
  /** Expected of the last response. */
  readonly body?: string;
  readonly bodyIncludes?: readonly string[];
  readonly bodyExcludes?: readonly string[];
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly trailers?: Readonly<Record<string, string | undefined>>;
  /** Expected of every attempt that a backend saw. */
  readonly sawBodyBytes?: number;
  readonly sawTarget?: string;
  readonly sawHeaders?: Readonly<Record<string, string | undefined>>;
}
