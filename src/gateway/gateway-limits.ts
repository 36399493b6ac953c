/** What one gateway bears. Everything that a client or a backend could make endless ends here. */
export interface GatewayLimits {
  /** On each port; more are closed at once. */
  readonly maxConnections: number;
  /** To one endpoint, HTTP/1.1; more requests wait for one to be free. */
  readonly maxConnectionsPerEndpoint: number;
  /** The request line and all headers together; more is answered 431. */
  readonly maxHeaderBytes: number;
  /** More is answered 431. */
  readonly maxHeaders: number;
  /** Bodies kept for retries, of all requests together. Beyond it a body is streamed, and its request not retried. */
  readonly maxKeptBytes: number;
  /** Of a body that is kept for a mirror. A request with a longer one is not mirrored. */
  readonly maxMirrorBodyBytes: number;
  /** Mirrored requests under way at the same time; more are left out. */
  readonly maxMirrors: number;
  /** From the first byte of a request to the end of its headers; then 408. */
  readonly headersMs: number;
  /** From the first byte of a request to its last one; then 408. */
  readonly receiveMs: number;
  /** How long a connection of a client may be idle between two requests. */
  readonly keepAliveMs: number;
  /** How long nothing may come from a backend, or go to a client, before a request is given up. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** How long an idle connection to a backend is kept: less than backends do themselves, or requests meet a closing door. */
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
