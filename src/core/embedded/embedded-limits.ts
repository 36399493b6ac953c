/** The settings that the embedded gateway does not carry out, for `check` and for the gateway. docs/gateway.md lists them. */

import type { FilterConfig, GatewayConfig, ListenerConfig, RuleConfig } from "../dataplane/gateway-config.ts";
import { isJsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";

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

const SERVES_NO_UDP = "the embedded gateway does not serve UDP, only Envoy does";
const NO_UDP = `${SERVES_NO_UDP}: the listener is not served`;
const NO_AUTH =
  "the embedded gateway carries out ExternalAuth filters with protocol HTTP and without forwardBody, only Envoy others: requests of the rule get a 500";

/** A rule whose requests are refused. */
export interface RefusedRule {
  /** A field of the rule, such as `spec.rules[0].filters[1]`. */
  readonly field: string;
  readonly reason: string;
}

/** The limits as the status of listeners and routes needs them (`core/gateway-status`). */
export const EMBEDDED_LIMITS: {
  readonly unservedProtocols: ReadonlyMap<string, string>;
  readonly refusedRules: (route: KubeObject) => readonly RefusedRule[];
} = {
  unservedProtocols: new Map([["UDP", SERVES_NO_UDP]]),
  refusedRules: (route) => refusedRules(route),
};

function refusedRules({ raw }: KubeObject): readonly RefusedRule[] {
  const rules = objectsIn(ownValue(objectAt(raw, "spec"), "rules"));
  return rules.flatMap((rule, index) =>
    objectsIn(rule["filters"]).flatMap((filter, at) => {
      const auth = filter["externalAuth"];
      if (!isJsonObject(auth)) return [];
      const { maxSize } = objectAt(auth, "forwardBody");
      const isServed = auth["protocol"] !== "GRPC" && !(typeof maxSize === "number" && maxSize > 0);
      return isServed ? [] : [{ field: `spec.rules[${index}].filters[${at}]`, reason: NO_AUTH }];
    }),
  );
}
