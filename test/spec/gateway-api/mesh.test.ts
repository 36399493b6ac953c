/**
 * GEP-1294, "Namespace boundaries"
 * GEP-1294, "Multiple routes for a Service"
 * Gateway API, "Mesh"
 */
import { describe, expect, test } from "vitest";
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
