/** GEP-713, "Narrowing the target to sections of an object" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, routeTo, service } from "../../support/cluster/gateway-objects.ts";
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
