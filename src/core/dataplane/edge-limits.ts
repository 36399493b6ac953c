/**
 * The limits that every data plane keeps towards clients and backends. They bound everything that a client or a backend could grow
 * without end. docs/gateway.md lists them.
 */
export interface EdgeLimits {
  /** The size of request line and headers. A larger head gets 431. */
  readonly maxHeaderBytes: number;
  /** The number of headers. More get 431. */
  readonly maxHeaders: number;
  /** A TLS handshake; and from the first byte of a request to the end of its headers. Slower requests get 408. */
  readonly headersMs: number;
  /** From the first byte of a request to its last one, until its response begins. Slower requests get 408. */
  readonly receiveMs: number;
  /** Connections of clients on a port. Further ones are closed at once. */
  readonly maxConnections: number;
  /** Requests on one connection of a client. It is closed after the last one. */
  readonly maxRequestsPerConnection: number;
  /** Requests of a client that run at the same time on one connection of HTTP/2. */
  readonly maxStreams: number;
  /** HTTP/1.1 connections to one endpoint. Further requests wait for a free connection. */
  readonly maxConnectionsPerEndpoint: number;
  /** How long a client's connection may be idle between two requests. */
  readonly keepAliveMs: number;
  /** How long a backend may send nothing, or a client accept nothing, before the request is aborted. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** How long an authorization server may take. After that the request is refused. */
  readonly authMs: number;
  /** How many endpoints a connection that is not HTTP is offered to, until one accepts it. */
  readonly connectAttempts: number;
  /** How long a connection that is not HTTP may be idle, in both directions. */
  readonly streamIdleMs: number;
  /** How long the datagrams of a client go to the same endpoint after the last one. */
  readonly udpIdleMs: number;
  /** How long an idle backend connection is kept. Shorter than what backends use, so that no request is sent on a connection that the backend closes. */
  readonly upstreamKeepAliveMs: number;
}

export const EDGE_LIMITS: EdgeLimits = {
  maxHeaderBytes: 32_768,
  maxHeaders: 100,
  headersMs: 10_000,
  receiveMs: 300_000,
  maxConnections: 10_000,
  maxRequestsPerConnection: 10_000,
  maxStreams: 250,
  maxConnectionsPerEndpoint: 1024,
  keepAliveMs: 60_000,
  idleMs: 300_000,
  connectMs: 5000,
  authMs: 10_000,
  connectAttempts: 3,
  streamIdleMs: 3_600_000,
  udpIdleMs: 60_000,
  upstreamKeepAliveMs: 4000,
};
