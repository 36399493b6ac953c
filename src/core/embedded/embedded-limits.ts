/** The settings that the embedded gateway does not carry out, for `check` and for the gateway. docs/gateway.md lists them. */
import type { FilterConfig, GatewayConfig, ListenerConfig, RuleConfig } from "../dataplane/gateway-config.ts";

export type EmbeddedLimitCode = "EmbeddedHasNoUdp" | "EmbeddedHasNoExternalAuth";

export interface EmbeddedLimit {
  readonly code: EmbeddedLimitCode;
  readonly port: number;
  readonly listener: ListenerConfig;
  /** Undefined: it concerns the whole listener. */
  readonly rule: RuleConfig | undefined;
  readonly message: string;
}

export const embeddedLimits = ({ ports }: GatewayConfig): readonly EmbeddedLimit[] =>
  ports.flatMap(({ port, protocol, listeners }) =>
    listeners.flatMap((listener): readonly EmbeddedLimit[] =>
      protocol === "UDP"
        ? [{ code: "EmbeddedHasNoUdp", port, listener, rule: undefined, message: NO_UDP }]
        : unauthorizedRules(listener).map((rule) => ({
            code: "EmbeddedHasNoExternalAuth",
            port,
            listener,
            rule,
            message: NO_AUTH,
          })),
    ),
  );

/** True if the gateway cannot ask the authorization server of the filter. Requests of the rule must not be forwarded then. */
export const lacksAuth = (filter: FilterConfig): boolean =>
  filter.type === "ExternalAuth" && (filter.protocol === "GRPC" || filter.maxBodyBytes > 0);

function unauthorizedRules({ virtualHosts }: ListenerConfig): readonly RuleConfig[] {
  const rules = new Set<RuleConfig>();
  for (const { routes } of virtualHosts)
    for (const { rule } of routes) if (rule.filters.length > 0 && rule.filters.some(lacksAuth)) rules.add(rule);
  return [...rules];
}

const NO_UDP = "the embedded gateway does not serve UDP, only Envoy does: the listener is not served";
const NO_AUTH =
  "the embedded gateway carries out ExternalAuth filters with protocol HTTP and without forwardBody, only Envoy others: requests of the rule get a 500";
