/**
 * Gateway API, "BackendTLSPolicyValidation.caCertificateRefs"
 * Gateway API, "BackendTLSPolicyConditionResolvedRefs"
 * Gateway API, "PolicyAncestorStatus"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { builtInDefinitions } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  gateway,
  listener,
  listenerSet,
  policy,
  route,
  routeTo,
  service,
} from "../../support/cluster/gateway-objects.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2VydGlmaWNhdGUw\n-----END CERTIFICATE-----\n";

const configMap = (name: string, data?: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  ...(data === undefined ? {} : { data }),
});

const ca = configMap("ca", { "ca.crt": PEM });

const tls = (
  name: string,
  target: string,
  refs: readonly JsonObject[] = [{ group: "", kind: "ConfigMap", name: "ca" }],
  created = 0,
): JsonObject =>
  policy(
    "BackendTLSPolicy",
    name,
    target,
    { validation: { hostname: "s.example", caCertificateRefs: [...refs] } },
    { group: "gateway.networking.k8s.io", created },
  );

const built = { definitions: builtInDefinitions() };
const below = [gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];
const make = (...objects: readonly JsonObject[]) => cluster([...below, ...objects], built);

const ACCEPTED = "Accepted=True/Accepted Enforced=True/Enforced ResolvedRefs=True/ResolvedRefs";

describe("PolicyAncestorStatus: the ancestors of a BackendTLSPolicy are the Gateways that use the Service", () => {
  test("the Gateway of the route, not the Service", () => {
    expect(make(ca, tls("p", "Service/s")).conditions("p")).toEqual([`Gateway/g: ${ACCEPTED}`]);
  });

  test("every Gateway, also by way of a ListenerSet, each once", () => {
    const made = make(
      ca,
      tls("p", "Service/s"),
      gateway("h", { allowedListeners: "Same" }),
      listenerSet("set", "Gateway/h"),
      routeTo("r2", "ListenerSet/set", "s"),
      routeTo("r3", "Gateway/g", "s"),
    );
    expect(made.conditions("p")).toEqual([`Gateway/g: ${ACCEPTED}`, `Gateway/h: ${ACCEPTED}`]);
  });

  test("a policy on a port: only the Gateways whose routes use that port", () => {
    const made = cluster(
      [
        service("s", { ports: { web: 80, admin: 81 } }),
        gateway("g"),
        routeTo("r", "Gateway/g", "s"),
        gateway("h"),
        route("r2", "Gateway/h", { rules: [{ backends: [{ name: "s", port: 81 }] }] }),
        ca,
        tls("p", "Service/s#admin"),
      ],
      built,
    );
    expect(made.conditions("p")).toEqual([`Gateway/h: ${ACCEPTED}`]);
  });

  test("a Service that no Gateway uses is the ancestor itself", () => {
    const made = cluster([service("s"), ca, tls("p", "Service/s")], built);
    expect(made.conditions("p")).toEqual([`Service/s: ${ACCEPTED}`]);
  });

  test("a route that no listener accepts gives no ancestor", () => {
    const made = cluster(
      [
        gateway("g", { listeners: [listener("http", { kinds: ["GRPCRoute"] })] }),
        ...below.slice(1),
        ca,
        tls("p", "Service/s"),
      ],
      built,
    );
    expect(made.conditions("p")).toEqual([`Service/s: ${ACCEPTED}`]);
  });

  test("a policy whose target does not exist has the target as ancestor", () => {
    const objects = [ca, tls("p", "Service/none")];
    const complete = cluster([...below, ...objects], { ...built, completeness: "Complete" });
    expect(complete.conditions("p")).toEqual(["Service/none: Accepted=False/TargetNotFound"]);
    expect(make(...objects).conditions("p")).toEqual(["Service/none: Accepted=Unknown/Incomplete"]);
  });
});

describe("BackendTLSPolicy: conflicts on one target and section", () => {
  test("the oldest takes precedence, then the first by namespace/name; the others are Conflicted at the Gateway", () => {
    const made = make(
      ca,
      tls("b", "Service/s", undefined, 5),
      tls("c", "Service/s", undefined, 5),
      tls("a", "Service/s", undefined, 6),
    );
    expect(made.conditions("b")).toEqual([`Gateway/g: ${ACCEPTED}`]);
    for (const name of ["a", "c"]) {
      expect(made.conditions(name)).toEqual(["Gateway/g: Accepted=False/Conflicted"]);
      expect(made.outcome(name)).toBe("Conflicted by b");
    }
  });

  test("a policy on a port takes precedence over one on the Service: no conflict", () => {
    const made = make(ca, tls("whole", "Service/s", undefined, 0), tls("port", "Service/s#http", undefined, 1));
    expect(made.conditions("port")).toEqual([`Gateway/g: ${ACCEPTED}`]);
    expect(made.effectiveAt("Service/s#http", { kind: "BackendTLSPolicy" }).sources[0]?.policy).toContain("/port");
  });
});

describe("CACertificateRefs: a reference is invalid", () => {
  const at = (...objects: readonly JsonObject[]) => make(...objects).conditions("p");
  const NONE_VALID = "Gateway/g: Accepted=False/NoValidCACertificate ResolvedRefs=False/";

  for (const [why, data, message] of [
    ["it has no data", undefined, "has no key 'ca.crt'"],
    ["it has no key named ca.crt", { "tls.crt": PEM }, "has no key 'ca.crt'"],
    ["ca.crt is not PEM", { "ca.crt": "hello" }, "'ca.crt' has no certificate in PEM"],
    ["ca.crt is another PEM", { "ca.crt": PEM.replaceAll("CERTIFICATE", "PUBLIC KEY") }, "no certificate in PEM"],
    ["a certificate is cut", { "ca.crt": PEM.slice(0, 50) }, "no certificate in PEM"],
    ["a certificate is not in base64", { "ca.crt": PEM.replace("MIIB", "****") }, "no certificate in PEM"],
  ] as const)
    test(`misconfigured: ${why}: InvalidCACertificateRef, and Accepted is False with NoValidCACertificate`, () => {
      const made = make(configMap("ca", data), tls("p", "Service/s"));
      expect(made.conditions("p")).toEqual([`${NONE_VALID}InvalidCACertificateRef`]);
      expect(made.outcome("p")).toBe("NoValidCACertificate");
      const [finding] = made.findingsOn("p");
      expect(finding).toMatchObject({
        code: "InvalidCACertificateRef",
        severity: "error",
        field: "spec.validation.caCertificateRefs[0]",
      });
      expect(finding?.message).toContain(message);
    });

  test("the referenced resource does not exist: InvalidCACertificateRef, if the input is complete", () => {
    const made = cluster([...below, tls("p", "Service/s")], { ...built, completeness: "Complete" });
    expect(made.conditions("p")).toEqual([`${NONE_VALID}InvalidCACertificateRef`]);
    expect(made.messages("p", "ResolvedRefs")).toEqual([
      "spec.validation.caCertificateRefs[0]: there is no ConfigMap default/ca",
    ]);
  });

  test("an unknown or unsupported kind: InvalidKind", () => {
    expect(at(tls("p", "Service/s", [{ group: "invalid.io", kind: "InvalidKind", name: "x" }]))).toEqual([
      `${NONE_VALID}InvalidKind`,
    ]);
    expect(at(tls("p", "Service/s", [{ group: "", kind: "Secret", name: "x" }]))).toEqual([`${NONE_VALID}InvalidKind`]);
  });

  test("one of two is invalid: Accepted stays True", () => {
    const refs = ["ca", "bad"].map((name) => ({ group: "", kind: "ConfigMap", name }));
    const made = make(ca, configMap("bad", {}), tls("p", "Service/s", refs));
    expect(made.conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=True/Enforced ResolvedRefs=False/InvalidCACertificateRef",
    ]);
    expect(made.messages("p", "ResolvedRefs")).toEqual([
      "spec.validation.caCertificateRefs[1]: ConfigMap default/bad has no key 'ca.crt'",
    ]);
  });

  test("a reference that is not in the input is not known: no finding, and neither Enforced nor ResolvedRefs is True", () => {
    const made = make(tls("p", "Service/s"));
    expect(made.findingsOn("p")).toEqual([]);
    expect(made.outcome("p")).toBe("Incomplete");
    expect(made.conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=Unknown/Incomplete ResolvedRefs=Unknown/Incomplete",
    ]);
    expect(made.messages("p", "Enforced")).toEqual([
      "whether the references of the policy are valid is not known: spec.validation.caCertificateRefs[0]: ConfigMap default/ca is not in the input",
    ]);
    expect(made.messages("p", "ResolvedRefs")).toEqual([
      "spec.validation.caCertificateRefs[0]: ConfigMap default/ca is not in the input",
    ]);
  });

  test("one of two is valid, the other is not in the input: the policy takes effect", () => {
    const refs = ["ca", "elsewhere"].map((name) => ({ group: "", kind: "ConfigMap", name }));
    expect(make(ca, tls("p", "Service/s", refs)).conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=True/Enforced ResolvedRefs=Unknown/Incomplete",
    ]);
  });

  test("one of two is invalid, the other is not in the input: whether the policy is accepted is not known", () => {
    const refs = ["bad", "elsewhere"].map((name) => ({ group: "", kind: "ConfigMap", name }));
    expect(make(configMap("bad", {}), tls("p", "Service/s", refs)).conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=Unknown/Incomplete ResolvedRefs=False/InvalidCACertificateRef",
    ]);
  });

  test("a policy whose references are not known is Overridden where every port has a policy of its own", () => {
    const other = [{ group: "", kind: "ConfigMap", name: "elsewhere" }];
    const made = make(ca, tls("whole", "Service/s", other), tls("port", "Service/s#http"));
    expect(made.outcome("whole")).toBe("Overridden by port");
    expect(made.outcome("port")).toBe("Enforced");
  });

  test("wellKnownCACertificates has no references", () => {
    const system = policy(
      "BackendTLSPolicy",
      "p",
      "Service/s",
      { validation: { hostname: "s.example", wellKnownCACertificates: "System" } },
      { group: "gateway.networking.k8s.io" },
    );
    expect(make(system).conditions("p")).toEqual([`Gateway/g: ${ACCEPTED}`]);
  });

  test("a policy that is not accepted keeps its target: the next one by age does not take effect instead", () => {
    const made = make(
      configMap("bad", {}),
      ca,
      tls("old", "Service/s", [{ group: "", kind: "ConfigMap", name: "bad" }], 0),
      tls("new", "Service/s", undefined, 1),
    );
    expect(made.outcome("old")).toBe("NoValidCACertificate");
    expect(made.outcome("new")).toBe("Conflicted by old");
  });
});
