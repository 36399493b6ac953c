/**
 * Envoy as the data plane: serve gateways to Envoys over xDS, or run Envoys on this machine. Configurations come from `compileDataplane`.
 * What is not exported here is private.
 */
export { bootstrapJson } from "./xds/bootstrap-json.ts";
export { type BootstrapOptions, type BootstrapTls, compileBootstrap } from "./xds/compile/compile-bootstrap.ts";
export type { Pem, SecretSource } from "./xds/compile/secret-source.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  gatewayKey,
  startControlPlane,
} from "./xds/serve/control-plane.ts";
export {
  type EnvoyDataPlane,
  type EnvoyDataPlaneOptions,
  startEnvoyDataPlane,
} from "./xds/serve/envoy-data-plane.ts";
export type { NodeStatus, XdsEvent, XdsLimits, XdsServerTls } from "./xds/serve/xds-server.ts";
export type { Refusal } from "./xds/serve/xds-session.ts";
