import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import { tablesOf } from "../../src/core/model/snapshot.ts";
import { affected, buildSnapshot, effectivePolicies, verdicts } from "../../src/index.ts";
import { oracle } from "../oracle/oracle.ts";
import { FeatureCount } from "./cluster-features.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { normalizeAffected, normalizeEffective, normalizeVerdict } from "./normalize-results.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { customStrategies } from "./random/policy-kinds.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";
import { templatedCluster } from "./random/templated-cluster.ts";

const CLUSTERS_PER_TEST = 500;
const cel = createCel();

function checkCluster({ objects, definitions, malformed }: RandomCluster, features?: FeatureCount): void {
  const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
  features?.add(evaluation, { objects, definitions });
  const expected = oracle(objects, { definitions, cel, strategies: customStrategies });
  expect(normalizeEffective(effectivePolicies(evaluation))).toEqual(normalizeEffective(expected.effective));
  expect(
    Object.fromEntries([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, normalizeVerdict(verdict)])),
  ).toEqual(Object.fromEntries([...expected.verdicts].map(([policy, verdict]) => [policy, normalizeVerdict(verdict)])));
  expect(normalizeAffected(affected(evaluation))).toEqual(
    Object.fromEntries([
      ...[...expected.affected].map(([target, policies]) => [target, [...policies].sort()] as const),
      ...[...expected.possiblyAffected].flatMap(([target, policies]) =>
        policies.size === 0 ? [] : [[`${target} possibly`, [...policies].sort()] as const],
      ),
    ]),
  );
}

describe(`the engine gives the same results as the oracle (seed ${seed})`, () => {
  test.each([101, 102, 103, 104])(
    "for random clusters (stream %i), which exercise every feature",
    {
      timeout: PROPERTY_TIMEOUT_MS,
    },
    (stream) => {
      const features = new FeatureCount();
      const property = fc.property(randomCluster, (cluster) => {
        // Random clusters contain no object that the API server refuses; test/hostile covers those.
        expect([...tablesOf(buildSnapshot(cluster.objects, { validated: true })).refused.keys()]).toEqual([]);
        checkCluster(cluster, features);
      });
      assertProperty(property, { numRuns: CLUSTERS_PER_TEST, stream });
      features.print();
      expect(features.missing(0.05)).toEqual([]);
    },
  );

  test("for clusters in which many policies have equal specs", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    const property = fc.property(templatedCluster, (cluster) => checkCluster(cluster));
    assertProperty(property, { numRuns: CLUSTERS_PER_TEST, stream: 105 });
  });
});
