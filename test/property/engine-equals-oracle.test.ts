import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createCel } from "../../src/adapters/cel/create-cel.ts";
import type { EffectivePolicy, Lost, Source } from "../../src/core/effective/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdict.ts";
import { canonicalJson, type Json } from "../../src/core/model/json.ts";
import { affected, effectivePolicies, verdicts } from "../../src/index.ts";
import { oracle } from "../oracle/oracle.ts";
import { FeatureCount, featuresOf } from "./cluster-features.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { customStrategies } from "./policy-kinds.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";

const CLUSTERS_PER_TEST = 500;
const cel = createCel();
const features = new FeatureCount();

const pathName = ({ policyKind, path, from, incomplete }: EffectivePolicy): string => {
  const nodes = path.map(
    ({ kind, namespace, name, sectionName }) =>
      `${kind}/${namespace}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`,
  );
  return `${policyKind.kind}: ${nodes.join(" > ")}${from === undefined ? "" : ` from ${from}`}${incomplete ? " incomplete" : ""}`;
};

const showLost = ({ policy, block, value, reason, by }: Lost): string =>
  `${policy ?? "object"} ${block ?? ""} ${canonicalJson(value)} ${reason}${reason === "equal" ? "" : ` by ${[...by].sort().join(" ")}`}`;

/** A source in a form that does not depend on the order in which losers are listed. */
const showSource = ({ policy, block, object, computed, decidedBy, lost }: Source): Json => ({
  holder: `${policy ?? object ?? "nobody"} ${block ?? ""}${computed ? " computed" : ""}`,
  decidedBy: `${decidedBy.policy} ${decidedBy.block} ${decidedBy.strategy}`,
  lost: lost.map(showLost).sort(),
});
const showSources = (sources: readonly Source[]): Json =>
  Object.fromEntries(sources.map((source) => [source.pointer, showSource(source)]));

function showEffective(policies: Iterable<EffectivePolicy>): Readonly<Record<string, Json>> {
  const shown = [...policies].map((one): [string, Json] => [
    pathName(one),
    {
      target: one.target,
      spec: one.spec,
      sources: showSources(one.sources),
      fields: (one.fields ?? [])
        .map(({ object, pointer, spec, sources }) => ({
          place: `${object}${pointer}`,
          spec,
          sources: showSources(sources),
        }))
        .sort((a, b) => (a.place < b.place ? -1 : 1)),
    },
  ]);
  return Object.fromEntries(shown);
}

const showVerdict = (verdict: Verdict): Json => {
  if (verdict.state === "NotAccepted") return { state: verdict.reason, by: [...verdict.by].sort() };
  const { paths, full, partial, none, met, beatenByTotal, beatenAtTotal, beatenBy } = verdict.total;
  return {
    state: verdict.enforcement,
    counters: { paths, full, partial, none, met, beatenByTotal, beatenAtTotal },
    beatenBy: beatenBy.map(({ policy, paths: on }) => `${policy} on ${on}`).sort(),
  };
};

const showAffected = (evaluation: Evaluation): Readonly<Record<string, readonly string[]>> => {
  const byTarget = new Map<string, Set<string>>();
  for (const { target, policies } of affected(evaluation)) {
    for (const policy of policies) byTarget.set(target, (byTarget.get(target) ?? new Set()).add(policy));
  }
  return Object.fromEntries([...byTarget].map(([target, policies]) => [target, [...policies].sort()]));
};

function checkCluster({ objects, definitions, malformed }: RandomCluster): void {
  const evaluation = evaluateDocuments([...objects, ...malformed], definitions);
  const truth = oracle(objects, { definitions, cel, strategies: customStrategies });
  expect(showEffective(effectivePolicies(evaluation))).toEqual(showEffective(truth.effective));
  expect(Object.fromEntries(verdicts(evaluation).map(({ policy, verdict }) => [policy, showVerdict(verdict)]))).toEqual(
    Object.fromEntries([...truth.verdicts].map(([policy, verdict]) => [policy, showVerdict(verdict)])),
  );
  expect(showAffected(evaluation)).toEqual(
    Object.fromEntries(
      [...truth.affected]
        .filter(([, policies]) => policies.size > 0)
        .map(([target, policies]) => [target, [...policies].sort()]),
    ),
  );
}

describe(`engine ≡ oracle (seed ${seed})`, () => {
  test.each([101, 102, 103, 104])("clusters of stream %i", { timeout: PROPERTY_TIMEOUT_MS }, (stream) => {
    assertProperty(fc.property(randomCluster, checkCluster), { numRuns: CLUSTERS_PER_TEST, stream });
  });

  test("the clusters exercise what they are for", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      const evaluation = evaluateDocuments(objects, definitions);
      const out = new Set(
        verdicts(evaluation).flatMap(({ policy, verdict }) => (verdict.state === "NotAccepted" ? [policy] : [])),
      );
      features.add(
        featuresOf({
          objects,
          definitions,
          effective: effectivePolicies(evaluation),
          isOut: (policy) => out.has(policy),
        }),
      );
    });
    assertProperty(property, { numRuns: CLUSTERS_PER_TEST, stream: 101 });
    expect(features.missing(0.05)).toEqual([]);
  });
});

afterAll(() => {
  if (process.env["PREVAIL_SEED"] === undefined) return;
  for (const [feature, share] of features.shares) console.info(`${(100 * share).toFixed(1).padStart(5)} % ${feature}`);
});
