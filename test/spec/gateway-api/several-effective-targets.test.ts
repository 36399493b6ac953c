/**
 * Gateway API, "Hierarchy"
 * A definition may let paths begin and end at Gateways and at Services.
 */
import { expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

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
