/** One request of a client and the way back to it, whatever version of HTTP it speaks. */
import type { Duplex, Readable } from "node:stream";
import type { Fields } from "./fields.ts";
import type { ClientProtocol } from "./gateway-event.ts";

export interface ClientExchange {
  readonly protocol: ClientProtocol;
  /** Its address, without the port. */
  readonly client: string;
  readonly isSecure: boolean;
  /** Undefined: the request has none. */
  readonly body: Readable | undefined;
  /** Called once if the client goes before its answer is complete. */
  onGone: () => void;
  /** Called when what was written has gone out, if `write` said false. */
  onDrain: () => void;
  /** Lets a client that asked send its body. Later calls do nothing. */
  readonly sendContinue: () => void;
  /** 103. */
  readonly sendHints: (fields: Fields) => void;
  /** `isLast`: the connection is closed afterwards, where closing it is the way to stop. */
  readonly sendHead: (head: AnswerHead) => void;
  /** The bytes are lent: they are copied. False: wait for `onDrain`. */
  readonly write: (chunk: Buffer) => boolean;
  readonly end: (trailers: Fields) => void;
  /** After this the two ends speak with each other. Only where the client asked for it. */
  readonly switchProtocols: (head: AnswerHead, connection: Duplex, onOver: () => void) => void;
  /** Breaks off, so that the client can tell that its answer is not complete. */
  readonly cut: () => void;
}

export interface AnswerHead {
  readonly status: number;
  /** Empty: the usual one. */
  readonly statusText: string;
  readonly fields: Fields;
  readonly isLast: boolean;
}

/** A socket for both families writes IPv4 addresses as IPv6; everybody else writes them plainly. */
export const clientAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d+\.)/, "");
