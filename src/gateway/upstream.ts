/** One endpoint of a backend, and how a request is tried there. Two of a kind: HTTP/1.1 and HTTP/2. */
import type { Duplex, Readable } from "node:stream";
import type { Fields } from "./fields.ts";

export interface Upstream {
  /** Tells the sink what becomes of it, never before it returns. */
  readonly send: (request: UpstreamRequest, sink: AttemptSink) => RunningAttempt;
  /** How many attempts are under way. */
  readonly running: () => number;
  /** Closes idle connections that are too old to be used. */
  readonly sweep: () => void;
  /** Idle connections are closed, those in use afterwards. */
  readonly close: () => void;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Host header. */
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly fields: Fields;
  readonly contentLength: number | undefined;
  /** Undefined: none. */
  readonly body: Readable | undefined;
  /** What to switch to; undefined: nothing. */
  readonly upgrade: string | undefined;
  readonly takesTrailers: boolean;
}

/** What an attempt brings. After `onEnd`, `onFail` or `onUpgrade` comes nothing more. */
export interface AttemptSink {
  readonly onHints: (fields: Fields) => void;
  readonly onHead: (head: ResponseHead) => void;
  /** The bytes are lent: whoever wants them later copies them. False: no more before `resume`. */
  readonly onData: (chunk: Buffer) => boolean;
  readonly onEnd: (trailers: Fields) => void;
  readonly onFail: (failure: AttemptFailure) => void;
  readonly onUpgrade: (head: ResponseHead, connection: Duplex) => void;
}

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** Those from end to end. */
  readonly fields: Fields;
}

export interface AttemptFailure {
  /** `TimedOut`: nothing came for too long. */
  readonly type: "NotConnected" | "Refused" | "Reset" | "TimedOut";
  /** For logs: it may name addresses. */
  readonly message: string;
}

export interface RunningAttempt {
  /** The sink hears nothing more. */
  readonly cancel: () => void;
  readonly resume: () => void;
}

/** What a gateway needs to know to speak TLS with a backend. */
export interface UpstreamTls {
  readonly serverName: string;
  /** In PEM; undefined: whom the system trusts. */
  readonly authorities: string | undefined;
  readonly subjectAltNames: readonly { readonly type: "Hostname" | "URI"; readonly value: string }[];
}
