import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, findings, verdicts } from "../../src/index.ts";
import { evaluateDocuments, outputOf, resultsOf } from "./evaluate-cluster.ts";
import { readPolicies } from "./policies-on-path.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { clusterPair, randomCluster } from "./random/random-cluster.ts";

test(`the order of the documents does not matter (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const shuffled = randomCluster.chain((cluster) => {
    const documents = [...cluster.objects, ...cluster.malformed];
    const order = fc.shuffledSubarray(documents, { minLength: documents.length });
    return fc.tuple(fc.constant(cluster), order);
  });
  const property = fc.property(shuffled, ([cluster, order]) => {
    const straight = evaluateDocuments([...cluster.objects, ...cluster.malformed], cluster.definitions);
    const other = evaluateDocuments(order, [...cluster.definitions].reverse());
    expect(outputOf(other)).toStrictEqual(outputOf(straight));
  });
  assertProperty(property, { numRuns: 200, stream: 11 });
});

test(`the order of keys does not matter (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    const straight = resultsOf(evaluateDocuments(cluster.objects, cluster.definitions));
    const other = resultsOf(evaluateDocuments(cluster.objects.map(reverseKeys), cluster.definitions));
    // A spec keeps the key order of its input, so specs are compared as values.
    expect(other.effective.map(parsed)).toEqual(straight.effective.map(parsed));
    expect(other.verdicts).toStrictEqual(straight.verdicts);
    expect(other.affected).toStrictEqual(straight.affected);
  });
  assertProperty(property, { numRuns: 100, stream: 12 });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, reverseKeys(item)] as const)
      .reverse(),
  );
}

const parsed = (text: string): unknown => JSON.parse(text) as unknown;

test(`inputs are not modified (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(clusterPair, ([before, after]) => {
    const inputs = [before.objects, before.malformed, before.definitions, after.objects];
    const copies = JSON.stringify(inputs);
    inputs.forEach(deepFreeze);
    const evaluation = evaluateDocuments([...before.objects, ...before.malformed], before.definitions);
    resultsOf(evaluation);
    resultsOf(apply(evaluation, deepFreeze(after.objects.map((value) => ({ upsert: value })))).evaluation);
    expect(JSON.stringify(inputs)).toBe(copies);
  });
  assertProperty(property, { numRuns: 150, stream: 13 });
});

test(`a document that is not an object is reported and otherwise ignored (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const property = fc.property(randomCluster, (cluster) => {
    const without = evaluateDocuments(cluster.objects, cluster.definitions);
    const all = evaluateDocuments([...cluster.malformed, ...cluster.objects], cluster.definitions);
    expect(resultsOf(all)).toStrictEqual(resultsOf(without));
    const isReported = findings(all).length > findings(without).length;
    expect(isReported).toBe(cluster.malformed.length > 0);
  });
  assertProperty(property, { numRuns: 150, stream: 14 });
});

/** Specs that make a policy invalid. */
const brokenSpecs: readonly (JsonObject | number | string | null)[] = [
  null,
  7,
  "text",
  { targetRef: 5 },
  { targetRefs: "g1" },
  { targetRef: { kind: "Gateway" } },
  { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: ["g1"] }, color: 1 },
  { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" }, defaults: 7 },
  { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" }, overrides: ["x"], color: 2 },
  {
    targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" },
    overrides: { strategy: "bogus", color: 1 },
  },
  { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" }, overrides: { when: 5, color: 1 } },
  { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" }, remove: 5, color: 1 },
];

test(`an invalid policy does not affect the others (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const broken = fc.tuple(randomCluster, fc.constantFrom(...brokenSpecs), fc.nat(9));
  const property = fc.property(broken, ([cluster, spec, at]) => {
    const definition = cluster.definitions[at % cluster.definitions.length];
    // A kind with its settings beside `metadata` has no spec that could be invalid.
    fc.pre(definition?.merge.none === false && definition.settings !== "Root");
    const { kind, group } = definition.policies[0];
    const bad = { apiVersion: `${group}/v1`, kind, metadata: { name: "bad", namespace: "a" }, spec };
    const without = evaluateDocuments(cluster.objects, cluster.definitions);
    const all = evaluateDocuments([bad, ...cluster.objects], cluster.definitions);
    const id = readPolicies([bad], cluster.definitions)[0]?.id;
    const verdict = [...verdicts(all)].find(({ policy }) => policy === id)?.verdict;
    expect(verdict?.state).toBe("NotAccepted");
    const { verdicts: _all, ...rest } = resultsOf(all);
    const { verdicts: _without, ...expected } = resultsOf(without);
    expect(rest).toStrictEqual(expected);
    expect([...verdicts(all)].filter(({ policy }) => policy !== id)).toEqual([...verdicts(without)]);
  });
  assertProperty(property, { numRuns: 200, stream: 15 });
});

const brokenObjects: readonly JsonObject[] = [
  { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name: "bad", namespace: "a" }, spec: 7 },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "bad", namespace: "a" },
    spec: { gatewayClassName: "x", listeners: "l1" },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "bad", namespace: "a" },
    spec: { parentRefs: { name: "g1" }, rules: 5 },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "bad", namespace: "a" },
    spec: { parentRefs: [7, null, { name: 5 }], rules: [{}] },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    metadata: { name: "bad", namespace: "a" },
    spec: { from: "all", to: "all" },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "ListenerSet",
    metadata: { name: "bad", namespace: "a" },
    spec: { parentRef: [], listeners: [{ name: "l1" }] },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "bad", labels: { "gateway.networking.k8s.io/policy": "Direct" } },
    spec: 7,
  },
  {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "bad" },
    spec: { policies: [], class: "Sideways" },
  },
];

test(`an object with an invalid spec does not affect the others (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const property = fc.property(randomCluster, fc.constantFrom(...brokenObjects), (cluster, bad) => {
    expect(resultsOf(evaluateDocuments([bad, ...cluster.objects], cluster.definitions))).toStrictEqual(
      resultsOf(evaluateDocuments(cluster.objects, cluster.definitions)),
    );
  });
  assertProperty(property, { numRuns: 150, stream: 16 });
});
