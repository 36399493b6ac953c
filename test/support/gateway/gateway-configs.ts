/** Builds gateway configurations for tests in few words. */
import type {
  BackendConfig,
  BackendId,
  BackendTarget,
  EndpointsId,
  FilterConfig,
  GatewayConfig,
  ListenerConfig,
  PortConfig,
  RetryConfig,
  RouteConfig,
  RuleConfig,
  WeightedBackendConfig,
} from "../../../src/core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../../src/core/model/refs.ts";
import type { RetryPlan } from "../../../src/core/retry/retry-schedule.ts";
import type { RouteMatch } from "../../../src/core/routing/route-match.ts";

const GATEWAY_API = "gateway.networking.k8s.io";

export const gatewayRef: ObjectRef = { group: GATEWAY_API, kind: "Gateway", namespace: "bakery", name: "door" };

export const backendConfig = (name: string, more: Partial<BackendConfig> = {}): BackendConfig => ({
  id: `bakery/${name}:80` as BackendId,
  object: { group: "", kind: "Service", namespace: "bakery", name },
  port: 80,
  protocol: "HTTP/1.1",
  tls: undefined,
  endpoints: `bakery/${name}:80` as EndpointsId,
  budget: undefined,
  session: undefined,
  ...more,
});

type UsableTarget = Extract<BackendTarget, { type: "Backend" }>;

export const backend = (
  name: string,
  more: Partial<Omit<UsableTarget, "type">> = {},
  weight = 1,
): WeightedBackendConfig => ({
  weight,
  target: {
    type: "Backend",
    backend: backendConfig(name),
    filters: [],
    retry: undefined,
    backendRequestTimeoutMs: undefined,
    session: undefined,
    ...more,
  },
});

export const retryConfig = (plan: Partial<RetryPlan> = {}, more: Partial<RetryConfig> = {}): RetryConfig => ({
  plan: {
    codes: [503],
    attempts: 2,
    backoffMs: undefined,
    maxBackoffMs: undefined,
    afterSend: "Idempotent",
    ...plan,
  },
  maxBodyBytes: 65_536,
  budget: undefined,
  ...more,
});

export const rule = (
  backends: readonly WeightedBackendConfig[],
  more: Partial<RuleConfig> & { readonly filters?: readonly FilterConfig[] } = {},
): RuleConfig => ({
  route: { group: GATEWAY_API, kind: "HTTPRoute", namespace: "bakery", name: "baker" },
  rule: "rule-1",
  filters: [],
  action: { type: "Forward", backends },
  requestTimeoutMs: undefined,
  ...more,
});

const match = (more: Partial<RouteMatch> = {}): RouteMatch => ({
  index: 0,
  path: { type: "PathPrefix", value: "/" },
  grpc: undefined,
  method: undefined,
  headers: [],
  query: [],
  ...more,
});

export const route = (of: RuleConfig, matching: Partial<RouteMatch> = {}): RouteConfig => ({
  match: match(matching),
  rule: of,
});

export const listener = (more: Partial<ListenerConfig> = {}): ListenerConfig => ({
  owner: gatewayRef,
  name: "http",
  protocol: more.certificates === undefined ? "HTTP" : "HTTPS",
  hostname: undefined,
  tls: more.certificates === undefined ? undefined : "Terminate",
  certificates: [],
  clients: undefined,
  virtualHosts: [],
  ...more,
});

export const gatewayOf = (ports: readonly PortConfig[]): GatewayConfig => ({
  gateway: gatewayRef,
  className: "house",
  controllerName: undefined,
  clientCertificate: undefined,
  ports,
});

/** One plain listener with one host. */
export const gatewayConfig = (routes: readonly RouteConfig[], port = 8080): GatewayConfig =>
  gatewayOf([{ port, protocol: "HTTP", listeners: [listener({ virtualHosts: [{ hostname: "*", routes }] })] }]);
