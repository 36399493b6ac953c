/** The built-in kinds of objects, as data. The engine has no other knowledge of a kind. */
import type { KindFacts, RouteFacts, SectionFacts } from "./definition.ts";
import { type GroupKind, type KindId, kindId } from "./refs.ts";

export const GATEWAY_API = "gateway.networking.k8s.io";

/** Ids of kinds that rules name. */
export const NAMESPACE: KindId = kindId({ group: "", kind: "Namespace" });
export const SERVICE: KindId = kindId({ group: "", kind: "Service" });
export const CRD: KindId = kindId({ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" });
export const GATEWAY: KindId = kindId({ group: GATEWAY_API, kind: "Gateway" });
export const GATEWAY_CLASS: KindId = kindId({ group: GATEWAY_API, kind: "GatewayClass" });
export const RETRY_POLICY: KindId = kindId({ group: "prevail.dev", kind: "RetryPolicy" });
/** The name by which GatewayClasses usually name the controller. */
export const CONTROLLER_NAME = "prevail.dev/gateway";

const LISTENERS: readonly SectionFacts[] = [{ section: "Listener", path: "spec.listeners" }];
const RULES: readonly SectionFacts[] = [{ section: "Rule", path: "spec.rules" }];
/** An HTTPRoute without rules has one that matches every request (Gateway API, HTTPRouteSpec). */
const HTTP_RULES: readonly SectionFacts[] = [
  { section: "Rule", path: "spec.rules", byDefault: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }] },
];
const PORTS: readonly SectionFacts[] = [{ section: "Port", path: "spec.ports" }];

const HTTP = ["HTTP", "HTTPS"];

type Names = readonly [kind: string, plural: string, ...shortNames: string[]];
type More = Pick<KindFacts, "route"> & { readonly sections?: readonly SectionFacts[] };

const facts = (
  scope: KindFacts["scope"],
  group: string,
  [kind, plural, ...shortNames]: Names,
  more: More = {},
): KindFacts => ({
  group,
  kind,
  scope,
  plural,
  shortNames,
  sections: [],
  ...more,
});

const cluster = (group: string, ...names: Names): KindFacts => facts("Cluster", group, names);
const namespaced = (group: string, ...names: Names): KindFacts => facts("Namespaced", group, names);

const route = (kind: string, of: RouteFacts, sections: readonly SectionFacts[] = RULES): KindFacts =>
  facts("Namespaced", GATEWAY_API, [kind, `${kind.toLowerCase()}s`], { sections, route: of });

/** The protocols are those of Gateway API, "ProtocolType" and each route kind. XListenerSet preceded ListenerSet, which is part of v1.5. */
export const kinds: readonly KindFacts[] = [
  cluster(GATEWAY_API, "GatewayClass", "gatewayclasses", "gc"),
  facts("Namespaced", GATEWAY_API, ["Gateway", "gateways", "gtw"], { sections: LISTENERS }),
  facts("Namespaced", GATEWAY_API, ["ListenerSet", "listenersets", "lset"], { sections: LISTENERS }),
  facts("Namespaced", "gateway.networking.x-k8s.io", ["XListenerSet", "xlistenersets", "lset"], {
    sections: LISTENERS,
  }),
  route("HTTPRoute", { protocols: HTTP, hostnames: true }, HTTP_RULES),
  route("GRPCRoute", { protocols: HTTP, hostnames: true }),
  route("TLSRoute", { protocols: ["TLS"], hostnames: true }),
  // Without hostnames it cannot use the server name, which is all that a gateway knows of TLS that it does not terminate.
  route("TCPRoute", { protocols: ["TCP", "TLS"], hostnames: false, passthrough: false }),
  route("UDPRoute", { protocols: ["UDP"], hostnames: false }),
  facts("Namespaced", "", ["Service", "services", "svc"], { sections: PORTS }),
  cluster("", "Namespace", "namespaces", "ns"),
  namespaced(GATEWAY_API, "ReferenceGrant", "referencegrants", "refgrant"),
  namespaced("discovery.k8s.io", "EndpointSlice", "endpointslices"),
  namespaced("", "Secret", "secrets"),
  namespaced("", "ConfigMap", "configmaps", "cm"),
  cluster("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", "crd", "crds"),
  cluster("prevail.dev", "PolicyDefinition", "policydefinitions"),
  cluster("prevail.dev", "CoverageRule", "coveragerules"),
  cluster("prevail.dev", "PolicyTest", "policytests"),
  namespaced("prevail.dev", "GatewayParameters", "gatewayparameters"),
];

/** True for the kinds of routes of Gateway API. Another group may have a kind of the same name. */
export const isRouteKind = ({ group, kind }: GroupKind): boolean =>
  kinds.some((facts) => facts.kind === kind && facts.group === group && facts.route !== undefined);

/**
 * The kind of that name; case does not count. The group may have a version (`gateway.networking.k8s.io/v1`), and may be absent
 * if only one group has the kind.
 */
export function findKind(among: readonly KindFacts[], kind: string, group?: string): KindFacts | undefined {
  const wanted = kind.toLowerCase();
  const wantedGroup = group === undefined ? undefined : withoutVersion(group);
  let found: KindFacts | undefined;
  for (const candidate of among) {
    if (candidate.kind.length !== kind.length || candidate.kind.toLowerCase() !== wanted) continue;
    if (wantedGroup === undefined) {
      if (found !== undefined && found.group !== candidate.group) return undefined;
      found ??= candidate;
    } else if (candidate.group === wantedGroup) {
      return candidate;
    }
  }
  return found;
}

/** The examples of GEP-713 have groups with a version: `gateway.networking.k8s.io/v1`. */
export function withoutVersion(group: string): string {
  const slash = group.indexOf("/");
  return slash === -1 ? group : group.slice(0, slash);
}
