/** Statements about mixed clusters that were false once. Each is a test: what is reported instead must be true. */

import { describe, expect, test } from "vitest";
import { buildSnapshot, caveatsFor, check, evaluate, type JsonObject, verdicts } from "../../src/index.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { cluster } from "../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";
import { vendorCluster } from "./vendor-cases.ts";

const EG = "gateway.envoyproxy.io";
const behind = (controller: string): readonly JsonObject[] => [
  gatewayClass("class", controller),
  gateway("g"),
  route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
  service("s"),
];
const RULE = "HTTPRoute/r#only";

const crd = (group: string, kind: string, label: string, properties: JsonObject): JsonObject =>
  customResourceDefinition({
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    labels: { "gateway.networking.k8s.io/policy": label },
    spec: { type: "object", properties },
  });

describe("false once", () => {
  test("1: a SecurityPolicy of Envoy Gateway behind Istio is not Enforced, and a finding names the controller", () => {
    const jwt = policy("SecurityPolicy", "jwt", "HTTPRoute/r", { jwt: {} }, { group: EG });
    const { outcome, findingsOn } = vendorCluster([...behind("istio.io/gateway-controller"), jwt]);
    expect(outcome("jwt")).toBe("NoPath");
    const [finding] = findingsOn("jwt");
    expect(finding?.code).toBe("NoController");
    expect(finding?.message).toContain("istio.io/gateway-controller");
  });

  test("2: behind an empty policy the Gateway's values are not shown as effective", () => {
    const { spec, outcome } = vendorCluster([
      ...behind("gateway.envoyproxy.io/gatewayclass-controller"),
      policy("BackendTrafficPolicy", "house", "Gateway/g", { retry: { numRetries: 3 } }, { group: EG }),
      policy("BackendTrafficPolicy", "shield", "HTTPRoute/r", {}, { group: EG }),
    ]);
    expect(spec(RULE)).toEqual({});
    expect(outcome("house")).toBe("Overridden by shield");
  });

  test("3: decided by the lower policy: a policy that was replaced does not bring back what is above it", () => {
    const definition: JsonObject = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "lower" },
      spec: {
        policies: [{ group: "example.com", kind: "LowerPolicy" }],
        class: "Inherited",
        targeting: { kinds: ["Gateway", { kind: "HTTPRoute", sections: ["Rule"] }] },
        hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
        merge: {
          decidedBy: "Lower",
          granularity: { default: "Atomic", field: "mergeType", values: { Merge: "Field" } },
        },
      },
    };
    const { spec } = cluster([
      definition,
      ...behind("example.com/any"),
      policy("LowerPolicy", "house", "Gateway/g", { a: 1 }),
      policy("LowerPolicy", "route", "HTTPRoute/r", { b: 1, mergeType: "Merge" }),
      policy("LowerPolicy", "rule", ["HTTPRoute/r#only"], { c: 1 }),
    ]);
    expect(spec(RULE)).toEqual({ c: 1 });
  });

  test("3: the same with Envoy Gateway's own kind: a rule's policy is not merged with its route's, which is with the Gateway's", () => {
    const traffic = (name: string, on: string | readonly string[], spec: JsonObject, created: number) =>
      policy("BackendTrafficPolicy", name, on, spec, { group: EG, created });
    const { spec, outcome, source } = vendorCluster([
      ...behind("gateway.envoyproxy.io/gatewayclass-controller"),
      traffic("house", "Gateway/g", { retry: { numRetries: 3 } }, 0),
      traffic("route", "HTTPRoute/r", { mergeType: "StrategicMerge", timeout: { http: { requestTimeout: "1s" } } }, 1),
      traffic("rule", ["HTTPRoute/r#only"], { connection: { bufferLimit: "1Ki" } }, 2),
    ]);
    expect(spec(RULE)).toEqual({ connection: { bufferLimit: "1Ki" } });
    expect(outcome("house")).toBe("Overridden by rule");
    expect(source(RULE, "/retry/numRetries").lost).toEqual(["house bare 3 replaced by rule"]);
  });

  test("4 and 5: the ancestors of a BackendTLSPolicy are Gateways; without its CA certificate it is not accepted", () => {
    const tls = policy(
      "BackendTLSPolicy",
      "tls",
      ["Service/s"],
      { validation: { hostname: "s", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "absent" }] } },
      { group: "gateway.networking.k8s.io" },
    );
    const { conditions } = vendorCluster([...behind("example.com/any"), tls]);
    expect(conditions("tls")).toEqual([
      "Gateway/g: Accepted=False/NoValidCACertificate ResolvedRefs=False/InvalidCACertificateRef",
    ]);
  });

  describe("6: Kuadrant's conditions and responses", () => {
    const auth = (name: string, on: string, spec: JsonObject, created: number) =>
      policy("AuthPolicy", name, on, spec, { group: "kuadrant.io", created });
    const merged = (rules: JsonObject): JsonObject => ({ defaults: { strategy: "merge", ...rules } });

    test("a list of predicates in a block is valid, and a rule of the policy", () => {
      const when = [{ predicate: "request.path != '/health'" }];
      const { spec, outcome } = vendorCluster([
        ...behind("istio.io/gateway-controller"),
        auth("house", "Gateway/g", merged({ when, rules: { authentication: { x: { anonymous: {} } } } }), 0),
      ]);
      expect(outcome("house")).toBe("Enforced");
      expect(spec(RULE)).toEqual({ when, rules: { authentication: { x: { anonymous: {} } } } });
    });

    test("a response is never mixed of two policies", () => {
      const answer = (value: JsonObject): JsonObject => ({ rules: { response: { unauthenticated: value } } });
      const { spec } = vendorCluster([
        ...behind("istio.io/gateway-controller"),
        auth("house", "Gateway/g", merged(answer({ code: 401, body: { value: "no" } })), 0),
        auth("own", "HTTPRoute/r", answer({ code: 302 }), 1),
      ]);
      expect(spec(RULE)).toEqual(answer({ code: 302 }));
    });
  });

  test("7: a kind with the label Direct and without targets is no policy kind; no object of it is an error", () => {
    const objects = [
      crd("example.com", "UpstreamPolicy", "direct", { algorithm: { type: "string" } }),
      {
        apiVersion: "example.com/v1",
        kind: "UpstreamPolicy",
        metadata: { name: "p", namespace: "default" },
        spec: { algorithm: "round-robin" },
      },
    ];
    const evaluation = evaluate(buildSnapshot(objects));
    expect([...verdicts(evaluation)]).toEqual([]);
    expect(check(evaluation).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("7: an answer that rests on a definition inferred from a label says so", () => {
    const objects = [
      ...behind("example.com/any"),
      crd("example.com", "TrafficPolicy", "Direct", { targetRefs: { type: "array", items: anySpec } }),
      policy("TrafficPolicy", "p", ["HTTPRoute/r"], {}),
    ];
    const codes = caveatsFor(evaluate(buildSnapshot(objects)), { about: "Input" }).map(({ code }) => code);
    expect(codes).toContain("InferredDefinition");
  });

  test("7: two TrafficPolicies of kgateway on one route both take effect, and check does not advise to delete one", () => {
    const traffic = (name: string, spec: JsonObject, created: number) =>
      policy("TrafficPolicy", name, ["HTTPRoute/r"], spec, { group: "gateway.kgateway.dev", created });
    const { outcome, evaluation } = vendorCluster([
      ...behind("kgateway.dev/kgateway"),
      crd("gateway.kgateway.dev", "TrafficPolicy", "Direct", { targetRefs: { type: "array", items: anySpec } }),
      traffic("a", { timeouts: { request: "1s" } }, 0),
      traffic("b", { retry: { attempts: 2 } }, 1),
    ]);
    expect([outcome("a"), outcome("b")]).toEqual(["Enforced", "Enforced"]);
    expect(check(evaluation).map(({ code }) => code)).not.toContain("Conflicted");
  });

  test.each([
    ["security.istio.io", "Gateway/g", "istio.io/gateway-controller"],
    ["policy.linkerd.io", "HTTPRoute/r", "example.com/any"],
  ])("8: check does not advise to delete an AuthorizationPolicy of %s that is in effect", (group, on, controller) => {
    const one = (name: string, created: number) =>
      policy("AuthorizationPolicy", name, on, { name }, { group, created });
    const { outcome, evaluation } = vendorCluster([...behind(controller), one("a", 0), one("b", 1)]);
    expect([outcome("a"), outcome("b")]).toEqual(["Enforced", "Enforced"]);
    const advice = check(evaluation).filter(({ message }) => /delete|conflict/i.test(message));
    expect(advice).toEqual([]);
  });

  test("9: a kind that takes effect on Gateways and on Services: a policy on the Gateway has a path", () => {
    const definition: JsonObject = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "both" },
      spec: {
        policies: [{ group: "example.com", kind: "BothPolicy" }],
        class: "Inherited",
        targeting: { kinds: ["Gateway", "Service"] },
        hierarchy: { roots: ["Gateway", "Service"], effectiveTargets: ["Gateway", "Service"] },
      },
    };
    const { outcome, findings } = cluster([
      definition,
      gatewayClass("class", "example.com/any"),
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
      policy("BothPolicy", "p", "Gateway/g", { a: 1 }),
    ]);
    const isRefused = findings.some(({ severity, code }) => severity === "error" && code.startsWith("Definition"));
    expect(isRefused || outcome("p") === "Enforced").toBe(true);
  });

  test("9: the same with Istio's own kind, which takes effect on Gateways and on Services", () => {
    const { outcome, spec } = vendorCluster([
      ...behind("istio.io/gateway-controller"),
      policy("AuthorizationPolicy", "p", "Gateway/g", { action: "DENY" }, { group: "security.istio.io" }),
    ]);
    expect(outcome("p")).toBe("Enforced");
    expect(spec("Gateway/g", { kind: "AuthorizationPolicy" })).toEqual({ "default/p": { action: "DENY" } });
  });

  test.each([
    ["AuthorizationPolicy", ["security.istio.io", "policy.linkerd.io"]],
    ["RateLimitPolicy", ["kuadrant.io", "gateway.nginx.org"]],
    ["BackendTLSPolicy", ["gateway.networking.k8s.io", "alb.networking.azure.io"]],
    ["HealthCheckPolicy", ["networking.gke.io", "alb.networking.azure.io"]],
  ])("10: where two kinds are named %s, get policies and check show the group", async (kind, groups) => {
    const policies = groups.map((group) => policy(kind, `of-${group}`, "Gateway/nowhere", {}, { group }));
    const files = { "cluster.json": JSON.stringify({ kind: "List", apiVersion: "v1", items: policies }) };
    for (const command of ["get policies", "check --complete"]) {
      const { stdout } = await runCli(`${command} -f cluster.json`, { files });
      for (const group of groups) expect(stdout).toContain(`${kind}.${group}`);
    }
    const { stdout } = await runCli("get policies -f cluster.json", {
      files: { "cluster.json": JSON.stringify(policies[0]) },
    });
    expect(stdout).toContain(kind);
    expect(stdout).not.toContain(`${kind}.`);
  });

  test("a GatewayPolicy of Consul without sectionName takes no effect, and a finding says why", () => {
    const { outcome, findingsOn, affectedBy } = vendorCluster([
      ...behind("consul.hashicorp.com/gateway-controller"),
      policy("GatewayPolicy", "p", "Gateway/g", { default: { jwt: {} } }, { group: "consul.hashicorp.com" }),
    ]);
    expect(outcome("p")).not.toMatch(/^(Enforced|PartiallyEnforced)/);
    expect(affectedBy("Gateway/g#http")).toEqual([]);
    expect(findingsOn("p").map(({ code }) => code)).toContain("SectionRequired");
  });

  describe("a kind that is decided by an annotation", () => {
    const definition = (annotation: JsonObject): JsonObject => ({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "annotated" },
      spec: {
        policies: [{ group: "example.com", kind: "AnnotatedPolicy" }],
        class: "Inherited",
        targeting: { kinds: ["Gateway", "HTTPRoute"] },
        hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
        merge: {
          granularity: { default: "Field" },
          decidedBy: "Annotation",
          annotation: {
            key: "example.com/who",
            values: { child: { base: "Defaults", granularity: "Field" } },
            ...annotation,
          },
        },
      },
    });
    const parentWins: JsonObject = { absent: { base: "Overrides", granularity: "Field" } };
    const policies = [
      policy("AnnotatedPolicy", "high", "Gateway/g", { a: 1 }),
      policy("AnnotatedPolicy", "low", "HTTPRoute/r", { a: 2 }),
    ];
    const annotated = (value: string): readonly JsonObject[] =>
      behind("example.com/any").map((object) =>
        object["kind"] === "Gateway"
          ? {
              ...object,
              metadata: { ...(object["metadata"] as JsonObject), annotations: { "example.com/who": value } },
            }
          : object,
      );

    test("its absence means what the definition says", () => {
      expect(cluster([definition(parentWins), ...behind("example.com/any"), ...policies]).spec(RULE)).toEqual({ a: 1 });
      expect(cluster([definition(parentWins), ...annotated("child"), ...policies]).spec(RULE)).toEqual({ a: 2 });
    });

    test("a value without a meaning is a finding, which names the allowed ones", () => {
      const { findings } = cluster([definition(parentWins), ...annotated("chidl"), ...policies]);
      const found = findings.find(({ code }) => code === "UnknownAnnotationValue");
      expect(found?.message).toContain('"chidl"');
      expect(found?.message).toContain("child");
    });
  });

  test("check does not advise to rename a field that two policies of Gloo Gateway set", () => {
    const option = (name: string, on: string, options: JsonObject) =>
      policy("VirtualHostOption", name, [on], { options }, { group: "gateway.solo.io" });
    const { evaluation, spec } = vendorCluster([
      ...behind("solo.io/gloo-gateway"),
      option("house", "Gateway/g", { retries: { numRetries: 1 }, timeout: "1s" }),
      option("listener", "Gateway/g#http", { retries: { numRetries: 2 } }),
    ]);
    expect(spec("Gateway/g#http")).toEqual({ options: { retries: { numRetries: 2 }, timeout: "1s" } });
    expect(check(evaluation).filter(({ fix }) => /rename/i.test(fix ?? ""))).toEqual([]);
  });

  test("a Direct kind with several target kinds is no mistake: no warning about it", () => {
    const definition: JsonObject = {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "direct" },
      spec: {
        policies: [{ group: "example.com", kind: "IamPolicy" }],
        class: "Direct",
        targeting: { kinds: ["Gateway", "HTTPRoute", "GRPCRoute"] },
      },
    };
    const { findings } = cluster([definition, ...behind("example.com/any")]);
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });
});

describe("false once, too", () => {
  test("a Consul GatewayPolicy without sectionName takes no effect, and a finding says why", () => {
    const jwt = { override: { jwt: { providers: [{ name: "x" }] } } };
    const { outcome, spec, findingsOn } = vendorCluster([
      ...behind("consul.hashicorp.com/gateway-controller"),
      policy("GatewayPolicy", "p", "Gateway/g", jwt, { group: "consul.hashicorp.com" }),
    ]);
    expect(outcome("p")).toBe("TargetNotFound");
    expect(spec("Gateway/g#http", { kind: "GatewayPolicy" })).toEqual({});
    expect(findingsOn("p").map(({ code }) => code)).toEqual(["SectionRequired"]);
  });

  const delegating = (annotations: Readonly<Record<string, string>>, controller: string): readonly JsonObject[] => [
    gatewayClass("class", controller),
    gateway("g"),
    route("parent", "Gateway/g", {
      annotations,
      rules: [{ name: "team", backends: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "child" }] }],
    }),
    route("child", [], { rules: [{ name: "only" }] }),
  ];
  const CHILD = "HTTPRoute/parent#team > HTTPRoute/child#only";

  test("without Gloo's annotation the parent's fields take effect, not the child's", () => {
    const option = (name: string, on: string, timeout: string, created: number) =>
      policy("RouteOption", name, [on], { options: { timeout } }, { group: "gateway.solo.io", created });
    const { spec, outcome } = vendorCluster([
      ...delegating({}, "solo.io/gloo-gateway"),
      option("parent", "HTTPRoute/parent", "1s", 0),
      option("child", "HTTPRoute/child", "2s", 1),
    ]);
    expect(spec(CHILD)).toEqual({ options: { timeout: "1s" } });
    expect(outcome("child")).toBe("Overridden by parent");
  });

  test("a value of kgateway's annotation that it does not have is a finding about the route", () => {
    const annotations = { "kgateway.dev/inherited-policy-priority": "PreferParent" };
    const { findingsOn } = vendorCluster([
      ...delegating(annotations, "kgateway.dev/kgateway"),
      policy("TrafficPolicy", "p", ["HTTPRoute/parent"], { cors: {} }, { group: "gateway.kgateway.dev" }),
    ]);
    expect(findingsOn("parent").map(({ code }) => code)).toEqual(["UnknownAnnotationValue"]);
  });

  test("check does not advise to rename a field of Gloo's options, which has a fixed name", () => {
    const option = (name: string, retries: number, created: number) =>
      policy("VirtualHostOption", name, "Gateway/g", { options: { retries } }, { group: "gateway.solo.io", created });
    const { evaluation } = vendorCluster([...behind("solo.io/gloo-gateway"), option("a", 1, 0), option("b", 2, 1)]);
    expect(check(evaluation).map(({ code }) => code)).not.toContain("RuleNameCollision");
  });

  test("no finding blames a Direct kind of an implementation for having several kinds of targets", () => {
    const { evaluation } = vendorCluster([
      ...behind("application-networking.k8s.aws/gateway-api-controller"),
      policy("IAMAuthPolicy", "p", "HTTPRoute/r", { policy: "{}" }, { group: "application-networking.k8s.aws" }),
      policy("AccessLogPolicy", "q", "Gateway/g", { destinationArn: "x" }, { group: "application-networking.k8s.aws" }),
    ]);
    expect(check(evaluation).filter(({ code }) => code.startsWith("Definition"))).toEqual([]);
  });
});
