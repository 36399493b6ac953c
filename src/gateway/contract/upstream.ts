/** One endpoint of a backend, and how a request is sent to it. HTTP/1.1 and HTTP/2 implement it. */
import type { Duplex, Readable } from "node:stream";
import type { PeerCertificate } from "node:tls";
import type { HeaderList } from "./header-list.ts";
import type { TlsCertificate } from "./secret-source.ts";

export interface Upstream {
  /** Starts an attempt. It calls the sink later, never before it returns. */
  readonly send: (request: UpstreamRequest, sink: AttemptSink) => RunningAttempt;
  /** The number of attempts that are running. */
  readonly running: () => number;
  /** Closes idle connections that are too old to be used. */
  readonly sweep: () => void;
  /** Closes idle connections now, and the others when their request is done. */
  readonly close: () => void;
}

export interface UpstreamRequest {
  readonly method: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly contentLength: number | undefined;
  /** Undefined: the request has no body. */
  readonly body: Readable | undefined;
  /** The protocol to switch to. Undefined: none. */
  readonly upgrade: string | undefined;
  readonly takesTrailers: boolean;
}

/** Receives the response of an attempt. `onEnd`, `onFail` or `onUpgrade` is the last call. */
export interface AttemptSink {
  readonly onHints: (headers: HeaderList) => void;
  readonly onHead: (head: ResponseHead) => void;
  /** The buffer is reused after the call: copy the bytes to keep them. False: no more data until `resume`. */
  readonly onData: (chunk: Buffer) => boolean;
  readonly onEnd: (trailers: HeaderList) => void;
  readonly onFail: (failure: AttemptFailure) => void;
  readonly onUpgrade: (head: ResponseHead, connection: Duplex) => void;
}

export interface ResponseHead {
  readonly status: number;
  /** Empty: the usual text of the status. */
  readonly statusText: string;
  /** The end-to-end headers. */
  readonly headers: HeaderList;
  /** True if it is known that neither a body nor trailers follow. gRPC clients take the headers for trailers then, and only then. */
  readonly isWhole?: boolean;
}

export interface AttemptFailure {
  /** `TimedOut`: no data arrived for too long. */
  readonly type: "NotConnected" | "Refused" | "Reset" | "TimedOut";
  /** For logs only, because it may contain addresses. */
  readonly message: string;
}

export interface RunningAttempt {
  /** Aborts the attempt. The sink is not called any more. */
  readonly cancel: () => void;
  readonly resume: () => void;
}

/** The TLS settings of a backend, from its BackendTLSPolicy. */
export interface UpstreamTls {
  readonly serverName: string;
  /** CA certificates in PEM. Undefined: the system's. */
  readonly authorities: string | undefined;
  readonly subjectAltNames: readonly { readonly type: "Hostname" | "URI"; readonly value: string }[];
  /** The gateway's own certificate. Undefined: it has none. */
  readonly clientCertificate: TlsCertificate | undefined;
  /** A hash of the settings: upstreams with the same key share connections. */
  readonly key: string;
}

/** The TLS settings as options of `node:tls`. */
export interface UpstreamTlsOptions {
  readonly servername: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}
