/** The limits of an xDS server. */
export interface XdsLimits {
  readonly maxNodes: number;
  readonly maxMessageBytes: number;
  /** The rate limit of one node: a burst, and a rate per second. */
  readonly messageBurst: number;
  readonly messagesPerSecond: number;
  /** How long to wait for the endpoints of a new cluster before routes may use it. */
  readonly awaitEndpointsMs: number;
  /** The minimum lifetime of a cluster (see `SessionOptions`). */
  readonly lingerMs: number;
  readonly keepaliveMs: number;
  /** The longest TLS handshake. */
  readonly handshakeMs: number;
}

export const XDS_LIMITS: XdsLimits = {
  maxNodes: 10_000,
  maxMessageBytes: 4 * 1024 * 1024,
  messageBurst: 10_000,
  messagesPerSecond: 1000,
  awaitEndpointsMs: 5000,
  lingerMs: 10_000,
  keepaliveMs: 10_000,
  handshakeMs: 10_000,
};
