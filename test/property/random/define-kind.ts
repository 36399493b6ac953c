/** Builds the definitions of policy kinds for random clusters. Whatever an argument omits has the plain default. */
import type {
  Hierarchy,
  LevelKind,
  MergeRules,
  PolicyDefinition,
  PolicyKind,
  Targeting,
  TargetKind,
} from "../../../src/core/model/definition.ts";
import type { GroupKind } from "../../../src/core/model/refs.ts";
import { DEFAULT_MERGE, DEFAULT_TARGETING } from "../../support/cluster/definition-defaults.ts";

export const gatewayGroup = "gateway.networking.k8s.io";
export const policyGroup = "example.com";
export const foreignGroup = "fruit.example.com";
export const strategyAnnotation = "example.com/strategy";
export const weightAnnotation = "example.com/weight";
/** Names of policies, with commas between them. */
export const namingAnnotation = "example.com/policies";

/** A definition, and the values that random policies of this kind use. */
export interface PolicyKindUnderTest {
  readonly definition: PolicyDefinition;
  /** Dotted paths in the spec proper. */
  readonly paths: readonly string[];
  readonly strategies: readonly string[];
  readonly removals: readonly string[];
  readonly conditions: readonly string[];
  /** Values of the field that selects a strategy, where it is one of `paths`. */
  readonly words?: readonly string[];
  /** True if policies of the kind have a weight in an annotation. */
  readonly weighs?: true;
}

export const gateway: GroupKind = { group: gatewayGroup, kind: "Gateway" };
export const httpRoute: GroupKind = { group: gatewayGroup, kind: "HTTPRoute" };
export const grpcRoute: GroupKind = { group: gatewayGroup, kind: "GRPCRoute" };
export const tlsRoute: GroupKind = { group: gatewayGroup, kind: "TLSRoute" };
export const tcpRoute: GroupKind = { group: gatewayGroup, kind: "TCPRoute" };
export const listenerSet: GroupKind = { group: gatewayGroup, kind: "ListenerSet" };
export const gatewayClass: GroupKind = { group: gatewayGroup, kind: "GatewayClass" };
export const namespace: GroupKind = { group: "", kind: "Namespace" };
/** A hierarchy whose links select. */
export const bush: GroupKind = { group: foreignGroup, kind: "Bush" };
export const berry: GroupKind = { group: foreignGroup, kind: "Berry" };
/** A kind of workloads. */
export const barrel: GroupKind = { group: foreignGroup, kind: "Barrel" };
export const service: GroupKind = { group: "", kind: "Service" };

export const section = (kind: GroupKind, name: string): LevelKind => ({ ...kind, section: name });
export const target = (
  kind: GroupKind,
  sections: readonly string[] = [],
  policies: readonly string[] = [],
): TargetKind => ({
  ...kind,
  sections,
  virtual: false,
  policies,
});

export const gatewayTargets = [target(gateway, ["Listener"]), target(httpRoute, ["Rule"])];

interface Sketch {
  readonly kind: string;
  readonly joined?: readonly PolicyKind[];
  readonly class?: PolicyDefinition["class"];
  readonly targeting?: Partial<Targeting>;
  readonly hierarchy?: Partial<Hierarchy>;
  readonly merge?: Partial<MergeRules>;
  readonly parts?: PolicyDefinition["parts"];
  readonly mapsTo?: PolicyDefinition["mapsTo"];
  readonly references?: PolicyDefinition["references"];
  readonly controllers?: readonly string[];
  readonly settings?: PolicyDefinition["settings"];
}

export function define(sketch: Sketch): PolicyDefinition {
  return {
    name: `${sketch.kind.toLowerCase()}.${policyGroup}`,
    policies: [{ group: policyGroup, kind: sketch.kind, scope: "Namespaced" }, ...(sketch.joined ?? [])],
    class: sketch.class ?? "Inherited",
    targeting: {
      ...DEFAULT_TARGETING,
      selectors: true,
      kinds: gatewayTargets,
      ...sketch.targeting,
    },
    hierarchy: {
      effectiveTargets: [section(httpRoute, "Rule")],
      namespacesAbove: [],
      roots: [],
      through: [],
      mesh: sketch.targeting?.crossNamespace === "Consumer",
      links: [],
      kinds: [],
      ...sketch.hierarchy,
    },
    merge: {
      ...DEFAULT_MERGE,
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic" } },
      ...sketch.merge,
    },
    ...(sketch.parts === undefined ? {} : { parts: sketch.parts }),
    ...(sketch.settings && { settings: sketch.settings }),
    mapsTo: sketch.mapsTo ?? [],
    ...(sketch.references === undefined ? {} : { references: sketch.references }),
    status: { vocabulary: "Enforced" },
    controllers: sketch.controllers ?? [],
    inferred: false,
  };
}
