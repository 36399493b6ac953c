/**
 * Backends of a gateway with a client certificate, where one Envoy serves several gateways: a cluster has one certificate, so such a gateway gets clusters
 * of its own.
 */
import type {
  ActionConfig,
  BackendConfig,
  BackendId,
  FilterConfig,
  GatewayConfig,
  ListenerConfig,
  PortConfig,
  RuleConfig,
} from "../../../core/dataplane/gateway-config.ts";
import { remember } from "../../../core/model/collections/remember.ts";

/** Renames the backends with TLS of one gateway repeatedly. Unchanged parts stay the same object. */
export function createBackendOwner(): (gateway: GatewayConfig) => GatewayConfig {
  const backends = new WeakMap<BackendConfig, BackendConfig>();
  const rules = new WeakMap<RuleConfig, RuleConfig>();
  const hosts = new WeakMap<ListenerConfig["virtualHosts"], ListenerConfig["virtualHosts"]>();
  const ports = new WeakMap<PortConfig, PortConfig>();
  const ownPort = (port: PortConfig, owner: string): PortConfig =>
    remember(ports, port, () => ({
      ...port,
      listeners: port.listeners.map((listener) => ({
        ...listener,
        virtualHosts: remember(hosts, listener.virtualHosts, () =>
          listener.virtualHosts.map((host) => ({
            ...host,
            routes: host.routes.map((route) => ({
              ...route,
              rule: remember(rules, route.rule, () => ownRule(route.rule, (one) => own(one, owner))),
            })),
          })),
        ),
      })),
    }));
  const own = (backend: BackendConfig, owner: string): BackendConfig =>
    backend.tls === undefined
      ? backend
      : remember(backends, backend, () => ({ ...backend, id: `${backend.id} from ${owner}` as BackendId }));
  return (gateway) => {
    if (gateway.clientCertificate === undefined) return gateway;
    const { namespace, name } = gateway.gateway;
    return { ...gateway, ports: gateway.ports.map((port) => ownPort(port, `${namespace}/${name}`)) };
  };
}

type Own = (backend: BackendConfig) => BackendConfig;

const ownRule = (rule: RuleConfig, own: Own): RuleConfig => ({
  ...rule,
  filters: rule.filters.map((filter) => ownFilter(filter, own)),
  action: ownAction(rule.action, own),
});

const ownAction = (action: ActionConfig, own: Own): ActionConfig =>
  action.type !== "Forward"
    ? action
    : {
        ...action,
        backends: action.backends.map(({ weight, target }) => ({
          weight,
          target:
            target.type !== "Backend"
              ? target
              : {
                  ...target,
                  backend: own(target.backend),
                  filters: target.filters.map((filter) => ownFilter(filter, own)),
                },
        })),
      };

const ownFilter = (filter: FilterConfig, own: Own): FilterConfig =>
  filter.type === "RequestMirror" || filter.type === "ExternalAuth"
    ? { ...filter, backend: own(filter.backend) }
    : filter;
