/** `prevail/dataplane`: what each Gateway must do, as plain data. docs/gateway-config.md describes the data. */
export { compileDataplane, updateDataplane } from "./core/compile.ts";
export type { EndpointOptions } from "./core/dataplane/compile/endpoints-of.ts";
export type { Dataplane, DataplaneDelta } from "./core/dataplane/dataplane.ts";
export type {
  ActionConfig,
  BackendConfig,
  BackendId,
  BackendTarget,
  BackendTlsConfig,
  ConfigProblem,
  ConfigTable,
  CorsConfig,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
  FilterConfig,
  GatewayConfig,
  HeaderChanges,
  HeaderValue,
  ListenerConfig,
  PathModifier,
  PortConfig,
  RedirectConfig,
  RetryConfig,
  RouteConfig,
  RuleConfig,
  SubjectAltName,
  VirtualHostConfig,
  WeightedBackendConfig,
} from "./core/dataplane/gateway-config.ts";
export type { UpdatedDataplane } from "./core/dataplane/update/advance-dataplane.ts";
