/**
 * Gateway API, "Mesh"
 * GEP-1294, "Namespace boundaries"
 * GEP-1294, "Multiple routes for a Service"
 */
import { describe, expect, test } from "vitest";
import { explain, reach } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, reference, referenceGrant, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "./path-policies.ts";

describe("Mesh", () => {
  const mesh = policyKind("MeshPolicy", {
    targets: ["Service", "HTTPRoute"],
    ends: ["Service"],
    merge: { granularity: field },
  });
  const onService = policy("MeshPolicy", "p", "Service/s", { x: 1 }, { namespace: "prod" });
  const s = service("s", { namespace: "prod" });
  const t = service("t", { namespace: "prod" });
  const made = (...objects: readonly unknown[]) => cluster([s, t, onService, ...objects], { definitions: [mesh] });
  const producer = route("producer", "Service/s", { namespace: "prod", rules: [{ backends: ["t"] }] });
  const consumer = (ns: string) => [
    route("consumer", "Service/prod/s", { namespace: ns, rules: [{ backends: ["Service/prod/t"] }] }),
    referenceGrant(`from-${ns}`, "prod", { from: { kind: "HTTPRoute", namespace: ns }, to: { kind: "Service" } }),
  ];

  test("a producer's route carries everybody's traffic", () => {
    expect(made(producer).chains()).toEqual([
      "Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)",
    ]);
  });

  test("a consumer's route carries its own namespace's, instead of the producer's", () => {
    expect(
      made(producer, ...consumer("red"), ...consumer("blue"))
        .chains()
        .toSorted(),
    ).toEqual([
      "Service/prod/s > HTTPRoute/blue/consumer > Service/prod/t (from blue)",
      "Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)",
      "Service/prod/s > HTTPRoute/red/consumer > Service/prod/t (from red)",
    ]);
  });

  test("a route that splits its own Service's traffic is no cycle", () => {
    const self = made(route("self", "Service/s", { namespace: "prod", rules: [{ backends: ["s", "t"] }] }));
    expect(self.chains().toSorted()).toEqual([
      "Service/prod/s > HTTPRoute/prod/self > Service/prod/s (from others)",
      "Service/prod/s > HTTPRoute/prod/self > Service/prod/t (from others)",
    ]);
    expect(self.findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(self.outcome("prod/p")).toBe("Enforced");
  });

  test("a policy at two levels of a path sets its values once, and reaches the path once", () => {
    const self = made(route("self", "Service/s", { namespace: "prod", rules: [{ backends: ["s"] }] }));
    expect(self.chains()).toEqual(["Service/prod/s > HTTPRoute/prod/self > Service/prod/s (from others)"]);
    const parts = explain(self.evaluation, { group: "", kind: "Service", namespace: "prod", name: "s" })?.kinds.flatMap(
      ({ outcomes }) => outcomes.flatMap(({ policies }) => policies),
    );
    expect(parts?.map(({ inEffect, overridden }) => ({ inEffect, overridden }))).toEqual([
      { inEffect: 1, overridden: 0 },
    ]);
    const found = reach(self.evaluation, { group: "example.com", kind: "MeshPolicy", namespace: "prod", name: "p" });
    expect(found?.targets.map((target) => ("paths" in target ? target.paths : target.state))).toEqual([1]);
    expect(found?.reachedNodes.map(({ node, paths }) => `${node.name}${node.sectionName ?? ""} ${paths}`)).toEqual([
      "s 1",
      "self 1",
      "selfrule-1 1",
    ]);
  });

  test("a Service as parent by port", () => {
    const byPort = (port: number) =>
      made(
        route("producer", [{ ...reference("Service/s"), port }], { namespace: "prod", rules: [{ backends: ["t"] }] }),
      ).chains();
    expect(byPort(80)).toEqual(["Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)"]);
  });

  test.each([
    ["Services alone need no grant for backends elsewhere", ["Service/prod/s"], true],
    ["a Gateway that is not in the snapshot may carry it, too", ["Service/prod/s", "Gateway/absent"], false],
    ["a Service that is not there carries nothing", ["Service/prod/s", "Service/absent"], true],
  ])("grants: %s", (_, parents, expected) => {
    const split = route("split", parents, { namespace: "red", rules: [{ backends: ["Service/prod/t"] }] });
    expect(made(split).findings.every(({ code }) => code !== "RefNotPermitted")).toBe(expected);
    expect(made(split).chains().includes("Service/prod/s > HTTPRoute/red/split > Service/prod/t (from red)")).toBe(
      expected,
    );
  });

  test("below a Service that is not in the snapshot: backends elsewhere need no grant, and the path is incomplete", () => {
    const below = route("below", "Service/prod/absent", {
      namespace: "red",
      rules: [{ backends: ["Service/prod/t"] }],
    });
    const onBackend = policy("MeshPolicy", "b", "Service/t", { x: 2 }, { namespace: "prod" });
    const found = made(below, onBackend);
    expect(found.chains()).toEqual(["HTTPRoute/red/below > Service/prod/t (incomplete)"]);
    expect(found.findings.every(({ code }) => code !== "RefNotPermitted")).toBe(true);
    expect(found.outcome("prod/b")).toBe("Incomplete");
  });

  test("ingress and mesh stay apart: a path through a Gateway has no `from`", () => {
    const both = cluster(
      [
        s,
        t,
        onService,
        producer,
        gateway("g", { namespace: "prod" }),
        route("ingress", "Gateway/g", { namespace: "prod", rules: [{ backends: ["s"] }] }),
      ],
      { definitions: [mesh] },
    );
    const [ingress] = both.effective().filter(({ path }) => path.some(({ kind }) => kind === "Gateway"));
    expect(ingress?.from).toBeUndefined();
    expect(both.chains()).toContain("Gateway/prod/g > HTTPRoute/prod/ingress > Service/prod/s");
  });
});
