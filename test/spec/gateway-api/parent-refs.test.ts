/**
 * Gateway API, "parentRefs"
 * Gateway API, "BackendObjectReference"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { gateway, listener, route, service } from "../../support/cluster/gateway-objects.ts";
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

describe("References compare kinds and groups to the letter", () => {
  const group = "gateway.networking.k8s.io";
  const refusals = (parent: JsonObject, backend: JsonObject) => {
    const made = under(
      ["Service"],
      gateway("g"),
      service("s"),
      route("r", [parent], { rules: [{ fields: { backendRefs: [{ port: 80, ...backend }] } }] }),
    );
    return made.findingsOn("r").map(({ code, field: at, message }) => `${code} ${at}: ${message}`);
  };
  const noParent = "a HTTPRoute has no parent of kind";
  const parents = "only Gateway, ListenerSet, XListenerSet, Service";

  test.each([
    ["as they are", { name: "g" }, { name: "s" }, []],
    ["spelled out", { group, kind: "Gateway", name: "g" }, { group: "", kind: "Service", name: "s" }, []],
    [
      "the kind in another case",
      { kind: "gateway", name: "g" },
      { kind: "service", name: "s" },
      [
        "InvalidKind spec.parentRefs[0]: ".concat(
          `${noParent} 'gateway' of group '${group}', ${parents}; for Gateway write kind: Gateway`,
        ),
        "InvalidKind spec.rules[0].backendRefs[0]: a HTTPRoute has no child of kind 'service' of group '', only Service; for Service write kind: Service",
      ],
    ],
    [
      "a group with a version",
      { group: `${group}/v1`, kind: "Gateway", name: "g" },
      { name: "s" },
      [
        `InvalidField spec.parentRefs[0].group: HTTPRoute default/r: spec.parentRefs[0].group is "${group}/v1"; allowed: a DNS name in lower case, or an empty string of at most 253 characters; the object is left out, as the API server would refuse it`,
      ],
    ],
    [
      "a Service as parent without its group",
      { kind: "Service", name: "s" },
      { name: "s" },
      [
        `InvalidKind spec.parentRefs[0]: ${noParent} 'Service' of group '${group}', ${parents}; for Service write group: ''`,
      ],
    ],
  ])("%s", (_, parent, backend, expected) => {
    expect(refusals(parent, backend)).toEqual(expected);
  });
});
