/** Builds dataplane configurations for tests. Omitted fields have plain defaults. */
import type {
  BackendConfig,
  BackendId,
  BackendTarget,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
  FilterConfig,
  ListenerConfig,
  PortConfig,
  RetryConfig,
  RouteConfig,
  RuleConfig,
} from "../../../src/core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../../src/core/model/refs.ts";
import type { PathMatch, RouteMatch } from "../../../src/core/routing/route-match.ts";

const ref = (kind: string, name: string, group = "gateway.networking.k8s.io"): ObjectRef => ({
  group,
  kind,
  namespace: "bakery",
  name,
});

const gatewayRef = (name = "shop"): ObjectRef => ref("Gateway", name);
export const secretRef = (name: string): ObjectRef => ref("Secret", name, "");

export function backend(name: string, more: Partial<BackendConfig> = {}): BackendConfig {
  return {
    id: `bakery/${name}:80` as BackendId,
    object: ref("Service", name, ""),
    port: 80,
    protocol: "HTTP/1.1",
    tls: undefined,
    endpoints: `bakery/${name}:80` as EndpointsId,
    budget: undefined,
    session: undefined,
    ...more,
  };
}

export function retry(plan: Partial<RetryConfig["plan"]> = {}, more: Partial<RetryConfig> = {}): RetryConfig {
  return {
    plan: { codes: [], attempts: 1, backoffMs: 5, maxBackoffMs: undefined, afterSend: "Idempotent", ...plan },
    maxBodyBytes: 65_536,
    budget: undefined,
    ...more,
  };
}

type ForwardTarget = Extract<BackendTarget, { type: "Backend" }>;

export function forwardTo(to: BackendConfig | string, more: Partial<ForwardTarget> = {}): BackendTarget {
  return {
    type: "Backend",
    backend: typeof to === "string" ? backend(to) : to,
    filters: [],
    retry: undefined,
    backendRequestTimeoutMs: undefined,
    session: undefined,
    ...more,
  };
}

function match(path: PathMatch | string = "/", more: Partial<RouteMatch> = {}): RouteMatch {
  return {
    index: 0,
    path: typeof path === "string" ? { type: "PathPrefix", value: path } : path,
    grpc: undefined,
    method: undefined,
    headers: [],
    query: [],
    ...more,
  };
}

export interface RuleOptions extends Partial<Omit<RuleConfig, "action" | "route">> {
  readonly name?: string;
  readonly to?: BackendTarget | readonly { readonly weight: number; readonly target: BackendTarget }[];
  readonly action?: RuleConfig["action"];
  readonly filters?: readonly FilterConfig[];
}

export function rule({ name = "baker", to, action, ...more }: RuleOptions = {}): RuleConfig {
  const backends = to === undefined ? [] : "type" in to ? [{ weight: 1, target: to }] : to;
  return {
    route: ref("HTTPRoute", name),
    rule: "rule-1",
    filters: [],
    requestTimeoutMs: undefined,
    action: action ?? { type: "Forward", backends },
    ...more,
  };
}

export const route = (of: RuleConfig, path: PathMatch | string = "/", more: Partial<RouteMatch> = {}): RouteConfig => ({
  match: match(path, more),
  rule: of,
});

export function listener(
  hosts: Readonly<Record<string, readonly RouteConfig[]>>,
  more: Partial<ListenerConfig> = {},
): ListenerConfig {
  return {
    owner: gatewayRef(),
    name: "http",
    protocol: more.certificates === undefined ? "HTTP" : "HTTPS",
    hostname: undefined,
    tls: more.certificates === undefined ? undefined : "Terminate",
    certificates: [],
    clients: undefined,
    virtualHosts: Object.entries(hosts).map(([hostname, routes]) => ({ hostname, routes })),
    ...more,
  };
}

/** The backends by name, with their port on the loopback. */
export type EndpointTable = Readonly<Record<string, readonly (number | Endpoint)[]>>;

export function dataplane(ports: readonly Partial<PortConfig>[], endpoints: EndpointTable = {}): DataplaneConfig {
  return {
    gateways: [
      {
        gateway: gatewayRef(),
        className: "prevail",
        controllerName: undefined,
        clientCertificate: undefined,
        ports: ports.map((port) => ({ port: 80, protocol: "HTTP", listeners: [], ...port })),
      },
    ],
    backends: new Map(),
    problems: [],
    endpoints: new Map(
      Object.entries(endpoints).map(([name, list]) => [
        `bakery/${name}:80` as EndpointsId,
        list.map((one) => (typeof one === "number" ? { address: "127.0.0.1", port: one } : one)),
      ]),
    ),
  };
}

/** One listener for every host on port 80. */
export const simpleConfig = (routes: readonly RouteConfig[], endpoints: EndpointTable): DataplaneConfig =>
  dataplane([{ listeners: [listener({ "*": routes })] }], endpoints);
