/** Small random clusters, the input of the property tests. */
import fc from "fast-check";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import type { PolicyKindUnderTest } from "./define-kind.ts";
import { foreignObjects, pickedObjects, referencedObjects, workloadObjects } from "./foreign-objects.ts";
import { policyKinds, withNamespaces } from "./policy-kinds.ts";
import { policyFromPlan, policyPlan } from "./random-policies.ts";
import { gatewayObjects, weighted } from "./random-topology.ts";

export interface RandomCluster {
  readonly definitions: readonly PolicyDefinition[];
  /** Well-formed Kubernetes objects, policies last. */
  readonly objects: readonly JsonObject[];
  /** Documents that are not valid objects. */
  readonly malformed: readonly unknown[];
}

/** Options that vary for every kind. */
const variation = fc.record({
  sameTarget: weighted<PolicyDefinition["merge"]["sameTarget"] | undefined>(
    [2, undefined],
    [1, "Established"],
    [1, "OldestWins"],
  ),
  bare: weighted<PolicyDefinition["merge"]["bare"] | undefined>([4, undefined], [1, "AtomicDefaults"], [1, "Direct"]),
  crossNamespace: weighted<PolicyDefinition["targeting"]["crossNamespace"] | undefined>(
    [3, undefined],
    [1, "Forbidden"],
    [3, "ReferenceGrant"],
    [2, "Consumer"],
  ),
  empty: weighted<PolicyDefinition["merge"]["empty"]>([1, "GivesWay"], [1, "TakesPlace"]),
  namespaces: weighted([4, false], [1, true]),
});
type Variation = typeof variation extends fc.Arbitrary<infer T> ? T : never;

function vary(
  kind: PolicyKindUnderTest,
  { sameTarget, bare, crossNamespace, empty, namespaces }: Variation,
): PolicyKindUnderTest {
  if (kind.definition.class === "Direct") return kind;
  const definition = namespaces ? withNamespaces(kind.definition) : kind.definition;
  return {
    ...kind,
    definition: {
      ...definition,
      targeting: { ...definition.targeting, crossNamespace: crossNamespace ?? definition.targeting.crossNamespace },
      merge: {
        ...definition.merge,
        sameTarget: sameTarget ?? definition.merge.sameTarget,
        bare: bare ?? definition.merge.bare,
        empty,
      },
    },
  };
}

export type ChosenKinds = fc.Arbitrary<readonly PolicyKindUnderTest[]>;

const chosenKinds: ChosenKinds = fc
  .tuple(fc.shuffledSubarray([...policyKinds], { minLength: 1, maxLength: 2 }), variation)
  .map(([kinds, variant]) => kinds.map((kind) => vary(kind, variant)));

/** One or two of these kinds as they are, sometimes with Namespaces as levels. */
export const someOf = (kinds: readonly PolicyKindUnderTest[]): ChosenKinds =>
  fc
    .tuple(fc.shuffledSubarray([...kinds], { minLength: 1, maxLength: 2 }), weighted([4, false], [1, true]))
    .map(([chosen, namespaces]) =>
      chosen.map((kind) => (namespaces ? { ...kind, definition: withNamespaces(kind.definition) } : kind)),
    );

const malformedDocument: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  null,
  7,
  "text",
  [],
  {},
  { kind: "HTTPRoute" },
  { apiVersion: 5, kind: "HTTPRoute", metadata: { name: "r1", namespace: "a" } },
  { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name: 7, namespace: "a" } },
  { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: null },
  { apiVersion: "example.com/v1", kind: "MergePolicy", metadata: { namespace: "a" }, spec: {} },
);

const usesForeign = (kinds: readonly PolicyKindUnderTest[]): boolean =>
  kinds.some(({ definition }) => definition.hierarchy.links.some(({ anyName }) => anyName === undefined));

const picksChildren = (kinds: readonly PolicyKindUnderTest[]): boolean =>
  kinds.some(({ definition }) => definition.hierarchy.links.some(({ anyName }) => anyName !== undefined));

const usesWorkloads = (kinds: readonly PolicyKindUnderTest[]): boolean =>
  kinds.some(({ definition }) => definition.targeting.absent?.workloads !== undefined);

/** The parts of a cluster that do not depend on its policy kinds. */
const parts = fc.record({
  gateway: gatewayObjects,
  foreign: foreignObjects,
  plans: fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.array(policyPlan, { maxLength: 2 }) },
    { weight: 6, arbitrary: fc.array(policyPlan, { minLength: 4, maxLength: 8 }) },
  ),
  malformed: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(malformedDocument, { maxLength: 2 }) },
  ),
});
type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;

function assemble(
  kinds: readonly PolicyKindUnderTest[],
  { gateway, foreign, plans, malformed }: Parts,
  more: readonly JsonObject[] = [],
): RandomCluster {
  const world = [
    ...more,
    ...gateway,
    ...(usesForeign(kinds) ? foreign : []),
    ...(picksChildren(kinds) ? pickedObjects(gateway.length) : []),
    ...(usesWorkloads(kinds) ? workloadObjects(gateway.length) : []),
    ...(kinds.some(({ definition }) => definition.references !== undefined) ? referencedObjects(gateway.length) : []),
  ];
  const policies = plans.map((plan, at) => policyFromPlan(plan, at + 1, kinds, world));
  return { definitions: kinds.map(({ definition }) => definition), objects: [...world, ...policies], malformed };
}

/** `more`: objects that each cluster has. */
export const clusterWith = (kinds: ChosenKinds, more?: readonly JsonObject[]): fc.Arbitrary<RandomCluster> =>
  fc.record({ kinds, parts }).map((drawn) => assemble(drawn.kinds, drawn.parts, more));

export const randomCluster: fc.Arbitrary<RandomCluster> = clusterWith(chosenKinds);

/** Two clusters with the same definitions and mostly the same names, to change one into the other object by object. */
export const clusterPairWith = (kinds: ChosenKinds): fc.Arbitrary<readonly [RandomCluster, RandomCluster]> =>
  fc
    .record({ kinds, before: parts, after: parts })
    .map(({ kinds: chosen, before, after }) => [assemble(chosen, before), assemble(chosen, after)]);

export const clusterPair: fc.Arbitrary<readonly [RandomCluster, RandomCluster]> = clusterPairWith(chosenKinds);
