import type { RuleConfig } from "./gateway-config.ts";

/**
 * Status of a backend that is not available
 *
 * A request for an invalid backend gets a 500, and at a GRPCRoute the status UNAVAILABLE of gRPC, which is a 503 for a client that does not speak gRPC.
 * Gateway API, "GRPCBackendRef"
 */
export const unavailableStatus = ({ route }: Pick<RuleConfig, "route">): 500 | 503 =>
  route.kind === "GRPCRoute" ? 503 : 500;
