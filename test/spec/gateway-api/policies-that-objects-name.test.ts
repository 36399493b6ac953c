/**
 * Gateway API, "HTTPRouteFilter.extensionRef": policies that objects name
 * Gateway API, "GatewayClassSpec.parametersRef"
 * A definition says in which fields objects name policies of its kind (`targeting.namedBy`).
 */
import { describe, expect, test } from "vitest";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { apply, caveatsFor, effectivePolicies } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  policy,
  referenceGrant,
  route,
  service,
} from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

const gatewayGroup = "gateway.networking.k8s.io";
const rule = { group: gatewayGroup, kind: "HTTPRoute", section: "Rule" };
const httpRoute = { group: gatewayGroup, kind: "HTTPRoute" };

/** As kgateway: targets, and filters of rules. */
const trafficKind = policyKind("TrafficPolicy", {
  targets: ["Gateway", "HTTPRoute/Rule"],
  ends: ["HTTPRoute/Rule"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  targeting: { namedBy: [{ level: rule, path: "filters[type=ExtensionRef].extensionRef" }] },
});

/** As KongPlugin and KongClusterPlugin: lists of names in annotations, and nothing else. */
const pluginKind = policyKind("Plugin", {
  targets: [],
  joined: [{ group: "example.com", kind: "ClusterPlugin", scope: "Cluster" }],
  class: "Direct",
  ends: ["HTTPRoute", "Service"],
  targeting: {
    namedBy: [
      { level: httpRoute, annotation: "example.com/plugins", separator: "," },
      { level: { group: "", kind: "Service" }, annotation: "example.com/plugins", separator: "," },
    ],
  },
});

/** As EnvoyProxy: parameters of a class and of a Gateway. */
const proxyKind = policyKind("Proxy", {
  targets: [],
  ends: ["Gateway"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  targeting: {
    namedBy: [
      { level: { group: gatewayGroup, kind: "GatewayClass" }, path: "spec.parametersRef" },
      { level: { group: gatewayGroup, kind: "Gateway" }, path: "spec.infrastructure.parametersRef" },
    ],
  },
});

const filter = (name: string, more: JsonObject = {}) => ({
  type: "ExtensionRef",
  extensionRef: { group: "example.com", kind: "TrafficPolicy", name, ...more },
});
const spec = (kind: string, name: string, values: JsonObject, namespace = "default"): JsonObject => ({
  apiVersion: "example.com/v1",
  kind,
  metadata: namespace === "" ? { name } : { name, namespace },
  spec: values,
});
const routed = (filters: readonly JsonObject[]) =>
  route("r", "Gateway/g", { rules: [{ fields: { filters: [...filters] } }, { name: "other" }] });
const edge = [gatewayClass("class"), gateway("g")];

describe("a filter of a rule names a policy", () => {
  const made = (...more: readonly unknown[]) => cluster([...edge, ...more], { definitions: [trafficKind] });
  const x = spec("TrafficPolicy", "x", { timeout: 1, cors: true });

  test("it takes effect on that rule only, also if the rule has no name", () => {
    const { spec: at, outcome } = made(routed([filter("x")]), x);
    expect(at("HTTPRoute/r#rule-1")).toEqual({ timeout: 1, cors: true });
    expect(at("HTTPRoute/r#other")).toEqual({});
    expect(outcome("x")).toBe("Enforced");
  });

  test.each([{ kind: "OtherFilter" }, { group: "other.example" }])(
    "a name of another kind is not its name: %o",
    (more) => {
      const { spec: at } = made(routed([filter("x", more)]), x);
      expect(at("HTTPRoute/r#rule-1")).toEqual({});
    },
  );

  test("it is below the policies that target the rule and the route", () => {
    const onRoute = policy("TrafficPolicy", "y", "HTTPRoute/r", { timeout: 2, retries: 2 });
    const { spec: at, outcome } = made(routed([filter("x")]), x, onRoute);
    expect(at("HTTPRoute/r#rule-1")).toEqual({ timeout: 1, cors: true, retries: 2 });
    expect(at("HTTPRoute/r#other")).toEqual({ timeout: 2, retries: 2 });
    expect(outcome("y")).toBe("PartiallyEnforced by x");
    const onRule = policy("TrafficPolicy", "z", "HTTPRoute/r#other", { timeout: 3 }, { created: 9 });
    const named = route("r", "Gateway/g", { rules: [{ name: "other", fields: { filters: [filter("x")] } }] });
    expect(made(named, x, onRule).spec("HTTPRoute/r#other")).toEqual({ timeout: 1, cors: true });
  });

  test("a filter of another type, group or kind names nothing", () => {
    const others = [
      { ...filter("x"), type: "Other" },
      filter("x", { group: "other.io" }),
      filter("x", { kind: "Middleware" }),
    ];
    const { spec: at, outcome } = made(routed(others), x);
    expect(at("HTTPRoute/r#rule-1")).toEqual({});
    expect(outcome("x")).toBe("Incomplete");
  });

  test("a policy that nothing names reaches nothing, and is not an error", () => {
    const alone = cluster([...edge, routed([]), x], { definitions: [trafficKind], completeness: "Complete" });
    expect(alone.outcome("x")).toBe("NoPath");
    expect(alone.findingsOn("x")).toEqual([]);
    const partial = made(routed([]), x);
    expect(partial.outcome("x")).toBe("Incomplete");
    const caveats = caveatsFor(partial.evaluation, { about: "Input" }).filter(({ code }) => code === "NoKnownPath");
    expect(caveats.map(({ message }) => message)).toEqual([
      "no object in the input names TrafficPolicy default/x. Where it takes effect is not known",
    ]);
  });

  test("a name without a policy is a finding of the object that names it", () => {
    const gone = (completeness: "Partial" | "Complete") =>
      cluster([...edge, routed([filter("gone")])], { definitions: [trafficKind], completeness }).findingsOn("r");
    const [open] = gone("Partial");
    expect(open).toMatchObject({
      code: "NamedPolicyNotFound",
      severity: "info",
      field: "spec.rules[0].filters[0].extensionRef",
      message: "HTTPRoute default/r names TrafficPolicy default/gone, which is not in the input",
    });
    expect(gone("Complete")[0]).toMatchObject({ severity: "error" });
    const near = made(routed([filter("xx")]), spec("TrafficPolicy", "xxx", {})).findingsOn("r");
    expect(near[0]?.message).toContain("did you mean 'xxx'?");
  });

  test("a change of the object that names it changes where it takes effect", () => {
    const { evaluation } = made(routed([]), x);
    const next = apply(evaluation, [{ upsert: routed([filter("x")]) }]);
    expect([...effectivePolicies(next.evaluation)].map(({ target }) => target)).toEqual([
      "HTTPRoute.gateway.networking.k8s.io/default/r#rule-1",
    ]);
    const moved = route("r", "Gateway/g", { rules: [{ name: "other" }, { fields: { filters: [filter("x")] } }] });
    const last = apply(next.evaluation, [{ upsert: moved }]);
    expect([...effectivePolicies(last.evaluation)].map(({ target }) => target)).toEqual([
      "HTTPRoute.gateway.networking.k8s.io/default/r#rule-2",
    ]);
    const none = apply(last.evaluation, [{ upsert: routed([]) }]);
    expect([...effectivePolicies(none.evaluation)]).toEqual([]);
  });

  test("a reference into another namespace needs crossNamespace: ReferenceGrant and a grant", () => {
    const far = spec("TrafficPolicy", "far", { timeout: 7 }, "shared");
    const objects = [...edge, routed([filter("far", { namespace: "shared" })]), far];
    const grant = referenceGrant("g", "shared", {
      from: { kind: "HTTPRoute", namespace: "default" },
      to: { group: "example.com", kind: "TrafficPolicy" },
    });
    const granting: PolicyDefinition = {
      ...trafficKind,
      targeting: { ...trafficKind.targeting, crossNamespace: "ReferenceGrant" },
    };
    const at = (all: readonly unknown[], definition = granting) =>
      cluster(all, { definitions: [definition] }).spec("HTTPRoute/r#rule-1");
    expect(at([...objects, grant])).toEqual({ timeout: 7 });
    expect(at(objects)).toEqual({});
    expect(at([...objects, grant], trafficKind)).toEqual({});
    expect(cluster(objects, { definitions: [granting] }).findingsOn("r")[0]).toMatchObject({
      code: "ReferenceNotPermitted",
      field: "spec.rules[0].filters[0].extensionRef",
    });
  });
});

describe("the order in which an object names policies", () => {
  const ordered = policyKind("TrafficPolicy", {
    targets: ["HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    merge: { accumulate: { order: ["Level", "Reference"] } },
    targeting: { namedBy: [{ level: rule, path: "filters[type=ExtensionRef].extensionRef" }] },
  });
  const policies = [
    ...["a", "b", "c"].map((name) => spec("TrafficPolicy", name, { name })),
    policy("TrafficPolicy", "of-route", "HTTPRoute/r", {}, { created: 9 }),
  ];
  const inRule = (...names: readonly string[]) =>
    cluster([...edge, routed(names.map((name) => filter(name))), ...policies], { definitions: [ordered] });
  const orderIn = (evaluation: ReturnType<typeof inRule>["evaluation"]) =>
    [...effectivePolicies(evaluation)]
      .filter(({ target }) => target.endsWith("#rule-1"))
      .flatMap(({ order = [] }) => order.map((one) => one.policy.split("/").at(-1)));

  test("Reference: the policies are evaluated in the order of the rule, after those that target the route", () => {
    expect(orderIn(inRule("c", "a", "b").evaluation)).toEqual(["of-route", "c", "a", "b"]);
    expect(orderIn(inRule("b", "c").evaluation)).toEqual(["of-route", "b", "c"]);
  });

  test("a policy that is named twice is evaluated where it is named first", () => {
    expect(orderIn(inRule("c", "a", "c", "b").evaluation)).toEqual(["of-route", "c", "a", "b"]);
  });

  test("a rule with its filters in another order is evaluated in the new order, also by a change", () => {
    const { evaluation } = inRule("c", "a", "b");
    const changed = (...names: readonly string[]) =>
      apply(evaluation, [{ upsert: routed(names.map((name) => filter(name))) }]).evaluation;
    expect(orderIn(changed("b", "a", "c"))).toEqual(["of-route", "b", "a", "c"]);
    expect(orderIn(changed("c", "b"))).toEqual(["of-route", "c", "b"]);
    expect(orderIn(changed("c", "a", "b"))).toEqual(["of-route", "c", "a", "b"]);
  });

  test.each([
    [{ order: ["Reference"] }, {}, 'spec.merge.order[0] is "Reference", which compares policies of one level'],
    [{ order: ["Level", "Age", "Reference"] }, {}, 'spec.merge.order[2] is "Reference"'],
    [
      { order: ["Level", "Reference"], limit: 1 },
      {},
      "spec.merge.order has Reference, which has no meaning with spec.merge.limit",
    ],
    [
      { order: ["Level", "Reference"] },
      { namedBy: [] },
      "spec.merge.order has Reference, but no object names policies",
    ],
  ])("%j is a mistake of the definition", (merge, targeting, message) => {
    const definition = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "d" },
      spec: {
        policies: [{ group: "example.com", kind: "P" }],
        class: "Inherited",
        targeting: { kinds: ["HTTPRoute"], namedBy: [{ level: "HTTPRoute", path: "spec.p" }], ...targeting },
        merge: { strategy: "Accumulate", ...merge },
      },
    };
    const { findings } = parseDefinition(kubeObject(definition));
    expect(findings.map((one) => one.message).join("\n")).toContain(message);
  });
});

describe("an annotation names policies", () => {
  const plugins = (names: string) => ({ annotations: { "example.com/plugins": names } });
  const made = (names: string, ...policies: readonly JsonObject[]) =>
    cluster([...edge, route("r", "Gateway/g", plugins(names)), service("s", plugins(names)), ...policies], {
      definitions: [pluginKind],
      completeness: "Complete",
    });

  test("each name of the list", () => {
    const { outcome, spec: at } = made("a, b", spec("Plugin", "a", { v: 1 }), spec("Plugin", "b", { v: 2 }));
    expect(at("HTTPRoute/r")).toEqual({ v: 1 });
    expect(at("Service/s")).toEqual({ v: 1 });
    expect([outcome("a"), outcome("b")]).toEqual(["Enforced", "Conflicted by a"]);
  });

  test("a name means the first kind that has such a policy", () => {
    const wide = spec("ClusterPlugin", "a", { v: 9 }, "");
    expect(made("a", wide).spec("Service/s")).toEqual({ v: 9 });
    const both = made("a", wide, spec("Plugin", "a", { v: 1 }));
    expect(both.spec("Service/s")).toEqual({ v: 1 });
    const { evaluation } = made("a", wide);
    const { evaluation: next } = apply(evaluation, [{ upsert: spec("Plugin", "a", { v: 1 }) }]);
    expect([...effectivePolicies(next)].map((one) => one.spec)).toEqual([{ v: 1 }, { v: 1 }]);
    const { evaluation: last } = apply(next, [
      { delete: { group: "example.com", kind: "Plugin", namespace: "default", name: "a" } },
    ]);
    expect([...effectivePolicies(last)].map((one) => one.spec)).toEqual([{ v: 9 }, { v: 9 }]);
  });

  test("fields that other kinds have for their targets are part of the spec", () => {
    const { spec: at } = made("a", spec("Plugin", "a", { targetRef: { kind: "Teapot" } }));
    expect(at("Service/s")).toEqual({ targetRef: { kind: "Teapot" } });
  });
});

test("parametersRef: the Gateway's are below those of its class", () => {
  const reference = (name: string, more: JsonObject = {}) => ({ group: "example.com", kind: "Proxy", name, ...more });
  const classed = {
    ...gatewayClass("class"),
    spec: { controllerName: "example.com/c", parametersRef: reference("all", { namespace: "infra" }) },
  };
  const own = gateway("g");
  const parametrized = {
    ...own,
    spec: { ...(own["spec"] as JsonObject), infrastructure: { parametersRef: reference("one") } },
  };
  const proxies = [spec("Proxy", "all", { log: 1, replicas: 1 }, "infra"), spec("Proxy", "one", { replicas: 3 })];
  const { spec: at, outcome } = cluster([classed, parametrized, gateway("h"), ...proxies], {
    definitions: [proxyKind],
  });
  expect(at("Gateway/g")).toEqual({ log: 1, replicas: 3 });
  expect(at("Gateway/h")).toEqual({ log: 1, replicas: 1 });
  expect(outcome("infra/all")).toBe("PartiallyEnforced by one");
});

test("a kind whose targets need a section", () => {
  const kind = policyKind("GatewayPolicy", { targets: ["Gateway/Listener"], ends: ["Gateway/Listener"] });
  const [first] = kind.targeting.kinds;
  const definition = {
    ...kind,
    targeting: { ...kind.targeting, kinds: first === undefined ? [] : [{ ...first, sectionRequired: true }] },
  };
  const {
    outcome,
    message,
    findingsOn,
    spec: at,
  } = cluster(
    [
      ...edge,
      policy("GatewayPolicy", "whole", "Gateway/g", { jwt: 1 }),
      policy("GatewayPolicy", "p", "Gateway/g#http", { jwt: 2 }),
    ],
    { definitions: [definition] },
  );
  expect(outcome("whole")).toBe("TargetNotFound");
  expect(message("whole")).toBe(
    "a GatewayPolicy targets a listener of a Gateway, not all of it; name one in spec.targetRef.sectionName",
  );
  expect(findingsOn("whole").map(({ code }) => code)).toEqual(["SectionRequired"]);
  expect(at("Gateway/g#http")).toEqual({ jwt: 2 });
});

describe("a definition with a mistake", () => {
  const problems = (targeting: JsonObject): readonly string[] =>
    parseDefinition(
      kubeObject({
        apiVersion: "prevail.dev/v1alpha1",
        kind: "PolicyDefinition",
        metadata: { name: "d" },
        spec: { policies: [{ group: "example.com", kind: "P" }], class: "Inherited", targeting },
      }),
    ).findings.map(({ message }) => message);

  for (const [targeting, expected] of [
    [
      {},
      "spec.targeting.kinds is missing: list the kinds that a policy may target, or in namedBy the fields of objects that name policies.",
    ],
    [
      { namedBy: [{ level: "HTTPRoute" }] },
      "spec.targeting.namedBy[0] has neither path nor annotation; give one of them.",
    ],
    [
      { namedBy: [{ level: "HTTPRoute", path: "a", annotation: "b" }] },
      "spec.targeting.namedBy[0] has both path and annotation; give one of them.",
    ],
    [
      { namedBy: [{ level: "HTTPRouteRule", annotation: "b" }] },
      "spec.targeting.namedBy[0].level is a section, and only objects have annotations: leave out the section, or give a path.",
    ],
    [
      { kinds: [{ kind: "Gateway", sectionRequired: true }] },
      "spec.targeting.kinds[0].sectionRequired is true, but spec.targeting.kinds[0].sections is empty: list the sections of a Gateway that may be targeted.",
    ],
  ] as const)
    test(expected, () => {
      expect(problems(targeting)).toContain(expected);
    });
});

describe("settings beside metadata", () => {
  const definition: JsonObject = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "plugins.example.com" },
    spec: {
      policies: [{ group: "example.com", kind: "Plugin" }],
      class: "Inherited",
      targeting: {
        namedBy: [
          { level: "HTTPRoute", annotation: "example.com/plugins", separator: "," },
          { level: "Service", annotation: "example.com/plugins" },
        ],
      },
      hierarchy: { effectiveTargets: ["Service"] },
      merge: { strategy: "Accumulate" },
      settings: "Root",
      approximate: [{ because: "a secret is not resolved", paths: ["config.secret"] }],
    },
  };
  const plugin = (name: string, fields: JsonObject): JsonObject => ({
    apiVersion: "example.com/v1",
    kind: "Plugin",
    metadata: { name, namespace: "default" },
    ...fields,
    status: { conditions: [] },
  });
  const objects = [
    ...edge,
    route("r", "Gateway/g", { annotations: { "example.com/plugins": "cors" }, rules: [{ backends: ["s"] }] }),
    service("s", { annotations: { "example.com/plugins": "limit" } }),
  ];

  test("all fields but those of every object are settings", () => {
    const made = cluster([
      definition,
      ...objects,
      plugin("cors", { plugin: "cors", config: { origins: ["*"] } }),
      plugin("limit", { plugin: "limit", config: { secret: "x" } }),
    ]);
    expect(made.spec("HTTPRoute/r > Service/s")).toEqual({
      "default/cors": { plugin: "cors", config: { origins: ["*"] } },
      "default/limit": { plugin: "limit", config: { secret: "x" } },
    });
    const caveats = caveatsFor(made.evaluation, { about: "Input" }).map(({ message }) => message);
    expect(caveats).toContainEqual(expect.stringContaining("1 Plugin rests on it: a secret"));
  });

  test("a kind whose policies have targets, or are merged, cannot have them", () => {
    const spec = definition["spec"] as JsonObject;
    for (const change of [{ targeting: { kinds: ["Gateway"] } }, { merge: {} }]) {
      const { findings } = parseDefinition(kubeObject({ ...definition, spec: { ...spec, ...change } }));
      expect(findings.map(({ field }) => field)).toContain("spec.settings");
    }
  });
});
