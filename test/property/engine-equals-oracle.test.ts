import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCel } from "../../src/adapters/cel/create-cel.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { tablesOf } from "../../src/core/model/snapshot.ts";
import { affected, buildSnapshot, effectivePolicies, verdicts } from "../../src/index.ts";
import { oracle } from "../oracle/oracle.ts";
import { FeatureCount } from "./cluster-features.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { customStrategies } from "./policy-kinds.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import { randomFarm } from "./random-farm.ts";
import { showAffected, showEffective, showVerdict } from "./show-decisions.ts";

const CLUSTERS_PER_TEST = 500;
const cel = createCel();

function checkCluster({ objects, definitions, malformed }: RandomCluster, features?: FeatureCount): void {
  const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
  features?.add(evaluation, { objects, definitions });
  const truth = oracle(objects, { definitions, cel, strategies: customStrategies });
  expect(showEffective(effectivePolicies(evaluation))).toEqual(showEffective(truth.effective));
  expect(
    Object.fromEntries([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, showVerdict(verdict)])),
  ).toEqual(Object.fromEntries([...truth.verdicts].map(([policy, verdict]) => [policy, showVerdict(verdict)])));
  expect(showAffected(affected(evaluation))).toEqual(
    Object.fromEntries([...truth.affected].map(([target, policies]) => [target, [...policies].sort()])),
  );
}

/** Whether one fold is told of several policies on one path, and elsewhere of others. */
function sharesFolds({ objects, definitions }: RandomCluster): boolean {
  const holders = new Map<JsonObject, string>();
  for (const { spec, sources } of effectivePolicies(evaluateDocuments(objects, definitions))) {
    const policies = new Set(sources.flatMap(({ policy, lost }) => [policy, ...lost.map((loss) => loss.policy)]));
    if (policies.size < 2) continue;
    const names = [...policies].join();
    if ((holders.get(spec) ?? names) !== names) return true;
    holders.set(spec, names);
  }
  return false;
}

describe(`engine ≡ oracle (seed ${seed})`, () => {
  test.each([101, 102, 103, 104])(
    "clusters of stream %i, which exercise what they are for",
    {
      timeout: PROPERTY_TIMEOUT_MS,
    },
    (stream) => {
      const features = new FeatureCount();
      const property = fc.property(randomCluster, (cluster) => {
        // Objects that the API server would refuse are for test/hostile: here they would only thin out the clusters.
        expect([...tablesOf(buildSnapshot(cluster.objects)).refused.keys()]).toEqual([]);
        checkCluster(cluster, features);
      });
      assertProperty(property, { numRuns: CLUSTERS_PER_TEST, stream });
      features.tell();
      expect(features.missing(0.05)).toEqual([]);
    },
  );

  test("policies that templates wrote: they say the same, each in its own name", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    let shared = 0;
    const property = fc.property(randomFarm, (cluster) => {
      checkCluster(cluster);
      if (sharesFolds(cluster)) shared++;
    });
    assertProperty(property, { numRuns: CLUSTERS_PER_TEST, stream: 105 });
    expect(shared / CLUSTERS_PER_TEST).toBeGreaterThan(0.05);
  });
});
