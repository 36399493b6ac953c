/**
 * GEP-713, "Hierarchy of target kinds and mechanics for calculating Effective meta resources"
 * A PolicyDefinition may add kinds, links and a hierarchy of its own.
 */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  fruit,
  gateway,
  listener,
  policy,
  reference,
  routeTo,
  service,
} from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, level, policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "../gateway-api/path-policies.ts";

describe("Hierarchies of their own, by data", () => {
  test("roots that are effective targets too: each has a path of its own, and none leads into the other", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "Service"],
      ends: ["Gateway", "Service"],
      roots: ["Gateway", "Service"],
      merge: { granularity: field },
    });
    const made = cluster(
      [
        gateway("g"),
        routeTo("r", "Gateway/g", "s"),
        service("s"),
        policy("LocalPolicy", "on-gateway", "Gateway/g", { x: 1 }),
        policy("LocalPolicy", "on-service", "Service/s", { y: 2 }),
      ],
      { definitions: [definition] },
    );
    expect(made.paths()).toEqual(["Gateway/g", "Service/s"]);
    expect(made.spec("Gateway/g")).toEqual({ x: 1 });
    expect(made.spec("Service/s")).toEqual({ y: 2 });
    expect([made.outcome("on-gateway"), made.outcome("on-service")]).toEqual(["Enforced", "Enforced"]);
  });

  test("a new kind of route and a new kind of backend", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "FruitRoute/Rule", "Bucket"],
      ends: ["Bucket"],
      merge: { granularity: field },
      links: [
        {
          from: level("Gateway/Listener"),
          to: level("FruitRoute"),
          via: "ParentRefs",
          path: "spec.parentRefs",
          attachment: "RouteToListener",
        },
        { from: level("FruitRoute/Rule"), to: level("Bucket"), via: "ChildRefs", path: "backendRefs" },
      ],
      kinds: [
        {
          ...level("FruitRoute"),
          scope: "Namespaced",
          sections: [{ section: "Rule", path: "spec.rules" }],
          route: { protocols: ["HTTP"], hostnames: true },
        },
        { ...level("Bucket"), scope: "Namespaced", sections: [] },
      ],
    });
    const fruitRoute = (name: string, hostname: string) =>
      fruit(`FruitRoute/${name}`, {
        parentRefs: [{ name: "g" }],
        hostnames: [hostname],
        rules: [{ name: "pick", backendRefs: [{ ...reference("Bucket/b") }] }],
      });
    const made = cluster(
      [
        gateway("g", { listeners: [listener("http", { hostname: "*.fruit.com" })] }),
        fruitRoute("r", "apple.fruit.com"),
        fruitRoute("q", "apple.vegetable.com"),
        fruit("Bucket/b"),
        policy("LocalPolicy", "gw", "Gateway/g", { x: 1, y: 1 }),
        policy("LocalPolicy", "rl", reference("FruitRoute/r#pick"), { x: 2 }),
      ],
      { definitions: [definition] },
    );
    expect(made.chains()).toEqual(["Gateway/g > FruitRoute/r > Bucket/b"]);
    expect(made.spec("Bucket/b")).toEqual({ x: 2, y: 1 });
  });

  test("a document is all it takes: a route kind, a backend kind, and status for them", () => {
    const made = cluster(`
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: pickpolicies.fruit.example.com}
spec:
  policies: [{group: fruit.example.com, kind: PickPolicy}]
  class: Inherited
  targeting:
    kinds: [Gateway, {group: fruit.example.com, kind: FruitRoute, sections: [Row]}]
  hierarchy:
    effectiveTargets: [{group: fruit.example.com, kind: Bucket}]
    kinds:
    - group: fruit.example.com
      kind: FruitRoute
      sections: [{section: Row, path: spec.rows}]
      route: {protocols: [HTTP], hostnames: true}
    - {group: fruit.example.com, kind: Bucket}
    links:
    - {from: GatewayListener, to: FruitRoute, via: ParentRefs, path: spec.parentRefs, attachment: RouteToListener}
    - {from: FruitRouteRow, to: Bucket, via: ChildRefs, path: buckets}
  merge: {granularity: {default: Field}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}, {name: tcp, port: 81, protocol: TCP}]}
---
apiVersion: fruit.example.com/v1
kind: FruitRoute
metadata: {name: r, namespace: default}
spec: {parentRefs: [{name: g}], rows: [{name: first, buckets: [{group: fruit.example.com, kind: Bucket, name: b}]}]}
---
apiVersion: fruit.example.com/v1
kind: Bucket
metadata: {name: b, namespace: default}
---
apiVersion: fruit.example.com/v1
kind: PickPolicy
metadata: {name: all, namespace: default}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: g}, x: 1, z: 1}
---
apiVersion: fruit.example.com/v1
kind: PickPolicy
metadata: {name: row, namespace: default}
spec: {targetRef: {group: fruit.example.com, kind: FruitRoute, name: r, sectionName: first}, x: 2}
`);
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > FruitRoute/r > FruitRoute/r#first > Bucket/b",
    ]);
    expect(made.spec("Bucket/b")).toEqual({ x: 2, z: 1 });
    expect(made.conditions("all")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
    expect(made.conditions("row")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"]);
    const [all, row] = ["PickPolicy default/all", "PickPolicy default/row"];
    expect(made.targetConditions().map((line) => line.replace("example.com/PickPolicyAffected=True by ", ""))).toEqual([
      `Bucket/b metadata.annotations: ${all}, ${row}`,
      `FruitRoute/r status.parents[g]: ${all}, ${row} (in first)`,
      `Gateway/g status.conditions: ${all}`,
      `Gateway/g status.listeners[http]: ${all}`,
    ]);
  });

  test("links by the parent's name, and by the child's list of parents", () => {
    const kinds = ["Orchard", "Tree", "Apple"];
    const { kinds: facts } = chainOfKinds(kinds);
    const definition = policyKind("LocalPolicy", {
      targets: kinds,
      ends: ["Apple"],
      merge: { granularity: field },
      kinds: facts,
      links: [
        { from: level("Orchard"), to: level("Tree"), via: "ParentName", path: "spec.orchard" },
        { from: level("Tree"), to: level("Apple"), via: "ParentRefs", path: "spec.trees" },
      ],
    });
    const made = cluster(
      [
        fruit("Orchard/o"),
        fruit("Tree/t", { orchard: "o" }),
        fruit("Tree/u", { orchard: "elsewhere" }),
        fruit("Apple/a", { trees: [{ name: "t" }, { name: "u" }] }),
        policy("LocalPolicy", "p", "Orchard/o", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("Orchard/o > Tree/t > Apple/a")).toEqual({ x: 1 });
    expect(made.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("a cycle is an error naming the objects in it, and changes nothing for the others", () => {
    const kinds = ["Orchard", "Tree"];
    const { kinds: facts } = chainOfKinds(kinds);
    const definition = policyKind("LocalPolicy", {
      targets: kinds,
      ends: ["Tree"],
      merge: { granularity: field },
      kinds: facts,
      roots: ["Orchard"],
      links: [
        { from: level("Orchard"), to: level("Tree"), via: "ChildRefs", path: "spec.trees" },
        { from: level("Tree"), to: level("Orchard"), via: "ChildRefs", path: "spec.orchards" },
      ],
    });
    const made = cluster(
      [
        fruit("Orchard/round", { trees: [reference("Tree/about")] }),
        fruit("Tree/about", { orchards: [reference("Orchard/round")] }),
        fruit("Orchard/straight", { trees: [reference("Tree/tall")] }),
        fruit("Tree/tall"),
        policy("LocalPolicy", "p", "Orchard/straight", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    const reported = made.findings.filter(
      ({ severity, message }) => severity === "error" && message.includes("round") && message.includes("about"),
    );
    expect(reported).toHaveLength(1);
    expect(made.spec("Orchard/straight > Tree/tall")).toEqual({ x: 1 });
  });
});
