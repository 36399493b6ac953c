/** Applies the changes of a history one batch after the other, and compares with an evaluation from scratch after each. */
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply } from "../../src/index.ts";
import type { FeatureCount } from "./cluster-features.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { capture, expectEqualsRebuild } from "./expect-equals-rebuild.ts";
import { deepFreeze } from "./property-run.ts";
import type { RandomCluster } from "./random/random-cluster.ts";
import { playBatch, type RandomHistory, startState } from "./random/random-history.ts";

export const evaluateObjects = (objects: Iterable<JsonObject>, { definitions, malformed }: RandomCluster): Evaluation =>
  evaluateDocuments([...objects, ...malformed], definitions);

export function checkHistory({ start, pool, batches }: RandomHistory, features?: FeatureCount): void {
  let state = startState(start.objects);
  let evaluation = evaluateObjects(state.values(), start);
  features?.add(evaluation, start);
  for (const batch of batches) {
    const before = capture(evaluation);
    const played = playBatch(state, batch, pool);
    const applied = apply(evaluation, deepFreeze(played.changes));
    state = played.state;
    evaluation = applied.evaluation;
    expectEqualsRebuild(before, applied, evaluateObjects(state.values(), start));
  }
}
