import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, effectivePolicies, verdicts } from "../../src/index.ts";
import { evaluateDocuments, outputOf } from "../property/evaluate-cluster.ts";
import { bakery, definitions } from "./bakery-cluster.ts";

/** Names of JavaScript's prototypes, each with an ordinary name that sorts the same, so that results can be compared line by line. */
const pairs: readonly (readonly [word: string, plain: string])[] = [
  ["__proto__", "__prptp__"],
  ["constructor", "cpnstructpr"],
  ["toString", "tpString"],
  ["hasOwnProperty", "hasOwnPrpperty"],
  ["valueOf", "valveOf"],
  ["prototype", "prptptype"],
];
const words = pairs.map(([word]) => word);

/** The own properties of the prototypes, to detect pollution. */
const prototypes = (): readonly string[] =>
  [Object.prototype, Array.prototype, Function.prototype, Map.prototype].map((prototype) =>
    Object.getOwnPropertyNames(prototype).join(" "),
  );

/** `JSON.parse` makes `__proto__` an own key, as YAML and the Kubernetes API do. */
const written = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** Gateway API's schemas restrict the names of listeners and rules, so a word that they refuse is used everywhere else. */
const sectionNamed = (name: string): string => (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) ? name : "section");

/** A cluster in which every object, label and setting, and every section that may, has the same name. */
const clusterNamed = (name: string): readonly JsonObject[] =>
  [
    `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "NAME", "labels": {"NAME": "NAME"}}}`,
    `{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": "NAME"}, "spec": {"controllerName": "example.com/x"}}`,
    `{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "NAME", "namespace": "NAME", "labels": {"NAME": "NAME"},
      "annotations": {"NAME": "NAME", "example.com/strategy": "NAME"}},
      "spec": {"gatewayClassName": "NAME", "listeners": [{"name": "SECTION", "protocol": "HTTP", "port": 80,
        "allowedRoutes": {"namespaces": {"from": "Selector", "selector": {"matchLabels": {"NAME": "NAME"}}}}}]}}`,
    `{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "NAME", "namespace": "NAME", "labels": {"NAME": "NAME"}},
      "spec": {"parentRefs": [{"name": "NAME", "sectionName": "SECTION"}],
        "rules": [{"name": "SECTION", "NAME": {"NAME": 1}, "retry": {"NAME": 1}, "backendRefs": [{"name": "NAME", "port": 80}]}]}}`,
    `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "NAME", "namespace": "NAME"}, "spec": {"ports": [{"name": "NAME", "port": 80}]}}`,
    `{"apiVersion": "example.com/v1", "kind": "MergePolicy", "metadata": {"name": "NAME", "namespace": "NAME", "creationTimestamp": "2026-01-01T00:00:00Z"},
      "spec": {"targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "NAME", "sectionName": "SECTION"}, "NAME": {"NAME": 1},
        "overrides": {"strategy": "merge", "limits": {"NAME": {"polluted": 1}}, "rules": {"NAME": {"NAME": 2}}, "NAME": {"polluted": 1}}}}`,
    `{"apiVersion": "example.com/v1", "kind": "MergePolicy", "metadata": {"name": "1-NAME", "namespace": "NAME"},
      "spec": {"targetSelectors": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "matchLabels": {"NAME": "NAME"}}],
        "unset": ["NAME", "NAME.NAME", "limits.NAME"], "strategy": "merge", "limits": {"NAME": 5, "a": 1}, "NAME": {"NAME": 4}}}`,
    `{"apiVersion": "example.com/v1", "kind": "PatchPolicy", "metadata": {"name": "NAME", "namespace": "NAME"},
      "spec": {"targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "NAME"},
        "overrides": {"strategy": "patch", "NAME": {"polluted": 1, "NAME": null}, "colors": {"NAME": 1}}}}`,
    `{"apiVersion": "example.com/v1", "kind": "PatchPolicy", "metadata": {"name": "1-NAME", "namespace": "NAME"},
      "spec": {"targetRef": {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": "NAME", "sectionName": "SECTION"},
        "strategy": "patch", "NAME": {"polluted": 2, "NAME": {"NAME": 1}}, "colors": 7}}`,
    `{"apiVersion": "example.com/v1", "kind": "MappedPolicy", "metadata": {"name": "NAME", "namespace": "NAME"},
      "spec": {"targetRef": {"group": "", "kind": "Service", "name": "NAME", "sectionName": "NAME"},
        "defaults": {"retry": {"NAME": 2, "polluted": 1}, "labels": {"NAME": 1}, "NAME": {"polluted": 1}}}}`,
    `{"apiVersion": "example.com/v1", "kind": "CustomPolicy", "metadata": {"name": "NAME", "namespace": "NAME"},
      "spec": {"targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "NAME"}, "limits": {"NAME": 1}}}`,
    `{"apiVersion": "NAME/v1", "kind": "NAME", "metadata": {"name": "NAME", "namespace": "NAME"}, "NAME": {"polluted": true}}`,
  ].map((text) => written(text.replaceAll("NAME", name).replaceAll("SECTION", sectionNamed(name))));

describe("names with a meaning in JavaScript are ordinary names", () => {
  test.each(pairs)("%s", (word, other) => {
    const before = prototypes();
    const evaluation = evaluateDocuments(clusterNamed(word), definitions);
    const [hostile, plain] = [outputOf(evaluation), outputOf(evaluateDocuments(clusterNamed(other), definitions))];
    const renamed = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replaceAll(word, other));
    expect(hostile.effective.length).toBeGreaterThan(0);
    expect(renamed(hostile.effective)).toEqual(plain.effective);
    expect(renamed(hostile.verdicts)).toEqual(plain.verdicts);
    expect(renamed(hostile.affected)).toEqual(plain.affected);
    expect(renamed(hostile.findings)).toEqual(plain.findings);
    expect(prototypes()).toEqual(before);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each(words)("%s can be added and deleted", (word) => {
    const start = evaluateDocuments(bakery, definitions);
    const added = apply(
      start,
      clusterNamed(word).map((value) => ({ upsert: value })),
    );
    expect(outputOf(added.evaluation)).toStrictEqual(
      outputOf(evaluateDocuments([...bakery, ...clusterNamed(word)], definitions)),
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("the effective spec has `__proto__` as an own key", () => {
  const evaluation = evaluateDocuments(clusterNamed("__proto__"), definitions);
  const merged = [...effectivePolicies(evaluation)].filter(({ policyKind }) => policyKind.kind === "MergePolicy");
  expect(merged.length).toBeGreaterThan(0);
  for (const { spec } of merged) {
    expect(Object.getPrototypeOf(spec)).toBe(Object.prototype);
    expect(Object.hasOwn(spec, "__proto__")).toBe(true);
    expect(Object.keys(spec["limits"] as JsonObject).sort()).toEqual(["__proto__", "a"]);
  }
});

test("targets named `constructor` that do not exist are not found on a prototype", () => {
  const targets = words.map((name, at) => ({
    apiVersion: "example.com/v1",
    kind: "MergePolicy",
    metadata: { name: `p${at}`, namespace: "bakery" },
    spec: {
      targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name, sectionName: name },
      limits: { a: 1 },
    },
  }));
  const kinds = words.map((kind, at) => ({
    apiVersion: "example.com/v1",
    kind: "MergePolicy",
    metadata: { name: `k${at}`, namespace: "bakery" },
    spec: { targetRef: { group: kind, kind, name: "front" }, limits: { a: 1 } },
  }));
  const strategies = words.map((strategy, at) => ({
    apiVersion: "example.com/v1",
    kind: "MergePolicy",
    metadata: { name: `s${at}`, namespace: "bakery" },
    spec: {
      targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "front" },
      strategy,
      limits: { a: 1 },
    },
  }));
  const all = [...verdicts(evaluateDocuments([...bakery, ...targets, ...kinds, ...strategies], definitions))];
  const reasons = all
    .filter(({ policy }) => /\/[pks]\d$/.test(policy))
    .map(({ verdict }) => (verdict.state === "Accepted" ? verdict.state : verdict.reason));
  expect(reasons).toHaveLength(3 * words.length);
  expect(reasons.filter((reason) => reason === "Invalid")).toHaveLength(words.length);
  expect(reasons.filter((reason) => reason === "TargetNotFound")).toHaveLength(words.length);
  // Another input may have a Gateway of that name.
  expect(reasons.filter((reason) => reason === "Incomplete")).toHaveLength(words.length);
});

test("YAML keys are data", () => {
  const before = prototypes();
  const text =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n";
  const { documents } = parseDocuments(text, "hostile.yaml");
  expect(Object.hasOwn(documents[0]?.value as object, "__proto__")).toBe(true);
  expect(prototypes()).toEqual(before);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
