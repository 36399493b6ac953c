/** Gateway API's hierarchy as a table of kinds and links. A definition may add rows. */
import type { KindFacts, LinkRow, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { GroupKind } from "../../src/core/model/refs.ts";

export const gatewayGroup = "gateway.networking.k8s.io";

const gatewayKind = (kind: string): GroupKind => ({ group: gatewayGroup, kind });
export const namespaceKind: GroupKind = { group: "", kind: "Namespace" };
export const gatewayClassKind: GroupKind = gatewayKind("GatewayClass");
export const serviceKind: GroupKind = { group: "", kind: "Service" };

export function isSameKind(a: GroupKind, b: GroupKind): boolean {
  return a.group === b.group && a.kind === b.kind;
}

const listeners = { section: "Listener", path: "spec.listeners" };
const rules = { section: "Rule", path: "spec.rules" };

/** Gateway API, HTTPRouteSpec: `+kubebuilder:default={{matches: {{path: {type: "PathPrefix", value: "/"}}}}}`. */
const httpRules = { ...rules, byDefault: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }] };

/** Gateway API, "Route summary table", and the hostnames that HTTPRoute, GRPCRoute and TLSRoute have. */
const routeKinds: readonly KindFacts[] = [
  { ...gatewayKind("HTTPRoute"), route: { protocols: ["HTTP", "HTTPS"], hostnames: true } },
  { ...gatewayKind("GRPCRoute"), route: { protocols: ["HTTP", "HTTPS"], hostnames: true } },
  { ...gatewayKind("TLSRoute"), route: { protocols: ["TLS"], hostnames: true } },
  { ...gatewayKind("TCPRoute"), route: { protocols: ["TCP", "TLS"], hostnames: false } },
  { ...gatewayKind("UDPRoute"), route: { protocols: ["UDP"], hostnames: false } },
].map((facts) => ({ ...facts, scope: "Namespaced", sections: [facts.kind === "HTTPRoute" ? httpRules : rules] }));

const builtInKinds: readonly KindFacts[] = [
  { ...gatewayClassKind, scope: "Cluster", sections: [] },
  { ...namespaceKind, scope: "Cluster", sections: [] },
  { ...gatewayKind("Gateway"), scope: "Namespaced", sections: [listeners] },
  { ...gatewayKind("ListenerSet"), scope: "Namespaced", sections: [listeners] },
  ...routeKinds,
  { ...serviceKind, scope: "Namespaced", sections: [{ section: "Port", path: "spec.ports" }] },
];

/** GatewayClass > Gateway > (ListenerSet >) Listener > xRoute > Rule > Service, and Service > xRoute for mesh. */
const builtInRows: readonly LinkRow[] = [
  { from: gatewayClassKind, to: gatewayKind("Gateway"), via: "ParentName", path: "spec.gatewayClassName" },
  {
    from: gatewayKind("Gateway"),
    to: gatewayKind("ListenerSet"),
    via: "ParentRefs",
    path: "spec.parentRef",
    attachment: "ListenerSetToGateway",
  },
  ...routeKinds.flatMap(({ group, kind }): LinkRow[] => {
    const route = { group, kind };
    const toParents = { to: route, via: "ParentRefs", path: "spec.parentRefs" } as const;
    return [
      { ...toParents, from: { ...gatewayKind("Gateway"), section: "Listener" }, attachment: "RouteToListener" },
      { ...toParents, from: { ...gatewayKind("ListenerSet"), section: "Listener" }, attachment: "RouteToListener" },
      { ...toParents, from: serviceKind, attachment: "RouteToService" },
      { from: { ...route, section: "Rule" }, to: serviceKind, via: "ChildRefs", path: "backendRefs" },
    ];
  }),
];

const noFacts = { scope: "Namespaced", sections: [] } as const;

/** The facts of a kind. A definition's own facts take precedence. */
export function factsOf(kind: GroupKind, definition: PolicyDefinition): KindFacts {
  const known = [...definition.hierarchy.kinds, ...builtInKinds];
  return known.find((facts) => isSameKind(facts, kind)) ?? { ...noFacts, group: kind.group, kind: kind.kind };
}

/** The kind that a name means: kinds compare case-insensitively, and a group may be omitted. */
export function kindNamed(
  name: string,
  group: string | undefined,
  definitions: readonly PolicyDefinition[],
): GroupKind | undefined {
  const grants = gatewayKind("ReferenceGrant");
  const known: readonly GroupKind[] = [
    ...definitions.flatMap(({ targeting, hierarchy }) => [...targeting.kinds, ...hierarchy.kinds]),
    ...builtInKinds,
    grants,
  ];
  const [found, ...others] = known.filter(
    (one) => one.kind.toLowerCase() === name.toLowerCase() && (group === undefined || one.group === group),
  );
  return found !== undefined && others.every((one) => isSameKind(one, found)) ? found : undefined;
}

/** True if the built-in table or any definition says that the kind is cluster-scoped. */
export function isClusterScoped(kind: GroupKind, definitions: readonly PolicyDefinition[]): boolean {
  const known = [
    ...builtInKinds,
    ...definitions.flatMap((definition) => [...definition.policies, ...definition.hierarchy.kinds]),
  ];
  return known.some((facts) => isSameKind(facts, kind) && facts.scope === "Cluster");
}

export function rowsOf({ hierarchy }: PolicyDefinition): readonly LinkRow[] {
  return [...builtInRows, ...hierarchy.links];
}

/** True if paths may contain objects of the kind: all kinds, or those that `through` lists. */
export function isPassable(kind: GroupKind, { hierarchy }: PolicyDefinition): boolean {
  return hierarchy.through.length === 0 || hierarchy.through.some((used) => isSameKind(used, kind));
}
