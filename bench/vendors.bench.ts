/**
 * A mixed cluster: routes behind the Gateways of five implementations, with policies of their own kinds. Compared with `JSON.parse` of the objects, and with
 * the same cluster without policies, so that a figure is what the policies of vendors cost.
 */
import type { JsonObject } from "../src/core/model/json.ts";
import { buildSnapshot, evaluate } from "../src/index.ts";
import { gateway, gatewayClass, policy, route, service } from "../test/support/cluster/gateway-objects.ts";
import type { BenchContext } from "./bench-context.ts";
import { parseTexts, timedWhole } from "./engine-fleet.ts";
import { median } from "./measure.ts";
import { readEvaluation } from "./read-evaluation.ts";

const ROUNDS = 15;
/** Routes for each Gateway. */
const PER_GATEWAY = 100;

interface Vendor {
  readonly controller: string;
  readonly group: string;
  /** A kind for Gateways, and if `onRoutes` for routes. */
  readonly kind: string;
  readonly onRoutes: boolean;
  /** The settings of the policy with this number. */
  readonly spec: (n: number) => JsonObject;
}

const VENDORS: readonly Vendor[] = [
  {
    controller: "gateway.envoyproxy.io/gatewayclass-controller",
    group: "gateway.envoyproxy.io",
    kind: "SecurityPolicy",
    onRoutes: true,
    spec: (n) => ({
      jwt: { providers: [{ name: `p${n}`, issuer: "https://id.example.com" }] },
      authorization: { defaultAction: "Deny" },
    }),
  },
  {
    controller: "kgateway.dev/kgateway",
    group: "gateway.kgateway.dev",
    kind: "TrafficPolicy",
    onRoutes: true,
    spec: (n) => ({ timeouts: { request: `${n}s` }, retry: { attempts: 2 } }),
  },
  {
    controller: "agentgateway.dev/agentgateway",
    group: "agentgateway.dev",
    kind: "AgentgatewayPolicy",
    onRoutes: true,
    spec: (n) => ({
      traffic: { timeouts: { request: `${n}s` }, authorization: { policy: { matchExpressions: ["true"] } } },
      backend: { tcp: { connectTimeout: "1s" } },
    }),
  },
  {
    controller: "gateway.nginx.org/nginx-gateway-controller",
    group: "gateway.nginx.org",
    kind: "ProxySettingsPolicy",
    onRoutes: true,
    spec: (n) => ({ buffering: { bufferSize: `${n}k` }, timeout: { connect: "1s" } }),
  },
  {
    controller: "istio.io/gateway-controller",
    group: "security.istio.io",
    kind: "AuthorizationPolicy",
    onRoutes: false,
    spec: (n) => ({ action: "DENY", rules: [{ to: [{ operation: { paths: [`/${n}`] } }] }] }),
  },
];

export async function bench(context: BenchContext): Promise<void> {
  for (const routes of context.sizes([1_000])) {
    const [plain, mixed] = [mixedCluster(routes, false), mixedCluster(routes, true)];
    const texts = mixed.map((object) => JSON.stringify(object));
    const rounds = Array.from(
      { length: ROUNDS },
      () =>
        [spentOn(context, plain), spentOn(context, mixed), timedWhole(context, () => parseTexts(texts)).ms] as const,
    );
    const name = `${routes.toLocaleString("en-US")} routes, five implementations`;
    context.report({
      case: name,
      metric: "evaluate and read all",
      value: median(rounds.map(([, one]) => one)),
      unit: "ms",
    });
    context.report({
      case: name,
      metric: "of the same without policies",
      value: median(rounds.map(([without, one]) => one / without)),
      unit: "x",
    });
    context.report({
      case: name,
      metric: "/ JSON.parse",
      value: median(rounds.map(([, one, parse]) => one / parse)),
      unit: "x",
    });
  }
}

const spentOn = (context: BenchContext, objects: readonly JsonObject[]): number =>
  timedWhole(context, () => readEvaluation(evaluate(buildSnapshot(objects, { validated: true })))).ms;

/** A policy on each Gateway, and one on every second route where the kind may target routes. */
function mixedCluster(routes: number, hasPolicies: boolean): readonly JsonObject[] {
  const objects: JsonObject[] = [service("s")];
  VENDORS.forEach(({ controller, group, kind, onRoutes, spec }, vendor) => {
    objects.push(gatewayClass(`class-${vendor}`, controller));
    const own = Math.ceil(routes / VENDORS.length);
    for (let g = 0; g * PER_GATEWAY < own; g++) {
      const name = `g-${vendor}-${g}`;
      objects.push(gateway(name, { class: `class-${vendor}` }));
      if (hasPolicies) objects.push(policy(kind, `on-${name}`, `Gateway/${name}`, spec(g), { group, created: g }));
    }
    for (let r = 0; r < own; r++) {
      const name = `r-${vendor}-${r}`;
      objects.push(route(name, `Gateway/g-${vendor}-${Math.floor(r / PER_GATEWAY)}`, { rules: [{ backends: ["s"] }] }));
      if (hasPolicies && r % 2 === 0 && onRoutes)
        objects.push(policy(kind, `on-${name}`, `HTTPRoute/${name}`, spec(r), { group, created: r }));
    }
  });
  return objects;
}
