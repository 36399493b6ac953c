/** The meaning of names in Envoy's access log and counters. */
import type { BackendConfig, DataplaneConfig, GatewayConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { hasWaits } from "../../core/envoy/envoy-waits.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef } from "../../core/model/refs.ts";
import type { RequestFlag } from "../../gateway/observe/gateway-event.ts";
import { gatewayKey } from "../../xds/serve/control-plane.ts";

/** The rules and backends of a gateway, by the names of Envoy's routes and clusters. */
export interface EnvoyNames {
  readonly rules: ReadonlyMap<string, RuleConfig>;
  readonly backends: ReadonlyMap<string, BackendConfig>;
}

const NO_NAMES: EnvoyNames = { rules: new Map(), backends: new Map() };

/** The names in the current configuration, by gateway (`namespace/name`). */
export interface EnvoyNameTable {
  readonly use: (config: Pick<DataplaneConfig, "gateways">) => void;
  readonly of: (gateway: string) => EnvoyNames;
}

export function createEnvoyNames(): EnvoyNameTable {
  let gateways: ReadonlyMap<string, GatewayConfig> = new Map();
  // Computed at the first request: there may be thousands of routes, and a new configuration every second.
  const known = new WeakMap<GatewayConfig, EnvoyNames>();
  return {
    use: (config) => {
      gateways = new Map(config.gateways.map((gateway) => [gatewayKey(gateway.gateway), gateway]));
    },
    of: (key) => {
      const gateway = gateways.get(key);
      return gateway === undefined ? NO_NAMES : remember(known, gateway, () => namesIn(gateway));
    },
  };
}

function namesIn({ ports }: GatewayConfig): EnvoyNames {
  const rules = new Map<string, RuleConfig>();
  const backends = new Map<string, BackendConfig>();
  const routes = ports.flatMap(({ listeners }) =>
    listeners.flatMap(({ virtualHosts }) => virtualHosts.flatMap((host) => host.routes)),
  );
  for (const { rule } of routes) {
    rules.set(formatRef(rule.route, rule.rule), rule);
    if (rule.action.type !== "Forward") continue;
    for (const { target } of rule.action.backends)
      if (target.type === "Backend") backends.set(target.backend.id, target.backend);
  }
  return { rules, backends };
}

/** The number of attempts. With a minimum backoff, every second attempt of Envoy is only a wait. */
export function attemptsOf(attempts: number, rule: RuleConfig | undefined, backend: BackendConfig | undefined): number {
  const targets = rule?.action.type === "Forward" ? rule.action.backends.map(({ target }) => target) : [];
  const target = targets.find((one) => one.type === "Backend" && one.backend === backend);
  const { retry, session } = target?.type === "Backend" ? target : {};
  const isWaiting = retry !== undefined && session === undefined && hasWaits(retry.plan);
  return isWaiting ? Math.ceil(attempts / 2) : attempts;
}

/** Texts for the response flags of Envoy (Envoy documentation, access logs, "RESPONSE_FLAGS"). Flags that add nothing to status and reason are omitted. */
const FLAGS: Readonly<Record<string, RequestFlag>> = {
  DC: "ClientGone",
  DPE: "BadRequest",
  LR: "Reset",
  NR: "NoRoute",
  UAEX: "Denied",
  UC: "Reset",
  UF: "NotConnected",
  UH: "NoEndpoints",
  UMSDR: "BackendTimeout",
  UO: "Budget",
  UPE: "Reset",
  UR: "Reset",
  URX: "Exhausted",
  UT: "RequestTimeout",
};

export const flagOf = (flag: string): readonly RequestFlag[] => {
  const found = FLAGS[flag];
  return found === undefined ? [] : [found];
};
