/** GEP-713, "Reference by name" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colored, gateways, onGateways } from "./color-policies.ts";

describe("Reference by name", () => {
  test("Reference by name", () => {
    const made = cluster([...gateways, color("p", ["Gateway/prod-eu"], { color: "blue" })], {
      definitions: [onGateways],
    });
    expect(colored(made)).toEqual(["prod-eu"]);
  });

  test("Reference by name: several targets, and one bad target does not hide the good ones", () => {
    const made = cluster(
      [...gateways, color("p", ["Gateway/plain", "Gateway/absent", "Gateway/test-eu"], { color: "blue" })],
      {
        definitions: [onGateways],
      },
    );
    expect(colored(made)).toEqual(["plain", "test-eu"]);
    expect(made.outcome("p")).toBe("Enforced");
    const reported = made.findingsOn("p").filter(({ message }) => message.includes("absent"));
    expect(reported.map(({ field }) => field)).toEqual([expect.stringContaining("targetRefs[1]")]);
  });

  test("Reference by name: a kind may say which kind a target without one has", () => {
    const target = (...refs: JsonObject[]) => ({
      ...color("p", [], { color: "blue" }),
      spec: { targetRefs: refs, color: "blue" },
    });
    const implied = { ...onGateways, targeting: { ...onGateways.targeting, impliedKind: "Gateway" } };
    const made = cluster([...gateways, target({ name: "plain" })], { definitions: [implied] });
    expect(colored(made)).toEqual(["plain"]);
    expect(made.outcome("p")).toBe("Enforced");
    // A kind that is written counts, and without such a rule the target is a mistake.
    const written = [...gateways, target({ kind: "Service", name: "plain" })];
    expect(cluster(written, { definitions: [implied] }).outcome("p")).toBe("TargetNotFound");
    expect(cluster([...gateways, target({ name: "plain" })], { definitions: [onGateways] }).outcome("p")).toBe(
      "Invalid",
    );
  });

  test("Reference by name: the same target twice is one target", () => {
    const made = cluster([...gateways, color("p", ["Gateway/plain", "Gateway/plain"], { color: "blue" })], {
      definitions: [onGateways],
    });
    expect(made.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.source("Gateway/plain", "/color").lost).toEqual([]);
  });
});
