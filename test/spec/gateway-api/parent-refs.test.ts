/** Gateway API, "parentRefs" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { gateway, listener, route } from "../../support/cluster/gateway-objects.ts";
import { under } from "./path-policies.ts";

describe("parentRefs", () => {
  const two = gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })] });
  const under2 = (parent: JsonObject | string) =>
    under(["HTTPRoute"], two, route("r", [parent]))
      .paths()
      .map((path) => path.split(" > ")[2]);

  for (const [name, parent, listeners] of [
    ["name", "Gateway/g", ["Gateway/g#a", "Gateway/g#b"]],
    ["sectionName", "Gateway/g#b", ["Gateway/g#b"]],
    ["port", { name: "g", port: 81 }, ["Gateway/g#b"]],
    ["sectionName and port of one listener", { name: "g", sectionName: "a", port: 80 }, ["Gateway/g#a"]],
    ["sectionName and port of two listeners", { name: "g", sectionName: "a", port: 81 }, []],
    ["a sectionName that no listener has", { name: "g", sectionName: "c" }, []],
    ["a port that no listener has", { name: "g", port: 82 }, []],
    ["kind and group left out mean a Gateway", { name: "g" }, ["Gateway/g#a", "Gateway/g#b"]],
    ["another kind", { kind: "Service", group: "", name: "g" }, []],
    ["another name", { name: "gg" }, []],
  ] as const) {
    test(name, () => {
      const made = under2(parent);
      expect(name === "another name" ? made.filter((node) => node?.startsWith("Gateway")) : made).toEqual(listeners);
    });
  }

  test("namespace: the route's own unless it says another", () => {
    const open = (ns: string) => gateway("g", { namespace: ns, listeners: [listener("l", { from: "All" })] });
    const chains = (parent: string) =>
      under(["HTTPRoute"], open("a"), open("b"), route("r", parent, { namespace: "a" })).chains();
    expect(chains("Gateway/g")).toEqual(["Gateway/a/g > HTTPRoute/a/r"]);
    expect(chains("Gateway/b/g")).toEqual(["Gateway/b/g > HTTPRoute/a/r"]);
  });
});
