/** Policy attachment reference, "Merging into existing spec fields" */
import { describe, expect, test } from "vitest";
import type { MergeRules, PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { fruit, gateway, policy, reference, route } from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../support/cluster/policy-kind.ts";
import { customResourceDefinition } from "../../support/crd/custom-resource.ts";
import { inherited, retryFilter, retryOnPolicy } from "./acme-policies.ts";

describe("Merging into existing `spec` fields", () => {
  /** A kind whose `settings` are a field of every rule. */
  const definition = policyKind("SettingsPolicy", {
    targets: ["Gateway", "HTTPRoute/Rule"],
    ends: ["HTTPRoute/Rule"],
    merge: { ...inherited, atomicPaths: ["settings.map"] },
    mapsTo: [{ from: "settings", to: "HTTPRoute/Rule", path: "settings" }],
  });
  function merged(own: JsonObject | undefined, spec: JsonObject, on = "Gateway/g") {
    const fields = own === undefined ? {} : { settings: own };
    return cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule", fields }] }),
        policy("SettingsPolicy", "p", on, spec),
      ],
      { definitions: [definition] },
    );
  }
  const at = "HTTPRoute/r#rule";

  for (const [type, key, object, override] of [
    ["string", "key", "foo", "bar"],
    ["list", "key", ["a", "b"], ["c", "d"]],
    ["map[string]string", "map", { foo: "a", bar: "b" }, { foo: "c", bar: "d" }],
    ["map[string]string with other keys", "map", { foo: "a", bar: "b" }, { baz: "c" }],
    ["number", "key", 1, 0],
    ["boolean", "key", true, false],
  ] as const) {
    test(`${type}: the override's value replaces the object's`, () => {
      const made = merged({ [key]: object }, { override: { settings: { [key]: override } } });
      expect(made.spec(at)).toEqual({ settings: { [key]: override } });
      expect(made.source(at, `/settings/${key}`)).toEqual({
        held: "p overrides",
        by: "p overrides FieldOverrides",
        lost: [`object ${JSON.stringify(object)} overridden by p`],
      });
    });

    test(`${type}: the object's value is the most specific default`, () => {
      const made = merged({ [key]: object }, { default: { settings: { [key]: override } } });
      expect(made.spec(at)).toEqual({ settings: { [key]: object } });
      expect(made.source(at, `/settings/${key}`)).toEqual({
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: [`p defaults ${JSON.stringify(override)} replaced`],
      });
      expect(made.outcome("p")).toBe("Overridden");
      expect(made.affectedBy("HTTPRoute/r")).toEqual([]);
    });
  }

  for (const [what, own] of [
    ["an empty list", []],
    ["an empty string", ""],
    ["an empty map", {}],
  ] as const) {
    test(`a default will only ever replace an empty or unset value: ${what} is one`, () => {
      const made = merged({ key: own }, { default: { settings: { key: "policy" } } });
      expect(made.spec(at)).toEqual({ settings: { key: "policy" } });
      expect(made.source(at, "/settings/key").held).toBe("p defaults");
      expect(made.outcome("p")).toBe("Enforced");
    });
  }

  for (const own of [0, false]) {
    test(`a default will only ever replace an empty or unset value: ${own} is a value`, () => {
      const made = merged({ key: own }, { default: { settings: { key: "policy" } } });
      expect(made.spec(at)).toEqual({ settings: { key: own } });
    });
  }

  test("a struct that is there stays, although it sets nothing: an empty one is the object's own value", () => {
    const made = merged({}, { default: { other: 1 } });
    expect(made.spec(at)).toEqual({ settings: {}, other: 1 });
    expect(made.source(at, "/settings").held).toBe("object HTTPRoute/r");
  });

  for (const block of ["default", "override"]) {
    test(`a struct that is there contests nothing by itself: a policy's ${block} fills it`, () => {
      const made = merged({}, { [block]: { settings: { key: "policy" } } });
      expect(made.spec(at)).toEqual({ settings: { key: "policy" } });
      expect(made.outcome("p")).toBe("Enforced");
    });
  }

  test("a map that is one value counts as unset if it is empty", () => {
    const mappings = [{ from: "labels", to: "HTTPRoute", path: "spec.labels" }];
    const made = mapped({ ...inherited, atomicPaths: ["labels"] }, mappings, { route: { labels: {} } }, [
      "p",
      "Gateway/g",
      { default: { labels: { a: "b" } } },
    ]);
    expect(made.spec(at)).toEqual({ labels: { a: "b" } });
    expect(made.source(at, "/labels")).toEqual({ held: "p defaults", by: "p defaults FieldDefaults", lost: [] });
  });

  test("an unset field takes the default", () => {
    expect(merged(undefined, { default: { settings: { key: "policy" } } }).spec(at)).toEqual({
      settings: { key: "policy" },
    });
  });

  test("merge values at a scalar level, not at a struct level", () => {
    const made = merged(
      { cachePolicy: { includeHost: false, ttl: 5 } },
      {
        default: { settings: { cachePolicy: { includeHost: true, includeProtocol: true } } },
        override: { settings: { cachePolicy: { ttl: 9 } } },
      },
    );
    expect(made.spec(at)).toEqual({ settings: { cachePolicy: { includeHost: false, includeProtocol: true, ttl: 9 } } });
  });

  test("if preventing settings from being overwritten is important: a lower override takes effect over the object's own value too", () => {
    const made = merged({ key: "own" }, { override: { settings: { key: "rule" } } }, "HTTPRoute/r#rule");
    expect(made.spec(at)).toEqual({ settings: { key: "rule" } });
  });

  test("a struct that is a member of a list: each existing item has each of its fields compared", () => {
    const made = cluster(
      [
        gateway("example", { namespace: "appns" }),
        route("example", "Gateway/example", {
          namespace: "appns",
          rules: [
            { fields: { filters: [retryFilter(["418"]), { type: "Other" }, retryFilter()] } },
            { fields: { filters: [retryFilter([])] } },
            {},
          ],
        }),
        retryOnPolicy("p", "Gateway/example", { defaults: { retryOn: ["503"] } }),
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    const fields = made.fields("HTTPRoute/appns/example");
    expect(
      fields.map(({ pointer, spec }) => [
        /rules\/(\d)\/filters\/(\d)/.exec(pointer)?.slice(1, 3).join("."),
        spec["retryOn"],
      ]),
    ).toEqual([
      ["0.0", ["418"]],
      ["0.2", ["503"]],
      ["1.0", ["503"]],
    ]);
    expect(made.outcome("appns/p")).toBe("PartiallyEnforced");
  });

  /** A kind with these mappings, a route with this spec and rule, and policies on the Gateway or the route. */
  const mapped = (
    merge: Partial<MergeRules>,
    mapsTo: Parameters<typeof policyKind>[1]["mapsTo"],
    own: { readonly route?: JsonObject; readonly rule?: JsonObject; readonly gateway?: JsonObject },
    ...policies: readonly (readonly [name: string, on: string, spec: JsonObject])[]
  ) =>
    cluster(
      [
        withSpec(gateway("g"), own.gateway),
        route("r", "Gateway/g", { rules: [{ name: "rule", fields: own.rule ?? {} }], spec: own.route ?? {} }),
        ...policies.map(([name, on, spec]) => policy("MappedPolicy", name, on, spec)),
      ],
      {
        definitions: [
          policyKind("MappedPolicy", {
            targets: ["Gateway", "HTTPRoute/Rule"],
            ends: ["HTTPRoute/Rule"],
            merge,
            mapsTo: mapsTo ?? [],
          }),
        ],
      },
    );
  const withSpec = (object: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...object,
    spec: { ...(object["spec"] as JsonObject), ...more },
  });
  const toRoute = [{ from: "x", to: "HTTPRoute", path: "spec.x" }];

  for (const [what, merge, spec, expected] of [
    ["an Atomic default", {}, { defaults: { x: { a: 9, b: 3 } } }, { a: 1, b: 3, c: 5 }],
    ["an Atomic override", {}, { overrides: { x: { a: 9, b: 3 } } }, { a: 9, b: 3, c: 5 }],
    ["a Field override", inherited, { overrides: { x: { a: 9, b: 3 } } }, { a: 9, b: 3, c: 5 }],
  ] as const) {
    test(`any fields that are overridden should be overridden on a per-field basis: ${what}`, () => {
      const made = mapped(merge, toRoute, { route: { x: { a: 1, c: 5 } } }, ["p", "Gateway/g", spec]);
      expect(made.spec(at)).toEqual({ x: expected });
    });
  }

  test("any fields that are overridden should be overridden on a per-field basis: a Direct policy", () => {
    const made = mapped(inherited, toRoute, { route: { x: { a: 1, c: 5 } } }, ["p", "HTTPRoute/r", { x: { a: 9 } }]);
    expect(made.spec(at)).toEqual({ x: { a: 9, c: 5 } });
    expect(made.outcome("p")).toBe("Enforced");
  });

  test("an Atomic policy whose values all yield to the object's still keeps out the one above it", () => {
    const made = mapped(
      {},
      toRoute,
      { route: { x: { a: 1 } } },
      ["low", "HTTPRoute/r", { x: { a: 2 } }],
      ["top", "Gateway/g", { defaults: { x: { b: 3 } } }],
    );
    expect(made.spec(at)).toEqual({ x: { a: 1 } });
    expect(made.outcome("top")).toBe("Overridden");
  });

  test("a Direct kind may control the value of existing fields: it is no default to its target", () => {
    const definition = policyKind("DirectPolicy", {
      class: "Direct",
      targets: ["HTTPRoute"],
      ends: ["HTTPRoute"],
      mapsTo: toRoute,
    });
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { spec: { x: { a: 1, b: 2 } } }),
        policy("DirectPolicy", "p", "HTTPRoute/r", { x: { a: 9, c: 9 } }),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: { a: 9, b: 2, c: 9 } });
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.source("HTTPRoute/r", "/x/a")).toEqual({
      held: "p bare",
      by: "p bare None",
      lost: ["object 1 overridden by p"],
    });
  });

  test("more specific beats less specific among the objects' own values, whatever the order of the mappings", () => {
    const toRule = { from: "x", to: "HTTPRoute/Rule", path: "x" };
    for (const mappings of [
      [...toRoute, toRule],
      [toRule, ...toRoute],
    ]) {
      const own = { route: { x: { a: 7, b: 7 } }, rule: { x: { a: 1 } } };
      const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { x: { a: 3, c: 3 } } }]);
      expect(made.spec(at)).toEqual({ x: { a: 1, b: 7, c: 3 } });
      expect(made.source(at, "/x/a")).toEqual({
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: ["object 7 replaced", "p defaults 3 replaced"],
      });
    }
  });

  test("own values of two objects: each has its own object as source", () => {
    const mappings = [{ from: "tls", to: "Gateway", path: "spec.tlsSettings" }, ...toRoute];
    const own = { gateway: { tlsSettings: { min: 1 } }, route: { x: { a: 1 } } };
    const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { y: 1 } }]);
    expect(made.source(at, "/tls/min").held).toBe("object Gateway/g");
    expect(made.source(at, "/x/a").held).toBe("object HTTPRoute/r");
  });

  test("each item is compared to the corresponding fields in the Policy, and to no others", () => {
    const items = ["retry", "timeouts"].map((from) => ({ from, to: "HTTPRoute/Rule", path: `filters[].${from}` }));
    const own = { rule: { filters: [{ type: "Any", timeouts: { request: "5s" } }] } };
    const made = mapped(inherited, items, own, ["p", "Gateway/g", { default: { timeouts: { request: "10s" } } }]);
    expect(made.fields(at).map(({ pointer, spec }) => [pointer, spec])).toEqual([
      ["/spec/rules/0/filters/0/retry", {}],
      ["/spec/rules/0/filters/0/timeouts", { timeouts: { request: "5s" } }],
    ]);
    expect(made.outcome("p")).toBe("Overridden");
    expect(made.affectedBy("HTTPRoute/r")).toEqual([]);
  });

  test("a field of its own beside fields of items: it counts as well", () => {
    const mappings = [...toRoute, { from: "n", to: "HTTPRoute/Rule", path: "filters[type=R].n", create: false }];
    const own = { route: { x: { a: 1 } }, rule: { filters: [{ type: "R", n: 1 }] } };
    const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { x: { a: 3 } } }]);
    expect(made.spec(at)).toEqual({ x: { a: 1 } });
    expect(made.fields(at).map(({ spec }) => spec)).toEqual([{ n: 1 }]);
    expect(made.outcome("p")).toBe("Overridden");
  });

  test("only structs that are there are touched, where the kind says so", () => {
    const mappings = [{ from: "x", to: "HTTPRoute", path: "spec.ext.x", create: false }];
    const spec = { default: { x: { y: 1, z: 2 } } };
    const there = mapped(inherited, mappings, { route: { ext: { x: { y: 0 } } } }, ["p", "Gateway/g", spec]);
    expect(there.spec(at)).toEqual({ x: { y: 0, z: 2 } });
    expect(there.fields(at)).toEqual([]);
    const absent = mapped(inherited, mappings, {}, ["p", "Gateway/g", spec]);
    expect(absent.effective()).toEqual([]);
    // Another route of the Gateway may have the struct.
    expect(absent.outcome("p")).toBe("Incomplete");
    expect(absent.affectedBy("HTTPRoute/r")).toEqual([]);
  });
});

describe("map[string]string: the entire value must be overwritten", () => {
  const own = { foo: "a", baz: "b" };
  const kinds = (["Field", "Patch", "Atomic", "Merge"] as const).map((granularity) => ({
    granularity,
    definition: policyKind("KeyPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute/Rule"],
      merge: {
        granularity: { default: granularity, field: "strategy", values: {} },
        atomicPaths: ["key"],
        rules: ["rules"],
      },
      mapsTo: [{ from: "key", to: "HTTPRoute", path: "spec.key" }],
    }),
  }));
  const withOwn = (definition: PolicyDefinition, spec: JsonObject) => {
    const r = route("r", "Gateway/g", {});
    const policies = [policy("KeyPolicy", "p", "Gateway/g", spec)];
    const objects = [gateway("g"), { ...r, spec: { ...(r["spec"] as JsonObject), key: own } }, ...policies];
    return cluster(objects, { definitions: [definition] });
  };

  for (const { granularity, definition } of kinds) {
    test(`${granularity} overrides`, () => {
      const made = withOwn(definition, { overrides: { key: { foo: "c", bar: "d" } } });
      expect(made.spec("HTTPRoute/r")).toEqual({ key: { foo: "c", bar: "d" } });
      expect(made.outcome("p")).toBe("Enforced");
    });

    test(`${granularity} defaults: the value of the object remains, the two are not merged`, () => {
      const made = withOwn(definition, { defaults: { key: { bar: "d" } } });
      expect(made.spec("HTTPRoute/r")).toEqual({ key: own });
      expect(made.outcome("p")).toBe("Overridden");
    });
  }

  test("a Direct policy", () => {
    const direct = policyKind("KeyPolicy", {
      class: "Direct",
      targets: ["HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: { atomicPaths: ["key"] },
      mapsTo: [{ from: "key", to: "HTTPRoute", path: "spec.key" }],
    });
    const r = route("r", "Gateway/g", {});
    const objects = [gateway("g"), { ...r, spec: { ...(r["spec"] as JsonObject), key: own } }];
    const made = cluster([...objects, policy("KeyPolicy", "p", "HTTPRoute/r", { key: { foo: "c", bar: "d" } })], {
      definitions: [direct],
    });
    expect(made.spec("HTTPRoute/r")).toEqual({ key: { foo: "c", bar: "d" } });
  });
});

describe("map[string]string in a struct that is a member of a list: the entire value must be overwritten", () => {
  /** Baskets have sections (`compartments`) and lists (`jars`), and maps in both, which only the CRD shows. */
  const text = { type: "string" };
  const map = { type: "object", additionalProperties: text };
  const struct = {
    type: "object",
    properties: { name: text, labels: map, size: { type: "object", properties: { w: text, h: text } } },
  };
  const list = { type: "array", items: struct };
  const crd = customResourceDefinition({
    group: "fruit.example.com",
    kind: "Basket",
    spec: { type: "object", properties: { jars: list, compartments: list } },
  });
  const { links, kinds } = chainOfKinds(["Tree", "Basket"]);
  const basket = fruit("Basket/b", {
    jars: [{ name: "jam", labels: { foo: "a", baz: "b" }, size: { w: "1" } }, { name: "empty" }],
    compartments: [{ name: "left", labels: { foo: "a", baz: "b" } }],
  });
  const filled = (
    path: string,
    spec: JsonObject,
    {
      granularity = "Field",
      to = "Basket",
    }: { readonly granularity?: "Field" | "Patch" | "Atomic"; readonly to?: string } = {},
  ) =>
    cluster(
      [crd, fruit("Tree/t", { children: [reference("Basket/b")] }), basket, policy("JarPolicy", "p", "Tree/t", spec)],
      {
        definitions: [
          policyKind("JarPolicy", {
            targets: ["Tree"],
            ends: [to],
            links,
            kinds: kinds.map((facts) => (facts.kind === "Basket" ? { ...facts, sections: [COMPARTMENT] } : facts)),
            merge: { granularity: { default: granularity, field: "strategy", values: {} } },
            mapsTo: [{ from: "jar", to, path }],
          }),
        ],
      },
    );
  const COMPARTMENT = { section: "Compartment", path: "spec.compartments" };
  const labels = { foo: "c", bar: "d" };

  for (const granularity of ["Field", "Patch", "Atomic"] as const) {
    test(`${granularity}: an override replaces the map of each item, and structs field by field`, () => {
      const made = filled("spec.jars[]", { overrides: { jar: { labels, size: { h: "2" } } } }, { granularity });
      expect(made.fields("Basket/b").map(({ spec }) => spec["jar"])).toEqual([
        { name: "jam", labels, size: { w: "1", h: "2" } },
        { name: "empty", labels, size: { h: "2" } },
      ]);
    });

    test(`${granularity}: a default does not add keys to the map of an item`, () => {
      const made = filled("spec.jars[]", { defaults: { jar: { labels: { bar: "d" } } } }, { granularity });
      expect(made.fields("Basket/b").map(({ spec }) => spec["jar"])).toEqual([
        { name: "jam", labels: { foo: "a", baz: "b" }, size: { w: "1" } },
        { name: "empty", labels: { bar: "d" } },
      ]);
      expect(made.outcome("p")).toBe("PartiallyEnforced");
    });
  }

  test("the field is the map itself", () => {
    const made = filled("spec.jars[].labels", { overrides: { jar: labels } });
    expect(made.fields("Basket/b").map(({ spec }) => spec["jar"])).toEqual([labels, labels]);
  });

  test("a map of a section", () => {
    const made = filled("labels", { overrides: { jar: labels } }, { to: "Basket/Compartment" });
    expect(made.spec("Basket/b#left")).toEqual({ jar: labels });
  });
});
