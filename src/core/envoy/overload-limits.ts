/** The limits of a whole Envoy. docs/gateway.md lists them. */

/** The memory of an Envoy. Near it, Envoy aborts the requests that need most memory, and refuses others. */
export const MAX_HEAP_MIB = 1024;

/** Connections of clients on all ports together. Further ones are closed at once. */
export const MAX_CLIENT_CONNECTIONS = 50_000;
