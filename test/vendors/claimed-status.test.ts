/** What a vendor's controller wrote, against what the objects say: a difference is reported in the words of the vendor. */
import { describe, expect, test } from "vitest";
import { check, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { vendorCluster } from "./vendor-cases.ts";

const condition = (text: string): JsonObject => {
  const [type = "", status = "", reason = ""] = text.split(/[=/]/);
  return { type, status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
};

/** A vendor whose controllers write conditions about policies. */
interface Claims {
  readonly controller: string;
  readonly kind: string;
  readonly group: string;
  /** A target that exists. Objects that it needs beside Gateway, route and Service are in `objects`. */
  readonly target: string | JsonObject;
  readonly objects?: readonly JsonObject[];
  /** The object that has the entry. Without it the conditions are in `status.conditions`. */
  readonly ancestor?: JsonObject;
  readonly spec: JsonObject;
  /** What its controller writes about a policy that it accepts. */
  readonly accepted: string;
  /** What it writes about the newer of two on one target, if that is not accepted or overridden. */
  readonly rival?: string;
  /** What it writes about a policy that its own validation refuses. */
  readonly invalid: string;
  /** What it writes about a target that does not exist. Some write nothing. */
  readonly targetNotFound?: string;
}

const gatewayRef: JsonObject = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" };
const server: JsonObject = {
  apiVersion: "policy.linkerd.io/v1beta3",
  kind: "Server",
  metadata: { name: "web", namespace: "default" },
  spec: {},
};
const retries = { retry: { numRetries: 1 } };

const vendors: Readonly<Record<string, Claims>> = {
  "Envoy Gateway": {
    controller: "gateway.envoyproxy.io/gatewayclass-controller",
    kind: "BackendTrafficPolicy",
    group: "gateway.envoyproxy.io",
    target: "HTTPRoute/r",
    ancestor: gatewayRef,
    spec: retries,
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/Conflicted",
    invalid: "Accepted=False/Invalid",
    targetNotFound: "Accepted=False/TargetNotFound",
  },
  kgateway: {
    controller: "kgateway.dev/kgateway",
    kind: "TrafficPolicy",
    group: "gateway.kgateway.dev",
    target: "HTTPRoute/r",
    ancestor: gatewayRef,
    spec: { timeouts: { request: "1s" } },
    accepted: "Accepted=True/Valid Attached=True/Attached",
    invalid: "Accepted=False/Invalid Attached=False/Pending",
  },
  agentgateway: {
    controller: "agentgateway.dev/agentgateway",
    kind: "AgentgatewayPolicy",
    group: "agentgateway.dev",
    target: "HTTPRoute/r",
    ancestor: gatewayRef,
    spec: { traffic: { timeouts: { request: "1s" } } },
    accepted: "Attached=True/Attached Accepted=True/Valid",
    invalid: "Accepted=False/Invalid Attached=False/Pending",
  },
  "NGINX Gateway Fabric": {
    controller: "gateway.nginx.org/nginx-gateway-controller",
    kind: "ClientSettingsPolicy",
    group: "gateway.nginx.org",
    target: "HTTPRoute/r",
    ancestor: gatewayRef,
    spec: { body: { maxSize: "1m" } },
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/Conflicted",
    invalid: "Accepted=False/NginxProxyNotSet",
    targetNotFound: "Accepted=False/TargetNotFound",
  },
  Kuadrant: {
    controller: "istio.io/gateway-controller",
    kind: "DNSPolicy",
    group: "kuadrant.io",
    target: "Gateway/g",
    spec: { ttl: 1 },
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/Conflicted",
    invalid: "Accepted=False/Invalid",
    targetNotFound: "Accepted=False/TargetNotFound",
  },
  AWS: {
    controller: "application-networking.k8s.aws/gateway-api-controller",
    kind: "TargetGroupPolicy",
    group: "application-networking.k8s.aws",
    target: "Service/s",
    spec: { protocol: "HTTP" },
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/Conflicted",
    invalid: "Accepted=False/Invalid",
    targetNotFound: "Accepted=False/TargetNotFound",
  },
  Linkerd: {
    controller: "example.com/any",
    kind: "HTTPLocalRateLimitPolicy",
    group: "policy.linkerd.io",
    target: { group: "policy.linkerd.io", kind: "Server", name: "web" },
    objects: [server],
    spec: { total: { requestsPerSecond: 1 } },
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/RateLimitReasonAlreadyExists",
    invalid: "Accepted=False/SomethingElse",
    targetNotFound: "Accepted=False/NoMatchingTarget",
  },
  Istio: {
    controller: "istio.io/gateway-controller",
    kind: "AuthorizationPolicy",
    group: "security.istio.io",
    target: "Service/s",
    spec: { action: "DENY" },
    accepted: "WaypointAccepted=True/Accepted",
    invalid: "WaypointAccepted=False/Invalid",
  },
  APISIX: {
    controller: "apisix.apache.org/apisix-ingress-controller",
    kind: "HTTPRoutePolicy",
    group: "apisix.apache.org",
    target: "HTTPRoute/r",
    ancestor: gatewayRef,
    spec: { vars: [["arg_a", "==", "x"]] },
    accepted: "Accepted=True/Accepted",
    invalid: "Accepted=False/Invalid",
  },
  GKE: {
    controller: "networking.gke.io/gateway",
    kind: "GCPTrafficExtension",
    group: "networking.gke.io",
    target: "Gateway/g",
    ancestor: gatewayRef,
    spec: { extensionChains: [] },
    accepted: "Accepted=True/Accepted",
    rival: "Accepted=False/Conflicted",
    invalid: "Accepted=False/InvalidCELExpression",
    targetNotFound: "Accepted=False/NoMatchingTarget",
  },
};

describe.each(Object.entries(vendors))("%s", (_, vendor) => {
  const { controller, group, kind, target, ancestor, spec, accepted, rival, invalid, targetNotFound } = vendor;
  const edge = [
    gatewayClass("class", controller),
    gateway("g", { listeners: [listener("http", { port: 80 })] }),
    route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
    service("s"),
    ...(vendor.objects ?? []),
  ];
  /** A policy with a status in which the vendor's controller wrote these conditions. */
  const claimed = (name: string, text: string, { created = 0, on = target } = {}): JsonObject => {
    const conditions = text.split(" ").map(condition);
    const status =
      ancestor === undefined
        ? { conditions }
        : { ancestors: [{ ancestorRef: ancestor, controllerName: controller, conditions }] };
    return { ...policy(kind, name, on, spec, { group, created }), status };
  };
  const differences = (...objects: readonly JsonObject[]) =>
    check(vendorCluster([...edge, ...objects]).evaluation)
      .filter(({ code }) => code === "StatusDiffers")
      .map(({ message }) => message);
  const absent = typeof target === "string" ? `${target}-absent` : { ...target, name: "absent" };

  test("an accepted policy that is accepted here is no finding", () => {
    expect(differences(claimed("p", accepted))).toEqual([]);
  });

  test("a policy that the vendor calls invalid is no finding: its own validation decides", () => {
    expect(differences(claimed("p", invalid))).toEqual([]);
  });

  test("accepted, although its target does not exist: the finding has the words of the vendor", () => {
    const found = differences(claimed("p", accepted, { on: absent }));
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain(accepted.split(" ")[0]);
    expect(found[0]).toContain("TargetNotFound");
  });

  if (targetNotFound !== undefined)
    test("a target that does not exist is no finding; one that exists is", () => {
      expect(differences(claimed("p", targetNotFound, { on: absent }))).toEqual([]);
      const [only] = differences(claimed("p", targetNotFound));
      expect(only).toContain(targetNotFound);
    });

  if (rival !== undefined)
    test("of two on one target: what is right is no finding, and the reverse is one", () => {
      expect(differences(claimed("old", accepted), claimed("young", rival, { created: 1 }))).toEqual([]);
      const reversed = differences(claimed("old", rival), claimed("young", accepted, { created: 1 }));
      expect(reversed.join("\n")).toContain(`the status of ${kind}`);
    });
});

test("Envoy Gateway: overridden, although no other policy is below it", () => {
  const claim: JsonObject = {
    ...policy("BackendTrafficPolicy", "p", "HTTPRoute/r", retries, { group: "gateway.envoyproxy.io" }),
    status: {
      ancestors: [
        {
          ancestorRef: gatewayRef,
          controllerName: "gateway.envoyproxy.io/gatewayclass-controller",
          conditions: ["Accepted=True/Accepted", "Overridden=True/Overridden"].map(condition),
        },
      ],
    },
  };
  const made = vendorCluster([
    gatewayClass("class", "gateway.envoyproxy.io/gatewayclass-controller"),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "only" }] }),
    claim,
  ]);
  const [only] = check(made.evaluation).filter(({ code }) => code === "StatusDiffers");
  expect(only?.message).toContain("Overridden=True");
});

test("kgateway: a Gateway's policy that all its routes replace is Attached there, and no difference", () => {
  const claim = (name: string, on: string, request: string): JsonObject => ({
    ...policy("TrafficPolicy", name, [on], { timeouts: { request } }, { group: "gateway.kgateway.dev" }),
    status: {
      ancestors: [
        {
          ancestorRef: gatewayRef,
          controllerName: "kgateway.dev/kgateway",
          conditions: ["Accepted=True/Valid", "Attached=True/Attached"].map(condition),
        },
      ],
    },
  });
  const made = vendorCluster([
    gatewayClass("class", "kgateway.dev/kgateway"),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "only" }] }),
    claim("house", "Gateway/g", "1s"),
    claim("own", "HTTPRoute/r", "2s"),
  ]);
  expect(made.outcome("house")).toBe("Overridden by own");
  expect(check(made.evaluation).filter(({ code }) => code === "StatusDiffers")).toEqual([]);
});

describe("what is left to implementations is no difference", () => {
  const CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller";
  const edge = [
    gatewayClass("class", CONTROLLER),
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
    service("s"),
  ];
  const claimed = (object: JsonObject, text: string, ancestor: JsonObject = gatewayRef): JsonObject => ({
    ...object,
    status: {
      ancestors: [
        { ancestorRef: ancestor, controllerName: CONTROLLER, conditions: text.split(" ").map((one) => condition(one)) },
      ],
    },
  });
  const differences = (...objects: readonly JsonObject[]) =>
    check(vendorCluster([...edge, ...objects]).evaluation).filter(({ code }) => code === "StatusDiffers");
  const traffic = (name: string, on: string, spec: JsonObject) =>
    policy("BackendTrafficPolicy", name, on, spec, { group: "gateway.envoyproxy.io" });
  const overridden = "Accepted=True/Accepted Overridden=True/Overridden";
  const tls = (spec: JsonObject, target: string | JsonObject = "Service/s") =>
    policy("BackendTLSPolicy", "tls", [target], spec, { group: "gateway.networking.k8s.io" });
  const system = { validation: { hostname: "s", wellKnownCACertificates: "System" } };

  test("whether a policy that sets nothing is overridden", () => {
    expect(differences(claimed(traffic("p", "Gateway/g", {}), overridden))).toEqual([]);
  });

  test("what a policy that its controller refuses does to others", () => {
    const refused = claimed(
      traffic("q", "HTTPRoute/r", { mergeType: "StrategicMerge", ...retries }),
      "Accepted=False/Invalid",
    );
    const house = traffic("p", "Gateway/g", { timeout: { http: { requestTimeout: "1s" } } });
    expect(differences(claimed(house, overridden), refused)).toEqual([]);
    expect(differences(claimed(house, overridden))).toHaveLength(1);
  });

  test("more kinds of CA certificates than Gateway API requires", () => {
    const secret = tls({
      validation: { hostname: "s", caCertificateRefs: [{ group: "", kind: "Secret", name: "ca" }] },
    });
    expect(differences(claimed(secret, "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs"))).toEqual([]);
  });

  test("targets of a kind of its own, and ancestors that are policies", () => {
    const backend = tls(system, { group: "gateway.envoyproxy.io", kind: "Backend", name: "b" });
    expect(differences(claimed(backend, "Accepted=True/Accepted"))).toEqual([]);
    const other = { group: "gateway.envoyproxy.io", kind: "BackendTrafficPolicy", name: "p" };
    const named = [claimed(tls(system), "Accepted=True/Accepted", other), traffic("p", "Gateway/g", retries)];
    expect(differences(...named)).toEqual([]);
  });

  test("a target that the definition does not model", () => {
    const patch = policy("EnvoyPatchPolicy", "p", "GatewayClass/class", {}, { group: "gateway.envoyproxy.io" });
    expect(differences(claimed(patch, "Accepted=True/Accepted"))).toEqual([]);
  });
});
