/** The limits of one gateway. They bound everything that a client or a backend could grow without end. */
export interface GatewayLimits {
  /** Per port. Further connections are closed at once. */
  readonly maxConnections: number;
  /** HTTP/1.1 connections to one endpoint. Further requests wait for a free connection. */
  readonly maxConnectionsPerEndpoint: number;
  /** The size of request line and headers. A larger head gets 431. */
  readonly maxHeaderBytes: number;
  /** The number of headers. More get 431. */
  readonly maxHeaders: number;
  /** The size of all bodies that are buffered for retries. Beyond it a body is streamed and its request is not retried. */
  readonly maxKeptBytes: number;
  /** The size of a body that is buffered for a mirror. A request with a longer body is not mirrored. */
  readonly maxMirrorBodyBytes: number;
  /** Mirrored requests that run at the same time. Further ones are skipped. */
  readonly maxMirrors: number;
  /** From the first byte of a request to the end of its headers. Slower requests get 408. */
  readonly headersMs: number;
  /** From the first byte of a request to its last one. Slower requests get 408. */
  readonly receiveMs: number;
  /** How long a client's connection may be idle between two requests. */
  readonly keepAliveMs: number;
  /** How long a backend may send nothing, or a client accept nothing, before the request is aborted. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** How long an idle backend connection is kept. Shorter than what backends use, so that no request is sent on a connection that the backend closes. */
  readonly upstreamKeepAliveMs: number;
}

export const DEFAULT_LIMITS: GatewayLimits = {
  maxConnections: 10_000,
  maxConnectionsPerEndpoint: 1024,
  maxHeaderBytes: 32_768,
  maxHeaders: 100,
  maxKeptBytes: 64 * 1024 * 1024,
  maxMirrorBodyBytes: 65_536,
  maxMirrors: 100,
  headersMs: 10_000,
  receiveMs: 300_000,
  keepAliveMs: 60_000,
  idleMs: 300_000,
  connectMs: 5000,
  upstreamKeepAliveMs: 4000,
};
