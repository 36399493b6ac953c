/** Converts the access log entries of Envoy to the events of the embedded gateway, so that access log and metrics are the same. */
import type { BackendConfig, DataplaneConfig, GatewayConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { hasWaits } from "../../core/envoy/envoy-waits.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef, type ObjectRef } from "../../core/model/refs.ts";
import type { ClientProtocol } from "../../gateway/contract/http-exchange.ts";
import type { ConnectionFinished, GatewayEvent, RequestFlag } from "../../gateway/observe/gateway-event.ts";
import { backendOfCluster, NO_ROUTE_NAME } from "../../xds/compile/resource-names.ts";
import type { EnvoyAccess, EnvoyConnection, EnvoyRequest } from "../../xds/serve/envoy/parse-access-line.ts";

export interface EnvoyEvents {
  /** Sets the configuration that route and cluster names refer to. */
  readonly use: (config: DataplaneConfig) => void;
  readonly eventOf: (gateway: ObjectRef, access: EnvoyAccess) => GatewayEvent;
}

interface Names {
  readonly rules: ReadonlyMap<string, RuleConfig>;
  readonly backends: ReadonlyMap<string, BackendConfig>;
}

const NO_NAMES: Names = { rules: new Map(), backends: new Map() };

export function createEnvoyEvents(): EnvoyEvents {
  let gateways: ReadonlyMap<string, GatewayConfig> = new Map();
  // Computed at the first request: there may be thousands of routes, and a new configuration every second.
  const known = new WeakMap<GatewayConfig, Names>();
  const namesOf = (ref: ObjectRef): Names => {
    const gateway = gateways.get(formatRef(ref));
    return gateway === undefined ? NO_NAMES : remember(known, gateway, () => namesIn(gateway));
  };
  return {
    use: (config) => {
      gateways = new Map(config.gateways.map((gateway) => [formatRef(gateway.gateway), gateway]));
    },
    eventOf: (gateway, access) => eventOf(gateway, access, namesOf(gateway)),
  };
}

function namesIn({ ports }: GatewayConfig): Names {
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

function eventOf(gateway: ObjectRef, access: EnvoyAccess, names: Names): GatewayEvent {
  return access.type === "Request" ? requestOf(gateway, access, names) : connectionOf(gateway, access, names);
}

function connectionOf(gateway: ObjectRef, access: EnvoyConnection, { rules, backends }: Names): ConnectionFinished {
  const { startedAtMs, durationMs, client, port, serverName = "", receivedBytes, sentBytes, flags, details } = access;
  const rule = access.route === undefined ? undefined : rules.get(access.route);
  const backend = access.cluster === undefined ? undefined : backends.get(backendOfCluster(access.cluster));
  const unserved = rule === undefined ? "NoRoute" : "Unavailable";
  return {
    type: "ConnectionFinished",
    startedAtMs,
    durationMs,
    client,
    gateway,
    port,
    serverName,
    rule,
    backend,
    receivedBytes,
    sentBytes,
    // Envoy does not report its attempts to connect.
    attempts: backend === undefined ? 0 : 1,
    flags: backend === undefined ? [unserved] : [...new Set(flags.flatMap((flag) => FLAGS[flag] ?? []))].sort(),
    reason: details ?? (rule?.action.type === "Respond" ? rule.action.reason : undefined),
  };
}

function requestOf(gateway: ObjectRef, access: EnvoyRequest, { rules, backends }: Names): GatewayEvent {
  const { client, port, status, method, details } = access;
  if (method === undefined) {
    return { type: "RequestRefused", client, gateway, port, status, reason: details ?? "no request" };
  }
  const [path = "", ...query] = (access.path ?? "").split("?");
  const rule = access.route === undefined ? undefined : rules.get(access.route);
  const backend = access.cluster === undefined ? undefined : backends.get(backendOfCluster(access.cluster));
  const unavailable = rule?.action.type === "Respond" ? rule.action.reason : undefined;
  return {
    type: "RequestFinished",
    startedAtMs: access.startedAtMs,
    durationMs: access.durationMs,
    client,
    protocol: protocolOf(access.protocol),
    gateway,
    port,
    method,
    host: (access.host ?? "").toLowerCase().replace(/:\d+$/, ""),
    path,
    query: query.join("?"),
    userAgent: access.userAgent,
    status: status === 0 ? undefined : status,
    responseBytes: access.responseBytes,
    rule,
    backend,
    attempts: attemptsOf(access, rule, backend),
    flags: flagsOf(access, unavailable !== undefined),
    reason: unavailable ?? (details === "via_upstream" ? undefined : details),
  };
}

const protocolOf = (protocol: string | undefined): ClientProtocol =>
  protocol === "HTTP/2" || protocol === "HTTP/1.0" ? protocol : "HTTP/1.1";

/** The number of attempts. With a minimum backoff, every second attempt of Envoy is only a wait. */
function attemptsOf(
  { attempts }: EnvoyRequest,
  rule: RuleConfig | undefined,
  backend: BackendConfig | undefined,
): number {
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

function flagsOf({ flags, status, route }: EnvoyRequest, isUnavailable: boolean): readonly RequestFlag[] {
  const found = new Set<RequestFlag>(flags.flatMap((flag) => FLAGS[flag] ?? []));
  if (isUnavailable) found.add("Unavailable");
  if (route === NO_ROUTE_NAME) found.add("NoRoute");
  if (status === 101) found.add("Upgraded");
  return [...found].sort();
}
