/** The control plane: compiles configurations for Envoy and serves them over xDS. */
import type { ConfigProblem, DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { createBackendOwner } from "../compile/backends/own-backends.ts";
import { createGatewayCompiler, type EnvoyCompileOptions, type GatewayCompiler } from "../compile/compile-gateway.ts";
import type { EnvoySecrets } from "../compile/envoy-secrets.ts";
import { ALL_GATEWAYS } from "./all-gateways.ts";
import {
  createEncoder,
  type DiscoveryStyle,
  type EncodedResources,
  type ResourceEncoder,
} from "./encode/encode-resources.ts";
import { createResourceJoiner } from "./encode/join-resources.ts";
import type { Refusal } from "./session/session-state.ts";
import { createSecretFilter } from "./valid-secrets.ts";
import type { XdsServerTls } from "./xds-port.ts";
import { type NodeStatus, startXdsServer, type XdsServerOptions } from "./xds-server.ts";

export interface ControlPlaneOptions extends XdsServerOptions {
  readonly compile: Omit<EnvoyCompileOptions, "delivery">;
  /** True: an Envoy whose `node.cluster` is ALL_GATEWAYS gets all gateways. They must have different addresses. */
  readonly sharesEnvoys?: boolean;
}

/** The acknowledgements of the Envoys of one gateway. */
export interface GatewayAcknowledgement {
  /** The number of connected Envoys. */
  readonly envoys: number;
  /** The number of those that have acknowledged or refused everything that they must have. */
  readonly current: number;
  readonly refusals: readonly Refusal[];
}

export interface ControlPlane {
  readonly port: number;
  /** Serves this configuration from now on. Returns the settings that Envoy does not carry out exactly. */
  readonly replace: (config: DataplaneConfig, secrets: EnvoySecrets) => readonly ConfigProblem[];
  readonly nodes: () => readonly NodeStatus[];
  /** By gateway (`namespace/name`): what its Envoys have acknowledged of the configuration that is served. A gateway that is not served is not there. */
  readonly acknowledgements: () => ReadonlyMap<string, GatewayAcknowledgement>;
  /** New streams get this certificate. Those that are open stay. */
  readonly useTls: (tls: XdsServerTls) => void;
  readonly close: () => Promise<void>;
}

/** The `node.cluster` of the Envoys of a gateway. */
export const gatewayKey = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

/** One compiler per style, because hosts are separate resources only in delta xDS. */
type GatewayTools = Readonly<Record<DiscoveryStyle, StyleTools>> & {
  readonly own: (gateway: GatewayConfig) => GatewayConfig;
};

interface StyleTools {
  readonly compiler: GatewayCompiler;
  readonly encoder: ResourceEncoder;
}

type Served = ReadonlyMap<string, (style: DiscoveryStyle) => EncodedResources>;

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const server = await startXdsServer(options);
  let tools = new Map<string, GatewayTools>();
  let served: Served = new Map();
  const checkSecrets = createSecretFilter();
  const { sharesEnvoys = false } = options;
  const joiners = { Delta: createResourceJoiner(), StateOfTheWorld: createResourceJoiner() };
  const toolsFor = (style: DiscoveryStyle): StyleTools => ({
    compiler: createGatewayCompiler({ ...options.compile, delivery: style }),
    encoder: createEncoder(style),
  });
  return {
    port: server.port,
    nodes: server.nodes,
    useTls: server.useTls,
    acknowledgements: () => acknowledgementsOf(served, server.acknowledgements()),
    close: server.close,
    replace: (config, given) => {
      const secrets = checkSecrets(given);
      const kept: typeof tools = new Map();
      const now = new Map<string, (style: DiscoveryStyle) => EncodedResources>();
      const problems: ConfigProblem[] = [];
      for (const whole of config.gateways) {
        const key = gatewayKey(whole.gateway);
        const { Delta, StateOfTheWorld, own } = tools.get(key) ?? {
          Delta: toolsFor("Delta"),
          StateOfTheWorld: toolsFor("StateOfTheWorld"),
          own: sharesEnvoys ? createBackendOwner() : (gateway) => gateway,
        };
        kept.set(key, { Delta, StateOfTheWorld, own });
        const gateway = own(whole);
        const resources = Delta.compiler.compile(gateway, config.endpoints, secrets);
        problems.push(...resources.problems);
        const encode = once((style) =>
          style === "Delta"
            ? Delta.encoder.encode(resources)
            : StateOfTheWorld.encoder.encode(StateOfTheWorld.compiler.compile(gateway, config.endpoints, secrets)),
        );
        now.set(key, encode);
      }
      tools = kept;
      served = now;
      const all = once((style) => joiners[style](Array.from(now.values(), (encode) => encode(style))));
      server.replace(sharesEnvoys ? new Map([...now, [ALL_GATEWAYS, all]]) : now);
      return problems;
    },
  };
}

/** A resource that an Envoy of several gateways refuses is a refusal of those gateways that have the resource. */
function acknowledgementsOf(
  served: Served,
  nodes: ReturnType<Awaited<ReturnType<typeof startXdsServer>>["acknowledgements"]>,
): ReadonlyMap<string, GatewayAcknowledgement> {
  const byGateway = new Map<string, (typeof nodes)[number][]>();
  for (const node of nodes) remember(byGateway, node.gateway, () => []).push(node);
  const ofAll = byGateway.get(ALL_GATEWAYS) ?? [];
  return new Map(
    Array.from(served, ([key, encode]) => {
      const own = [...(byGateway.get(key) ?? []), ...ofAll];
      const refusals = own.flatMap(({ protocol, refusals: refused }) =>
        refused.filter(({ type, name }) => encode(protocol)[type].get(name) !== undefined),
      );
      return [key, { envoys: own.length, current: own.filter(({ isCurrent }) => isCurrent).length, refusals }];
    }),
  );
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
