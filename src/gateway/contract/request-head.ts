/** The head of a request after it passed all checks. */
import type { HeaderList } from "./header-list.ts";

export interface RequestHead {
  readonly method: string;
  /** The minor version of HTTP/1. A request of HTTP/2 has 1.1. */
  readonly version: "1.0" | "1.1";
  readonly host: string;
  /** The port of the Host header. Undefined: it has none. */
  readonly hostPort: number | undefined;
  readonly path: string;
  /** With the question mark. Empty: there is no query. */
  readonly query: string;
  /** The end-to-end headers: without Host, without framing headers, without headers about the connection. */
  readonly headers: HeaderList;
  /** Undefined: there is no Content-Length. */
  readonly contentLength: number | undefined;
  readonly hasBody: boolean;
  /** The protocol that the client wants to switch to, if the gateway supports it. */
  readonly upgrade: "websocket" | undefined;
  /** True if the client wants to switch to any protocol. The bytes after the head may not be HTTP. */
  readonly wantsUpgrade: boolean;
  /** True if the client accepts trailers. */
  readonly takesTrailers: boolean;
  /** True if the client waits for 100 before it sends its body. */
  readonly expectsContinue: boolean;
  /** True if the client may send another request on the connection. */
  readonly keepsAlive: boolean;
}

export type ReadHead =
  | { readonly state: "value"; readonly head: RequestHead }
  | { readonly state: "refused"; readonly status: RefusalStatus; readonly message: string };

export type RefusalStatus = 400 | 405 | 408 | 417 | 431 | 505;
