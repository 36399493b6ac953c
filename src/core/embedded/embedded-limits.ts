/** The settings that the embedded gateway does not carry out, for `check` and for the gateway. docs/gateway.md lists them. */
import type { GatewayConfig, ListenerConfig } from "../dataplane/gateway-config.ts";

export type EmbeddedLimitCode = "EmbeddedHasNoUdp";

export interface EmbeddedLimit {
  readonly code: EmbeddedLimitCode;
  readonly port: number;
  readonly listener: ListenerConfig;
  readonly message: string;
}

export const embeddedLimits = ({ ports }: GatewayConfig): readonly EmbeddedLimit[] =>
  ports.flatMap(({ port, protocol, listeners }) =>
    protocol === "UDP"
      ? listeners.map((listener) => ({ code: "EmbeddedHasNoUdp", port, listener, message: NO_UDP }))
      : [],
  );

const NO_UDP = "the embedded gateway does not serve UDP, only Envoy does: the listener is not served";
