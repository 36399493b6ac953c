import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { parseDocuments } from "../../adapters/files/parse-documents.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { foundConfiguration, foundRules, withBundle, withWanted } from "./configuration-objects.ts";

const manifest = (file: string): JsonObject => {
  const [document] = parseDocuments(readFileSync(`deploy/webhook/${file}.yaml`, "utf8"), file).documents;
  return document?.value as JsonObject;
};
const given: JsonObject = { ...manifest("deny"), metadata: { name: "prevail-deny", uid: "u", resourceVersion: "7" } };

const resource = (group: string, plural: string): ApiResource => ({
  group,
  kind: plural,
  version: "v1",
  plural,
  isNamespaced: true,
  verbs: [],
  shortNames: [],
  hasStatus: true,
});
const rules = foundRules([
  resource("kuadrant.io", "ratelimitpolicies"),
  resource("kuadrant.io", "authpolicies"),
  resource("acme.io", "colours"),
  resource("", "services"),
  resource("gateway.networking.k8s.io", "httproutes"),
  resource("prevail.dev", "retrypolicies"),
  resource("apiextensions.k8s.io", "customresourcedefinitions"),
]);

describe("kinds that were found", () => {
  test("one rule for each group that the given configuration does not have; never the core group", () => {
    expect(rules).toEqual([
      { group: "acme.io", resources: ["colours"] },
      { group: "kuadrant.io", resources: ["authpolicies", "ratelimitpolicies"] },
    ]);
  });

  test("their configuration has the scope, policy and conditions of the given one, and goes with it", () => {
    const found = foundConfiguration("deny", given, rules) ?? {};
    expect(found["metadata"]).toMatchObject({
      name: "prevail-deny-found",
      ownerReferences: [{ name: "prevail-deny", uid: "u" }],
    });
    const [own] = found["webhooks"] as readonly JsonObject[];
    const [theirs] = given["webhooks"] as readonly JsonObject[];
    expect({ ...own, rules: [] }).toEqual({ ...theirs, rules: [] });
    expect(JSON.stringify(own?.["rules"])).not.toContain('"apiGroups":["*"]');
    expect(foundConfiguration("deny", given, [])).toBeUndefined();
  });

  test("nothing is written where nothing differs", () => {
    const wanted = foundConfiguration("deny", given, rules) ?? {};
    const stored = { ...wanted, metadata: { ...(wanted["metadata"] as JsonObject), resourceVersion: "1", uid: "v" } };
    expect(withWanted(stored, wanted)).toBeUndefined();
    const more = foundConfiguration("deny", given, [...rules, { group: "x.io", resources: ["xs"] }]) ?? {};
    expect(withWanted(stored, more)).toMatchObject({
      metadata: { resourceVersion: "1", uid: "v" },
      webhooks: more["webhooks"],
    });
  });
});

test("caBundle is the only thing that changes in a given configuration", () => {
  const next = withBundle(given, "Y2E=") ?? {};
  expect(withBundle(next, "Y2E=")).toBeUndefined();
  expect(JSON.parse(JSON.stringify(next).replaceAll(/,?"caBundle":"Y2E="/g, ""))).toEqual(
    JSON.parse(JSON.stringify(given)),
  );
});

describe.each(["warn", "deny"])("deploy/webhook/%s.yaml", (name) => {
  const [webhook] = manifest(name)["webhooks"] as readonly JsonObject[];

  test("the limits that docs/webhook.md lists", () => {
    expect(webhook).toMatchObject({
      sideEffects: "None",
      failurePolicy: "Ignore",
      timeoutSeconds: name === "warn" ? 2 : 5,
      namespaceSelector: { matchExpressions: [{ operator: "NotIn", values: ["kube-system", "prevail-system"] }] },
    });
    const text = JSON.stringify(webhook?.["rules"]);
    expect(text).not.toMatch(/"apiGroups":\["\*"\]|\/\*|\/status/);
    expect(text.includes("namespaces")).toBe(name === "warn");
  });
});
