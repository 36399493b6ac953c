/**
 * GEP-713, "Meta resource status": in words of vendors
 * A definition says which conditions the controllers of its kind write (`status.words`).
 */
import { describe, expect, test } from "vitest";
import type { StatusRules } from "../../../src/core/model/definition/status-rules.ts";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { check } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

/** As kgateway: a condition Attached beside Accepted, and reasons of its own. */
const words: StatusRules = {
  vocabulary: "Enforced",
  words: {
    Accepted: [{ type: "Accepted", status: "True" }],
    Invalid: [{ type: "Accepted", status: "False", reason: "Invalid" }],
    TargetNotFound: [{ type: "Accepted", status: "False", reason: "TargetNotFound" }],
    Enforced: [{ type: "Attached", status: "True", reason: "Attached" }],
    PartiallyEnforced: [{ type: "Attached", status: "True", reason: "Merged" }],
    Overridden: [{ type: "Attached", status: "False", reason: "Overridden" }],
  },
};
const kind = (status: StatusRules): PolicyDefinition => ({
  ...policyKind("TrafficPolicy", { targets: ["Gateway", "HTTPRoute"], ends: ["HTTPRoute/Rule"] }),
  status,
});

const condition = (text: string): JsonObject => {
  const [type = "", status = "", reason = ""] = text.split(/[=/]/);
  return { type, status, reason, message: "" };
};
const at = (ancestor: string, ...conditions: readonly string[]): JsonObject => ({
  ancestors: [
    {
      ancestorRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: ancestor },
      controllerName: "example.com/theirs",
      conditions: conditions.map(condition),
    },
  ],
});
const whole = (...conditions: readonly string[]): JsonObject => ({ conditions: conditions.map(condition) });

function differences(
  target: string,
  status: JsonObject,
  rules = words,
  more: readonly unknown[] = [],
): readonly string[] {
  const claiming = { ...policy("TrafficPolicy", "p", target, { timeout: 1 }), status };
  const { evaluation } = cluster(
    [gatewayClass("class"), gateway("g"), gateway("other"), route("r", "Gateway/g"), claiming, ...more],
    { definitions: [kind(rules)], completeness: "Complete" },
  );
  return check(evaluation)
    .filter(({ code }) => code === "StatusDiffers")
    .map(({ message }) => message);
}
const below = [policy("TrafficPolicy", "below", "HTTPRoute/r", { timeout: 2 })];

describe("a status in the words of its vendor", () => {
  for (const [name, target, status, more] of [
    ["what is so", "HTTPRoute/r", at("g", "Accepted=True/Valid", "Attached=True/Attached"), []],
    ["overridden, and reported so", "Gateway/g", at("g", "Accepted=True/Valid", "Attached=False/Overridden"), below],
    ["a reason that is not listed", "HTTPRoute/r", at("g", "Attached=False/Pending"), []],
    ["a type that is not listed", "HTTPRoute/r", at("g", "Programmed=False/Broken"), []],
    ["the vendor's own validation", "HTTPRoute/r", at("g", "Accepted=False/Invalid"), []],
    ["Unknown", "HTTPRoute/r", at("g", "Attached=Unknown/Attached"), []],
  ] as const)
    test(`no difference: ${name}`, () => {
      expect(differences(target, status, words, more)).toEqual([]);
    });

  test("a policy that is reported to be attached and is overridden", () => {
    const [message] = differences("Gateway/g", at("g", "Attached=True/Attached"), words, below);
    expect(message).toMatch(
      /^the status of TrafficPolicy default\/p has Attached=True\/Attached \(at Gateway default\/g, by example.com\/theirs\); Prevail computes Accepted \(Accepted=True\) and Overridden \(Attached=False\/Overridden\): /,
    );
  });

  test("a policy that is reported to be accepted and has no target", () => {
    const [message] = differences("HTTPRoute/gone", at("g", "Accepted=True/Valid"));
    expect(message).toContain("Prevail computes TargetNotFound (Accepted=False/TargetNotFound): no HTTPRoute 'gone'");
  });

  test("a Gateway that the policy has nothing to do with", () => {
    expect(differences("HTTPRoute/r", at("other", "Accepted=True/Valid"))).toEqual([
      "the status of TrafficPolicy default/p has Accepted=True/Valid at Gateway default/other, by example.com/theirs; Prevail computes no effect of the policy there",
    ]);
  });

  test("conditions without ancestors", () => {
    const none: StatusRules = { ...words, ancestors: "None" };
    expect(differences("HTTPRoute/r", whole("Accepted=True/Valid", "Attached=True/Attached"), none)).toEqual([]);
    const [message] = differences("Gateway/g", whole("Attached=True/Attached"), none, below);
    expect(message).toContain("has Attached=True/Attached; Prevail computes Accepted (Accepted=True) and Overridden");
    expect(differences("Gateway/g", whole("Attached=True/Attached"), words, below)).toEqual([]);
  });
});
