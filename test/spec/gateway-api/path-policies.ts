/** Definitions and objects that the tests of Gateway API share. */
import type { MergeRules, PolicyDefinition } from "../../../src/core/model/definition.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, type ListenerOptions, listener, policy, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

export const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };

export const routeKinds = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"];

const local = { group: "example.com", kind: "LocalPolicy", scope: "Namespaced" } as const;

/** A kind that a cluster-scoped policy brings to every path below GatewayClass `class`, down to `ends`. */
export const reaching = (...ends: readonly string[]): PolicyDefinition =>
  policyKind("PathPolicy", {
    scope: "Cluster",
    joined: [local],
    targets: [
      "Namespace",
      "GatewayClass",
      "Gateway/Listener",
      "ListenerSet/Listener",
      ...routeKinds.map((kind) => `${kind}/Rule`),
      "Service/Port",
    ],
    ends,
    merge: { granularity: field },
  });

export const everywhere = policy("PathPolicy", "everywhere", "GatewayClass/class", { x: 1 }, { namespace: "" });

export const under = (ends: readonly string[], ...objects: readonly unknown[]) =>
  cluster([everywhere, ...objects], { definitions: [reaching(...ends)] });

/** As `under`, with objects that an API server with other CRDs has accepted. */
export const validatedUnder = (ends: readonly string[], ...objects: readonly unknown[]) =>
  cluster([everywhere, ...objects], { definitions: [reaching(...ends)], validated: true });

/** Whether the route `r` in `namespace` is attached to Gateway `infra/g`, and how often. */
export const attached = (
  listenerOptions: ListenerOptions,
  routeOptions: Parameters<typeof route>[2] = {},
  ...more: readonly unknown[]
) =>
  under(
    routeKinds,
    gateway("g", { namespace: "infra", listeners: [listener("l", listenerOptions)] }),
    route("r", "Gateway/infra/g", { namespace: "infra", ...routeOptions }),
    ...more,
  ).chains().length;
