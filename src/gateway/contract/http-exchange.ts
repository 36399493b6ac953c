/** One request of a client and the response to it, independent of the HTTP version. */
import type { Duplex, Readable } from "node:stream";
import type { HeaderList } from "./header-list.ts";
import type { ReadHead } from "./request-head.ts";
import type { ResponseHead } from "./upstream.ts";

export type ClientProtocol = "HTTP/1.0" | "HTTP/1.1" | "HTTP/2";

export interface HttpExchange {
  readonly protocol: ClientProtocol;
  /** The client's address, without the port. */
  readonly client: string;
  readonly isSecure: boolean;
  /** Undefined: the request has no body. */
  readonly body: Readable | undefined;
  /** Called once if the client disconnects before its response is complete. */
  onGone: () => void;
  /** Called when the written bytes have been sent, if `write` returned false. */
  onDrain: () => void;
  /** Sends 100 to a client that waits for it before it sends its body. Later calls do nothing. */
  readonly sendContinue: () => void;
  /** Sends 103. */
  readonly sendHints: (headers: HeaderList) => void;
  readonly sendHead: (head: ClientResponseHead) => void;
  /** Copies the bytes. False: wait for `onDrain` before the next call. */
  readonly write: (chunk: Buffer) => boolean;
  readonly end: (trailers: HeaderList) => void;
  /** Connects the client and the backend as byte streams. Only for a client that requested the upgrade. */
  readonly switchProtocols: (head: ClientResponseHead, connection: Duplex, onOver: () => void) => void;
  /** Aborts the response so that the client can detect that it is incomplete. */
  readonly cut: () => void;
}

export interface ClientResponseHead extends ResponseHead {
  /** True if an HTTP/1 connection is closed after this response. */
  readonly isLast: boolean;
}

/** A request as a server connection hands it over for serving. */
export interface IncomingRequest {
  readonly exchange: HttpExchange;
  readonly read: ReadHead;
  /** The TLS server name that the client sent. Empty: plain text, or no name. */
  readonly serverName: string;
  /** When the first byte of the request arrived. */
  readonly startedMs: number;
}

/** Bytes of a client that are not served as a request, because they are invalid or arrived too slowly. */
export interface RefusedBytes {
  readonly client: string;
  readonly status: number;
  /** For the log only. */
  readonly reason: string;
}

/** Removes the IPv6 prefix that a dual-stack socket adds to IPv4 addresses. */
export const clientAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d+\.)/, "");
