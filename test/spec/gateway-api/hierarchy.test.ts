/**
 * Gateway API, "Hierarchy"
 * A definition may let paths begin and end at Gateways and at Services.
 */
import { describe, expect, test } from "vitest";
import { compileDataplane } from "../../../src/core/dataplane/compile-dataplane.ts";
import { worldOf } from "../../../src/core/evaluation.ts";
import type { KindFacts } from "../../../src/core/model/definition.ts";
import { apply, verdicts } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  fruit,
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  policy,
  reference,
  route,
  routeTo,
  service,
} from "../../support/cluster/gateway-objects.ts";
import { level, policyKind } from "../../support/cluster/policy-kind.ts";
import { field, reaching, under, validatedUnder } from "./path-policies.ts";

describe("Hierarchy", () => {
  test("GatewayClass > Gateway > Listener > HTTPRoute > Rule > Service > Port", () => {
    const made = under(["Service/Port"], gateway("g"), routeTo("r", "Gateway/g", "s"), service("s"));
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s > Service/s#http",
    ]);
  });

  test("Gateway > ListenerSet > Listener", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", { allowedListeners: "Same" }),
      listenerSet("ls", "Gateway/g"),
      routeTo("r", "ListenerSet/ls"),
    );
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > ListenerSet/ls > ListenerSet/ls#extra > HTTPRoute/r",
    ]);
  });

  test("one path per way down: two listeners, two rules, two backends", () => {
    const made = under(
      ["Service"],
      gateway("g", { listeners: [listener("a"), listener("b", { port: 81 })] }),
      route("r", "Gateway/g", { rules: [{ backends: ["s", "t"] }, { backends: ["s"] }] }),
      service("s"),
      service("t"),
    );
    expect(
      made
        .paths()
        .map((path) => path.split(" > ").slice(2).join(" > "))
        .toSorted(),
    ).toEqual(
      ["a", "b"].flatMap((name) => [
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s`,
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/t`,
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-2 > Service/s`,
      ]),
    );
  });

  test("duplicate parentRefs or backends give one path", () => {
    // Gateway API v1.7.0 refuses duplicate parentRefs; earlier versions take them.
    const made = validatedUnder(
      ["Service"],
      gateway("g"),
      route("r", ["Gateway/g", "Gateway/g", "Gateway/g#http", { ...reference("Gateway/g"), port: 80 }], {
        rules: [{ backends: ["s", "s", "Service/s"] }],
      }),
      service("s"),
    );
    expect(made.chains()).toEqual(["Gateway/g > HTTPRoute/r > Service/s"]);
  });

  test("several effective targets: a rule without a backend is its own end, one with backends is not", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "bare" }, { name: "served", backends: ["s"] }] }),
      service("s"),
    );
    const ends = made.paths().map((path) => path.split(" > ").slice(-2).join(" > "));
    expect(ends.toSorted()).toEqual(["HTTPRoute/r > HTTPRoute/r#bare", "HTTPRoute/r#served > Service/s"]);
  });

  test("a backend that does not exist is no end of a path, and the rule is", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["absent"] }] }),
    );
    expect(made.paths().map((path) => path.split(" > ").at(-1))).toEqual(["HTTPRoute/r#rule"]);
  });

  test("named and unnamed rules: declared names are kept, the others are named by their index", () => {
    const made = under(
      ["HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{}, { name: "named" }, {}] }),
    );
    expect(made.effective().map(({ path }) => path.at(-1)?.sectionName)).toEqual(
      expect.arrayContaining(["rule-1", "named", "rule-3"]),
    );
  });

  test.each([
    ["left out", {}],
    ["null", { rules: null }],
  ])("an HTTPRoute whose rules are %s has the one that its CRD gives it, and a data plane serves it", (_, rules) => {
    const bare = { ...route("r", "Gateway/g"), spec: { parentRefs: [reference("Gateway/g")], ...rules } };
    const made = under(["HTTPRoute/Rule"], gateway("g"), bare);
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule-1",
    ]);
    const world = worldOf(made.evaluation);
    const [port] = compileDataplane(world, { endpointAnnotations: "Used" }).gateways.flatMap(({ ports }) => ports);
    const [served] = port?.listeners[0]?.virtualHosts[0]?.routes ?? [];
    expect([served?.rule.rule, served?.match.path]).toEqual(["rule-1", { type: "PathPrefix", value: "/" }]);
  });

  test("an empty list of rules is refused, as the API server does (MinItems), of GRPCRoutes it is none", () => {
    const empty = (kind: string) => ({ ...route("r", "Gateway/g", { kind }), spec: { rules: [] } });
    expect(under(["HTTPRoute"], empty("HTTPRoute")).findingsOn("r")).toEqual([
      expect.objectContaining({ severity: "error", field: "spec.rules" }),
    ]);
    expect(under(["GRPCRoute"], empty("GRPCRoute")).findingsOn("r")).toEqual([]);
  });

  test("Namespaces and GatewayClasses that objects name but no document defines are implied", () => {
    const made = under(["Gateway"], gateway("a"), gateway("b"));
    expect(made.outcome("everywhere")).toBe("Enforced");
    expect(made.findings.filter(({ message }) => message.includes("class"))).toHaveLength(1);
    const defined = under(["Gateway"], gateway("a"), gatewayClass("class"));
    expect(defined.findings.filter(({ message }) => /GatewayClass/.test(message))).toEqual([]);
  });

  test("nothing else is implied: other objects that a reference names are not found", () => {
    const kinds: readonly KindFacts[] = [
      { ...level("Orchard"), scope: "Cluster", sections: [] },
      { ...level("Tree"), scope: "Namespaced", sections: [] },
    ];
    const byRefs = { from: level("Orchard"), to: level("Tree"), via: "ParentRefs", path: "spec.orchards" } as const;
    const byName = { from: level("Orchard"), to: level("Tree"), via: "ParentName", path: "spec.orchard" } as const;
    const definition = policyKind("FruitPolicy", {
      scope: "Cluster",
      targets: ["Orchard"],
      ends: ["Tree"],
      merge: { granularity: field },
      kinds,
      links: [byRefs, byName],
    });
    const inVain = fruit("Tree/t", { orchards: [reference("Orchard/gone")] });
    const onGone = policy("FruitPolicy", "p", "Orchard/gone", { x: 1 }, { namespace: "" });
    const made = cluster([inVain, onGone], { definitions: [definition], completeness: "Complete" });
    expect(made.outcome("p")).toBe("TargetNotFound");
    // Children that name it by its bare name are below it, and the policy follows when that changes.
    const below = fruit("Tree/t", { orchard: "gone" });
    expect(cluster([below, onGone], { definitions: [definition] }).outcome("p")).toBe("Enforced");
    for (const [before, after] of [
      [inVain, below],
      [below, inVain],
    ] as const) {
      const changed = apply(cluster([before, onGone], { definitions: [definition] }).evaluation, [{ upsert: after }]);
      expect([...verdicts(changed.evaluation)]).toEqual([
        ...verdicts(cluster([after, onGone], { definitions: [definition] }).evaluation),
      ]);
    }
  });

  test("a GatewayClass that no Gateway names is not found", () => {
    const made = cluster([gateway("g"), policy("PathPolicy", "p", "GatewayClass/other", { x: 1 }, { namespace: "" })], {
      definitions: [reaching("Gateway")],
      completeness: "Complete",
    });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toContain("other");
  });

  test("an absent parent Gateway makes the paths below it incomplete", () => {
    const made = cluster(
      [routeTo("r", "Gateway/absent", "s"), service("s"), policy("LocalPolicy", "p", "HTTPRoute/r", { x: 1 })],
      {
        definitions: [reaching("Service")],
      },
    );
    expect(made.paths()).toEqual(["HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s (incomplete)"]);
    expect(made.spec("HTTPRoute/r > Service/s")).toEqual({ x: 1 });
  });

  test("a route that no listener accepts is on no path, and its policy says so", () => {
    const made = cluster(
      [gateway("g"), route("r", "Gateway/g#absent"), policy("LocalPolicy", "p", "HTTPRoute/r", { x: 1 })],
      {
        definitions: [reaching("HTTPRoute")],
      },
    );
    expect(made.chains()).toEqual([]);
    expect(made.outcome("p")).toBe("NoPath");
  });
});

describe("Several effective targets", () => {
  test("a kind whose roots are its effective targets: a policy on the Gateway takes effect there, also above routes to a Service", () => {
    const kind = policyKind("MeshPolicy", {
      targets: ["Gateway", "Service"],
      ends: ["Gateway", "Service"],
      roots: ["Gateway", "Service"],
    });
    const policies = [
      policy("MeshPolicy", "edge", "Gateway/g", { a: 1 }),
      policy("MeshPolicy", "backend", "Service/s", { a: 2 }),
    ];
    const objects = [gatewayClass("class"), gateway("g"), routeTo("r", "Gateway/g", "s"), service("s"), ...policies];
    const { spec, outcome } = cluster(objects, { definitions: [kind] });
    expect([outcome("edge"), outcome("backend")]).toEqual(["Enforced", "Enforced"]);
    expect(spec("Gateway/g")).toEqual({ a: 1 });
    expect(spec("Service/s")).toEqual({ a: 2 });
  });

  test("a path whose route names a port that the Service does not have ends at the listener, as one without a route does", () => {
    const kind = policyKind("EdgePolicy", {
      targets: ["Gateway/Listener", "Service/Port"],
      ends: ["Gateway/Listener", "Service/Port"],
    });
    const pathsWith = (port: number): readonly string[] =>
      cluster(
        [
          gatewayClass("class"),
          gateway("g"),
          route("r", "Gateway/g", { rules: [{ backends: [{ name: "s", port }] }] }),
          service("s"),
          policy("EdgePolicy", "edge", "Gateway/g", { a: 1 }),
        ],
        { definitions: [kind] },
      )
        .effective("EdgePolicy")
        .map(({ path }) => path.map(({ name, sectionName }) => sectionName ?? name).join(" > "));
    expect(pathsWith(80)).toEqual(["class > g > http > r > rule-1 > s > http"]);
    expect(pathsWith(81)).toEqual(["class > g > http"]);
  });
});
