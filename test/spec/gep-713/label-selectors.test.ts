/**
 * GEP-713, "Label selectors"
 * GEP-713, "Cross namespace references"
 */
import { describe, expect, test } from "vitest";
import type { SelectorNamespaces } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, caveatsFor, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, namespace, policy, referenceGrant } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { color, colored, colorPolicy, gateways, onGateways, select } from "./color-policies.ts";

describe("Label selectors", () => {
  for (const [name, selector, selected] of [
    ["matchLabels", { matchLabels: { env: "production" } }, ["prod-eu", "prod-us"]],
    ["several matchLabels must all match", { matchLabels: { env: "production", region: "us" } }, ["prod-us"]],
    ["In", { matchExpressions: [{ key: "region", operator: "In", values: ["eu", "ap"] }] }, ["prod-eu", "test-eu"]],
    [
      "NotIn also selects what lacks the label",
      { matchExpressions: [{ key: "env", operator: "NotIn", values: ["production"] }] },
      ["plain", "test-eu"],
    ],
    ["Exists", { matchExpressions: [{ key: "env", operator: "Exists" }] }, ["prod-eu", "prod-us", "test-eu"]],
    ["DoesNotExist", { matchExpressions: [{ key: "env", operator: "DoesNotExist" }] }, ["plain"]],
    [
      "matchLabels and matchExpressions together",
      { matchLabels: { env: "production" }, matchExpressions: [{ key: "region", operator: "NotIn", values: ["us"] }] },
      ["prod-eu"],
    ],
  ] as const) {
    test(`Label selectors: ${name}`, () => {
      const made = cluster([...gateways, color("p", [select(selector)], { color: "blue" })], {
        definitions: [onGateways],
      });
      expect(colored(made).toSorted()).toEqual(selected);
      expect(made.outcome("p")).toBe("Enforced");
    });
  }

  test("Label selectors: the policy's own namespace only", () => {
    const made = cluster(
      [
        ...gateways,
        color("p", [select({ matchLabels: { env: "production" } })], { color: "blue" }, { namespace: "other" }),
      ],
      {
        definitions: [onGateways],
      },
    );
    expect(colored(made)).toEqual(["foreign"]);
  });

  test("Label selectors: matching nothing is a refusal of its own", () => {
    const made = cluster([...gateways, color("p", [select({ matchLabels: { env: "none" } })], { color: "blue" })], {
      definitions: [onGateways],
    });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toMatch(/selector/);
  });

  test("Label selectors: a kind opts in", () => {
    const without = colorPolicy({ targets: ["Gateway"], ends: ["Gateway"], targeting: { selectors: false } });
    const made = cluster(
      [...gateways, color("p", [select({ matchLabels: { env: "production" } })], { color: "blue" })],
      { definitions: [without] },
    );
    expect(made.outcome("p")).toBe("Invalid");
    expect(colored(made)).toEqual([]);
  });

  test("Label selectors: a name and a selector may stand in one list, and meet on one object", () => {
    const made = cluster(
      [...gateways, color("p", ["Gateway/prod-us", select({ matchLabels: { region: "us" } })], { color: "blue" })],
      {
        definitions: [onGateways],
      },
    );
    expect(made.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });
});

describe("Selectors across namespaces: a definition says in which namespaces they select (`targeting.selectorNamespaces`)", () => {
  const kind = (selectorNamespaces: SelectorNamespaces) =>
    policyKind("TrafficPolicy", {
      targets: ["Gateway"],
      ends: ["Gateway"],
      targeting: { selectors: true, selectorNamespaces },
    });
  const byField: SelectorNamespaces = { field: "namespaces", grants: "Needed", everywhere: [] };

  const labels = { team: "red" };
  const objects = [
    gatewayClass("class"),
    namespace("default"),
    namespace("near", { zone: "eu" }),
    namespace("far", { zone: "us" }),
    ...["default", "near", "far"].map((home) => gateway("g", { namespace: home, labels })),
    gateway("plain", { namespace: "near" }),
  ];
  const grantIn = (home: string) =>
    referenceGrant("grant", home, {
      from: { group: "example.com", kind: "TrafficPolicy", namespace: "default" },
      to: { kind: "Gateway" },
    });
  const selecting = (namespaces: JsonObject | undefined): JsonObject => {
    const selector = { group: "gateway.networking.k8s.io", kind: "Gateway", matchLabels: labels };
    const { spec, ...rest } = policy("TrafficPolicy", "p", [], { timeout: 1 });
    return {
      ...rest,
      spec: {
        ...(spec as JsonObject),
        targetSelectors: [namespaces === undefined ? selector : { ...selector, namespaces }],
      },
    };
  };
  const reached = (all: readonly unknown[], rule = byField): readonly string[] =>
    cluster(all, { definitions: [kind(rule)] })
      .effective()
      .map(({ target }) => target.split("/").slice(1).join("/"));

  describe("a field of the selector says where it selects", () => {
    const grants = [grantIn("near"), grantIn("far")];
    for (const [name, namespaces, expected] of [
      ["without it: in the namespace of the policy", undefined, ["default/g"]],
      ["Same", { from: "Same" }, ["default/g"]],
      ["All", { from: "All" }, ["default/g", "far/g", "near/g"]],
      ["Selector", { from: "Selector", selector: { matchLabels: { zone: "eu" } } }, ["near/g"]],
    ] as const)
      test(name, () => {
        expect(reached([...objects, ...grants, selecting(namespaces)])).toEqual(expected);
      });

    test("an unknown word is an error", () => {
      const { message } = cluster([...objects, selecting({ from: "Everywhere" })], { definitions: [kind(byField)] });
      expect(message("p")).toBe(
        'spec.targetSelectors[0].namespaces.from is "Everywhere"; allowed: Same, All, Selector',
      );
    });
  });

  test("a target in another namespace needs a grant, unless the definition says that it does not", () => {
    const all = [...objects, grantIn("near"), selecting({ from: "All" })];
    expect(reached(all)).toEqual(["default/g", "near/g"]);
    expect(reached(all, { ...byField, grants: "NotNeeded" })).toEqual(["default/g", "far/g", "near/g"]);
  });

  test("policies in a namespace that the definition lists select everywhere", () => {
    const all = [...objects, selecting(undefined)];
    expect(reached(all, { grants: "Needed", everywhere: ["default"] })).toEqual(["default/g", "far/g", "near/g"]);
    expect(reached(all, { grants: "Needed", everywhere: ["near"] })).toEqual(["default/g"]);
  });

  test("labels of a Namespace that change", () => {
    const all = [
      ...objects,
      grantIn("far"),
      selecting({ from: "Selector", selector: { matchLabels: { zone: "us" } } }),
    ];
    const { evaluation } = cluster(all, { definitions: [kind(byField)] });
    const { evaluation: next } = apply(evaluation, [{ upsert: namespace("far", { zone: "eu" }) }]);
    expect([...effectivePolicies(evaluation)]).toHaveLength(1);
    expect([...effectivePolicies(next)]).toEqual([]);
  });

  test("a Namespace that is not in the input: its labels are not known", () => {
    const selector = selecting({ from: "Selector", selector: { matchLabels: { zone: "eu" } } });
    const near = gateway("g", { namespace: "near", labels });
    const { evaluation, outcome, findingsOn } = cluster([gatewayClass("class"), near, grantIn("near"), selector], {
      definitions: [kind(byField)],
    });
    expect(outcome("p")).toBe("Incomplete");
    expect(findingsOn("p").map(({ code, severity }) => [code, severity])).toEqual([["UnknownNamespaceLabels", "info"]]);
    const caveats = caveatsFor(evaluation, { about: "Input" }).filter(({ code }) => code === "AbsentTarget");
    expect(caveats.map(({ summary }) => summary)).toEqual(["Namespace near is not in the input"]);
  });
});
