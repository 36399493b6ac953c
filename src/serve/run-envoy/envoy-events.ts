/** Converts the access log entries of Envoy to the events of the embedded gateway, so that access log and metrics are the same. */
import type { DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { ClientProtocol } from "../../gateway/contract/http-exchange.ts";
import type { ConnectionFinished, GatewayEvent, RequestFlag } from "../../gateway/observe/gateway-event.ts";
import { backendOfCluster, NO_ROUTE_NAME } from "../../xds/compile/resource-names.ts";
import { gatewayKey } from "../../xds/serve/control-plane.ts";
import type { EnvoyAccess, EnvoyConnection, EnvoyRequest } from "../../xds/serve/envoy/parse-access-line.ts";
import { attemptsOf, createEnvoyNames, type EnvoyNames, flagOf } from "./envoy-names.ts";

export interface EnvoyEvents {
  /** Sets the configuration that route and cluster names refer to. */
  readonly use: (config: DataplaneConfig) => void;
  readonly eventOf: (gateway: ObjectRef, access: EnvoyAccess) => GatewayEvent;
}

export function createEnvoyEvents(): EnvoyEvents {
  const names = createEnvoyNames();
  return {
    use: names.use,
    eventOf: (gateway, access) => eventOf(gateway, access, names.of(gatewayKey(gateway))),
  };
}

function eventOf(gateway: ObjectRef, access: EnvoyAccess, names: EnvoyNames): GatewayEvent {
  return access.type === "Request" ? requestOf(gateway, access, names) : connectionOf(gateway, access, names);
}

function connectionOf(
  gateway: ObjectRef,
  access: EnvoyConnection,
  { rules, backends }: EnvoyNames,
): ConnectionFinished {
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
    flags: backend === undefined ? [unserved] : [...new Set(flags.flatMap((flag) => flagOf(flag)))].sort(),
    reason: details ?? (rule?.action.type === "Respond" ? rule.action.reason : undefined),
  };
}

function requestOf(gateway: ObjectRef, access: EnvoyRequest, { rules, backends }: EnvoyNames): GatewayEvent {
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
    attempts: attemptsOf(access.attempts, rule, backend),
    flags: flagsOf(access, unavailable !== undefined),
    reason: unavailable ?? (details === "via_upstream" ? undefined : details),
  };
}

const protocolOf = (protocol: string | undefined): ClientProtocol =>
  protocol === "HTTP/2" || protocol === "HTTP/1.0" ? protocol : "HTTP/1.1";

function flagsOf({ flags, status, route }: EnvoyRequest, isUnavailable: boolean): readonly RequestFlag[] {
  const found = new Set<RequestFlag>(flags.flatMap((flag) => flagOf(flag)));
  if (isUnavailable) found.add("Unavailable");
  if (route === NO_ROUTE_NAME) found.add("NoRoute");
  if (status === 101) found.add("Upgraded");
  return [...found].sort();
}
