import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import type { CheckFinding } from "../../src/core/check/check-finding.ts";
import { checkWorld } from "../../src/core/check/check-world.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import { findingCodes } from "../../src/core/model/finding-codes.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../src/core/model/json.ts";
import { builtInDefinitions, findings, verdicts } from "../../src/index.ts";
import { fieldPointer } from "../../src/sources/field-pointer.ts";
import { example } from "../hostile/example-cluster.ts";
import { mutantsOf, oddities, pathsIn, wrongTypes } from "../hostile/mutations.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";

const cel = createCel();
const check = (evaluation: Evaluation): readonly CheckFinding[] => checkWorld(worldOf(evaluation), { cel });
const checkCluster = ({ objects, definitions }: RandomCluster): readonly CheckFinding[] =>
  check(evaluateDocuments(objects, definitions));

const rule = (level: string, condition: string): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name: "rule" },
  spec: { targets: { levels: [level] }, policyKind: "RetryPolicy", condition },
});

test(`findings do not depend on the order of documents (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    const reversed = { ...cluster, objects: cluster.objects.toReversed() };
    expect(checkCluster(reversed)).toStrictEqual(checkCluster(cluster));
  });
  assertProperty(property, { numRuns: 100, stream: 71 });
});

test(
  `NeverTakesEffect is reported for each Overridden policy, ReachesNothing for each policy without a path (seed ${seed})`,
  () => {
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      const evaluation = evaluateDocuments(objects, definitions);
      const found = check(evaluation);
      const about = (code: string) => found.filter((finding) => finding.code === code).map(({ object }) => object);
      const judged = (enforcement: string) =>
        [...verdicts(evaluation)].flatMap(({ policy, verdict }) =>
          verdict.state === "Accepted" && verdict.enforcement === enforcement ? [policy] : [],
        );
      const reached = new Set(
        [...verdicts(evaluation)].flatMap(({ policy, verdict }) =>
          verdict.state === "Accepted" && verdict.total.paths > 0 ? [policy] : [],
        ),
      );
      expect(about("NeverTakesEffect")).toEqual(judged("Overridden"));
      const unenforced = findings(evaluation)
        .filter(({ code }) => code === "NoController")
        .map(({ object }) => object);
      // Paths outside of the input, which make the verdict Incomplete, make the finding an info.
      const withoutPath = [...judged("NoPath"), ...judged("Incomplete").filter((policy) => !reached.has(policy))];
      expect(about("ReachesNothing")).toEqual(withoutPath.filter((policy) => !unenforced.includes(policy)).sort());
    });
    assertProperty(property, { numRuns: 100, stream: 72 });
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  `every finding has a documented code and names a field that exists (seed ${seed})`,
  () => {
    const seen = new Set<string>();
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      const evaluation = evaluateDocuments(objects, definitions);
      for (const { code, object, field, message } of check(evaluation)) {
        seen.add(code);
        expect(Object.keys(findingCodes)).toContain(code);
        const raw = object === undefined ? undefined : worldOf(evaluation).objects.get(object)?.raw;
        // This finding is about a field that the object does not set.
        if (raw === undefined || field === undefined || code === "CrdDefaultReplacesDefault") continue;
        expect(valueAt(raw, fieldPointer(field)), `${code} ${field}: ${message}`).toBeDefined();
      }
    });
    assertProperty(property, { numRuns: 200, stream: 73 });
    expect([...seen].sort()).toEqual(
      expect.arrayContaining([
        "NeverTakesEffect",
        "OverrideMeetsNothing",
        "RemovesNothing",
        "ReachesNothing",
        "RuleNameCollision",
        "ValuesNeverTakeEffect",
      ]),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  `a CoverageRule with condition true reports nothing; with condition false it reports every target (seed ${seed})`,
  () => {
    let targets = 0;
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      const all = [...builtInDefinitions(), ...definitions];
      const broken = (condition: string, level: string): readonly CheckFinding[] =>
        check(evaluateDocuments([...objects, rule(level, condition)], all)).filter(({ code }) => code === "NotCovered");
      expect(broken("true", "HTTPRouteRule")).toEqual([]);
      const rules = broken("false", "HTTPRouteRule");
      const routes = broken("false", "HTTPRoute");
      // A route is a target if and only if one of its rules is.
      expect(new Set(rules.map(({ object }) => object))).toEqual(new Set(routes.map(({ object }) => object)));
      expect(new Set(routes.map(({ object }) => object)).size).toBe(routes.length);
      targets += rules.length;
    });
    assertProperty(property, { numRuns: 60, stream: 74 });
    expect(targets).toBeGreaterThan(20);
  },
  PROPERTY_TIMEOUT_MS,
);

const policyWithStatus: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name: "claims", namespace: "bakery", generation: 2 },
  spec: { targetRefs: [{ kind: "HTTPRoute", name: "baker" }], remove: ["x"], retry: { attempts: 2, backoff: "1s" } },
  status: {
    ancestors: [
      {
        ancestorRef: { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "prod" },
        controllerName: "example.com/c",
        conditions: [{ type: "Accepted", status: "False", reason: "Invalid", observedGeneration: 1 }],
      },
    ],
    conditions: [{ type: "example.com/AuthPolicyAffected", status: "True" }],
    listeners: [{ name: "a", conditions: [{ type: "example.com/AuthPolicyAffected", status: "True" }] }],
  },
};

const rules = parseDocuments(
  `{apiVersion: prevail.dev/v1alpha1, kind: CoverageRule, metadata: {name: r}, spec: {
     targets: {levels: [HTTPRouteRule, {kind: Service, section: Port}], under: [{kind: Gateway, namespace: infra, name: prod}],
       namespaces: [bakery], namespaceSelector: {matchLabels: {gateway: prod}}, selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}},
     policyKind: {group: prevail.dev, kind: RetryPolicy}, condition: spec.retry.attempts < 3, message: m, severity: info}}`,
  "rules.yaml",
).documents.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));

test.each([
  ["a CoverageRule", rules[0] ?? {}],
  ["a policy with a status", policyWithStatus],
])("%s with a wrong value in any field is reported and never throws", (_, object) => {
  const paths = pathsIn(object).filter(([head]) => head === "spec" || head === "status");
  const wrong = mutantsOf(object, paths, (value) => [...wrongTypes(value), ...oddities]);
  expect(wrong.length).toBeGreaterThan(100);
  const evaluation = evaluateDocuments([...example, ...wrong.map(({ value }) => value)], builtInDefinitions());
  expect(check(evaluation).length).toBeGreaterThan(10);
});

function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonList(at) ? at[Number(key)] : isJsonObject(at) ? ownValue(at, key) : undefined;
  }
  return at;
}
