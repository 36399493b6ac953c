/** Clusters with objects that the API server refuses: they count as absent, whatever the order and the history of the documents. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { tablesOf } from "../../src/core/model/snapshot.ts";
import { apply, buildSnapshot, effectivePolicies } from "../../src/index.ts";
import { judgeDocuments, outputOf } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { capture, expectEqualsRebuild } from "./expect-equals-rebuild.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";
import { playBatch, randomHistory, startState } from "./random/random-history.ts";
import { refusedVersion } from "./random/refused-version.ts";

/** Each object alone: what the API server thinks of it does not depend on the others. */
const isRefused = (object: JsonObject): boolean => tablesOf(buildSnapshot([object])).refused.size > 0;

/** Some of the objects are replaced by a version that is refused. */
const clusterWithRefused: fc.Arbitrary<RandomCluster> = fc
  .tuple(randomCluster, fc.array(fc.tuple(fc.nat(99), fc.nat(9)), { minLength: 1, maxLength: 3 }))
  .map(([cluster, choices]) => {
    const objects = [...cluster.objects];
    for (const [at, how] of choices) {
      const index = at % Math.max(1, objects.length);
      const object = objects[index];
      const refused = object === undefined ? undefined : refusedVersion(object, how);
      if (refused !== undefined) objects[index] = refused;
    }
    return { ...cluster, objects };
  });

describe(`objects that the API server refuses (seed ${seed})`, () => {
  test("count as absent: the engine gives the same results as the oracle without them", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    let [withRefused, withPaths] = [0, 0];
    const property = fc.property(clusterWithRefused, ({ objects, definitions }) => {
      const evaluation = judgeDocuments(objects, definitions);
      const accepted = objects.filter((object) => !isRefused(object));
      withRefused += accepted.length < objects.length ? 1 : 0;
      withPaths += [...effectivePolicies(evaluation)].length > 0 ? 1 : 0;
      expectEqualsOracle(evaluation, accepted, definitions);
    });
    assertProperty(property, { numRuns: 300, stream: 401 });
    expect(withRefused).toBeGreaterThan(150);
    expect(withPaths).toBeGreaterThan(100);
  });

  test("the order of the documents does not matter", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const shuffled = clusterWithRefused.chain((cluster) => {
      const order = fc.shuffledSubarray([...cluster.objects], { minLength: cluster.objects.length });
      return fc.tuple(fc.constant(cluster), order);
    });
    const property = fc.property(shuffled, ([{ objects, definitions }, order]) => {
      expect(outputOf(judgeDocuments(order, definitions))).toStrictEqual(
        outputOf(judgeDocuments(objects, definitions)),
      );
    });
    assertProperty(property, { numRuns: 150, stream: 402 });
  });

  test("apply gives the same bytes as a rebuild: objects are refused, and accepted again", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    const property = fc.property(randomHistory, fc.nat(9), ({ start, pool, batches }, how) => {
      const refused = [...pool, ...start.objects]
        .map((object, at) => refusedVersion(object, how + at))
        .filter((object) => object !== undefined);
      let state = startState(start.objects);
      let evaluation = judgeDocuments(state.values(), start.definitions);
      for (const batch of batches) {
        const before = capture(evaluation);
        const played = playBatch(state, batch, [...pool, ...refused]);
        const applied = apply(evaluation, deepFreeze(played.changes));
        state = played.state;
        evaluation = applied.evaluation;
        expectEqualsRebuild(before, applied, judgeDocuments(state.values(), start.definitions));
      }
    });
    assertProperty(property, { numRuns: 250, stream: 403 });
  });
});
