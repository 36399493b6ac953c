/**
 * GEP-713, "Well-structured CRDs"
 * Definitions that come with an implementation: where they are used (`library`), and where they differ from it (`approximate`).
 */
import { expect, test } from "vitest";
import type { Approximation, DefinitionLibrary, PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, caveatsFor, verdicts } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

const kind = (approximate: readonly Approximation[]): PolicyDefinition => ({
  ...policyKind("TrafficPolicy", { targets: ["Gateway"], ends: ["Gateway"] }),
  ...(approximate.length === 0 ? {} : { approximate }),
});
const objects = [gatewayClass("class"), gateway("g")];
const traffic = (spec: JsonObject) => policy("TrafficPolicy", "p", "Gateway/g", spec);

const because = "retries are counted in another way";
const caveatsOf = (approximation: Approximation, spec: JsonObject) =>
  caveatsFor(
    cluster([...objects, traffic(spec)], { definitions: [kind([approximation])], completeness: "Complete" }).evaluation,
    { about: "Input" },
  ).map(({ code, message }) => `${code}: ${message}`);
const caveat = `ApproximateDefinition: the definition of TrafficPolicy is approximate, and 1 TrafficPolicy rests on it: ${because}`;

test.each<[string, readonly string[], JsonObject, boolean]>([
  ["about every policy", [], { x: 1 }, true],
  ["about a field that the policy has", ["retry.count"], { retry: { count: 0 } }, true],
  ["about a field that the policy does not have", ["retry.count"], { retry: { delay: 1 } }, false],
  ["about a field of items of a list", ["rules.limit"], { rules: [{}, { limit: 1 }] }, true],
  ["about the second item of a list", ["rules.1"], { rules: [1] }, false],
  ["about an object with a value", ["rule[kind=A]"], { rule: { kind: "A" } }, true],
  ["about an object with another value", ["rule[kind=A]"], { rule: { kind: "B" } }, false],
])("a definition is approximate: %s", (_, paths, spec, isConcerned) => {
  expect(caveatsOf({ because, paths }, spec)).toEqual(isConcerned ? [caveat] : []);
});

test.each<[string, JsonObject, boolean]>([
  ["has both fields", { retry: { count: 1 }, mode: { how: "Lock" } }, true],
  ["has the first one only", { retry: { count: 1 }, mode: { how: "Open" } }, false],
  ["has the second one only", { mode: { how: "Lock" } }, false],
])("a definition is approximate where two fields meet: the policy %s", (_, spec, isConcerned) => {
  const approximation = { because, paths: ["retry.count", "retry.delay"], with: ["mode[how=Lock]"] };
  expect(caveatsOf(approximation, spec)).toEqual(isConcerned ? [caveat] : []);
});

const library: DefinitionLibrary = { find: (wanted) => (wanted.kind === "TrafficPolicy" ? kind([]) : undefined) };
const own: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "own" },
  spec: {
    policies: [{ group: "example.com", kind: "TrafficPolicy" }],
    class: "Direct",
    targeting: { kinds: ["Service"] },
  },
};

test("a definition of a library is used where there is a policy of its kind, from the first one on", () => {
  expect(cluster([...objects, traffic({ x: 1 })], { library }).outcome("p")).toBe("Enforced");
  const { evaluation } = cluster(objects, { library });
  expect([...verdicts(evaluation)]).toEqual([]);
  const next = apply(evaluation, [{ upsert: traffic({ x: 2 }) }]).evaluation;
  expect([...verdicts(next)].map(({ verdict }) => verdict.state)).toEqual(["Accepted"]);
});

test("a PolicyDefinition in the input replaces the one of a library", () => {
  const { outcome, findings } = cluster([...objects, own, traffic({ x: 1 })], { library });
  expect(outcome("p")).toBe("TargetNotFound");
  expect(findings.map(({ code }) => code)).toContain("DefinitionReplacesBuiltIn");
});
