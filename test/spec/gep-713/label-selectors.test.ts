/** GEP-713, "Label selectors" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
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
