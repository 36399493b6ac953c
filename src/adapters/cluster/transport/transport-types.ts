import type { Readable } from "node:stream";

export interface TransportRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Lower-case names. A value with line feeds is sent as several values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body as it arrives. It ends with an error if the connection breaks or the signal aborts. */
  readonly body: Readable;
}

export interface Transport {
  readonly send: (request: TransportRequest) => Promise<TransportResponse>;
  /** Drops the connections, so that the next request uses new ones: after a client certificate has changed. */
  readonly reconnect: () => void;
  readonly close: () => void;
}

/** The headers of a request, as Node takes them: several values for a name that has line feeds in its value. */
export const headerLists = (headers: TransportRequest["headers"]): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.includes("\n") ? value.split("\n") : value] as const),
  );

/** Sends requests by one version of HTTP. */
export type Sender = Pick<Transport, "send" | "close">;
