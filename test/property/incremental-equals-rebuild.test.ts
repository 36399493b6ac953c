import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply } from "../../src/index.ts";
import { checkHistory, evaluateObjects } from "./check-history.ts";
import { FeatureCount } from "./cluster-features.ts";
import { outputOf, resultsOf } from "./evaluate-cluster.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { gatewayGroup, policyGroup } from "./random/define-kind.ts";
import { policyKinds } from "./random/policy-kinds.ts";
import { randomCluster } from "./random/random-cluster.ts";
import { playBatch, type RandomHistory, randomBatches, randomHistory, startState } from "./random/random-history.ts";
import { templatedCluster } from "./random/templated-cluster.ts";

test(`apply gives the same bytes as a rebuild (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const features = new FeatureCount();
  const property = fc.property(randomHistory, (history) => checkHistory(history, features));
  assertProperty(property, { numRuns: 400, stream: 1 });
  expect(features.missing(0.05)).toEqual([]);
});

test(`apply gives the same bytes as a rebuild where policies have equal specs and many paths change (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const clusters = fc.record({ start: templatedCluster, other: templatedCluster, batches: randomBatches });
  const property = fc.property(clusters, ({ start, other, batches }) => {
    checkHistory({ start, pool: other.objects, batches });
  });
  assertProperty(property, { numRuns: 300, stream: 4 });
});

test("the first route behind a Gateway of another controller decides about the policies on the Gateway's Namespace", () => {
  const found = policyKinds.find(({ definition }) => definition.policies[0].kind === "NamespacePolicy");
  if (found === undefined) throw new Error("no kind NamespacePolicy");
  const definitions = [{ ...found.definition, controllers: ["example.com/gateway"] }];
  const objectOf = (apiVersion: string, kind: string, metadata: JsonObject, spec: JsonObject): JsonObject => ({
    apiVersion,
    kind,
    metadata,
    spec,
  });
  const gatewayApi = `${gatewayGroup}/v1`;
  const objects = [
    objectOf(gatewayApi, "GatewayClass", { name: "x" }, { controllerName: "other.example.com/gateway" }),
    objectOf(
      `${policyGroup}/v1`,
      "NamespacePolicy",
      { namespace: "a", name: "p" },
      {
        targetRef: { group: "", kind: "Namespace", name: "a" },
        defaults: { retry: { attempts: 1 } },
      },
    ),
    objectOf("v1", "Namespace", { name: "a" }, {}),
  ];
  const listener = { name: "l", protocol: "HTTP", port: 80, allowedRoutes: { namespaces: { from: "All" } } };
  const pool = [
    objectOf(gatewayApi, "Gateway", { namespace: "a", name: "g" }, { gatewayClassName: "x", listeners: [listener] }),
    objectOf(
      gatewayApi,
      "HTTPRoute",
      { namespace: "b", name: "r" },
      { parentRefs: [{ name: "g", namespace: "a" }], rules: [{ name: "one" }] },
    ),
  ];
  const batches = [0, 1].map((at) => [{ does: "upsert", at, how: 0 } as const]);
  checkHistory({ start: { definitions, objects, malformed: [] }, pool, batches });
});

/** Reads evaluations only after later changes: values that are computed lazily must not see those changes. */
function checkUnread({ start, pool, batches }: RandomHistory): void {
  let state = startState(start.objects);
  const versions = [{ evaluation: evaluateObjects(state.values(), start), objects: [...state.values()] }];
  for (const batch of batches) {
    const played = playBatch(state, batch, pool);
    state = played.state;
    const { evaluation } = versions.at(-1) ?? { evaluation: evaluateObjects([], start) };
    versions.push({
      evaluation: apply(evaluation, deepFreeze(played.changes)).evaluation,
      objects: [...state.values()],
    });
  }
  // The first evaluation is read last, after the most changes.
  for (const { evaluation, objects } of versions.toReversed())
    expect(outputOf(evaluation)).toStrictEqual(outputOf(evaluateObjects(objects, start)));
}

test(`an evaluation that is first read after later changes is unaffected by them (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  assertProperty(fc.property(randomHistory, checkUnread), { numRuns: 200, stream: 5 });
  const clusters = fc.record({ start: templatedCluster, other: templatedCluster, batches: randomBatches });
  const property = fc.property(clusters, ({ start, other, batches }) => {
    checkUnread({ start, pool: other.objects, batches });
  });
  assertProperty(property, { numRuns: 100, stream: 6 });
});

/** Changes only metadata and status, which do not affect policies. */
function withNoise(object: JsonObject, noise: number): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  return {
    ...object,
    metadata: {
      ...metadata,
      resourceVersion: String(noise),
      managedFields: [{ manager: "kubectl", operation: "Update" }],
    },
    status: { conditions: [{ type: "Accepted", status: "True", observedGeneration: noise }] },
  };
}

test(`status, managedFields, resourceVersion and file position alone give an empty delta (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const property = fc.property(randomCluster, fc.nat(9), (cluster, noise) => {
    const evaluation = evaluateObjects(cluster.objects, cluster);
    const changes = cluster.objects.map((object, line) => ({
      upsert: withNoise(object, noise),
      source: { file: "elsewhere.yaml", line: line + 1, column: 1 },
    }));
    const applied = apply(evaluation, changes);
    expect(applied.delta.effective).toEqual([]);
    expect(applied.delta.verdicts).toEqual([]);
    expect(resultsOf(applied.evaluation)).toStrictEqual(resultsOf(evaluation));
  });
  assertProperty(property, { numRuns: 150, stream: 2 });
});

test(`upserts of unchanged objects give an empty delta (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    const evaluation = evaluateObjects(cluster.objects, cluster);
    const again = apply(
      evaluation,
      cluster.objects.map((value) => ({ upsert: structuredClone(value) })),
    );
    expect(again.delta.effective).toEqual([]);
    expect(again.delta.verdicts).toEqual([]);
    expect(outputOf(again.evaluation)).toStrictEqual(outputOf(evaluation));
  });
  assertProperty(property, { numRuns: 100, stream: 3 });
});
