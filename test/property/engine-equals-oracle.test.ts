import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tablesOf } from "../../src/core/model/snapshot.ts";
import { buildSnapshot } from "../../src/index.ts";
import { FeatureCount } from "./cluster-features.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";
import { templatedCluster } from "./random/templated-cluster.ts";

const CLUSTERS_PER_TEST = 500;

function checkCluster({ objects, definitions, malformed }: RandomCluster, features?: FeatureCount): void {
  const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
  features?.add(evaluation, { objects, definitions });
  expectEqualsOracle(evaluation, objects, definitions);
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
        // Objects that the API server refuses are in refused-objects.test.ts.
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
