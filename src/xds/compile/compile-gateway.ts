/** Compiles one gateway to the resources of an Envoy, by type and name. */
import { EDGE_LIMITS, type EdgeLimits } from "../../core/dataplane/edge-limits.ts";
import type {
  BackendConfig,
  ConfigProblem,
  DataplaneConfig,
  GatewayConfig,
  ListenerConfig,
  PortConfig,
} from "../../core/dataplane/gateway-config.ts";
import { isStream } from "../../core/dataplane/is-stream.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef, type ObjectRef } from "../../core/model/refs.ts";
import type { MatchRegex } from "../../core/model/regex.ts";
import type { Cluster } from "../gen/envoy/config/cluster/v3/cluster_pb.ts";
import type { ClusterLoadAssignment } from "../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import type { Listener } from "../gen/envoy/config/listener/v3/listener_pb.ts";
import type { Secret } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  compileCluster,
  compileDelayCluster,
  compileEmptyCluster,
  compileWaitingCluster,
} from "./backends/compile-cluster.ts";
import { compileLoadAssignment, type ListenerAddress } from "./backends/compile-load-assignment.ts";
import type { AccessLogging } from "./compile-access-log.ts";
import { compileDelayListener, compileListener, type ListenerSettings } from "./compile-listener.ts";
import { compileSecrets } from "./compile-secrets.ts";
import { type ConfigSources, deltaSources, sotwSources, staticSources } from "./config-sources.ts";
import { createUseCounter } from "./count-uses.ts";
import type { EnvoySecrets } from "./envoy-secrets.ts";
import {
  certificateName,
  clusterName,
  type ListenerName,
  listenerName,
  type RouteConfigName,
  routeConfigName,
} from "./resource-names.ts";
import type { PortFacts } from "./routes/compile-redirects.ts";
import { type ClusterUse, createRouteCompiler, createRouteParts } from "./routes/compile-route.ts";
import {
  type CompiledHost,
  createVirtualHostCompiler,
  type VirtualHostCompiler,
} from "./routes/compile-virtual-hosts.ts";
import { createShapeMemory } from "./routes/route-shape.ts";
import { createStreamStore } from "./streams/stream-resources.ts";
import { createStreamReader, type StreamNeeds } from "./streams/stream-rules.ts";

export interface EnvoyCompileOptions {
  /** The address of a port of the configuration. */
  readonly bind: (gateway: ObjectRef, port: number) => ListenerAddress;
  /** Delta xDS, state-of-the-world xDS, or a static file. */
  readonly delivery: "Delta" | "StateOfTheWorld" | "Static";
  /** Default: none. */
  readonly accessLog?: AccessLogging;
  /** How much too early a timer of the Envoy may fire (docs/envoy.md). */
  readonly slackMs: number;
  /** The file with the system's CA certificates, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  /** RE2, like Envoy's: finds the patterns that Envoy would reject. */
  readonly matchRegex: MatchRegex;
  /** The number of hosts from which on each host of a port gets its own scope. Undefined: a default. */
  readonly scopesFrom?: number;
  readonly limits?: Partial<EdgeLimits>;
  /** True if another Envoy may open the same ports, as during a hot restart. Default: true. */
  readonly sharesPorts?: boolean;
  /** The number of trusted proxies in front. Default: 0. */
  readonly trustedHops?: number;
}

/** Resources by name. */
export interface XdsResources {
  readonly listeners: ReadonlyMap<string, Listener>;
  /** The virtual hosts of each route configuration. */
  readonly routes: ReadonlyMap<RouteConfigName, readonly CompiledHost[]>;
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly endpoints: ReadonlyMap<string, ClusterLoadAssignment>;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** The settings that this Envoy does not carry out exactly. */
  readonly problems: readonly ConfigProblem[];
}

/** Compiles one gateway repeatedly. Unchanged resources stay the same object. */
export interface GatewayCompiler {
  readonly compile: (
    gateway: GatewayConfig,
    endpoints: DataplaneConfig["endpoints"],
    secrets: EnvoySecrets,
  ) => XdsResources;
}

export function createGatewayCompiler(options: EnvoyCompileOptions): GatewayCompiler {
  const limits = { ...EDGE_LIMITS, ...options.limits };
  const compilePorts = createPortCompiler(options, {
    logs: options.accessLog ?? "None",
    limits,
    sharesPorts: options.sharesPorts ?? true,
    trustedHops: options.trustedHops ?? 0,
  });
  const countUses = createUseCounter();
  const clusters = createClusterStore(limits);
  const assignments = createAssignmentStore();
  const streamStore = createStreamStore();
  return {
    compile: (gateway, endpoints, secrets) => {
      const delivery = deliveryOf(options, endpoints);
      const { listeners, hosts, streams } = compilePorts(gateway, secrets, delivery);
      const uses = countUses(new Map<string, readonly (CompiledHost | StreamNeeds)[]>([...hosts, ...streams]));
      const stream = streamStore.compile([...streams.values()].flat(), endpoints, delivery);
      const waits = new Set([...uses.values()].flatMap(({ waitsMs }) => waitsMs ?? []));
      for (const waitMs of waits) listeners.set(clusters.delay(waitMs).listener.name, clusters.delay(waitMs).listener);
      const backends = new Set(Array.from(uses.values(), ({ backend }) => backend));
      return {
        listeners,
        routes: hosts,
        clusters: both(clusters.compile(uses, waits, delivery, clusterSecrets(gateway, secrets)), stream.clusters),
        endpoints: both(assignments.compile(backends, endpoints), stream.endpoints),
        secrets: compileSecrets(gateway, backends, secrets),
        problems: [...secretProblems(gateway, backends, secrets), ...problemsOf(hosts.values())],
      };
    },
  };
}

/** The resources that the ports of a gateway become. */
interface CompiledPorts {
  readonly listeners: Map<string, Listener>;
  readonly hosts: ReadonlyMap<RouteConfigName, readonly CompiledHost[]>;
  readonly streams: ReadonlyMap<string, readonly StreamNeeds[]>;
}

type PortCompiler = (gateway: GatewayConfig, secrets: EnvoySecrets, delivery: ConfigSources) => CompiledPorts;

function createPortCompiler(options: EnvoyCompileOptions, settings: ListenerSettings): PortCompiler {
  const hostCompilers = new Map<RouteConfigName, VirtualHostCompiler>();
  const parts = createRouteParts();
  const shapes = createShapeMemory(options.scopesFrom);
  const streamNeeds = createStreamReader();
  const hostCompiler = (name: RouteConfigName, facts: PortFacts): VirtualHostCompiler =>
    remember(hostCompilers, name, () => createVirtualHostCompiler(name, createRouteCompiler(facts, options, parts)));
  return (gateway, secrets, delivery) => {
    const hosts = new Map<RouteConfigName, readonly CompiledHost[]>();
    const wildcards = new Map<RouteConfigName, readonly string[]>();
    const listeners = new Map<string, Listener>();
    const streams = new Map<string, readonly StreamNeeds[]>();
    for (const wholePort of gateway.ports) {
      const port = withCertificates(wholePort, secrets);
      const name = listenerName(gateway.gateway, port);
      const facts: PortFacts = { port: port.port, scheme: port.protocol === "TLS" ? "https" : "http" };
      for (const [config, sharing] of routeNames(name, port)) {
        const compiled = hostCompiler(config, facts).compile(sharing, othersOf(wholePort, sharing));
        hosts.set(config, compiled.hosts);
        wildcards.set(config, compiled.wildcards);
        shapes.see(config, compiled);
      }
      const needs = port.listeners.filter(isStream).map(streamNeeds);
      if (needs.length > 0) streams.set(`streams ${name}`, needs);
      const listener = compileListener(
        name,
        port,
        options.bind(gateway.gateway, port.port),
        (one) => {
          const config = nameOf(name, port, one);
          const routes = delivery.routes(config, hosts.get(config) ?? [], shapes.find(config));
          return { routes, wildcards: wildcards.get(config) ?? [] };
        },
        delivery,
        settings,
      );
      if (listener !== undefined) listeners.set(name, listener);
    }
    for (const name of hostCompilers.keys()) if (!hosts.has(name)) hostCompilers.delete(name);
    shapes.keep(hosts);
    return { listeners, hosts, streams };
  };
}

const both = <T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  other.size === 0 ? one : new Map([...one, ...other]);

function deliveryOf(
  { delivery, systemAuthorities }: EnvoyCompileOptions,
  endpoints: DataplaneConfig["endpoints"],
): ConfigSources {
  switch (delivery) {
    case "Delta":
      return deltaSources(systemAuthorities);
    case "StateOfTheWorld":
      return sotwSources(systemAuthorities);
    case "Static":
      return staticSources(systemAuthorities, (id) => endpoints.get(id));
  }
}

/** The listeners of a plain port share routes, because only the request's host selects the listener. */
function routeNames(name: ListenerName, port: PortConfig): ReadonlyMap<RouteConfigName, readonly ListenerConfig[]> {
  if (port.protocol === "HTTP") return new Map([[routeConfigName(name), port.listeners]]);
  const secure = port.listeners.filter((listener) => !isStream(listener));
  return new Map(secure.map((listener) => [routeConfigName(name, listener), [listener]]));
}

/** The listeners of a TLS port that other connections are for. */
function othersOf({ protocol, listeners }: PortConfig, sharing: readonly ListenerConfig[]): readonly ListenerConfig[] {
  if (protocol === "HTTP") return [];
  const own = new Set(sharing.map(({ hostname }) => hostname));
  return listeners.filter(({ hostname }) => !own.has(hostname));
}

const nameOf = (name: ListenerName, { protocol }: PortConfig, listener: ListenerConfig): RouteConfigName =>
  protocol === "HTTP" ? routeConfigName(name) : routeConfigName(name, listener);

function problemsOf(hosts: Iterable<readonly CompiledHost[]>): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  for (const compiled of hosts) {
    // A loop by index, because there may be thousands at every change.
    for (let index = 0; index < compiled.length; index++) {
      const problems = compiled[index]?.problems ?? [];
      if (problems.length > 0) found.push(...problems);
    }
  }
  return found;
}

/** True if the certificate of a backend can be validated. */
const isTrusting =
  (secrets: EnvoySecrets) =>
  ({ tls }: BackendConfig): boolean =>
    tls === undefined || tls.authorities === "System" || secrets.findAuthorities(tls.authorities) !== undefined;

/** The key material of backends that there is. */
interface ClusterSecrets {
  readonly isTrusted: (backend: BackendConfig) => boolean;
  /** The gateway's own. Undefined: it has none that can be used. */
  readonly clientCertificate: ObjectRef | undefined;
}

const clusterSecrets = ({ clientCertificate: own }: GatewayConfig, secrets: EnvoySecrets): ClusterSecrets => ({
  isTrusted: isTrusting(secrets),
  clientCertificate: own !== undefined && secrets.findCertificate(own) !== undefined ? own : undefined,
});

function secretProblems(
  { gateway, ports, clientCertificate }: GatewayConfig,
  backends: Iterable<BackendConfig>,
  secrets: EnvoySecrets,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const { name, owner, certificates, clients } of ports.flatMap(({ listeners }) => listeners)) {
    if (clients !== undefined && secrets.findAuthorities(clients.authorities) === undefined) {
      const message = `${name}: no CA certificate for clients can be used; the listener is not served`;
      problems.push({ object: owner, field: "spec.listeners", message });
    }
    for (const { namespace, name: secret } of certificates.filter(
      (ref) => secrets.findCertificate(ref) === undefined,
    )) {
      const message = `${name}: Secret ${namespace}/${secret} has no certificate that can be used`;
      problems.push({ object: owner, field: "spec.listeners", message });
    }
  }
  if (clientCertificate !== undefined && secrets.findCertificate(clientCertificate) === undefined) {
    const message = `${formatRef(clientCertificate)} has no certificate that can be used; backends get no client certificate`;
    problems.push({ object: gateway, field: "spec.tls.backend.clientCertificateRef", message });
  }
  for (const backend of backends) {
    if (isTrusting(secrets)(backend)) continue;
    const message = "the BackendTLSPolicy has no usable CA certificate; requests get a 503";
    problems.push({ object: backend.object, field: "spec.ports", message });
  }
  return problems;
}

/** Leaves out listeners without their certificates: Envoy would wait for them, and the whole port with it. */
function withCertificates(port: PortConfig, secrets: EnvoySecrets): PortConfig {
  if (port.protocol !== "TLS") return port;
  const listeners = port.listeners.flatMap((listener) => {
    if (listener.tls === "Passthrough") return [listener];
    const { clients } = listener;
    if (clients !== undefined && secrets.findAuthorities(clients.authorities) === undefined) return [];
    const certificates = listener.certificates.filter((ref) => secrets.findCertificate(ref) !== undefined);
    return certificates.length === 0 ? [] : [{ ...listener, certificates }];
  });
  return { ...port, listeners };
}

interface ClusterStore {
  readonly compile: (
    uses: ReadonlyMap<string, ClusterUse>,
    waits: ReadonlySet<number>,
    delivery: ConfigSources,
    secrets: ClusterSecrets,
  ) => ReadonlyMap<string, Cluster>;
  readonly delay: (waitMs: number) => { readonly cluster: Cluster; readonly listener: Listener };
}

function createClusterStore(limits: EdgeLimits): ClusterStore {
  let known = new Map<string, { readonly from: string; readonly backend: BackendConfig; readonly cluster: Cluster }>();
  let last:
    | {
        readonly uses: ReadonlyMap<string, ClusterUse>;
        readonly clusters: ReadonlyMap<string, Cluster>;
        readonly distrusted: number;
        readonly clientCertificate: string;
      }
    | undefined;
  const delays = new Map<number, ReturnType<ClusterStore["delay"]>>();
  const delay: ClusterStore["delay"] = (waitMs) => {
    const made = delays.get(waitMs) ?? {
      cluster: compileDelayCluster(waitMs),
      listener: compileDelayListener(waitMs),
    };
    delays.set(waitMs, made);
    return made;
  };
  return {
    delay,
    compile: (uses, waits, delivery, { isTrusted, clientCertificate: own }) => {
      const clientCertificate = own === undefined ? "" : certificateName(own);
      const distrusted = new Set(Array.from(uses.values(), ({ backend }) => backend).filter((one) => !isTrusted(one)));
      const hasSameSecrets = last?.clientCertificate === clientCertificate && distrusted.size + last.distrusted === 0;
      if (last !== undefined && uses === last.uses && hasSameSecrets) return last.clusters;
      const next: typeof known = new Map();
      const keep = (name: string, backend: BackendConfig, make: () => Cluster): void => {
        if (next.has(name)) return;
        const before = known.get(name);
        const from = distrusted.has(backend) ? "distrusted" : `trusted ${clientCertificate}`;
        const isSame = before?.backend === backend && before.from === from;
        next.set(name, isSame ? before : { from, backend, cluster: make() });
      };
      for (const { name, backend, settings, waitsMs } of uses.values()) {
        const real = clusterName(backend, settings);
        keep(real, backend, () =>
          distrusted.has(backend)
            ? compileEmptyCluster(real)
            : compileCluster(backend, settings, delivery, limits, own),
        );
        if (waitsMs !== undefined) keep(name, backend, () => compileWaitingCluster(real, waitsMs));
      }
      known = next;
      const clusters = new Map(Array.from(next, ([name, { cluster }]) => [name, cluster]));
      for (const waitMs of waits) clusters.set(delay(waitMs).cluster.name, delay(waitMs).cluster);
      // A static cluster contains its endpoints, which change independently.
      last = delivery.isStatic ? undefined : { uses, clusters, distrusted: distrusted.size, clientCertificate };
      return clusters;
    },
  };
}

interface AssignmentStore {
  readonly compile: (
    backends: Iterable<BackendConfig>,
    endpoints: DataplaneConfig["endpoints"],
  ) => ReadonlyMap<string, ClusterLoadAssignment>;
}

function createAssignmentStore(): AssignmentStore {
  const known = new WeakMap<object, ClusterLoadAssignment>();
  return {
    compile: (backends, endpoints) => {
      const assignments = new Map<string, ClusterLoadAssignment>();
      for (const { endpoints: id } of backends) {
        const list = endpoints.get(id) ?? [];
        const before = known.get(list);
        const assignment = before?.clusterName === id ? before : compileLoadAssignment(id, list);
        known.set(list, assignment);
        assignments.set(id, assignment);
      }
      return assignments;
    },
  };
}
