import { describe, expect, test } from "vitest";
import {
  apply,
  buildSnapshot,
  type Change,
  caveatsFor,
  type Evaluation,
  effectivePolicies,
  evaluate,
  findings,
  type JsonObject,
  verdicts,
} from "../../src/index.ts";
import { gateway, gatewayClass, policy, route } from "../support/cluster/gateway-objects.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";

const GROUP = "gateway.envoyproxy.io";
const cluster = [
  gatewayClass("class", "gateway.envoyproxy.io/gatewayclass-controller"),
  gateway("g"),
  route("r", "Gateway/g"),
];
const security = (spec: JsonObject, on = "Gateway/g", name = "p") =>
  policy("SecurityPolicy", name, on, spec, { group: GROUP });

const crd = customResourceDefinition({
  group: "kuadrant.io",
  kind: "DNSPolicy",
  plural: "dnspolicies",
  labels: { "gateway.networking.k8s.io/policy": "direct" },
  spec: { ...anySpec, properties: { targetRef: anySpec } },
});

const ownDefinition: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "mine" },
  spec: {
    policies: [{ group: GROUP, kind: "SecurityPolicy" }],
    class: "Direct",
    targeting: { kinds: ["Gateway"] },
  },
};

const codesOf = (evaluation: Evaluation) =>
  findings(evaluation)
    .map(({ code }) => code)
    .filter((code) => code !== "ImpliedObject");

describe("a definition of an implementation is used where there are objects or CRDs of its kind", () => {
  test("objects alone are enough", () => {
    const [verdict] = verdicts(evaluate(buildSnapshot([...cluster, security({ cors: {} })])));
    expect(verdict?.verdict.state).toBe("Accepted");
  });

  test("the label of a CRD is not used to infer a definition", () => {
    expect(codesOf(evaluate(buildSnapshot([...cluster, crd])))).toEqual([]);
  });

  test("with definitions of the caller's own none is used", () => {
    expect([...verdicts(evaluate(buildSnapshot([...cluster, security({})]), { definitions: [] }))]).toEqual([]);
  });

  test("a PolicyDefinition in the input replaces it, and a finding says so", () => {
    const evaluation = evaluate(buildSnapshot([...cluster, security({ cors: {} }), ownDefinition]));
    expect(codesOf(evaluation)).toEqual(["DefinitionReplacesBuiltIn"]);
    expect([...effectivePolicies(evaluation)].map(({ target }) => target)).toEqual([
      "Gateway.gateway.networking.k8s.io/default/g",
    ]);
  });
});

describe("apply, where the first object of a kind comes or the last one goes", () => {
  const summary = (evaluation: Evaluation) => ({
    verdicts: [...verdicts(evaluation)],
    effective: [...effectivePolicies(evaluation)],
    codes: codesOf(evaluation),
  });
  const gone: Change = { delete: { group: GROUP, kind: "SecurityPolicy", namespace: "default", name: "p" } };
  const rows: ReadonlyArray<readonly [string, readonly JsonObject[], readonly Change[], readonly JsonObject[]]> = [
    ["the first policy", cluster, [{ upsert: security({ cors: {} }) }], [...cluster, security({ cors: {} })]],
    ["the last policy", [...cluster, security({ cors: {} })], [gone], cluster],
    [
      "one of two",
      [...cluster, security({ cors: {} }), security({}, "HTTPRoute/r", "q")],
      [gone],
      [...cluster, security({}, "HTTPRoute/r", "q")],
    ],
    [
      "one goes and another comes",
      [...cluster, security({ cors: {} })],
      [gone, { upsert: security({}, "HTTPRoute/r", "q") }],
      [...cluster, security({}, "HTTPRoute/r", "q")],
    ],
  ];
  test.each(rows)("%s", (_, before, changes, after) => {
    const { evaluation } = apply(evaluate(buildSnapshot(before)), changes);
    expect(summary(evaluation)).toEqual(summary(evaluate(buildSnapshot(after))));
  });
});

describe("an approximation is a caveat where it matters", () => {
  const caveats = (objects: readonly JsonObject[]) =>
    caveatsFor(evaluate(buildSnapshot(objects, { completeness: "Complete" })), { about: "Input" });

  test("a policy without the field has none", () => {
    expect(
      caveats([...cluster, policy("GCPBackendPolicy", "p", "Service/s", {}, { group: "networking.gke.io" })]),
    ).toEqual([]);
  });

  test("a policy with the field has one, which names the difference", () => {
    const target = { group: "", kind: "Service", name: "s", namespace: "default" };
    const [only, ...others] = caveats([
      ...cluster,
      policy("GCPBackendPolicy", "p", target, {}, { group: "networking.gke.io" }),
    ]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      code: "ApproximateDefinition",
      severity: "partial",
      message:
        "the definition of GCPBackendPolicy is approximate, and 1 GCPBackendPolicy rests on it: a target in another namespace is refused here, and whether GKE accepts it is not known",
    });
  });

  test("a path with a value: only a target of that kind has the caveat", () => {
    const patch = (kind: string) =>
      policy("EnvoyPatchPolicy", "p", `${kind}/g`, {}, { group: "gateway.envoyproxy.io" });
    expect(caveats([patch("Gateway")]).map(({ code }) => code)).toEqual([]);
    expect(caveats([patch("GatewayClass")]).map(({ code }) => code)).toEqual(["ApproximateDefinition"]);
  });

  test("an index of a list: only a policy with two targets has the caveat", () => {
    const proxy = (...targets: readonly string[]) =>
      policy("ProxySettingsPolicy", "p", targets, { timeout: { read: "1s" } }, { group: "gateway.nginx.org" });
    expect(caveats([...cluster, proxy("Gateway/g")])).toEqual([]);
    expect(caveats([...cluster, proxy("Gateway/g", "HTTPRoute/r")]).map(({ code }) => code)).toEqual([
      "ApproximateDefinition",
    ]);
  });
});
