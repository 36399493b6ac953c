/** GEP-713, the standard text. Rows are named after its own headings. */
import { describe, expect, test } from "vitest";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, type CustomStrategy } from "../../src/index.ts";
import { type ClusterOptions, cluster } from "../support/cluster.ts";
import {
  fruit,
  gateway,
  listener,
  policy,
  referenceGrant,
  route,
  routeTo,
  service,
} from "../support/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../support/policy-kind.ts";

/** ColorPolicy with all that the GEP lets a kind opt into. */
const colorPolicy = (sketch: Partial<Parameters<typeof policyKind>[1]> = {}): PolicyDefinition =>
  policyKind("ColorPolicy", {
    group: "policies.controller.io",
    targets: ["Gateway/Listener", "HTTPRoute/Rule"],
    ends: ["Service"],
    ...sketch,
    targeting: { selectors: true, ...sketch.targeting },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      blocks: "Exclusive",
      ...sketch.merge,
    },
  });
const color = (
  name: string,
  on: Parameters<typeof policy>[2],
  spec: JsonObject,
  options: { created?: number; namespace?: string } = {},
) => policy("ColorPolicy", name, on, spec, { group: "policies.controller.io", ...options });

/** `g1 > r1 > b1`, … as objects. */
function topology(paths: readonly (readonly [string, string, string])[]): readonly JsonObject[] {
  const names = (i: 0 | 1 | 2) => [...new Set(paths.map((path) => path[i]))];
  const routes = names(1).map((name) => {
    const own = paths.filter(([, r]) => r === name);
    return route(name, [...new Set(own.map(([g]) => `Gateway/${g}`))], {
      rules: [{ backends: [...new Set(own.map(([, , b]) => b))] }],
    });
  });
  return [...names(0).map((name) => gateway(name)), ...routes, ...names(2).map((name) => service(name))];
}
const at = (path: string) =>
  path.replace(/g\d/, "Gateway/$&").replace(/r\d/, "HTTPRoute/$&").replace(/b\d/, "Service/$&");

describe("Meta resources are well-structured CRDs", () => {
  test("targets are the context, the spec proper is the intent; the GEP's own group carries a version", () => {
    const made = cluster(
      `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: my-gateway, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: default}
spec: {parentRefs: [{name: my-gateway}], rules: [{backendRefs: [{name: b, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: b, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: policies.controller.io/v1
kind: ColorPolicy
metadata: {name: my-color-policy, namespace: default}
spec:
  targetRefs:
  - group: gateway.networking.k8s.io/v1
    kind: Gateway
    name: my-gateway
  rules:
    color: blue
`,
      { definitions: [colorPolicy()] },
    );
    expect(made.spec("Gateway/my-gateway > HTTPRoute/r > Service/b")).toEqual({ rules: { color: "blue" } });
    expect(made.outcome("my-color-policy")).toBe("Enforced");
  });
});

describe("Ways of targeting objects", () => {
  const definition = colorPolicy();
  const labelled = (name: string, labels: Record<string, string>, namespace = "default") =>
    gateway(name, { labels, namespace });
  const gateways = [
    labelled("prod-eu", { env: "production", region: "eu" }),
    labelled("prod-us", { env: "production", region: "us" }),
    labelled("test-eu", { env: "test", region: "eu" }),
    gateway("plain"),
    labelled("foreign", { env: "production" }, "other"),
  ];
  /** A policy kind that ends at the Gateway shows most plainly which were meant. */
  const onGateways = colorPolicy({ targets: ["Gateway/Listener"], ends: ["Gateway"] });
  const colored = (made: ReturnType<typeof cluster>) =>
    made
      .effective()
      .filter(({ sources }) => sources.length > 0)
      .map(({ path }) => path.at(-1)?.name ?? "");
  const select = (selector: JsonObject, rest: JsonObject = {}): JsonObject => ({
    group: "gateway.networking.k8s.io",
    kind: "Gateway",
    selector,
    ...rest,
  });

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
    const told = made.findingsOn("p").filter(({ message }) => message.includes("absent"));
    expect(told.map(({ field }) => field)).toEqual([expect.stringContaining("targetRefs[1]")]);
  });

  test("Reference by name: the same target twice is one target", () => {
    const made = cluster([...gateways, color("p", ["Gateway/plain", "Gateway/plain"], { color: "blue" })], {
      definitions: [onGateways],
    });
    expect(made.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.source("Gateway/plain", "/color").lost).toEqual([]);
  });

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

  describe("Cross namespace references", () => {
    const away = color("p", ["Gateway/other/foreign"], { color: "blue" });
    const granted = (crossNamespace: "Forbidden" | "ReferenceGrant", ...grants: readonly JsonObject[]) =>
      cluster([...gateways, away, ...grants], {
        definitions: [colorPolicy({ targets: ["Gateway"], ends: ["Gateway"], targeting: { crossNamespace } })],
      });
    const from = { group: "policies.controller.io", kind: "ColorPolicy", namespace: "default" };
    const to = { kind: "Gateway" };

    test("a kind opts in", () => {
      const made = granted("Forbidden", referenceGrant("grant", "other", { from, to }));
      expect(made.outcome("p")).toBe("TargetNotFound");
      expect(made.message("p")).toMatch(/namespace/);
    });

    test("with a ReferenceGrant", () => {
      const made = granted("ReferenceGrant", referenceGrant("grant", "other", { from, to }));
      expect(made.outcome("p")).toBe("Enforced");
      expect(made.spec("Gateway/other/foreign")).toEqual({ color: "blue" });
    });

    test("with a ReferenceGrant for that very name", () => {
      expect(
        granted("ReferenceGrant", referenceGrant("grant", "other", { from, to: { ...to, name: "foreign" } })).outcome(
          "p",
        ),
      ).toBe("Enforced");
    });

    for (const [name, inNamespace, ends] of [
      ["without one", "", undefined],
      ["one in the policy's namespace permits nothing", "default", { from, to }],
      ["one for another namespace", "other", { from: { ...from, namespace: "elsewhere" }, to }],
      ["one for another policy kind", "other", { from: { ...from, kind: "ShapePolicy" }, to }],
      ["one for another policy group", "other", { from: { ...from, group: "example.com" }, to }],
      ["one to another kind", "other", { from, to: { kind: "HTTPRoute" } }],
      ["one to another name", "other", { from, to: { ...to, name: "other" } }],
    ] as const) {
      test(`ReferenceGrant: ${name}`, () => {
        const made = granted(
          "ReferenceGrant",
          ...(ends === undefined ? [] : [referenceGrant("grant", inNamespace, ends)]),
        );
        expect(made.outcome("p")).toBe("TargetNotFound");
        expect(made.message("p")).toMatch(/ReferenceGrant/);
        expect(colored(made)).toEqual([]);
      });
    }
  });

  test("Spanning behavior across relationships of a target: everything below, nothing beside", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g1", "r2", "b2"],
          ["g2", "r3", "b3"],
        ]),
        color("p", ["Gateway/g1"], { color: "blue" }),
      ],
      { definitions: [definition] },
    );
    expect(["b1", "b2", "b3"].map((name) => made.spec(`Service/${name}`))).toEqual([
      { color: "blue" },
      { color: "blue" },
      {},
    ]);
  });

  test("Narrowing the target to sections of an object", () => {
    const two = gateway("g", { listeners: [listener("one"), listener("two", { port: 81 })] });
    const made = cluster(
      [two, routeTo("r", "Gateway/g", "b"), service("b"), color("p", ["Gateway/g#two"], { color: "blue" })],
      {
        definitions: [definition],
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

  test("Targeting virtual types", () => {
    const virtual = colorPolicy({
      targets: [{ group: "networking.acme.io", kind: "ExternalService", sections: [], virtual: true, policies: [] }],
      ends: ["ExternalService"],
    });
    const made = cluster([color("my-color-policy", "ExternalService/foo.com", { rules: { color: "blue" } })], {
      definitions: [virtual],
    });
    expect(made.spec("ExternalService/foo.com")).toEqual({ rules: { color: "blue" } });
    expect(made.outcome("my-color-policy")).toBe("Enforced");
  });

  test.each(["x#y", "x/y", "x".repeat(254)])("Targeting virtual types: %s is no name", (name) => {
    const virtual = colorPolicy({
      targets: [{ group: "networking.acme.io", kind: "ExternalService", sections: [], virtual: true, policies: [] }],
      ends: ["ExternalService"],
    });
    const target = { group: "networking.acme.io", kind: "ExternalService", name };
    const made = cluster([color("p", target, { color: "blue" })], { definitions: [virtual] });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.effective()).toEqual([]);
    expect(made.findingsOn("p").map(({ code, field }) => [code, field])).toEqual([
      ["InvalidTarget", "spec.targetRef.name"],
    ]);
    expect(made.message("p")).toContain("a name has at most 253 characters, without '/' and '#'");
  });
});

describe("Conflicting specs and Inheritance", () => {
  test("a policy on the GatewayClass affects all Gateways under it and all HTTPRoutes under those", () => {
    const definition = policyKind("ColorPolicy", {
      group: "policies.controller.io",
      scope: "Cluster",
      joined: [{ group: "policies.controller.io", kind: "LocalColorPolicy", scope: "Namespaced" }],
      targets: [
        {
          group: "gateway.networking.k8s.io",
          kind: "GatewayClass",
          sections: [],
          virtual: false,
          policies: ["ColorPolicy"],
        },
        "Gateway",
        "HTTPRoute",
      ],
      ends: ["HTTPRoute"],
    });
    const made = cluster(
      [
        gateway("g1", { class: "one" }),
        gateway("g2", { class: "one" }),
        gateway("g3", { class: "two" }),
        routeTo("r1", "Gateway/g1"),
        routeTo("r2", "Gateway/g2"),
        routeTo("r3", "Gateway/g3"),
        color("umbrella", "GatewayClass/one", { color: "red" }, { namespace: "", created: 9 }),
        policy(
          "LocalColorPolicy",
          "lower",
          "HTTPRoute/r2",
          { color: "blue" },
          { group: "policies.controller.io", created: 0 },
        ),
      ],
      { definitions: [definition] },
    );
    expect(["r1", "r2", "r3"].map((name) => made.spec(`HTTPRoute/${name}`))).toEqual([
      { color: "red" },
      { color: "blue" },
      {},
    ]);
    expect(made.outcome("umbrella")).toBe("PartiallyEnforced by lower");
    // Two of the three routes are under the umbrella; where no policy is, there is no effective policy.
    expect(made.chains("ColorPolicy").toSorted()).toEqual(["Gateway/g1 > HTTPRoute/r1", "Gateway/g2 > HTTPRoute/r2"]);
  });
});

describe("Declared targets versus Effective targets", () => {
  const objects = topology([
    ["g1", "r1", "b1"],
    ["g1", "r2", "b1"],
  ]);

  test("targeting a Gateway can be a way to augment the Gateway itself", () => {
    const made = cluster([...objects, color("p", "Gateway/g1", { color: "red" })], {
      definitions: [colorPolicy({ targets: ["Gateway"], ends: ["Gateway"] })],
    });
    expect(made.chains()).toEqual(["Gateway/g1"]);
    expect(made.affectedTargets("p")).toEqual(["Gateway/g1"]);
  });

  test("or a means to augment all HTTPRoutes attached to it, also one that is attached later", () => {
    const options = { definitions: [colorPolicy({ targets: ["Gateway"], ends: ["HTTPRoute"] })] };
    const policies = [color("p", "Gateway/g1", { color: "red" })];
    expect(cluster([...objects, ...policies], options).chains()).toEqual([
      "Gateway/g1 > HTTPRoute/r1",
      "Gateway/g1 > HTTPRoute/r2",
    ]);
    const later = cluster([...objects, ...policies, routeTo("r3", "Gateway/g1", "b1")], options);
    expect(later.spec("Gateway/g1 > HTTPRoute/r3")).toEqual({ color: "red" });
  });
});

/** One Gateway, one route, one backend; `p1` above `p2` unless both are on the Gateway. */
function contest(
  definition: PolicyDefinition | string,
  policies: readonly JsonObject[],
  options: Omit<ClusterOptions, "definitions"> = {},
) {
  return cluster([...topology([["g1", "r1", "b1"]]), ...policies], { ...options, definitions: [definition] });
}

describe("Conflict resolution", () => {
  const definition = colorPolicy();

  test("defaulting to the lower spec beating the higher one if not specified otherwise", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { color: "blue" }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
  });

  test("the meta resource considered higher dictates the merge strategy", () => {
    const higherPatches = contest(definition, [
      color("p1", "Gateway/g1", { defaults: { strategy: "patch", x: 1, y: 1 } }),
      color("p2", "HTTPRoute/r1", { defaults: { strategy: "atomic", x: 2 } }),
    ]);
    expect(higherPatches.spec("Service/b1")).toEqual({ x: 2, y: 1 });
    const lowerPatches = contest(definition, [
      color("p1", "Gateway/g1", { defaults: { strategy: "atomic", x: 1, y: 1 } }),
      color("p2", "HTTPRoute/r1", { defaults: { strategy: "patch", x: 2 } }),
    ]);
    expect(lowerPatches.spec("Service/b1")).toEqual({ x: 2 });
  });

  test("1. at different levels, the one attached higher is higher, whatever its age or name", () => {
    for (const [created1, created2] of [
      [0, 1],
      [1, 0],
      [0, 0],
    ] as const) {
      for (const [n1, n2] of [
        ["a", "z"],
        ["z", "a"],
      ] as const) {
        const made = contest(definition, [
          color(n1, "Gateway/g1", { overrides: { color: "gateway" } }, { created: created1 }),
          color(n2, "HTTPRoute/r1", { overrides: { color: "route" } }, { created: created2 }),
        ]);
        expect(made.spec("Service/b1")).toEqual({ color: "gateway" });
      }
    }
  });

  test("2. at the same level, the older is higher: under overrides it wins", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { overrides: { color: "newer" } }, { created: 1 }),
      color("z", "Gateway/g1", { overrides: { color: "older" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "older" });
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "z overrides",
      by: "z overrides AtomicOverrides",
      lost: ['a overrides "newer" replaced by z'],
    });
    expect(made.outcome("a")).toBe("Overridden by z");
  });

  test("2. at the same level, the older is higher: under defaults the newer one, being lower, wins", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { defaults: { color: "newer" } }, { created: 1 }),
      color("z", "Gateway/g1", { defaults: { color: "older" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "newer" });
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "a defaults",
      by: "z defaults AtomicDefaults",
      lost: ['z defaults "older" overridden by a'],
    });
    expect(made.outcome("z")).toBe("Overridden by a");
  });

  test("2. at the same level, the older dictates the strategy", () => {
    const older = (spec: JsonObject) => color("older", "Gateway/g1", spec, { created: 0 });
    const newer = (spec: JsonObject) => color("newer", "Gateway/g1", spec, { created: 1 });
    const specOf = (...policies: readonly JsonObject[]) => contest(definition, policies).spec("Service/b1");
    expect(specOf(older({ defaults: { x: "older" } }), newer({ overrides: { x: "newer" } }))).toEqual({ x: "newer" });
    expect(specOf(older({ overrides: { x: "older" } }), newer({ defaults: { x: "newer" } }))).toEqual({ x: "older" });
    expect(specOf(older({ strategy: "patch", x: "older", y: 1 }), newer({ x: "newer" }))).toEqual({ x: "newer", y: 1 });
    expect(specOf(older({ x: "older", y: 1 }), newer({ strategy: "patch", x: "newer" }))).toEqual({ x: "newer" });
  });

  test("2. a policy without a creation timestamp is the newest", () => {
    const made = contest(definition, [
      color("a", "Gateway/g1", { overrides: { color: "file" } }),
      color("z", "Gateway/g1", { overrides: { color: "cluster" } }, { created: 100 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "cluster" });
  });

  test("3. identical creation timestamps: first in alphabetical order by {namespace}/{name} is higher", () => {
    for (const names of [
      ["bar", "baz"],
      ["baz", "bar"],
    ]) {
      const made = contest(
        definition,
        names.map((name) => color(name, "Gateway/g1", { overrides: { color: name } }, { created: 7 })),
      );
      expect(made.spec("Service/b1")).toEqual({ color: "bar" });
      const lower = contest(
        definition,
        names.map((name) => color(name, "Gateway/g1", { defaults: { color: name } }, { created: 7 })),
      );
      expect(lower.spec("Service/b1")).toEqual({ color: "baz" });
    }
  });

  test("3. both without a creation timestamp: alphabetical, too", () => {
    const made = contest(
      definition,
      ["z", "a", "m"].map((name) => color(name, "Gateway/g1", { overrides: { color: name } })),
    );
    expect(made.spec("Service/b1")).toEqual({ color: "a" });
  });

  test("3. {namespace}/{name} is one string: the namespace counts, and `-` stands before `/`", () => {
    const across = colorPolicy({ targeting: { crossNamespace: "ReferenceGrant" } });
    const grants = ["a", "b", "foo", "foo-bar"].map((namespace) =>
      referenceGrant(`from-${namespace}`, "default", {
        from: { group: "policies.controller.io", kind: "ColorPolicy", namespace },
        to: { kind: "Gateway" },
      }),
    );
    const highest = (...policies: readonly (readonly [string, string])[]) =>
      contest(across, [
        ...grants,
        ...policies.map(([namespace, name]) =>
          color(
            name,
            "Gateway/default/g1",
            { overrides: { color: `${namespace}/${name}` } },
            { namespace, created: 7 },
          ),
        ),
      ]).spec("Service/b1")["color"];
    expect(highest(["b", "a"], ["a", "z"])).toBe("a/z");
    expect(highest(["foo", "x"], ["foo-bar", "x"])).toBe("foo-bar/x");
  });

  test("an object and its section are two levels", () => {
    const made = contest(definition, [
      color("whole", "Gateway/g1", { overrides: { color: "gateway" } }, { created: 9 }),
      color("part", "Gateway/g1#http", { overrides: { color: "listener" } }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "gateway" });
  });
});

describe("Abstract process for calculating Effective meta resources", () => {
  const kinds = ["Alpha", "Beta", "Gamma"];
  const definition = policyKind("MetaPolicy", {
    targets: kinds,
    ends: ["Gamma"],
    ...chainOfKinds(kinds),
    merge: { granularity: { default: "Patch", field: "strategy", values: {} } },
  });
  const child = (kind: string, name: string) => ({ kind, name });
  const objects = [
    fruit("Alpha/a1", { children: [child("Beta", "b1"), child("Beta", "b2")] }),
    fruit("Beta/b1", { children: [child("Gamma", "c1")] }),
    fruit("Beta/b2", { children: [child("Gamma", "c1"), child("Gamma", "c2")] }),
    fruit("Gamma/c1"),
    fruit("Gamma/c2"),
  ];
  const made = cluster(
    [
      ...objects,
      policy("MetaPolicy", "m1", "Alpha/a1", { one: 1, both: 1 }),
      policy("MetaPolicy", "m2", "Beta/b2", { two: 2, both: 2 }),
    ],
    { definitions: [definition] },
  );

  test("a1 > (b1 > c1, b2 > (c1, c2)) has three contexts", () => {
    expect(made.paths().toSorted()).toEqual([
      "Alpha/a1 > Beta/b1 > Gamma/c1",
      "Alpha/a1 > Beta/b2 > Gamma/c1",
      "Alpha/a1 > Beta/b2 > Gamma/c2",
    ]);
  });

  for (const [context, contributors, spec] of [
    ["Alpha/a1 > Beta/b1 > Gamma/c1", ["m1"], { one: 1, both: 1 }],
    ["Alpha/a1 > Beta/b2 > Gamma/c1", ["m1", "m2"], { one: 1, two: 2, both: 2 }],
    ["Alpha/a1 > Beta/b2 > Gamma/c2", ["m1", "m2"], { one: 1, two: 2, both: 2 }],
  ] as const) {
    test(`${context} is augmented by ${contributors.join(" + ")}`, () => {
      expect(made.contributors(context)).toEqual(contributors);
      expect(made.spec(context)).toEqual(spec);
    });
  }

  test("m1 prevails in part on two of its three paths", () => {
    expect(made.tally("m1")).toEqual({ paths: 3, full: 1, partial: 2, none: 0, met: 0 });
    expect(made.overridden("m1")).toEqual({ by: ["m2"], at: ["Gamma/c1", "Gamma/c2"] });
    expect(made.outcome("m2")).toBe("Enforced");
    expect(made.affectedBy("Beta/b1")).toEqual(["m1"]);
    expect(made.affectedBy("Gamma/c1")).toEqual(["m1", "m2"]);
  });
});

describe("Basic merge strategies", () => {
  const none = colorPolicy({ targets: ["Gateway"], merge: { none: true } });

  test("None: the oldest that is attached to a target wins, all the others are rejected", () => {
    const made = contest(none, [
      color("a", "Gateway/g1", { color: "newest" }, { created: 2 }),
      color("m", "Gateway/g1", { color: "middle" }, { created: 1 }),
      color("z", "Gateway/g1", { color: "oldest" }, { created: 0 }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "oldest" });
    expect(["z", "m", "a"].map((name) => made.outcome(name))).toEqual([
      "Enforced",
      "Conflicted by z",
      "Conflicted by z",
    ]);
    expect(made.message("a")).toContain("z");
    expect(made.contributors("Service/b1")).toEqual(["z"]);
  });

  test("None: same second, first alphabetically", () => {
    const made = contest(
      none,
      ["b", "a"].map((name) => color(name, "Gateway/g1", { color: name }, { created: 0 })),
    );
    expect(made.spec("Service/b1")).toEqual({ color: "a" });
    expect(made.outcome("b")).toBe("Conflicted by a");
  });

  test("None: one target that is not lost is enough to be accepted", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g2", "r2", "b2"],
        ]),
        color("older", ["Gateway/g1"], { color: "older" }, { created: 0 }),
        color("newer", ["Gateway/g1", "Gateway/g2"], { color: "newer" }, { created: 1 }),
      ],
      { definitions: [none] },
    );
    expect(made.spec("Service/b1")).toEqual({ color: "older" });
    expect(made.spec("Service/b2")).toEqual({ color: "newer" });
    expect(made.verdictOf("newer").state).toBe("Accepted");
    expect(made.outcome("older")).toBe("Enforced");
  });

  test("None: a target that is lost is told, although the object is an ancestor by another target", () => {
    const inherited = colorPolicy({ targets: ["Gateway", "HTTPRoute"], merge: { none: true } });
    const made = contest(inherited, [
      color("older", "Gateway/g1", { color: "older" }, { created: 0 }),
      color("newer", ["Gateway/g1", "HTTPRoute/r1"], { color: "newer" }, { created: 1 }),
    ]);
    // An ancestorRef has one entry for each controller.
    expect(made.conditions("newer")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.messages("newer", "Accepted")).toEqual([
      "the policy is attached, but not to every target: Gateway default/g1 already has ColorPolicy default/older, which is older; only one ColorPolicy takes effect on a target",
    ]);
    expect(made.messages("older", "Accepted")).toEqual(["the policy is attached"]);
  });

  for (const [strategy, p1, expected] of [
    ["Defaults: more specific specs beats less specific ones", { defaults: { color: "red" } }, "blue"],
    ["Overrides: less specific specs beats more specific ones", { overrides: { color: "red" } }, "red"],
  ] as const) {
    test(strategy, () => {
      const made = contest(colorPolicy(), [
        color("p1", "Gateway/g1", p1),
        color("p2", "HTTPRoute/r1", { color: "blue" }),
      ]);
      expect(made.spec("Service/b1")).toEqual({ color: expected });
    });
  }

  test("instances MUST NOT be allowed to declare more than one merge strategy", () => {
    const made = contest(colorPolicy(), [
      color("both", "Gateway/g1", { defaults: { color: "red" }, overrides: { color: "blue" } }),
      color("mixed", "Gateway/g1", { color: "red", overrides: { color: "blue" } }),
      color("fine", "Gateway/g1", { overrides: { color: "green" } }),
    ]);
    expect(made.outcome("both")).toBe("Invalid");
    expect(made.outcome("mixed")).toBe("Invalid");
    expect(made.outcome("fine")).toBe("Enforced");
    expect(made.spec("Service/b1")).toEqual({ color: "green" });
  });

  test("a strategy that the kind does not have is Invalid", () => {
    const made = contest(colorPolicy(), [color("p", "Gateway/g1", { defaults: { strategy: "pach", color: "red" } })]);
    expect(made.outcome("p")).toBe("Invalid");
    expect(made.message("p")).toMatch(/patch/);
  });
});

describe("Combined merge strategies", () => {
  const established = { a: 1, b: 1, deep: { x: 1, y: 1 }, list: [1, 1] };
  const challenger = { a: 2, c: 2, deep: { x: 2, z: 2 }, list: [2] };
  const made = (block: "defaults" | "overrides", strategy: string) =>
    contest(colorPolicy(), [
      color("p1", "Gateway/g1", { [block]: { strategy, ...established } }),
      color("p2", "HTTPRoute/r1", { defaults: challenger }),
    ]);

  test("Atomic Defaults: the challenger, whole", () => {
    const atomic = made("defaults", "atomic");
    expect(atomic.spec("Service/b1")).toEqual(challenger);
    expect(atomic.outcome("p1")).toBe("Overridden by p2");
    // /b has nobody at its own place: it lost to whoever held the result.
    expect(atomic.source("Service/b1", "/b")).toEqual({
      held: "nobody",
      by: "p1 defaults AtomicDefaults",
      lost: ["p1 defaults 1 overridden by p2"],
    });
  });

  test("Atomic Overrides: the established, whole", () => {
    const atomic = made("overrides", "atomic");
    expect(atomic.spec("Service/b1")).toEqual(established);
    expect(atomic.outcome("p2")).toBe("Overridden by p1");
    expect(atomic.source("Service/b1", "/c")).toEqual({
      held: "nobody",
      by: "p1 overrides AtomicOverrides",
      lost: ["p2 defaults 2 replaced by p1"],
    });
  });

  test("Patch Defaults: the challenger over the established", () => {
    const patch = made("defaults", "patch");
    expect(patch.spec("Service/b1")).toEqual({ a: 2, b: 1, c: 2, deep: { x: 2, y: 1, z: 2 }, list: [2] });
    expect(patch.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(patch.outcome("p2")).toBe("Enforced");
    expect(patch.source("Service/b1", "/deep/x")).toEqual({
      held: "p2 defaults",
      by: "p1 defaults PatchDefaults",
      lost: ["p1 defaults 1 overridden by p2"],
    });
  });

  test("Patch Overrides: the established over the challenger", () => {
    const patch = made("overrides", "patch");
    expect(patch.spec("Service/b1")).toEqual({ a: 1, b: 1, c: 2, deep: { x: 1, y: 1, z: 2 }, list: [1, 1] });
    expect(patch.outcome("p1")).toBe("Enforced");
    expect(patch.outcome("p2")).toBe("PartiallyEnforced by p1");
    expect(patch.source("Service/b1", "/deep/x")).toEqual({
      held: "p1 overrides",
      by: "p1 overrides PatchOverrides",
      lost: ["p2 defaults 2 replaced by p1"],
    });
  });

  test("Atomic is the default atomicity applied if not specified otherwise", () => {
    const plain = contest(colorPolicy(), [
      color("p1", "Gateway/g1", { defaults: established }),
      color("p2", "HTTPRoute/r1", { defaults: challenger }),
    ]);
    expect(plain.spec("Service/b1")).toEqual(challenger);
  });

  describe("Patch is JSON Merge Patch: null deletes", () => {
    const patch = (spec: JsonObject) => ({ strategy: "patch", ...spec });

    test("a challenger's null keeps the default out", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: patch({ a: 1, b: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ a: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 1 });
      expect(both.source("Service/b1", "/a").lost).toEqual(["p1 defaults 1 deleted by p2"]);
      expect(both.outcome("p1")).toBe("PartiallyEnforced by p2");
      expect(both.outcome("p2")).toBe("Enforced");
    });

    test("a null alone is no empty policy: an atomic default does not come back", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: { a: 1 } }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ b: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({});
      expect(both.outcome("p1")).toBe("Overridden by p2");
    });

    test("an established null deletes what is below, and is stripped at the end", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ a: null }) }),
        color("p2", "HTTPRoute/r1", { defaults: { a: 2, b: 2 } }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 2 });
      expect(both.source("Service/b1", "/a").lost).toEqual(["p2 defaults 2 deleted by p1"]);
      expect(both.outcome("p2")).toBe("PartiallyEnforced by p1");
    });

    test("a null deletes a whole map", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { defaults: patch({ deep: { x: 1, y: 1 }, b: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ deep: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ b: 1 });
      const above = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ deep: null }) }),
        color("p2", "HTTPRoute/r1", { defaults: { deep: { x: 1, y: 1 }, b: 1 } }),
      ]);
      expect(above.spec("Service/b1")).toEqual({ b: 1 });
    });

    test("an override above a null brings the value back", () => {
      const both = contest(colorPolicy(), [
        color("p1", "Gateway/g1", { overrides: patch({ a: 1 }) }),
        color("p2", "HTTPRoute/r1", { defaults: patch({ a: null }) }),
      ]);
      expect(both.spec("Service/b1")).toEqual({ a: 1 });
      expect(both.outcome("p2")).toBe("Overridden by p1");
    });

    test("a scalar above a map and a map above a scalar: the winner's shape", () => {
      const shapes = (p1: JsonObject, p2: JsonObject) =>
        contest(colorPolicy(), [color("p1", "Gateway/g1", p1), color("p2", "HTTPRoute/r1", p2)]).spec("Service/b1");
      expect(shapes({ overrides: patch({ a: 1 }) }, { a: { x: 2, y: 2 } })).toEqual({ a: 1 });
      expect(shapes({ overrides: patch({ a: { x: 1 } }) }, { a: 2 })).toEqual({ a: { x: 1 } });
      expect(shapes({ defaults: patch({ a: 1 }) }, { a: { x: 2 } })).toEqual({ a: { x: 2 } });
      expect(shapes({ defaults: patch({ a: { x: 1 } }) }, { a: 2 })).toEqual({ a: 2 });
    });
  });

  test("Patch beside Field: JSON Merge Patch goes into every map", () => {
    const definition = colorPolicy({
      merge: {
        granularity: { default: "Atomic", field: "strategy", values: { patch: "Patch", field: "Field" } },
        atomicPaths: ["labels"],
      },
    });
    const both = contest(definition, [
      color("p1", "Gateway/g1", { overrides: { strategy: "patch", labels: { foo: "c", gone: null } } }),
      color("p2", "HTTPRoute/r1", { labels: { foo: "a", bar: "b", gone: "x" } }),
    ]);
    expect(both.spec("Service/b1")).toEqual({ labels: { foo: "c", bar: "b" } });
  });

  test("Atomic Defaults: a policy that says nothing does not block a default, nor does an empty map", () => {
    const definition = colorPolicy({});
    const both = contest(definition, [
      color("p1", "Gateway/g1", { colors: { dark: "brown" } }),
      color("p2", "HTTPRoute/r1", { colors: {} }),
    ]);
    expect(both.spec("Service/b1")).toEqual({ colors: { dark: "brown" } });
    expect(both.outcome("p1")).toBe("Enforced");
  });

  describe("<Custom>", () => {
    const definition = colorPolicy({
      merge: {
        granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", max: { custom: "max" } } },
      },
    });
    /** The larger of two numbers, field by field; what only one has is kept; the sum is computed. */
    const max: CustomStrategy = ({ established: { spec: above }, challenger: { spec: below }, base }) => {
      const keys = [...new Set([...Object.keys(above), ...Object.keys(below)])];
      const larger = Object.fromEntries(
        keys.map((key) => [key, Math.max(Number(above[key] ?? 0), Number(below[key] ?? 0))]),
      );
      return { ...larger, base };
    };

    for (const [block, base] of [
      ["defaults", "Defaults"],
      ["overrides", "Overrides"],
    ] as const) {
      test(`<Custom> ${base}`, () => {
        const both = contest(
          definition,
          [
            color("p1", "Gateway/g1", { [block]: { strategy: "max", a: 9, b: 1 } }),
            color("p2", "HTTPRoute/r1", { a: 1, b: 5, c: 3 }),
          ],
          { strategies: { max } },
        );
        expect(both.spec("Service/b1")).toEqual({ a: 9, b: 5, c: 3, base });
        expect(both.source("Service/b1", "/a").held).toBe(`p1 ${block}`);
        expect(both.source("Service/b1", "/b").held).toBe("p2 bare");
        expect(both.source("Service/b1", "/c").held).toBe("p2 bare");
        // In nobody's spec: credited to the established policy, and marked.
        expect(both.source("Service/b1", "/base").held).toBe(`p1 ${block} computed`);
        expect(both.outcome("p1")).toBe("PartiallyEnforced by p2");
        expect(both.outcome("p2")).toBe("PartiallyEnforced by p1");
      });
    }

    test("a value that it computes prevails for the policy that it is credited to, and affects the target", () => {
      const sum: CustomStrategy = ({ established, challenger }) => ({
        a: Number(established.spec["a"]) + Number(challenger.spec["a"]),
      });
      const both = contest(
        definition,
        [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 10 } }), color("p2", "HTTPRoute/r1", { a: 5 })],
        { strategies: { max: sum } },
      );
      expect(both.spec("Service/b1")).toEqual({ a: 15 });
      expect(both.outcome("p1")).toBe("Enforced");
      expect(both.outcome("p2")).toBe("Overridden by p1");
      expect(both.affectedBy("HTTPRoute/r1")).toEqual(["p1"]);
    });

    test("it is told both specs and both policies' metadata, never the target", () => {
      const seen: unknown[] = [];
      const spy: CustomStrategy = (given) => {
        seen.push([
          given.established.policy.name,
          given.established.spec,
          given.challenger.policies.map(({ name }) => name),
          given.challenger.spec,
          Object.keys(given).toSorted(),
        ]);
        return given.established.spec;
      };
      contest(
        definition,
        [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 1 } }), color("p2", "HTTPRoute/r1", { a: 2 })],
        {
          strategies: { max: spy },
        },
      );
      expect(seen).toEqual([["p1", { a: 1 }, ["p2"], { a: 2 }, ["base", "challenger", "established"]]]);
    });

    test("alone it is not asked: there is no conflict", () => {
      const alone = contest(definition, [color("p1", "Gateway/g1", { defaults: { strategy: "max", a: 1 } })], {
        strategies: { max: () => ({ wrong: true }) },
      });
      expect(alone.spec("Service/b1")).toEqual({ a: 1 });
    });
  });
});

test("A custom strategy that nobody registered is reported where the definition names it", () => {
  const definition = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "colors" },
    spec: {
      policies: [{ group: "example.com", kind: "ColorPolicy" }],
      class: "Inherited",
      targeting: { kinds: ["Gateway"] },
      merge: { granularity: { default: "Atomic", values: { mix: "Custom/mix" } } },
    },
  };
  expect(cluster([definition]).findings.filter(({ code }) => code === "UnknownStrategy")).toEqual([
    expect.objectContaining({
      object: "PolicyDefinition.prevail.dev//colors",
      field: "spec.merge.granularity.values.mix",
    }),
  ]);
});

describe("Who dictates the strategy, where a kind says otherwise", () => {
  const child = "vendor-a-traffic-policy";
  const traffic = (vendor: string, name: string, on: string, spec: JsonObject) =>
    policy("TrafficPolicy", name, on, spec, { group: `vendor-${vendor}.example.com` });
  const objects = (annotations: Record<string, string> = {}) => [
    gateway("g", { annotations }),
    routeTo("r", "Gateway/g"),
  ];

  test("decidedBy: Lower: the child's word decides, the parent's does not", () => {
    const specOf = (parent: JsonObject, own: JsonObject) =>
      cluster([...objects(), traffic("a", "p1", "Gateway/g", parent), traffic("a", "p2", "HTTPRoute/r", own)], {
        definitions: [child],
      }).spec("HTTPRoute/r");
    expect(specOf({ x: 1, y: 1 }, { x: 2, mergeType: "StrategicMerge" })).toEqual({ x: 2, y: 1 });
    expect(specOf({ x: 1, y: 1, mergeType: "StrategicMerge" }, { x: 2, mergeType: "Replace" })).toEqual({ x: 2 });
    expect(specOf({ x: 1, y: 1, mergeType: "StrategicMerge" }, { x: 2 })).toEqual({ x: 2 });
  });

  const key = "vendor-b.example.com/inherited-policy-priority";
  for (const [value, spec] of [
    ["ShallowMergePreferChild", { x: 2, y: 1, z: 2 }],
    ["ShallowMergePreferParent", { x: 1, y: 1, z: 2 }],
    ["ReplaceByChild", { x: 2, z: 2 }],
    ["ReplaceByParent", { x: 1, y: 1 }],
    ["SomethingElse", { x: 2, y: 1, z: 2 }],
  ] as const) {
    test(`decidedBy: Annotation: ${value} on the parent`, () => {
      const made = cluster(
        [
          ...objects({ [key]: value }),
          traffic("b", "p1", "Gateway/g", { x: 1, y: 1 }),
          traffic("b", "p2", "HTTPRoute/r", { x: 2, z: 2 }),
        ],
        { definitions: ["vendor-b-traffic-policy"] },
      );
      expect(made.spec("HTTPRoute/r")).toEqual(spec);
    });
  }

  test("decidedBy: Annotation: one on the child's object says nothing about its parent", () => {
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { annotations: { [key]: "ReplaceByParent" } }),
        traffic("b", "p1", "Gateway/g", { x: 1, y: 1 }),
        traffic("b", "p2", "HTTPRoute/r", { x: 2, z: 2 }),
      ],
      { definitions: ["vendor-b-traffic-policy"] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: 2, y: 1, z: 2 });
  });
});

describe("Classes of meta resources", () => {
  const definitionOf = (spec: JsonObject): JsonObject => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "colorpolicies.policies.controller.io" },
    spec: { policies: [{ group: "policies.controller.io", kind: "ColorPolicy" }], ...spec },
  });
  const found = (spec: JsonObject) =>
    cluster([definitionOf(spec)]).findingsOn("colorpolicies.policies.controller.io").length;

  test("Direct: a single kind, declared equal to effective, None the only strategy", () => {
    expect(found({ class: "Direct", targeting: { kinds: ["Service"] } })).toBe(0);
    expect(found({ class: "Direct", targeting: { kinds: ["Service", "Gateway"] } })).toBeGreaterThan(0);
    expect(
      found({
        class: "Direct",
        targeting: { kinds: ["Gateway"] },
        hierarchy: { effectiveTargets: ["Service"] },
      }),
    ).toBeGreaterThan(0);
    expect(
      found({ class: "Direct", targeting: { kinds: ["Service"] }, merge: { granularity: { default: "Patch" } } }),
    ).toBeGreaterThan(0);
  });

  test("Direct: effects do not span across the hierarchy", () => {
    const direct = definitionOf({ class: "Direct", targeting: { kinds: ["Gateway"] } });
    const made = cluster([direct, ...topology([["g1", "r1", "b1"]]), color("p", "Gateway/g1", { color: "red" })]);
    expect(made.paths()).toEqual(["Gateway/g1"]);
    expect(made.affectedTargets("p")).toEqual(["Gateway/g1"]);
  });

  test("Inherited: any kind that does not comply with at least one characteristic of Direct", () => {
    expect(found({ class: "Inherited", targeting: { kinds: ["Service", "Gateway"] } })).toBe(0);
    expect(found({ class: "Inherited", targeting: { kinds: ["Gateway"] }, merge: { strategy: "None" } })).toBe(0);
  });
});

/** `Gateway/g1 status.conditions` and so on, with the policies that each names. */
const affectedLines = (made: ReturnType<typeof cluster>): readonly string[] =>
  made
    .targetConditions()
    .map((line) => line.replace("example.com/ColorPolicyAffected=True by ", "").replaceAll("ColorPolicy default/", ""));

describe("Example 1. Direct Policy", () => {
  const direct = (name: string, on: string, spec: JsonObject, created: number) =>
    policy("ColorPolicy", name, on, spec, { group: "direct.policies.controller.io", created });
  const made = cluster(
    [
      ...topology([
        ["g1", "r1", "b1"],
        ["g1", "r2", "b2"],
      ]),
      direct("p2", "Service/b1", { color: "blue" }, 1),
      direct("p1", "Service/b1", { color: "red" }, 0),
    ],
    { definitions: ["color-policy-direct"] },
  );

  test("1. all traffic directed to b1 must be colored red", () => {
    expect(made.spec("Service/b1")).toEqual({ color: "red" });
    expect(made.source("Service/b1", "/color")).toMatchObject({ held: "p1 bare", lost: [] });
  });
  test("2. b1 should be reported as affected by p1", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1"]);
  });
  test("3. b2 should NOT be reported as affected by any policy", () => {
    expect(made.affectedBy("Service/b2")).toEqual([]);
    expect(made.affectedTargets("p1")).toEqual(["Service/b1"]);
  });
  test("2., 3. as conditions of the targets", () => {
    expect(affectedLines(made)).toEqual(["Service/b1 status.conditions: p1"]);
  });
  test("4. p1 must be reported as enforced", () => {
    expect(made.outcome("p1")).toBe("Enforced");
    expect(made.tally("p1")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p1").map((line) => line.replace(/^.*: /, ""))).toEqual([
      "Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });
  test("5. p2 must be reported as NOT enforced, due to conflict with p1", () => {
    expect(made.outcome("p2")).toBe("Conflicted by p1");
    expect(made.message("p2")).toContain("p1");
    expect(made.messages("p2", "Accepted")).toEqual([expect.stringContaining("ColorPolicy default/p1")]);
    expect(made.conditions("p2").map((line) => line.replace(/^.*: /, ""))).toEqual(["Accepted=False/Conflicted"]);
  });
});

const paths = [
  ["g1", "r1", "b1"],
  ["g1", "r2", "b1"],
  ["g2", "r3", "b1"],
  ["g2", "r4", "b2"],
] as const;

describe("Example 2. Defaults & Overrides", () => {
  const atomic = (name: string, on: string, spec: JsonObject) =>
    policy("ColorPolicy", name, on, spec, { group: "atomic.policies.controller.io" });
  const made = cluster(
    [
      ...topology(paths),
      atomic("p1", "Gateway/g1", { color: "red" }),
      atomic("p2", "HTTPRoute/r1", { color: "blue" }),
      atomic("p3", "Gateway/g2", { overrides: { color: "yellow" } }),
      atomic("p4", "HTTPRoute/r4", { color: "green" }),
    ],
    { definitions: ["color-policy-atomic"] },
  );

  for (const [item, path, expected, provenance] of [
    [
      1,
      "g1 > r1 > b1",
      "blue",
      { held: "p2 bare", by: "p1 bare AtomicDefaults", lost: ['p1 bare "red" overridden by p2'] },
    ],
    [2, "g1 > r2 > b1", "red", { held: "p1 bare", by: "p1 bare AtomicDefaults", lost: [] }],
    [3, "g2 > r3 > b1", "yellow", { held: "p3 overrides", by: "p3 overrides AtomicOverrides", lost: [] }],
    [
      4,
      "g2 > r4 > b2",
      "yellow",
      { held: "p3 overrides", by: "p3 overrides AtomicOverrides", lost: ['p4 bare "green" replaced by p3'] },
    ],
  ] as const) {
    test(`${item}. traffic directed to ${path} must be colored ${expected}`, () => {
      expect(made.spec(at(path))).toEqual({ color: expected });
      expect(made.source(at(path), "/color")).toEqual(provenance);
    });
  }
  test("5. b1 should be reported as affected by p1, p2 and p3", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1", "p2", "p3"]);
  });
  test("6. b2 should be reported as affected by p3", () => {
    expect(made.affectedBy("Service/b2")).toEqual(["p3"]);
  });
  test("5., 6. the same holds for the objects above: only at or below the declared target", () => {
    expect(made.affectedBy("Gateway/g1")).toEqual(["p1"]);
    expect(made.affectedBy("Gateway/g2")).toEqual(["p3"]);
    expect(made.affectedBy("HTTPRoute/r1")).toEqual(["p2"]);
    expect(made.affectedBy("HTTPRoute/r2")).toEqual(["p1"]);
    expect(made.affectedBy("HTTPRoute/r4")).toEqual(["p3"]);
    expect(made.affectedTargets("p4")).toEqual([]);
  });
  test("5., 6. as conditions of the targets", () => {
    expect(affectedLines(made)).toEqual([
      "Gateway/g1 status.conditions: p1",
      "Gateway/g1 status.listeners[http]: p1",
      "Gateway/g2 status.conditions: p3",
      "Gateway/g2 status.listeners[http]: p3",
      "HTTPRoute/r1 status.parents[g1]: p2",
      "HTTPRoute/r2 status.parents[g1]: p1",
      "HTTPRoute/r3 status.parents[g2]: p3",
      "HTTPRoute/r4 status.parents[g2]: p3",
      "Service/b1 status.conditions: p1, p2, p3",
      "Service/b2 status.conditions: p3",
    ]);
  });
  test("7. p1 must be reported as partially enforced, due to in some cases overridden by p2", () => {
    expect(made.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(made.tally("p1")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.overridden("p1")).toEqual({ by: ["p2"], at: ["Service/b1"] });
    expect(made.messages("p1", "Enforced")).toEqual([
      "of its 2 paths, prevails on 1, is overridden on 1; overridden by ColorPolicy default/p2, at Service default/b1. On Gateway default/g1#http > HTTPRoute default/r1#rule-1 > Service default/b1: color is superseded by ColorPolicy default/p2",
    ]);
    expect(made.conditions("p1")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("8. p2 must be reported as enforced", () => {
    expect(made.outcome("p2")).toBe("Enforced");
    expect(made.tally("p2")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p2")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("9. p3 must be reported as enforced", () => {
    expect(made.outcome("p3")).toBe("Enforced");
    expect(made.tally("p3")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p3")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("10. p4 must be reported as NOT enforced, due to being overridden by p3", () => {
    expect(made.outcome("p4")).toBe("Overridden by p3");
    expect(made.tally("p4")).toEqual({ paths: 1, full: 0, partial: 0, none: 1, met: 0 });
    expect(made.messages("p4", "Enforced")).toEqual([
      "is overridden on its only path; overridden by ColorPolicy default/p3, at Service default/b2",
    ]);
    expect(made.conditions("p4")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=False/Overridden"]);
  });
});

describe("Example 3. Merged specs", () => {
  const patch = (name: string, on: string, spec: JsonObject) =>
    policy("ColorPolicy", name, on, spec, { group: "patch.policies.controller.io" });
  const made = cluster(
    [
      ...topology(paths),
      patch("p1", "Gateway/g1", { colors: { dark: "brown", light: "red" }, strategy: "atomic" }),
      patch("p2", "HTTPRoute/r1", { colors: { light: "blue" } }),
      patch("p3", "Gateway/g2", { overrides: { colors: { light: "yellow" }, strategy: "patch" } }),
      patch("p4", "HTTPRoute/r4", { colors: { dark: "olive", light: "green" } }),
    ],
    { definitions: ["color-policy-patch"] },
  );

  for (const [item, path, colors] of [
    [1, "g1 > r1 > b1", { light: "blue" }],
    [2, "g1 > r2 > b1", { dark: "brown", light: "red" }],
    [3, "g2 > r3 > b1", { light: "yellow" }],
    [4, "g2 > r4 > b2", { dark: "olive", light: "yellow" }],
  ] as const) {
    test(`${item}. traffic directed to ${path} must be colored ${JSON.stringify(colors)}`, () => {
      // `strategy` governs; it is not spec proper.
      expect(made.spec(at(path))).toEqual({ colors });
    });
  }
  test("1., 4. who holds what, and why", () => {
    expect(made.sources(at("g1 > r1 > b1"))).toEqual({
      "/colors/dark": { held: "nobody", by: "p1 bare AtomicDefaults", lost: ['p1 bare "brown" overridden by p2'] },
      "/colors/light": { held: "p2 bare", by: "p1 bare AtomicDefaults", lost: ['p1 bare "red" overridden by p2'] },
    });
    expect(made.sources(at("g2 > r4 > b2"))).toEqual({
      "/colors/dark": { held: "p4 bare", by: "p4 bare AtomicDefaults", lost: [] },
      "/colors/light": {
        held: "p3 overrides",
        by: "p3 overrides PatchOverrides",
        lost: ['p4 bare "green" replaced by p3'],
      },
    });
  });
  test("5. b1 should be reported as affected by p1, p2 and p3", () => {
    expect(made.affectedBy("Service/b1")).toEqual(["p1", "p2", "p3"]);
  });
  test("6. b2 should be reported as affected by p3 and p4", () => {
    expect(made.affectedBy("Service/b2")).toEqual(["p3", "p4"]);
  });
  test("5., 6. as conditions of the targets", () => {
    expect(affectedLines(made).filter((line) => /^(HTTPRoute|Service)/.test(line))).toEqual([
      "HTTPRoute/r1 status.parents[g1]: p2",
      "HTTPRoute/r2 status.parents[g1]: p1",
      "HTTPRoute/r3 status.parents[g2]: p3",
      "HTTPRoute/r4 status.parents[g2]: p3, p4",
      "Service/b1 status.conditions: p1, p2, p3",
      "Service/b2 status.conditions: p3, p4",
    ]);
  });
  test("7. p1 must be reported as partially enforced, due to in some cases atomically overridden by p2", () => {
    expect(made.outcome("p1")).toBe("PartiallyEnforced by p2");
    expect(made.tally("p1")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.conditions("p1")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("8. p2 must be reported as enforced", () => {
    expect(made.outcome("p2")).toBe("Enforced");
    expect(made.conditions("p2")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("9. p3 must be reported as enforced", () => {
    expect(made.outcome("p3")).toBe("Enforced");
    expect(made.tally("p3")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
    expect(made.conditions("p3")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
  test("10. p4 must be reported as partially enforced, due to being partially overridden by p3", () => {
    expect(made.outcome("p4")).toBe("PartiallyEnforced by p3");
    expect(made.tally("p4")).toEqual({ paths: 1, full: 0, partial: 1, none: 0, met: 0 });
    expect(made.conditions("p4")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });
  test("7., 10. with details highlighting which parts are enforced and which parts have been superseded", () => {
    expect(made.messages("p1", "Enforced")).toEqual([
      "of its 2 paths, prevails on 1, is overridden on 1; overridden by ColorPolicy default/p2, at Service default/b1. On Gateway default/g1#http > HTTPRoute default/r1#rule-1 > Service default/b1: colors.dark, colors.light are superseded by ColorPolicy default/p2",
    ]);
    expect(made.messages("p4", "Enforced")).toEqual([
      "prevails in part on its only path; overridden by ColorPolicy default/p3, at Service default/b2. On Gateway default/g2#http > HTTPRoute default/r4#rule-1 > Service default/b2: colors.dark prevails; colors.light is superseded by ColorPolicy default/p3",
    ]);
  });
});

describe("Meta resource status", () => {
  const definition = colorPolicy();

  test("Accepted, but reaching nothing: a Gateway without routes", () => {
    const made = cluster([gateway("g"), color("p", "Gateway/g", { color: "red" })], { definitions: [definition] });
    expect(made.outcome("p")).toBe("NoPath");
    expect(made.conditions("p")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/NoPath"]);
    expect(made.affectedTargets("p")).toEqual([]);
  });

  test("a value equal to the winner's is not overridden: both are enforced", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { color: "red" }),
    ]);
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "p2 bare",
      by: "p1 bare AtomicDefaults",
      lost: ['p1 bare "red" equal'],
    });
    expect([made.outcome("p1"), made.outcome("p2")]).toEqual(["Enforced", "Enforced"]);
  });

  test("equal under overrides: the overridden one is enforced, too", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { overrides: { color: "red", shade: 1 } }),
      color("p2", "HTTPRoute/r1", { color: "red" }),
    ]);
    expect(made.source("Service/b1", "/color")).toEqual({
      held: "p1 overrides",
      by: "p1 overrides AtomicOverrides",
      lost: ['p2 bare "red" equal'],
    });
    expect(made.outcome("p2")).toBe("Enforced");
  });

  test("Overridden on one path and enforced on another is partially enforced", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g2", "r1", "b1"],
        ]),
        color("top", "Gateway/g1", { overrides: { color: "red" } }),
        color("low", "HTTPRoute/r1", { color: "blue" }),
      ],
      { definitions: [definition] },
    );
    expect(made.outcome("low")).toBe("PartiallyEnforced by top");
    expect(made.tally("low")).toEqual({ paths: 2, full: 1, partial: 0, none: 1, met: 0 });
    expect(made.conditions("low").toSorted()).toEqual([
      "Gateway/g1: Accepted=True/Accepted Enforced=False/Overridden",
      "Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
    // The route says it for each parent apart.
    expect(affectedLines(made).filter((line) => line.startsWith("HTTPRoute"))).toEqual([
      "HTTPRoute/r1 status.parents[g1]: top",
      "HTTPRoute/r1 status.parents[g2]: low",
    ]);
  });

  test("a policy that targets the Gateway and its route never beats itself", () => {
    const made = contest(definition, [color("p", ["Gateway/g1", "HTTPRoute/r1"], { color: "red" })]);
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.overridden("p")).toEqual({ by: [], at: [] });
    const above = contest(definition, [color("p", ["Gateway/g1", "HTTPRoute/r1"], { overrides: { color: "red" } })]);
    expect(above.outcome("p")).toBe("Enforced");
    expect(above.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("it stands at both levels: a policy between them is overridden from below and not from above", () => {
    const made = contest(definition, [
      color("p", ["Gateway/g1", "HTTPRoute/r1#rule"], { defaults: { color: "red" } }),
      color("middle", "HTTPRoute/r1", { defaults: { color: "blue" } }),
    ]);
    // The section does not exist: only the Gateway is targeted, so the middle wins.
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
    const named = cluster(
      [
        gateway("g1"),
        route("r1", "Gateway/g1", { rules: [{ name: "rule", backends: ["b1"] }] }),
        service("b1"),
        color("p", ["Gateway/g1", "HTTPRoute/r1#rule"], { defaults: { color: "red" } }),
        color("middle", "HTTPRoute/r1", { defaults: { color: "blue" } }),
      ],
      { definitions: [definition] },
    );
    expect(named.spec("Service/b1")).toEqual({ color: "red" });
    expect(named.outcome("middle")).toBe("Overridden by p");
    expect(named.outcome("p")).toBe("Enforced");
  });

  test("a policy without units changes nothing: an empty override does not wipe out what is below", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { overrides: {} }),
      color("p2", "HTTPRoute/r1", { color: "blue" }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "blue" });
    expect(made.outcome("p2")).toBe("Enforced");
  });

  test("a policy without units does not block a default", () => {
    const made = contest(definition, [
      color("p1", "Gateway/g1", { color: "red" }),
      color("p2", "HTTPRoute/r1", { defaults: {} }),
    ]);
    expect(made.spec("Service/b1")).toEqual({ color: "red" });
    expect(made.outcome("p1")).toBe("Enforced");
  });
});

describe("Target object status", () => {
  const definition = colorPolicy();
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("g1", { generation: 5 }), routeTo("r1", "Gateway/g1", "b1"), service("b1"), ...policies], {
      definitions: [definition],
    });

  test("a condition named <domain>/<Kind>Affected, with observedGeneration of the target's spec", () => {
    const { targets } = made(color("p", "Gateway/g1", { color: "red" })).status({
      controllerName: "colors.controller.k8s.io/color-controller",
    });
    expect(targets[0]).toEqual({
      object: "Gateway.gateway.networking.k8s.io/default/g1",
      place: { at: "Conditions" },
      conditions: [
        {
          type: "colors.controller.k8s.io/ColorPolicyAffected",
          status: "True",
          reason: "Affected",
          message: "affected by ColorPolicy default/p",
          observedGeneration: 5,
        },
      ],
    });
  });

  test("any objects affected: none that lies beside the path, none above the declared target", () => {
    const lines = affectedLines(made(color("p", "HTTPRoute/r1", { color: "red" })));
    expect(lines).toEqual(["HTTPRoute/r1 status.parents[g1]: p", "Service/b1 status.conditions: p"]);
  });

  test("objects that do not have status.conditions get an annotation instead", () => {
    const chain = chainOfKinds(["Orchard", "Tree"]);
    const fruits = policyKind("ColorPolicy", { ...chain, targets: ["Orchard"], ends: ["Tree"] });
    const objects = [fruit("Orchard/o", { children: [{ kind: "Tree", name: "t" }] }), fruit("Tree/t")];
    const lines = affectedLines(
      cluster([...objects, policy("ColorPolicy", "p", "Orchard/o", { color: "red" })], { definitions: [fruits] }),
    );
    expect(lines).toEqual(["Orchard/o metadata.annotations: p", "Tree/t metadata.annotations: p"]);
  });
});

describe("Status needs to be namespaced by implementation", () => {
  test("every entry carries the controller's name, and only its own kinds are reported", () => {
    const other = colorPolicy({ group: "other.io" });
    const made = cluster(
      [
        ...topology([["g1", "r1", "b1"]]),
        color("p", "Gateway/g1", { color: "red" }),
        policy("ColorPolicy", "q", "Gateway/g1", { color: "blue" }, { group: "other.io" }),
      ],
      { definitions: [colorPolicy(), other] },
    );
    const { policies, targets } = made.status({
      controllerName: "mine.io/controller",
      ownedKinds: [{ group: "policies.controller.io", kind: "ColorPolicy" }],
    });
    expect(policies.map(({ policy: id }) => id)).toEqual(["ColorPolicy.policies.controller.io/default/p"]);
    const names = [
      ...policies.flatMap(({ ancestors }) => ancestors.map(({ controllerName }) => controllerName)),
      ...targets.flatMap(({ place }) => (place.at === "Parent" ? [place.controllerName] : [])),
    ];
    expect(names).toEqual(["mine.io/controller", "mine.io/controller"]);
    expect(new Set(targets.flatMap(({ conditions }) => conditions.map(({ type }) => type)))).toEqual(
      new Set(["mine.io/ColorPolicyAffected"]),
    );
  });
});

describe("Fanout status update problems", () => {
  test("at most sixteen ancestors are reported, and what is left out is told", () => {
    const names = Array.from({ length: 17 }, (_, i) => `g${String(i).padStart(2, "0")}`);
    const made = cluster(
      [
        ...names.map((name) => gateway(name)),
        color(
          "p",
          names.map((name) => `Gateway/${name}`),
          { color: "red" },
        ),
      ],
      { definitions: [colorPolicy()] },
    );
    expect(made.conditions("p")).toHaveLength(16);
    expect(made.status().findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("Gateway default/g16"),
    ]);
  });
});

describe("The Problem, restated", () => {
  /** The parable: retries across the whole namespace, which nobody remembers. */
  const retries = policyKind("RetryPolicy", {
    targets: ["Namespace", "HTTPRoute"],
    ends: ["HTTPRoute"],
    namespacesAbove: ["HTTPRoute"],
  });
  const namespaced = { namespace: "baker" };
  const objects = [
    gateway("g", namespaced),
    ...["baker", "mixer", "oven"].map((name) => route(name, "Gateway/g", namespaced)),
    policy("RetryPolicy", "whole-namespace", "Namespace/baker", { attempts: 3 }, namespaced),
    policy("RetryPolicy", "oven-only", "HTTPRoute/oven", { attempts: 1 }, namespaced),
  ];
  const made = cluster(objects, { definitions: [retries] });

  test("that some policy is affecting a particular object, and which", () => {
    expect(made.affectedBy("HTTPRoute/baker/baker")).toEqual(["baker/whole-namespace"]);
    expect(made.affectedBy("HTTPRoute/baker/oven")).toEqual(["baker/oven-only"]);
  });

  test("what settings in the policy are affecting the object", () => {
    expect(made.spec("HTTPRoute/baker/baker")).toEqual({ attempts: 3 });
    expect(made.source("HTTPRoute/baker/baker", "/attempts").held).toBe("baker/whole-namespace bare");
  });

  test("how many things does this policy affect?", () => {
    expect(made.tally("baker/whole-namespace")).toEqual({ paths: 3, full: 2, partial: 0, none: 1, met: 0 });
  });

  test("what would change if it went: seen before deleting it", () => {
    const ref = { group: "example.com", kind: "RetryPolicy", namespace: "baker", name: "whole-namespace" };
    const { delta } = apply(made.evaluation, [{ delete: ref }]);
    expect(
      delta.effective.map(({ target, before, after }) => [target.split("/").at(-1), before?.spec, after?.spec]),
    ).toEqual([
      ["baker", { attempts: 3 }, undefined],
      ["mixer", { attempts: 3 }, undefined],
      ["oven", { attempts: 1 }, { attempts: 1 }],
    ]);
    expect(made.spec("HTTPRoute/baker/baker")).toEqual({ attempts: 3 });
  });
});

describe("Output order is defined", () => {
  test("the order of documents does not matter", () => {
    const documents = [
      ...topology(paths),
      ...["z", "a", "m"].map((name) => color(name, "Gateway/g1", { overrides: { color: name } }, { created: 1 })),
      color("p4", ["HTTPRoute/r4", "HTTPRoute/r1"], { color: "green" }),
    ];
    const forwards = cluster(documents, { definitions: [colorPolicy()] });
    const backwards = cluster(documents.toReversed(), { definitions: [colorPolicy()] });
    expect(backwards.effective()).toEqual(forwards.effective());
    expect(["z", "a", "m", "p4"].map((name) => backwards.verdictOf(name))).toEqual(
      ["z", "a", "m", "p4"].map((name) => forwards.verdictOf(name)),
    );
  });
});
