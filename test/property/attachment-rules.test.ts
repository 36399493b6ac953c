/** Kinds with rules of attachment that vendors have beyond GEP-713, in random clusters. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectivePolicies } from "../../src/index.ts";
import { checkHistory } from "./check-history.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { attachmentKinds } from "./random/attachment-kinds.ts";
import { clusterPairWith, clusterWith, someOf } from "./random/random-cluster.ts";
import { historyWith } from "./random/random-history.ts";

describe(`kinds with rules of attachment (seed ${seed})`, () => {
  test("the engine gives the same results as the oracle", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const seen = new Map<string, number>();
    const property = fc.property(clusterWith(someOf(attachmentKinds)), ({ objects, definitions, malformed }) => {
      const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
      for (const { policyKind } of effectivePolicies(evaluation))
        seen.set(policyKind.kind, (seen.get(policyKind.kind) ?? 0) + 1);
      expectEqualsOracle(evaluation, objects, definitions);
    });
    assertProperty(property, { numRuns: 400, stream: 401 });
    const rare = attachmentKinds.map(({ definition }) => definition.policies[0].kind);
    expect(rare.filter((kind) => (seen.get(kind) ?? 0) < 20)).toEqual([]);
  });

  test("apply gives the same bytes as a rebuild", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const histories = historyWith(clusterPairWith(someOf(attachmentKinds)));
    assertProperty(
      fc.property(histories, (history) => checkHistory(history)),
      { numRuns: 150, stream: 402 },
    );
  });
});
