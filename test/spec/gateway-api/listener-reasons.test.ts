/**
 * Gateway API, "ListenerConditionReason": the reasons of listeners
 * Gateway API, "ProtocolType"
 * Gateway API, "ListenerReasonInvalidRouteKinds"
 * Gateway API, "ListenerConditionResolvedRefs"
 * Gateway API, "ListenerSetReasonParentNotAccepted"
 * Gateway API, "ListenerReasonNoValidCACertificate"
 * Gateway API, "GatewayConditionInsecureFrontendValidationMode"
 */
import { describe, expect, test } from "vitest";
import type { Completeness } from "../../../src/core/model/completeness.ts";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import { check } from "../../../src/index.ts";
import { type Cluster, cluster } from "../../support/cluster/cluster.ts";
import {
  gateway,
  listener,
  listenerSet,
  referenceGrant,
  route,
  service,
} from "../../support/cluster/gateway-objects.ts";

/** `Gateway/g spec.listeners[0].protocol: UnsupportedProtocol`, of every error and warning. */
function reasons(objects: readonly JsonObject[], completeness: Completeness = "Partial"): readonly string[] {
  return reasonsIn(cluster(objects, { completeness }));
}

function reasonsIn({ evaluation }: Cluster): readonly string[] {
  return check(evaluation)
    .filter(({ severity }) => severity !== "info")
    .map(({ object = "", field, code }) => {
      const [kind = "", , name] = object.split("/");
      return `${kind.split(".")[0]}/${name} ${field}: ${code}`;
    });
}

const withListener = (more: JsonObject, name = "l"): JsonObject => ({ ...listener(name), ...more });
const https = (...refs: readonly Json[]): JsonObject => ({
  name: "l",
  port: 443,
  protocol: "HTTPS",
  tls: { certificateRefs: [...refs] },
});
const object = (kind: string, name: string, more: JsonObject = {}, namespace = "default"): JsonObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace },
  ...more,
});
const withSpec = (value: JsonObject, spec: JsonObject): JsonObject => ({
  ...value,
  spec: { ...(value["spec"] as JsonObject), ...spec },
});

describe("ListenerReasonUnsupportedProtocol", () => {
  const g = (protocol: string) => gateway("g", { listeners: [withListener({ protocol })] });

  test("a protocol that Gateway API does not have", () => {
    expect(reasons([g("INVALID")])).toEqual(["Gateway/g spec.listeners[0].protocol: UnsupportedProtocol"]);
    expect(
      reasons([
        gateway("g", { allowedListeners: "Same" }),
        listenerSet("s", "Gateway/g", { listeners: [withListener({ protocol: "http", port: 81 })] }),
      ]),
    ).toEqual(["ListenerSet/s spec.listeners[0].protocol: UnsupportedProtocol"]);
  });

  test("a protocol with a domain is up to the implementation", () => {
    expect(reasons([g("example.com/quic")])).toEqual([]);
    expect(reasons([g("HBONE")])).toEqual([]);
    for (const protocol of ["HTTP", "TCP", "UDP"]) expect(reasons([g(protocol)])).toEqual([]);
  });
});

describe("ListenerReasonInvalidRouteKinds", () => {
  const g = (kinds: readonly JsonObject[], protocol = "HTTP") =>
    gateway("g", { listeners: [withListener({ protocol, allowedRoutes: { kinds: [...kinds] } })] });

  test("a kind that Gateway API does not have, or that the protocol does not carry", () => {
    const at = "Gateway/g spec.listeners[0].allowedRoutes.kinds";
    expect(reasons([g([{ kind: "InvalidRoute" }])])).toEqual([`${at}[0]: InvalidRouteKinds`]);
    expect(reasons([g([{ kind: "HTTPRoute" }, { kind: "TCPRoute" }])])).toEqual([`${at}[1]: InvalidRouteKinds`]);
    expect(reasons([g([{ kind: "HTTPRoute" }], "UDP")])).toEqual([`${at}[0]: InvalidRouteKinds`]);
    const passthrough = listener("l", { protocol: "TLS", mode: "Passthrough", kinds: ["TCPRoute", "TLSRoute"] });
    expect(reasons([gateway("g", { listeners: [passthrough] })])).toEqual([`${at}[0]: InvalidRouteKinds`]);
  });

  test("kinds that the protocol carries, and kinds of other groups", () => {
    expect(reasons([g([{ kind: "HTTPRoute" }, { kind: "GRPCRoute" }])])).toEqual([]);
    expect(reasons([g([{ group: "example.com", kind: "FooRoute" }])])).toEqual([]);
    expect(reasons([g([{ kind: "HTTPRoute" }], "example.com/quic")])).toEqual([]);
  });
});

describe("ListenerReasonInvalidCertificateRef and RefNotPermitted", () => {
  const at = "Gateway/g spec.listeners[0].tls.certificateRefs[0]";
  const g = (...refs: readonly Json[]) => gateway("g", { listeners: [https(...refs)] });

  test("a Secret that does not exist; unknown unless the input is complete", () => {
    expect(reasons([g({ name: "c" })])).toEqual([]);
    expect(reasons([g({ name: "c" })], "Complete")).toEqual([`${at}: InvalidCertificateRef`]);
    expect(reasons([g({ name: "c" }), object("Secret", "c")], "Complete")).toEqual([]);
  });

  test("an unsupported kind; kinds of other groups are up to the implementation", () => {
    expect(reasons([g({ group: "", kind: "WrongKind", name: "c" })])).toEqual([`${at}: InvalidCertificateRef`]);
    expect(reasons([g({ group: "example.com", kind: "Certificate", name: "c" })])).toEqual([]);
  });

  test("another namespace: RefNotPermitted without a ReferenceGrant that names the kind of the owner", () => {
    const ref = { name: "c", namespace: "certs" };
    const secret = object("Secret", "c", {}, "certs");
    const grant = (kind: string, name?: string) =>
      referenceGrant("ok", "certs", {
        from: { kind, namespace: "default" },
        to: { group: "", kind: "Secret", ...(name === undefined ? {} : { name }) },
      });
    expect(reasons([g(ref), secret])).toEqual([`${at}: RefNotPermitted`]);
    expect(reasons([g(ref), secret, grant("HTTPRoute")])).toEqual([`${at}: RefNotPermitted`]);
    expect(reasons([g(ref), secret, grant("Gateway", "other")])).toEqual([`${at}: RefNotPermitted`]);
    expect(reasons([g(ref), secret, grant("Gateway", "c")])).toEqual([]);
    expect(reasons([g(ref), secret, grant("Gateway")])).toEqual([]);
  });

  test("Passthrough uses no certificates", () => {
    const tls = { mode: "Passthrough", certificateRefs: [{ name: "c", namespace: "certs" }] };
    expect(reasons([gateway("g", { listeners: [{ name: "l", port: 443, protocol: "TLS", tls }] })])).toEqual([]);
  });
});

describe("ListenerConditionConflicted", () => {
  const port = (name: string, more: JsonObject = {}): JsonObject => withListener({ port: 80, ...more }, name);

  test("HostnameConflict: the same port and hostname, for every such listener of one Gateway", () => {
    const listeners = [port("a", { hostname: "x.example" }), port("b", { hostname: "x.example" }), port("c")];
    // Gateway API's CRD refuses them together; a Gateway that was stored before its rules may have them.
    expect(reasonsIn(cluster([gateway("g", { listeners })], { validated: true }))).toEqual([
      "Gateway/g spec.listeners[0]: HostnameConflict",
      "Gateway/g spec.listeners[1]: HostnameConflict",
    ]);
  });

  test.each(["TCP", "UDP"])("ProtocolConflict: two %s listeners on one port (GEP-2644, GEP-2645)", (protocol) => {
    const listeners = ["a", "b"].map((name) => listener(name, { protocol }));
    expect(reasonsIn(cluster([gateway("g", { listeners })], { validated: true }))).toEqual([
      "Gateway/g spec.listeners[0]: ProtocolConflict",
      "Gateway/g spec.listeners[1]: ProtocolConflict",
    ]);
  });

  test("ProtocolConflict: the same port, and protocols that cannot share it", () => {
    const listeners = [port("a"), port("b", { protocol: "TCP" })];
    expect(reasons([gateway("g", { listeners })])).toEqual([
      "Gateway/g spec.listeners[0]: ProtocolConflict",
      "Gateway/g spec.listeners[1]: ProtocolConflict",
    ]);
  });

  test("the Gateway comes before its ListenerSets, and an older ListenerSet before a newer one", () => {
    const set = (name: string, created: number, ...listeners: readonly JsonObject[]): JsonObject => ({
      ...listenerSet(name, "Gateway/g", { listeners }),
      metadata: { name, namespace: "default", creationTimestamp: `2026-01-0${created}T00:00:00Z` },
    });
    expect(
      reasons([
        gateway("g", { allowedListeners: "Same", listeners: [port("a", { hostname: "x.example" })] }),
        set("new", 2, port("c", { hostname: "y.example" })),
        set("old", 1, port("b", { hostname: "x.example" }), port("c", { hostname: "y.example" })),
        set("tcp", 3, port("d", { protocol: "TCP" })),
      ]),
    ).toEqual([
      "ListenerSet/new spec.listeners[0]: HostnameConflict",
      "ListenerSet/old spec.listeners[0]: HostnameConflict",
      "ListenerSet/tcp spec.listeners[0]: ProtocolConflict",
    ]);
  });
});

test("a listener that the Gateway excludes does not exclude others of its ListenerSet", () => {
  const on = (name: string, more: JsonObject): JsonObject => withListener({ port: 80, ...more }, name);
  expect(
    reasons([
      gateway("g", { allowedListeners: "Same", listeners: [on("a", { hostname: "x.example" })] }),
      listenerSet("s", "Gateway/g", { listeners: [on("b", { hostname: "y.example" }), on("c", { protocol: "TCP" })] }),
    ]),
  ).toEqual(["ListenerSet/s spec.listeners[1]: ProtocolConflict"]);
});

describe("GatewayReasonInvalidParameters, GatewayClassReasonInvalidParameters", () => {
  const parametersRef = { group: "", kind: "ConfigMap", name: "p" };
  const g = withSpec(gateway("g"), { infrastructure: { parametersRef } });
  const gatewayClass = (ref: JsonObject): JsonObject => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: "class" },
    spec: { controllerName: "example.com/c", parametersRef: ref },
  });

  test("an object that does not exist; unknown unless the input is complete", () => {
    expect(reasons([g])).toEqual([]);
    expect(reasons([g, object("ConfigMap", "p")], "Complete")).toEqual([]);
    expect(reasons([g], "Complete")).toEqual(["Gateway/g spec.infrastructure.parametersRef: InvalidParameters"]);
    expect(reasons([gatewayClass({ ...parametersRef, namespace: "default" })], "Complete")).toEqual([
      "GatewayClass/class spec.parametersRef: InvalidParameters",
    ]);
  });

  test("a namespaced object needs a namespace, and a cluster-scoped one has none", () => {
    expect(reasons([gatewayClass(parametersRef)])).toEqual([
      "GatewayClass/class spec.parametersRef: InvalidParameters",
    ]);
    expect(reasons([gatewayClass({ group: "", kind: "Namespace", name: "p", namespace: "default" })])).toEqual([
      "GatewayClass/class spec.parametersRef: InvalidParameters",
    ]);
    expect(reasons([gatewayClass({ group: "example.com", kind: "Parameters", name: "p" })])).toEqual([]);
  });

  test("ListenerSetReasonParentNotAccepted: the ListenerSets of such a Gateway", () => {
    const parent = withSpec(gateway("g", { allowedListeners: "Same" }), { infrastructure: { parametersRef } });
    expect(reasons([parent, listenerSet("s", "Gateway/g")], "Complete")).toEqual([
      "Gateway/g spec.infrastructure.parametersRef: InvalidParameters",
      "ListenerSet/s spec.parentRef: ParentNotAccepted",
    ]);
  });
});

describe("client certificates", () => {
  const validation = (ref: JsonObject): JsonObject => ({ validation: { caCertificateRefs: [ref] } });
  const frontend = (ref: JsonObject) =>
    withSpec(gateway("g", { listeners: [https({ name: "c" })] }), { tls: { frontend: { default: validation(ref) } } });
  const at = "Gateway/g spec.tls.frontend.default.validation.caCertificateRefs[0]";
  const NONE_VALID = "Gateway/g spec.listeners[0]: NoValidCACertificate";

  test("InvalidCACertificateRef: a ConfigMap without ca.crt", () => {
    const ref = { group: "", kind: "ConfigMap", name: "ca" };
    expect(reasons([frontend(ref), object("ConfigMap", "ca")])).toEqual([`${at}: InvalidCACertificateRef`, NONE_VALID]);
    expect(reasons([frontend(ref)])).toEqual([]);
  });

  test("InvalidCACertificateKind", () => {
    expect(reasons([frontend({ group: "", kind: "Service", name: "ca" })])).toEqual([
      `${at}: InvalidCACertificateKind`,
      NONE_VALID,
    ]);
  });

  test("NoValidCACertificate: HTTPS listeners without a valid reference, at the Gateway and its ListenerSets", () => {
    const invalid = { group: "", kind: "Service", name: "ca" };
    const both = [invalid, { group: "", kind: "ConfigMap", name: "ca" }];
    const parent = (refs: readonly JsonObject[]) =>
      withSpec(
        gateway("g", { allowedListeners: "Same", listeners: [https({ name: "c" }), listener("plain", { port: 80 })] }),
        {
          tls: { frontend: { default: { validation: { caCertificateRefs: [...refs] } } } },
        },
      );
    const set = listenerSet("s", "Gateway/g", {
      listeners: [{ ...https({ name: "c" }), name: "s", hostname: "s.example" }],
    });
    expect(reasons([parent([invalid]), set])).toEqual([
      `${at}: InvalidCACertificateKind`,
      NONE_VALID,
      "ListenerSet/s spec.listeners[0]: NoValidCACertificate",
    ]);
    expect(reasons([parent(both), set])).toEqual([`${at}: InvalidCACertificateKind`]);
  });

  test("InsecureFrontendValidationMode: clients are admitted without a valid certificate", () => {
    const g = frontend({ group: "", kind: "ConfigMap", name: "ca" });
    const spec = g["spec"] as { tls: { frontend: { default: { validation: JsonObject } } } };
    const loose = { validation: { ...spec.tls.frontend.default.validation, mode: "AllowInsecureFallback" } };
    const perPort = [{ port: 443, tls: loose }];
    expect(reasons([withSpec(g, { tls: { frontend: { ...spec.tls.frontend, perPort } } })])).toEqual([
      "Gateway/g spec.tls.frontend.perPort[0].tls.validation.mode: InsecureFrontendValidationMode",
    ]);
  });

  test("a port of its own", () => {
    const perPort = [{ port: 443, tls: validation({ group: "", kind: "ConfigMap", name: "ca", namespace: "x" }) }];
    const g = withSpec(frontend({ group: "", kind: "ConfigMap", name: "ca" }), {});
    const spec = g["spec"] as JsonObject;
    const tls = { frontend: { ...(spec["tls"] as { frontend: JsonObject }).frontend, perPort } };
    const there = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ca", namespace: "x" } };
    expect(reasons([withSpec(g, { tls }), there])).toEqual([
      NONE_VALID,
      "Gateway/g spec.tls.frontend.perPort[0].tls.validation.caCertificateRefs[0]: RefNotPermitted",
    ]);
  });

  test("InvalidClientCertificateRef", () => {
    const g = withSpec(gateway("g"), { tls: { backend: { clientCertificateRef: { name: "c" } } } });
    expect(reasons([g])).toEqual([]);
    expect(reasons([g], "Complete")).toEqual([
      "Gateway/g spec.tls.backend.clientCertificateRef: InvalidClientCertificateRef",
    ]);
  });
});

test("RouteConditionResolvedRefs: the authorization server of a filter", () => {
  const authorized = (backendRef: JsonObject) =>
    route("r", "Gateway/g", {
      rules: [
        {
          backends: ["s"],
          fields: { filters: [{ type: "ExternalAuth", externalAuth: { protocol: "HTTP", http: {}, backendRef } }] },
        },
      ],
    });
  const at = "HTTPRoute/r spec.rules[0].filters[0].externalAuth.backendRef";
  const base = [gateway("g"), service("s")];
  expect(reasons([...base, authorized({ name: "m", port: 80 })], "Complete")).toEqual([`${at}: BackendNotFound`]);
  const there = service("m", { namespace: "other" });
  expect(reasons([...base, there, authorized({ name: "m", namespace: "other", port: 80 })])).toEqual([
    `${at}: RefNotPermitted`,
  ]);
});

describe("RouteConditionResolvedRefs: the backend of a mirror", () => {
  const mirroring = (backendRef: JsonObject, parents: Parameters<typeof route>[1] = "Gateway/g") =>
    route("r", parents, {
      rules: [{ backends: ["s"], fields: { filters: [{ type: "RequestMirror", requestMirror: { backendRef } }] } }],
    });
  const at = "HTTPRoute/r spec.rules[0].filters[0].requestMirror.backendRef";

  test("BackendNotFound, InvalidKind and RefNotPermitted", () => {
    const base = [gateway("g"), service("s")];
    expect(reasons([...base, mirroring({ name: "m", port: 80 })])).toEqual([]);
    expect(reasons([...base, mirroring({ name: "m", port: 80 })], "Complete")).toEqual([`${at}: BackendNotFound`]);
    expect(reasons([...base, mirroring({ group: "", kind: "Secret", name: "m" })])).toEqual([`${at}: InvalidKind`]);
    const there = service("m", { namespace: "other" });
    expect(reasons([...base, there, mirroring({ name: "m", namespace: "other", port: 80 })])).toEqual([
      `${at}: RefNotPermitted`,
    ]);
  });
});
