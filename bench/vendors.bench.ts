/**
 * A mixed cluster: routes behind the Gateways of five implementations, with policies of their own kinds. Compared with the same cluster without
 * policies, so that a figure is what the policies of vendors cost.
 */
import type { JsonObject } from "../src/core/model/json.ts";
import { buildSnapshot, effectivePolicies, evaluate } from "../src/index.ts";
import { gateway, gatewayClass, policy, route, service } from "../test/support/cluster/gateway-objects.ts";
import type { BenchContext } from "./bench-context.ts";
import { timedWhole } from "./engine-fleet.ts";
import { median } from "./measure.ts";

const ROUNDS = 5;
/** Routes for each Gateway. */
const PER_GATEWAY = 100;

interface Vendor {
  readonly controller: string;
  readonly group: string;
  /** A kind for Gateways and routes. */
  readonly kind: string;
}

const VENDORS: readonly Vendor[] = [
  {
    controller: "gateway.envoyproxy.io/gatewayclass-controller",
    group: "gateway.envoyproxy.io",
    kind: "SecurityPolicy",
  },
  { controller: "kgateway.dev/kgateway", group: "gateway.kgateway.dev", kind: "TrafficPolicy" },
  { controller: "gateway.nginx.org/nginx-gateway-controller", group: "gateway.nginx.org", kind: "ProxySettingsPolicy" },
  { controller: "solo.io/gloo-gateway", group: "gateway.solo.io", kind: "VirtualHostOption" },
  {
    controller: "application-networking.k8s.aws/gateway-api-controller",
    group: "application-networking.k8s.aws",
    kind: "IAMAuthPolicy",
  },
];

export async function bench(context: BenchContext): Promise<void> {
  for (const routes of context.sizes([1_000])) {
    const [plain, mixed] = [mixedCluster(routes, false), mixedCluster(routes, true)];
    const rounds = Array.from({ length: ROUNDS }, () => [spentOn(context, plain), spentOn(context, mixed)] as const);
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
  }
}

const spentOn = (context: BenchContext, objects: readonly JsonObject[]): number =>
  timedWhole(context, () => [...effectivePolicies(evaluate(buildSnapshot(objects)))].length).ms;

/** A policy on each Gateway, and one on every second route where the kind may target routes. */
function mixedCluster(routes: number, hasPolicies: boolean): readonly JsonObject[] {
  const objects: JsonObject[] = [service("s")];
  VENDORS.forEach(({ controller, group, kind }, vendor) => {
    objects.push(gatewayClass(`class-${vendor}`, controller));
    const own = Math.ceil(routes / VENDORS.length);
    for (let g = 0; g * PER_GATEWAY < own; g++) {
      const name = `g-${vendor}-${g}`;
      objects.push(gateway(name, { class: `class-${vendor}` }));
      if (hasPolicies)
        objects.push(policy(kind, `on-${name}`, `Gateway/${name}`, { a: { b: g } }, { group, created: g }));
    }
    for (let r = 0; r < own; r++) {
      const name = `r-${vendor}-${r}`;
      objects.push(route(name, `Gateway/g-${vendor}-${Math.floor(r / PER_GATEWAY)}`, { rules: [{ backends: ["s"] }] }));
      if (hasPolicies && r % 2 === 0 && kind !== "VirtualHostOption")
        objects.push(policy(kind, `on-${name}`, `HTTPRoute/${name}`, { a: { b: r } }, { group, created: r }));
    }
  });
  return objects;
}
