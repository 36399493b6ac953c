/** Kinds with rules that vendors have beyond GEP-713, in random clusters. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { checkHistory } from "./check-history.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { clusterPairWith, clusterWith, someOf } from "./random/random-cluster.ts";
import { historyWith } from "./random/random-history.ts";
import { vendorKinds } from "./random/vendor-kinds.ts";

describe(`kinds with rules of vendors (seed ${seed})`, () => {
  test("the engine gives the same results as the oracle", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const seen = new Map<string, number>();
    const property = fc.property(clusterWith(someOf(vendorKinds)), ({ objects, definitions, malformed }) => {
      const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
      for (const outcome of outcomesIn(evaluation)) seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      expectEqualsOracle(evaluation, objects, definitions);
    });
    assertProperty(property, { numRuns: 600, stream: 301 });
    for (const kind of vendorKinds) {
      const { merge, policies } = kind.definition;
      const mayConflict =
        merge.none || merge.limit !== undefined || !["Established", "OldestWins"].includes(merge.sameTarget);
      const conflict = merge.sameTarget === "Undefined" ? "Undefined" : "Conflicted";
      const refused = kind.definition.references?.map(({ noneValid }) => noneValid) ?? [];
      const wanted = [
        ...(mayConflict ? [conflict] : []),
        ...refused,
        merge.accumulate === undefined ? "in effect" : "several",
      ];
      const rare = wanted.filter((what) => (seen.get(`${policies[0].kind} ${what}`) ?? 0) < 5);
      expect(rare.map((what) => `${policies[0].kind}: ${what}`)).toEqual([]);
    }
  });

  test("apply gives the same bytes as a rebuild", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const property = fc.property(historyWith(clusterPairWith(someOf(vendorKinds))), (history) => checkHistory(history));
    assertProperty(property, { numRuns: 150, stream: 302 });
  });
});

/** What happens in a cluster: `AddingPolicy several` where several policies take effect on one path. */
function outcomesIn(evaluation: Evaluation): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { policyKind, order = [] } of effectivePolicies(evaluation))
    found.add(`${policyKind.kind} ${order.length > 1 ? "several" : "in effect"}`);
  for (const { policyKind, verdict } of verdicts(evaluation))
    if (verdict.state !== "Accepted") found.add(`${policyKind.kind} ${verdict.reason}`);
  return found;
}
