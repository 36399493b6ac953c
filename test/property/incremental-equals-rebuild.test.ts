import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply } from "../../src/index.ts";
import { FeatureCount } from "./cluster-features.ts";
import { decided, type Evaluation, evaluateDocuments, told } from "./evaluate-cluster.ts";
import { expectApplied, remember } from "./expect-applied.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import { randomFarm } from "./random-farm.ts";
import { playBatch, type RandomHistory, randomBatches, randomHistory, startState } from "./random-history.ts";

const evaluateObjects = (objects: Iterable<JsonObject>, { definitions, malformed }: RandomCluster): Evaluation =>
  evaluateDocuments([...objects, ...malformed], definitions);

function checkHistory({ start, pool, batches }: RandomHistory, features?: FeatureCount): void {
  let state = startState(start.objects);
  let evaluation = evaluateObjects(state.values(), start);
  features?.add(evaluation, start);
  for (const batch of batches) {
    const before = remember(evaluation);
    const played = playBatch(state, batch, pool);
    const applied = apply(evaluation, deepFreeze(played.changes));
    state = played.state;
    evaluation = applied.evaluation;
    expectApplied(before, applied, evaluateObjects(state.values(), start));
  }
}

test(`incremental ≡ rebuild, byte for byte (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const features = new FeatureCount();
  const property = fc.property(randomHistory, (history) => checkHistory(history, features));
  assertProperty(property, { numRuns: 400, stream: 1 });
  expect(features.missing(0.05)).toEqual([]);
});

test(`the same where policies say the same, and many paths change at once (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const farms = fc.record({ start: randomFarm, other: randomFarm, batches: randomBatches });
  const property = fc.property(farms, ({ start, other, batches }) => {
    checkHistory({ start, pool: other.objects, batches });
  });
  assertProperty(property, { numRuns: 300, stream: 4 });
});

/** Much is worked out when somebody first asks: by then what it rests on may have changed in later evaluations. */
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
  // The first one last: it has had the most time to be mixed up with others.
  for (const { evaluation, objects } of versions.toReversed())
    expect(told(evaluation)).toStrictEqual(told(evaluateObjects(objects, start)));
}

test(`what nobody had read before changes came is told as it was (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  assertProperty(fc.property(randomHistory, checkUnread), { numRuns: 200, stream: 5 });
  const farms = fc.record({ start: randomFarm, other: randomFarm, batches: randomBatches });
  const property = fc.property(farms, ({ start, other, batches }) => {
    checkUnread({ start, pool: other.objects, batches });
  });
  assertProperty(property, { numRuns: 100, stream: 6 });
});

/** What a cluster changes all day without meaning anything. */
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
    expect(decided(applied.evaluation)).toStrictEqual(decided(evaluation));
  });
  assertProperty(property, { numRuns: 150, stream: 2 });
});

test(`nothing changed, nothing named (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    const evaluation = evaluateObjects(cluster.objects, cluster);
    const again = apply(
      evaluation,
      cluster.objects.map((value) => ({ upsert: structuredClone(value) })),
    );
    expect(again.delta.effective).toEqual([]);
    expect(again.delta.verdicts).toEqual([]);
    expect(told(again.evaluation)).toStrictEqual(told(evaluation));
  });
  assertProperty(property, { numRuns: 100, stream: 3 });
});
