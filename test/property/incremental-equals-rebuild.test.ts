import fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectivePolicy } from "../../src/core/effective/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdict.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, effectivePolicies, verdicts } from "../../src/index.ts";
import { decided, type Evaluation, evaluateDocuments, told } from "./evaluate-cluster.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import { playBatch, type RandomHistory, randomHistory, startState } from "./random-history.ts";

type Delta = ReturnType<typeof apply>["delta"];

const evaluateObjects = (objects: Iterable<JsonObject>, { definitions, malformed }: RandomCluster): Evaluation =>
  evaluateDocuments([...objects, ...malformed], definitions);

const effectiveKey = ({ policyKind, path, from }: Pick<EffectivePolicy, "policyKind" | "path" | "from">): string =>
  JSON.stringify([
    policyKind.group,
    policyKind.kind,
    path.map((n) => [n.group, n.kind, n.namespace, n.name, n.sectionName]),
    from,
  ]);

interface Difference {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What really differs between two lists, by key. */
function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, before: before.get(key), after: after.get(key) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after))
    .sort(byKey);
}

const byKey = (a: Difference, b: Difference): number => (a.key < b.key ? -1 : 1);

const effectiveByKey = (evaluation: Evaluation): ReadonlyMap<string, EffectivePolicy> =>
  new Map([...effectivePolicies(evaluation)].map((one) => [effectiveKey(one), one]));
const verdictByPolicy = (evaluation: Evaluation): ReadonlyMap<string, Verdict> =>
  new Map(verdicts(evaluation).map(({ policy, verdict }) => [policy, verdict]));

const namedIn = (delta: Delta): { effective: readonly Difference[]; verdicts: readonly Difference[] } => ({
  effective: delta.effective
    .map((one) => ({ key: effectiveKey(one), before: one.before, after: one.after }))
    .sort(byKey),
  verdicts: delta.verdicts.map(({ policy, before, after }) => ({ key: policy, before, after })).sort(byKey),
});

function checkHistory({ start, pool, batches }: RandomHistory): void {
  let state = startState(start.objects);
  let evaluation = evaluateObjects(state.values(), start);
  for (const batch of batches) {
    const before = {
      evaluation,
      told: told(evaluation),
      effective: effectiveByKey(evaluation),
      verdicts: verdictByPolicy(evaluation),
    };
    const played = playBatch(state, batch, pool);
    const applied = apply(evaluation, deepFreeze(played.changes));
    state = played.state;
    evaluation = applied.evaluation;
    expect(told(evaluation), "incremental equals rebuild").toStrictEqual(told(evaluateObjects(state.values(), start)));
    expect(namedIn(applied.delta), "the delta names exactly what differs").toEqual({
      effective: differences(before.effective, effectiveByKey(evaluation)),
      verdicts: differences(before.verdicts, verdictByPolicy(evaluation)),
    });
    expect(told(before.evaluation), "the old evaluation stays as it was").toStrictEqual(before.told);
  }
}

test(`incremental ≡ rebuild, byte for byte (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  assertProperty(fc.property(randomHistory, checkHistory), { numRuns: 400, stream: 1 });
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
      upsert: { value: withNoise(object, noise), source: { file: "elsewhere.yaml", line: line + 1, column: 1 } },
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
      cluster.objects.map((value) => ({ upsert: { value: structuredClone(value) } })),
    );
    expect(again.delta.effective).toEqual([]);
    expect(again.delta.verdicts).toEqual([]);
    expect(told(again.evaluation)).toStrictEqual(told(evaluation));
  });
  assertProperty(property, { numRuns: 100, stream: 3 });
});
