/** The `node.cluster` of an Envoy that serves all gateways. */
export const ALL_GATEWAYS = "*/*";
