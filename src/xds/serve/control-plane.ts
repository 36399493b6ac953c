/** The control plane: compiles configurations for Envoy and serves them over xDS. */
import type { ConfigProblem, DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { createGatewayCompiler, type EnvoyCompileOptions, type GatewayCompiler } from "../compile/compile-gateway.ts";
import type { EnvoySecrets } from "../compile/envoy-secrets.ts";
import {
  createEncoder,
  type DiscoveryStyle,
  type EncodedResources,
  type ResourceEncoder,
} from "./encode/encode-resources.ts";
import { createSecretFilter } from "./valid-secrets.ts";
import { type NodeStatus, startXdsServer, type XdsServerOptions } from "./xds-server.ts";

export interface ControlPlaneOptions extends XdsServerOptions {
  readonly compile: Omit<EnvoyCompileOptions, "delivery">;
}

export interface ControlPlane {
  readonly port: number;
  /** Serves this configuration from now on. Returns the settings that Envoy does not carry out exactly. */
  readonly replace: (config: DataplaneConfig, secrets: EnvoySecrets) => readonly ConfigProblem[];
  readonly nodes: () => readonly NodeStatus[];
  readonly close: () => Promise<void>;
}

/** The `node.cluster` of the Envoys of a gateway. */
export const gatewayKey = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

/** One compiler per style, because hosts are separate resources only in delta xDS. */
type GatewayTools = Readonly<Record<DiscoveryStyle, StyleTools>>;

interface StyleTools {
  readonly compiler: GatewayCompiler;
  readonly encoder: ResourceEncoder;
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const server = await startXdsServer(options);
  let tools = new Map<string, GatewayTools>();
  const checkSecrets = createSecretFilter();
  const toolsFor = (style: DiscoveryStyle): StyleTools => ({
    compiler: createGatewayCompiler({ ...options.compile, delivery: style }),
    encoder: createEncoder(style),
  });
  return {
    port: server.port,
    nodes: server.nodes,
    close: server.close,
    replace: (config, given) => {
      const secrets = checkSecrets(given);
      const kept: typeof tools = new Map();
      const served = new Map<string, (style: DiscoveryStyle) => EncodedResources>();
      const problems: ConfigProblem[] = [];
      for (const gateway of config.gateways) {
        const key = gatewayKey(gateway.gateway);
        const { Delta, StateOfTheWorld } = tools.get(key) ?? {
          Delta: toolsFor("Delta"),
          StateOfTheWorld: toolsFor("StateOfTheWorld"),
        };
        kept.set(key, { Delta, StateOfTheWorld });
        const resources = Delta.compiler.compile(gateway, config.endpoints, secrets);
        problems.push(...resources.problems);
        const encode = once((style) =>
          style === "Delta"
            ? Delta.encoder.encode(resources)
            : StateOfTheWorld.encoder.encode(StateOfTheWorld.compiler.compile(gateway, config.endpoints, secrets)),
        );
        served.set(key, encode);
      }
      tools = kept;
      server.replace(served);
      return problems;
    },
  };
}

/** Encodes on first use. */
function once(make: (style: DiscoveryStyle) => EncodedResources): (style: DiscoveryStyle) => EncodedResources {
  const known = new Map<DiscoveryStyle, EncodedResources>();
  return (style) => {
    const resources = known.get(style) ?? make(style);
    known.set(style, resources);
    return resources;
  };
}
