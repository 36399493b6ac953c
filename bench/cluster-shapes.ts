/** Clusters to measure, as plain objects. The bars are for `fleet`; each other shape is larger in one dimension. */

/** An object as the API server returns it. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

export interface ShapeOptions {
  readonly routes: number;
  readonly routesPerGateway: number;
  readonly listeners: number;
  readonly rules: number;
  readonly backends: number;
  /** The number of Gateways that a route names as parents. */
  readonly parents: number;
  /** Adds policies on the class, listeners and rules to those on Gateways and on every second route. */
  readonly levels: "GatewayAndRoute" | "Five";
  /** `Alike`: the policies of routes share a few specs, as generated policies do. `Different`: each has its own. */
  readonly policies: "Alike" | "Different";
  /** The effective targets. */
  readonly ends: "HTTPRouteRule" | "Service";
}

export const FLEET: Omit<ShapeOptions, "routes"> = {
  routesPerGateway: 100,
  listeners: 4,
  rules: 3,
  backends: 2,
  parents: 1,
  levels: "GatewayAndRoute",
  policies: "Alike",
  ends: "HTTPRouteRule",
};

const GATEWAY_API = "gateway.networking.k8s.io";
const POLICIES = "bench.example.com";
const NAMESPACE = "bakery";

/** A kind as in RFC 9: named rules, atomic or merged. Paths end at the route's rule or below it. */
export const definitionFor = (ends: ShapeOptions["ends"]): ClusterObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `ratelimitpolicies.${POLICIES}` },
  spec: {
    policies: [
      { group: POLICIES, kind: "RateLimitPolicy" },
      { group: POLICIES, kind: "ClusterRateLimitPolicy", scope: "Cluster" },
    ],
    class: "Inherited",
    targeting: {
      refs: "Many",
      kinds: [
        { kind: "GatewayClass", policies: ["ClusterRateLimitPolicy"] },
        { kind: "Gateway", sections: ["Listener"] },
        { kind: "HTTPRoute", sections: ["Rule"] },
      ],
    },
    hierarchy: { effectiveTargets: [ends] },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", merge: "Merge" } },
      rules: ["limits"],
    },
  },
});

/** All objects, grouped by kind. */
export function* buildShape(options: ShapeOptions): Generator<ClusterObject> {
  const gateways = Math.max(options.parents, Math.ceil(options.routes / options.routesPerGateway));
  yield definitionFor(options.ends);
  yield { apiVersion: `${GATEWAY_API}/v1`, kind: "GatewayClass", metadata: { name: "class" }, spec: CLASS_SPEC };
  for (let i = 0; i < gateways; i++) yield buildGateway(i, options);
  for (let i = 0; i < options.routes; i++) yield buildRoute(i, gateways, options);
  for (let i = 0; i < options.routes; i++) {
    for (let backend = 0; backend < options.backends; backend++) yield buildService(i, backend);
  }
  for (let i = 0; i < gateways; i++) yield gatewayPolicy(i);
  // Steps of ten keep the specs of different policies distinct: a policy uses seven values, plus one for each revision.
  for (let i = 0; i < options.routes; i += 2) yield routePolicy(i, options.policies === "Alike" ? 0 : 10 * i);
  if (options.levels === "Five") yield* deeperPolicies(gateways, options);
}

const CLASS_SPEC = { controllerName: "bench.example.com/gateway" };

function buildGateway(index: number, { listeners }: ShapeOptions): ClusterObject {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "Gateway",
    metadata: { name: gatewayName(index), namespace: NAMESPACE },
    spec: {
      gatewayClassName: "class",
      listeners: Array.from({ length: listeners }, (_, i) => ({ name: `http-${i}`, port: 8000 + i, protocol: "HTTP" })),
    },
  };
}

/** `revision` changes the match of a rule, which does not affect policies. */
export function buildRoute(index: number, gateways: number, options: ShapeOptions, revision = 0): ClusterObject {
  const { rules, backends, parents, routesPerGateway } = options;
  const first = Math.floor(index / routesPerGateway);
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name: routeName(index), namespace: NAMESPACE },
    spec: {
      parentRefs: Array.from({ length: parents }, (_, i) => ({ name: gatewayName((first + i) % gateways) })),
      hostnames: [`${routeName(index)}.example.com`],
      rules: Array.from({ length: rules }, (_, rule) => ({
        name: `rule-${"abcdefghijklmnop"[rule] ?? rule}`,
        matches: [{ path: { type: "PathPrefix", value: `/v${rule + 1}${revision === 0 ? "" : `/r${revision}`}` } }],
        backendRefs: Array.from({ length: backends }, (_unused, backend) => ({
          name: serviceName(index, backend),
          port: 8080,
        })),
      })),
    },
  };
}

function buildService(index: number, backend: number): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: serviceName(index, backend), namespace: NAMESPACE },
    spec: { ports: [{ name: "http", port: 8080 }] },
  };
}

interface Limit {
  readonly rates: readonly { readonly limit: number; readonly window: string }[];
}

const limit = (count: number): Limit => ({ rates: [{ limit: count, window: "10s" }] });

/** Alternates defaults and overrides, merged and atomic. */
export function gatewayPolicy(index: number, revision = 0): ClusterObject {
  const strategy = index % 4 < 2 ? "merge" : "atomic";
  const limits = { global: limit(1000 + revision), login: limit(5) };
  return policy("RateLimitPolicy", `on-${gatewayName(index)}`, [{ kind: "Gateway", name: gatewayName(index) }], {
    [index % 2 === 0 ? "defaults" : "overrides"]: { strategy, limits },
  });
}

/** Alternates merged defaults and bare (atomic) rules. */
export function routePolicy(index: number, revision = 0): ClusterObject {
  const limits = { global: limit(100 + (index % 7) + revision), toppings: limit(20) };
  const spec = (index / 2) % 2 === 0 ? { defaults: { strategy: "merge", limits } } : { limits };
  return policy("RateLimitPolicy", `on-${routeName(index)}`, [{ kind: "HTTPRoute", name: routeName(index) }], spec);
}

/** Policies on the class, on the first listener of each Gateway and on the first rule of every second route. */
function* deeperPolicies(gateways: number, { routes }: ShapeOptions): Generator<ClusterObject> {
  yield {
    apiVersion: `${POLICIES}/v1`,
    kind: "ClusterRateLimitPolicy",
    metadata: { name: "on-class", creationTimestamp: CREATED },
    spec: {
      targetRefs: [{ group: GATEWAY_API, kind: "GatewayClass", name: "class" }],
      defaults: { strategy: "merge", limits: { everywhere: limit(10_000) } },
    },
  };
  for (let i = 0; i < gateways; i++) {
    const target = { kind: "Gateway", name: gatewayName(i), sectionName: "http-0" };
    yield policy("RateLimitPolicy", `on-listener-${i}`, [target], {
      overrides: { strategy: "merge", limits: { login: limit(3) } },
    });
  }
  for (let i = 0; i < routes; i += 2) {
    const target = { kind: "HTTPRoute", name: routeName(i), sectionName: "rule-a" };
    yield policy("RateLimitPolicy", `on-rule-${i}`, [target], {
      defaults: { strategy: "merge", limits: { toppings: limit(i % 5) } },
    });
  }
}

/** One policy that names every route. */
export const policyOnRoutes = (routes: number, revision = 0): ClusterObject =>
  policy(
    "RateLimitPolicy",
    "on-every-route",
    Array.from({ length: routes }, (_, i) => ({ kind: "HTTPRoute", name: routeName(i) })),
    { overrides: { strategy: "merge", limits: { everywhere: limit(50 + revision) } } },
  );

/** Many policies on one route, each with a rule of its own and one that all of them set. */
export const policiesOnRoute = (count: number, route: number): readonly ClusterObject[] =>
  Array.from({ length: count }, (_, i) =>
    policy("RateLimitPolicy", `crowd-${i}`, [{ kind: "HTTPRoute", name: routeName(route) }], {
      [i % 2 === 0 ? "defaults" : "overrides"]: {
        strategy: "merge",
        limits: { [`own-${i}`]: limit(i), contested: limit(i) },
      },
    }),
  );

const CREATED = "2026-01-01T00:00:00Z";

function policy(kind: string, name: string, targets: readonly object[], spec: object): ClusterObject {
  return {
    apiVersion: `${POLICIES}/v1`,
    kind,
    metadata: { name, namespace: NAMESPACE, creationTimestamp: CREATED },
    spec: { targetRefs: targets.map((target) => ({ group: GATEWAY_API, ...target })), ...spec },
  };
}

const digits = (index: number): string => String(index).padStart(6, "0");
const gatewayName = (index: number): string => `gateway-${digits(index)}`;
const routeName = (index: number): string => `route-${digits(index)}`;
const serviceName = (route: number, backend: number): string => `service-${digits(route)}-${backend}`;
