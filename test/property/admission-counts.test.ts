/** What the webhooks count of a request: as many paths and values as a comparison of all paths before and after it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { countEffect } from "../../src/core/admission/count-effect.ts";
import { applyPlanned } from "../../src/core/apply.ts";
import { compareWorlds } from "../../src/core/effective/update/compare-worlds.ts";
import { verdictOf } from "../../src/core/effective/verdicts/verdict-of.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import { parseObject } from "../../src/core/model/snapshot.ts";
import type { Change } from "../../src/index.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { randomCluster } from "./random/random-cluster.ts";

/** The counts from the paths that the change may affect, and from all paths. */
function countBoth(evaluation: Evaluation, change: Change, id: Parameters<typeof countEffect>[0]["id"]) {
  const before = worldOf(evaluation);
  const { evaluation: next, delta } = applyPlanned(evaluation, [change]);
  const after = worldOf(next);
  const all = compareWorlds({ before, after });
  return {
    counted: countEffect({ id, before, after, delta }),
    ofAll: countEffect({ id, before, after, delta: all }),
  };
}

test(`a request: counts equal those of all paths (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  let changed = 0;
  const property = fc.property(randomCluster, randomCluster, (cluster, other) => {
    const evaluation = evaluateDocuments(cluster.objects, cluster.definitions);
    const { judging } = worldOf(evaluation);
    const requests = [
      ...cluster.objects.map((object) => ({ object, isDelete: true })),
      ...other.objects.slice(0, 10).map((object) => ({ object, isDelete: false })),
    ];
    for (const { object, isDelete } of requests) {
      const parsed = parseObject(object, undefined, judging);
      if (parsed.state === "unidentified") continue;
      const { ref, id } = parsed.object;
      const { counted, ofAll } = countBoth(evaluation, isDelete ? { delete: ref } : { upsert: object }, id);
      expect(counted).toEqual(ofAll);
      if (counted.changed.paths + counted.added.paths + counted.removed.paths > 0) changed++;
    }
  });
  assertProperty(property, { numRuns: 25, stream: 501 });
  expect(changed).toBeGreaterThan(50);
});

test(`a delete of a policy that reaches far: the verdict counts at least the paths that lose a value (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  let compared = 0;
  const property = fc.property(randomCluster, ({ objects, definitions }) => {
    const evaluation = evaluateDocuments(objects, definitions);
    const world = worldOf(evaluation);
    world.policies.forEach((record, id) => {
      const verdict = verdictOf(world, record);
      if (verdict.state !== "Accepted" || verdict.total.incomplete > 0) return;
      const { lost } = countBoth(evaluation, { delete: record.object.ref }, id).counted;
      // A policy can also take effect without a value of its own: by removing one, or by setting what is set already.
      expect(lost).toBeLessThanOrEqual(verdict.total.full + verdict.total.partial);
      if (lost > 0) compared++;
    });
  });
  assertProperty(property, { numRuns: 60, stream: 502 });
  expect(compared).toBeGreaterThan(50);
});
