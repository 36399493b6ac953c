/** A gateway that is edited all the time. Some hosts must be served throughout, whatever happens to the others. */
import type {
  DataplaneConfig,
  Endpoint,
  EndpointsId,
  RetryConfig,
  RouteConfig,
  VirtualHostConfig,
  WeightedBackendConfig,
} from "../../../src/core/dataplane/gateway-config.ts";
import { backendConfig, gatewayOf, listener, retryConfig, route, rule } from "../../support/gateway/gateway-configs.ts";

export const STEADY_HOSTS: readonly string[] = Array.from({ length: 8 }, (_, index) => `steady-${index}.example`);
/** While there is one, hosts travel in another way. */
const WILDCARD = "*.example";
const SERVICES = ["bread", "cake", "rolls", "tarts"];
const backends = new Map(SERVICES.map((name) => [name, backendConfig(name)]));

const POLICIES: ReadonlyArray<{
  readonly retry: RetryConfig | undefined;
  readonly backendRequestTimeoutMs: number | undefined;
}> = [
  { retry: undefined, backendRequestTimeoutMs: undefined },
  { retry: retryConfig(), backendRequestTimeoutMs: undefined },
  { retry: retryConfig({ backoffMs: 20 }), backendRequestTimeoutMs: 10_000 },
  { retry: retryConfig({ backoffMs: 50, attempts: 3, afterSend: "Always" }), backendRequestTimeoutMs: undefined },
];

export interface EditedGateway {
  readonly config: () => DataplaneConfig;
  /** Makes one change, and says which. */
  readonly edit: () => string;
}

/** `alive`: the addresses of processes, any of which can respond for any Service. */
export function createEditedGateway(port: number, alive: readonly Endpoint[], random: () => number): EditedGateway {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  };
  const someEndpoints = (): readonly Endpoint[] => {
    const some = alive.filter(() => random() < 0.5);
    return some.length > 0 ? some : [pick(alive)];
  };
  const target = (): WeightedBackendConfig => {
    const backend = backends.get(pick(SERVICES));
    if (backend === undefined) throw new Error("every Service has a backend");
    return {
      weight: 1 + Math.floor(random() * 5),
      target: { type: "Backend", backend, filters: [], session: undefined, ...pick(POLICIES) },
    };
  };
  const someRoute = (path: string): RouteConfig =>
    route(
      rule(random() < 0.7 ? [target()] : [target(), target()], {
        rule: path.slice(1) || "all",
        requestTimeoutMs: random() < 0.5 ? undefined : 15_000,
      }),
      {
        path: { type: "PathPrefix", value: path },
      },
    );
  const someHost = (hostname: string): VirtualHostConfig => {
    const others = Array.from({ length: Math.floor(random() * 4) }, (_, index) => someRoute(`/other-${index}`));
    return { hostname, routes: [...others, someRoute("/")] };
  };
  const steady = new Map(STEADY_HOSTS.map((name) => [name, someHost(name)]));
  const extras = new Map<string, VirtualHostConfig>();
  const endpoints = new Map<EndpointsId, readonly Endpoint[]>();
  for (const { endpoints: id } of backends.values()) endpoints.set(id, someEndpoints());
  let made = 0;
  let order = 1;

  const edits: Readonly<Record<string, () => void>> = {
    "a host comes": () => {
      const name = `extra-${++made}.example`;
      extras.set(name, someHost(name));
    },
    "a host goes": () => {
      const first = [...extras.keys()].find((name) => name !== WILDCARD);
      if (first !== undefined) extras.delete(first);
    },
    "routes are retargeted, and policies flip": () => {
      const name = pick([...steady.keys()]);
      steady.set(name, someHost(name));
    },
    "routes are reordered": () => {
      const name = pick([...steady.keys()]);
      const known = steady.get(name);
      const [last, ...others] = [...(known?.routes ?? [])].reverse();
      if (last !== undefined) steady.set(name, { hostname: name, routes: [...others, last] });
    },
    "a host becomes one of a wildcard, or its own again": () => {
      const [name = ""] = STEADY_HOSTS;
      if (extras.delete(WILDCARD)) steady.set(name, someHost(name));
      else if (steady.delete(name)) extras.set(WILDCARD, someHost(WILDCARD));
    },
    "hosts are reordered": () => {
      order = -order;
    },
    "endpoints come and go": () => {
      const backend = backends.get(pick(SERVICES));
      if (backend !== undefined) endpoints.set(backend.endpoints, someEndpoints());
    },
  };
  return {
    config: () => {
      const hosts = [...steady.values(), ...extras.values()];
      const virtualHosts = order > 0 ? hosts : hosts.reverse();
      return {
        gateways: [gatewayOf([{ port, protocol: "HTTP", listeners: [listener({ virtualHosts })] }])],
        backends: new Map(),
        endpoints: new Map(endpoints),
        problems: [],
      };
    },
    edit: () => {
      const what = pick(Object.keys(edits));
      edits[what]?.();
      return what;
    },
  };
}

/** Pseudo-random numbers from a seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
