/** GEP-713, "Narrowing the target to sections of an object" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  listener,
  policy,
  reference,
  routeTo,
  service,
} from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { color, colorDefinition, colorPolicy, select } from "./color-policies.ts";

describe("Narrowing the target to sections of an object", () => {
  test("Narrowing the target to sections of an object", () => {
    const two = gateway("g", { listeners: [listener("one"), listener("two", { port: 81 })] });
    const made = cluster(
      [two, routeTo("r", "Gateway/g", "b"), service("b"), color("p", ["Gateway/g#two"], { color: "blue" })],
      {
        definitions: [colorDefinition],
      },
    );
    expect(made.spec("Gateway/g#one > Service/b")).toEqual({});
    expect(made.spec("Gateway/g#two > Service/b")).toEqual({ color: "blue" });
    expect(made.outcome("p")).toBe("Enforced");
  });

  test("Narrowing the target to sections of an object: by label, the section must be there", () => {
    const made = cluster(
      [
        gateway("a", { labels: { x: "y" }, listeners: [listener("one"), listener("two", { port: 81 })] }),
        gateway("b", { labels: { x: "y" }, listeners: [listener("one")] }),
        color("p", [select({ matchLabels: { x: "y" } }, { sectionName: "two" })], { color: "blue" }),
      ],
      { definitions: [colorPolicy({ targets: ["Gateway/Listener"], ends: ["Gateway/Listener"] })] },
    );
    expect(made.paths().filter((_, i) => made.effective()[i]?.sources.length === 1)).toEqual([
      "GatewayClass/class > Gateway/a > Gateway/a#two",
    ]);
  });
});

describe("Ports as sections: a definition may say that targets name sections by their port (`byPort`)", () => {
  const kind = policyKind("PortPolicy", {
    targets: [
      { group: "", kind: "Service", sections: ["Port"], virtual: false, policies: [], byPort: true },
      {
        ...reference("Gateway/g"),
        group: "gateway.networking.k8s.io",
        kind: "Gateway",
        sections: ["Listener"],
        virtual: false,
        policies: [],
        byPort: true,
      },
    ],
    ends: ["Service/Port", "Gateway/Listener"],
    class: "Direct",
  });
  const listeners = [
    listener("a", { port: 80, hostname: "a.example" }),
    listener("b", { port: 80, hostname: "b.example" }),
    listener("c", { port: 81 }),
  ];
  const objects = [
    gatewayClass("class"),
    gateway("g", { listeners }),
    service("s", { ports: { web: 80, "81": 8080, admin: 81 } }),
  ];
  const on = (target: string, more: JsonObject): JsonObject =>
    policy("PortPolicy", "p", { ...reference(target), ...more }, { timeout: 1 });
  const reached = (one: JsonObject): readonly string[] =>
    cluster([...objects, one], { definitions: [kind] })
      .effective()
      .map(({ target }) => target.split("#")[1] ?? "");

  describe("a target names sections by port", () => {
    for (const [name, target, more, expected] of [
      ["a number in port", "Service/s", { port: 80 }, ["web"]],
      ["a number as sectionName", "Service/s", { sectionName: "80" }, ["web"]],
      ["a section of that name comes first", "Service/s", { sectionName: "81" }, ["81"]],
      ["a name", "Service/s", { sectionName: "admin" }, ["admin"]],
      ["all listeners with the port", "Gateway/g", { port: 80 }, ["a", "b"]],
    ] as const)
      test(name, () => {
        expect(reached(on(target, more))).toEqual(expected);
      });

    test("a port that there is not", () => {
      const { outcome, findingsOn } = cluster([...objects, on("Service/s", { port: 99 })], { definitions: [kind] });
      expect(outcome("p")).toBe("TargetNotFound");
      expect(findingsOn("p").map(({ code, field }) => [code, field])).toEqual([
        ["SectionNotFound", "spec.targetRef.port"],
      ]);
    });

    test("ports that change while their names stay", () => {
      const { evaluation } = cluster([...objects, on("Service/s", { port: 80 })], { definitions: [kind] });
      const { evaluation: next } = apply(evaluation, [
        { upsert: service("s", { ports: { web: 79, "81": 8080, admin: 80 } }) },
      ]);
      expect([...effectivePolicies(next)].map(({ target }) => target.split("#")[1])).toEqual(["admin"]);
    });
  });
});
