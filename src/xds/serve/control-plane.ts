/** From configurations to Envoys: compiles what changed, and serves it. */
import type { ConfigProblem, DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { type CompileOptions, createGatewayCompiler, type GatewayCompiler } from "../compile/compile-gateway.ts";
import type { SecretSource } from "../compile/secret-source.ts";
import { createEncoder, type DiscoveryStyle, type EncodedResources, type ResourceEncoder } from "./encode-resources.ts";
import { createSecretCheck } from "./sound-secrets.ts";
import { type NodeStatus, startXdsServer, type XdsServerOptions } from "./xds-server.ts";

export interface ControlPlaneOptions extends XdsServerOptions {
  readonly compile: Omit<CompileOptions, "delivery">;
}

export interface ControlPlane {
  readonly port: number;
  /** From now on this is served. What comes back is what Envoy does otherwise than the configuration says. */
  readonly replace: (config: DataplaneConfig, secrets: SecretSource) => readonly ConfigProblem[];
  readonly nodes: () => readonly NodeStatus[];
  readonly close: () => Promise<void>;
}

/** What an Envoy says in `node.cluster`. */
export const gatewayKey = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

interface GatewayTools {
  readonly compiler: GatewayCompiler;
  /** One for each style: what was encoded for one is of no use to the other. */
  readonly encoders: Readonly<Record<DiscoveryStyle, ResourceEncoder>>;
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const server = await startXdsServer(options);
  let tools = new Map<string, GatewayTools>();
  const checkSecrets = createSecretCheck();
  const createTools = (): GatewayTools => ({
    compiler: createGatewayCompiler({ ...options.compile, delivery: "Ads" }),
    encoders: { Delta: createEncoder("Delta"), StateOfTheWorld: createEncoder("StateOfTheWorld") },
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
        const { compiler, encoders } = tools.get(key) ?? createTools();
        kept.set(key, { compiler, encoders });
        const resources = compiler.compile(gateway, config.endpoints, secrets);
        problems.push(...resources.problems);
        const encode = once((style) => encoders[style].encode(resources));
        served.set(key, encode);
      }
      tools = kept;
      server.replace(served);
      return problems;
    },
  };
}

/** Encoded when the first Envoy asks for it that way. */
function once(encode: (style: DiscoveryStyle) => EncodedResources): (style: DiscoveryStyle) => EncodedResources {
  const known = new Map<DiscoveryStyle, EncodedResources>();
  return (style) => {
    const resources = known.get(style) ?? encode(style);
    known.set(style, resources);
    return resources;
  };
}
