/**
 * Gateway API, "GatewayStatus"
 * Gateway API, "GatewayClassSpec.controllerName"
 * Gateway API, "GatewayClassReasonInvalidParameters"
 * Gateway API, "GatewayClassConditionStatusSupportedVersion"
 * Gateway API, "GatewayReasonUnsupportedAddress"
 * Gateway API, "GatewayReasonListenersNotValid"
 * Gateway API, "GatewayConditionResolvedRefs"
 * Gateway API, "ListenerSetReasonNotAllowed"
 * Gateway API, "ListenerSetReasonListenersNotValid"
 * Gateway API, "ListenerConditionProgrammed"
 * Gateway API, "ListenerReasonUnsupportedProtocol"
 * Gateway API, "ListenerConditionOverlappingTLSConfig"
 * Gateway API, "ListenerStatus.supportedKinds"
 * Gateway API, "ListenerStatus.attachedRoutes"
 * Gateway API, "RouteConditionPartiallyInvalid"
 * Gateway API, "RouteConditionResolvedRefs"
 */
import { describe, expect, test } from "vitest";
import { EMBEDDED_LIMITS } from "../../../src/core/embedded/embedded-limits.ts";
import { worldOf } from "../../../src/core/evaluation.ts";
import type { GatewayStatusOptions } from "../../../src/core/gateway-status/dataplane-state.ts";
import { gatewayStatuses } from "../../../src/core/gateway-status/gateway-statuses.ts";
import type { Completeness } from "../../../src/core/model/completeness.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import type { TargetStatus } from "../../../src/core/status/status-report.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  referenceGrant,
  route,
  routeTo,
  service,
} from "../../support/cluster/gateway-objects.ts";

const OURS = "example.com/controller";

interface Options extends Partial<GatewayStatusOptions> {
  readonly completeness?: Completeness;
}

const statuses = (objects: readonly JsonObject[], { completeness = "Complete", ...options }: Options = {}) =>
  gatewayStatuses(worldOf(cluster(objects, { completeness }).evaluation), { controllerName: OURS, ...options });

/** `Gateway/g#http Accepted=True/Accepted`; `only`: the types to list. */
function conditions(objects: readonly JsonObject[], options: Options = {}, only?: string): readonly string[] {
  return statuses(objects, options).flatMap((status) =>
    status.conditions
      .filter(({ type }) => only === undefined || only.split(" ").includes(type))
      .map(({ type, status: value, reason }) => `${where(status)} ${type}=${value}/${reason}`),
  );
}

function where({ object, location }: TargetStatus): string {
  const [kind = "", , name = ""] = object.split("/");
  const own = `${kind.split(".")[0]}/${name}`;
  if (location.at === "Listener") return `${own}#${location.name}`;
  return location.at === "Parent" ? `${own}@${JSON.stringify(location.parentRef["name"]).slice(1, -1)}` : own;
}

const fieldsOf = (objects: readonly JsonObject[], at: string): JsonObject | undefined =>
  statuses(objects).find((status) => where(status) === at)?.fields;

const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonObject), ...spec },
});
const secret = (name: string, namespaceName = "default"): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: namespaceName },
});
const ours = gatewayClass("class", OURS);
const serving: Options = {
  dataplaneOf: () => ({ state: "Serving", addresses: [{ type: "IPAddress", value: "192.0.2.1" }] }),
};

describe("GatewayClassSpec.controllerName", () => {
  test("objects of other controllers have no status of ours", () => {
    const objects = [
      gatewayClass("theirs", "example.org/other"),
      gateway("g", { class: "theirs" }),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
    ];
    expect(statuses(objects)).toEqual([]);
  });

  test("a route has entries for our parents only", () => {
    const objects = [
      ours,
      gatewayClass("theirs", "example.org/other"),
      gateway("mine"),
      gateway("other", { class: "theirs" }),
      route("r", ["Gateway/mine", "Gateway/other", "Gateway/absent", "Service/s"], { rules: [{ backends: ["s"] }] }),
      service("s"),
    ];
    expect(conditions(objects, {}, "Accepted").filter((one) => one.startsWith("HTTPRoute"))).toEqual([
      "HTTPRoute/r@mine Accepted=True/Accepted",
    ]);
  });

  test("a Gateway whose class is absent belongs to no controller", () => {
    expect(statuses([gateway("g")])).toEqual([]);
  });

  test("each entry of a route has the parentRef with its defaults, and the generation of the route", () => {
    const objects = [ours, gateway("g"), route("r", [{ name: "g" }], { generation: 3 })];
    const entries = statuses(objects).filter(({ location }) => location.at === "Parent");
    expect(entries.map(({ location }) => location)).toEqual([
      {
        at: "Parent",
        parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
        controllerName: OURS,
      },
    ]);
    expect(entries[0]?.conditions.map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3]);
  });
});

describe("GatewayClass", () => {
  const crd = (version: string): JsonObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "gateways.gateway.networking.k8s.io",
      annotations: { "gateway.networking.k8s.io/bundle-version": version },
    },
    spec: {
      group: "gateway.networking.k8s.io",
      scope: "Namespaced",
      names: { kind: "Gateway", plural: "gateways" },
      versions: [],
    },
  });

  test.each([
    ["v1.7.0", "GatewayClass/class SupportedVersion=True/SupportedVersion"],
    ["v1.0.0-rc.1", "GatewayClass/class SupportedVersion=True/SupportedVersion"],
    ["v1.8.0", "GatewayClass/class SupportedVersion=False/UnsupportedVersion"],
    ["v0.8.1", "GatewayClass/class SupportedVersion=False/UnsupportedVersion"],
  ])("CRDs of %s", (version, expected) => {
    expect(conditions([ours, crd(version)])).toEqual(["GatewayClass/class Accepted=True/Accepted", expected]);
  });

  test("parameters that are not supported", () => {
    const own = withSpec(ours, { parametersRef: { group: "example.com", kind: "Parameters", name: "p" } });
    expect(conditions([own])).toEqual(["GatewayClass/class Accepted=False/InvalidParameters"]);
  });

  test("supported features are sorted by name", () => {
    const [status] = statuses([ours], { supportedFeatures: ["HTTPRoute", "Gateway"] });
    expect(status?.fields).toEqual({ supportedFeatures: [{ name: "Gateway" }, { name: "HTTPRoute" }] });
  });
});

describe("Gateway", () => {
  test("all is well, and the data plane serves", () => {
    expect(conditions([ours, gateway("g")], serving).slice(1)).toEqual([
      "Gateway/g Accepted=True/Accepted",
      "Gateway/g Programmed=True/Programmed",
      "Gateway/g ResolvedRefs=True/ResolvedRefs",
      "Gateway/g#http Accepted=True/Accepted",
      "Gateway/g#http Conflicted=False/NoConflicts",
      "Gateway/g#http ResolvedRefs=True/ResolvedRefs",
      "Gateway/g#http Programmed=True/Programmed",
    ]);
    expect(statuses([ours, gateway("g")], serving)[1]?.fields).toEqual({
      addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
      attachedListenerSets: 0,
    });
  });

  test.each([
    [undefined, "Unknown/Pending"],
    [{ state: "Pending", message: "no Envoy is ready" }, "False/Pending"],
    [{ state: "Refused", message: "Envoy refused it", ports: "All", addresses: [] }, "False/Invalid"],
    [{ state: "AddressNotUsable", message: "taken" }, "False/AddressNotUsable"],
  ] as const)("Programmed follows the data plane: %o", (state, expected) => {
    const options = state === undefined ? {} : { dataplaneOf: () => state };
    expect(conditions([ours, gateway("g")], options, "Programmed")).toEqual([
      `Gateway/g Programmed=${expected}`,
      `Gateway/g#http Programmed=${expected}`,
    ]);
  });

  test("Programmed stays as it was written until the data plane has acknowledged an edit", () => {
    const updating = statuses([ours, gateway("g")], { dataplaneOf: () => ({ state: "Updating" }) });
    expect(updating.slice(1).map(({ kept }) => kept)).toEqual([["Programmed"], ["Programmed"]]);
    expect(updating.flatMap((one) => one.conditions).filter(({ type }) => type === "Programmed")).toEqual([]);
    expect(updating[1]?.fields).toEqual({ attachedListenerSets: 0 });
  });

  test("a refusal is about the listeners of the port that it names", () => {
    const two = gateway("g", { listeners: [listener("http"), listener("more", { port: 81 })] });
    const state = { state: "Refused", message: "no", ports: [81], addresses: [{ value: "192.0.2.1" }] } as const;
    expect(conditions([ours, two], { dataplaneOf: () => state }, "Programmed")).toEqual([
      "Gateway/g Programmed=False/Invalid",
      "Gateway/g#http Programmed=True/Programmed",
      "Gateway/g#more Programmed=False/Invalid",
    ]);
  });

  test("without an accepted listener it is not accepted", () => {
    const invalid = { ...listener("bad"), protocol: "WRONG" };
    expect(conditions([ours, gateway("g", { listeners: [invalid] })], serving, "Accepted Programmed").slice(1)).toEqual(
      [
        "Gateway/g Accepted=False/ListenersNotValid",
        "Gateway/g Programmed=False/Invalid",
        "Gateway/g#bad Accepted=False/UnsupportedProtocol",
        "Gateway/g#bad Programmed=False/Invalid",
      ],
    );
    expect(fieldsOf([ours, gateway("g", { listeners: [invalid] })], "Gateway/g#bad")).toEqual({
      supportedKinds: [],
      attachedRoutes: 0,
    });
    const both = gateway("g", { listeners: [listener("good", { port: 81 }), invalid] });
    expect(conditions([ours, both], serving, "Accepted Programmed").slice(1, 3)).toEqual([
      "Gateway/g Accepted=True/ListenersNotValid",
      "Gateway/g Programmed=True/Programmed",
    ]);
  });

  test("an address of another type", () => {
    const own = withSpec(gateway("g"), { addresses: [{ type: "example.com/other", value: "x" }] });
    expect(conditions([ours, own], serving, "Accepted Programmed").slice(1)).toEqual([
      "Gateway/g Accepted=False/UnsupportedAddress",
      "Gateway/g Programmed=False/Invalid",
      "Gateway/g#http Accepted=True/Accepted",
      "Gateway/g#http Programmed=False/Pending",
    ]);
    const known = withSpec(gateway("g"), { addresses: [{ type: "IPAddress", value: "192.0.2.1" }] });
    expect(conditions([ours, known], serving, "Accepted")[1]).toBe("Gateway/g Accepted=True/Accepted");
  });

  test("parameters that are not supported", () => {
    const own = withSpec(gateway("g"), {
      infrastructure: { parametersRef: { group: "example.com", kind: "Parameters", name: "p" } },
    });
    expect(conditions([ours, own], serving, "Accepted")[1]).toBe("Gateway/g Accepted=False/InvalidParameters");
  });

  test("a client certificate for backends that does not exist leaves it accepted", () => {
    const own = withSpec(gateway("g"), { tls: { backend: { clientCertificateRef: { name: "absent" } } } });
    expect(conditions([ours, own], serving).slice(1, 4)).toEqual([
      "Gateway/g Accepted=True/Accepted",
      "Gateway/g Programmed=True/Programmed",
      "Gateway/g ResolvedRefs=False/InvalidClientCertificateRef",
    ]);
  });

  test("insecure validation of clients is a condition", () => {
    const own = withSpec(gateway("g", { listeners: [listener("l", { protocol: "HTTPS", port: 443 })] }), {
      tls: {
        frontend: {
          default: {
            validation: {
              mode: "AllowInsecureFallback",
              caCertificateRefs: [{ kind: "ConfigMap", group: "", name: "ca" }],
            },
          },
        },
      },
    });
    expect(conditions([ours, own, secret("certificate")], serving)).toContain(
      "Gateway/g InsecureFrontendValidationMode=True/ConfigurationChanged",
    );
    expect(conditions([ours, own, secret("certificate")], serving).slice(-4)).toEqual([
      "Gateway/g#l Accepted=False/NoValidCACertificate",
      "Gateway/g#l Conflicted=False/NoConflicts",
      "Gateway/g#l ResolvedRefs=False/InvalidCACertificateRef",
      "Gateway/g#l Programmed=False/Invalid",
    ]);
  });
});

describe("listeners", () => {
  const https = listener("l", { protocol: "HTTPS", port: 443 });

  test.each([
    ["the Secret exists", [secret("certificate")], "Complete", "True/ResolvedRefs", "True/Programmed"],
    ["the Secret is absent", [], "Complete", "False/InvalidCertificateRef", "False/Invalid"],
    ["the Secret is not in the input", [], "Partial", "Unknown/Incomplete", "True/Programmed"],
  ] as const)("certificates: %s", (_, more, completeness, resolved, programmed) => {
    const objects = [ours, gateway("g", { listeners: [https] }), ...more];
    expect(conditions(objects, { ...serving, completeness }, "ResolvedRefs Programmed").slice(-2)).toEqual([
      `Gateway/g#l ResolvedRefs=${resolved}`,
      `Gateway/g#l Programmed=${programmed}`,
    ]);
  });

  test("a certificate of another kind, or without content", () => {
    const far = { ...https, tls: { certificateRefs: [{ group: "example.com", kind: "Vault", name: "v" }] } };
    expect(conditions([ours, gateway("g", { listeners: [far] })], serving, "ResolvedRefs").at(-1)).toBe(
      "Gateway/g#l ResolvedRefs=False/InvalidCertificateRef",
    );
    const options = { ...serving, secretProblem: () => "has no certificate in PEM" };
    const objects = [ours, gateway("g", { listeners: [https] }), secret("certificate")];
    expect(conditions(objects, options, "ResolvedRefs Programmed").slice(-2)).toEqual([
      "Gateway/g#l ResolvedRefs=False/InvalidCertificateRef",
      "Gateway/g#l Programmed=False/Invalid",
    ]);
  });

  test("a certificate in another namespace needs a grant", () => {
    const far = { ...https, tls: { certificateRefs: [{ name: "certificate", namespace: "far" }] } };
    const objects = [ours, gateway("g", { listeners: [far] }), secret("certificate", "far")];
    const grant = referenceGrant("grant", "far", {
      from: { kind: "Gateway", namespace: "default" },
      to: { kind: "Secret", group: "" },
    });
    expect(conditions(objects, serving, "ResolvedRefs")).toEqual([
      "Gateway/g ResolvedRefs=False/ListenersNotResolved",
      "Gateway/g#l ResolvedRefs=False/RefNotPermitted",
    ]);
    expect(conditions([...objects, grant], serving, "ResolvedRefs")).toEqual([
      "Gateway/g ResolvedRefs=True/ResolvedRefs",
      "Gateway/g#l ResolvedRefs=True/ResolvedRefs",
    ]);
  });

  test.each([
    ["HTTP", {}, ["HTTPRoute", "GRPCRoute"]],
    ["HTTP", { kinds: ["HTTPRoute", "TCPRoute"] }, ["HTTPRoute"]],
    ["TLS", { mode: "Passthrough" }, ["TLSRoute"]],
    ["TLS", { mode: "Terminate" }, ["TLSRoute", "TCPRoute"]],
    ["TCP", {}, ["TCPRoute"]],
    ["UDP", {}, ["UDPRoute"]],
  ] as const)("supported kinds of %s %o", (protocol, options, expected) => {
    const own = gateway("g", { listeners: [listener("l", { protocol, ...options })] });
    const group = "gateway.networking.k8s.io";
    expect(fieldsOf([ours, own], "Gateway/g#l")?.["supportedKinds"]).toEqual(expected.map((kind) => ({ group, kind })));
  });

  test("a kind that the protocol does not carry", () => {
    const own = gateway("g", { listeners: [listener("l", { kinds: ["TCPRoute"] })] });
    expect(conditions([ours, own], {}, "ResolvedRefs")).toContain("Gateway/g#l ResolvedRefs=False/InvalidRouteKinds");
  });

  test("attached routes are counted whatever their references are", () => {
    const objects = [
      ours,
      gateway("g", { listeners: [listener("a"), listener("b", { port: 81, hostname: "b.example" })] }),
      route("both", "Gateway/g", { rules: [{ backends: ["absent"] }] }),
      route("twice", ["Gateway/g#a", "Gateway/g#b"], { hostnames: ["a.example"] }),
      route("refused", "Gateway/g#b", { hostnames: ["c.example"] }),
    ];
    expect(["a", "b"].map((name) => fieldsOf(objects, `Gateway/g#${name}`)?.["attachedRoutes"])).toEqual([2, 1]);
  });

  test("of listeners in conflict none is accepted", () => {
    const own = gateway("g", {
      listeners: [listener("a"), listener("b", { protocol: "TCP" }), listener("c", { port: 81 })],
    });
    expect(
      conditions([ours, own], serving).filter((one) => /#[ab] /.test(one) && !one.includes("ResolvedRefs")),
    ).toEqual(
      ["a", "b"].flatMap((name) => [
        `Gateway/g#${name} Accepted=False/ProtocolConflict`,
        `Gateway/g#${name} Conflicted=True/ProtocolConflict`,
        `Gateway/g#${name} Programmed=False/ProtocolConflict`,
      ]),
    );
  });

  test("overlapping hostnames of TLS listeners on one port", () => {
    const tls = (name: string, hostname: string, port = 443) => listener(name, { protocol: "HTTPS", port, hostname });
    const own = gateway("g", {
      listeners: [
        tls("a", "foo.example.com"),
        tls("b", "foo.example.org"),
        tls("c", "*.example.com"),
        tls("d", "*.example.com", 8443),
      ],
    });
    expect(conditions([ours, own], {}, "OverlappingTLSConfig")).toEqual([
      "Gateway/g#a OverlappingTLSConfig=True/OverlappingHostnames",
      "Gateway/g#c OverlappingTLSConfig=True/OverlappingHostnames",
    ]);
  });
});

describe("ListenerSets", () => {
  const open = gateway("g", { allowedListeners: "All" });

  test("one that is allowed", () => {
    const objects = [ours, open, listenerSet("s", "Gateway/g")];
    expect(conditions(objects, serving).filter((one) => one.startsWith("ListenerSet/s "))).toEqual([
      "ListenerSet/s Accepted=True/Accepted",
      "ListenerSet/s Programmed=True/Programmed",
    ]);
    expect(fieldsOf(objects, "Gateway/g")?.["attachedListenerSets"]).toBe(1);
  });

  test("by default none is allowed", () => {
    const objects = [ours, gateway("g"), listenerSet("s", "Gateway/g")];
    expect(conditions(objects, serving).filter((one) => one.startsWith("ListenerSet/"))).toEqual([
      "ListenerSet/s Accepted=False/NotAllowed",
      "ListenerSet/s Programmed=False/NotAllowed",
    ]);
    expect(fieldsOf(objects, "Gateway/g")?.["attachedListenerSets"]).toBe(0);
  });

  test("whether a namespace is selected is not known without its labels", () => {
    const selecting = withSpec(gateway("g"), {
      allowedListeners: { namespaces: { from: "Selector", selector: { matchLabels: { team: "a" } } } },
    });
    const objects = [ours, selecting, listenerSet("s", "Gateway/default/g", { namespace: "far" })];
    const states = (more: readonly JsonObject[], completeness: Completeness) =>
      conditions([...objects, ...more], { completeness }, "Accepted").filter((one) => one.startsWith("ListenerSet/s "));
    expect(states([], "Partial")).toEqual(["ListenerSet/s Accepted=Unknown/Incomplete"]);
    expect(states([namespace("far", { team: "a" })], "Partial")).toEqual(["ListenerSet/s Accepted=True/Accepted"]);
    expect(states([namespace("far")], "Partial")).toEqual(["ListenerSet/s Accepted=False/NotAllowed"]);
  });

  test("the Gateway is not accepted", () => {
    const own = withSpec(open, { addresses: [{ type: "example.com/other", value: "x" }] });
    expect(conditions([ours, own, listenerSet("s", "Gateway/g")], serving).slice(-2)).toEqual([
      "ListenerSet/s Accepted=False/ParentNotAccepted",
      "ListenerSet/s Programmed=False/ParentNotAccepted",
    ]);
  });

  test("the Gateway's listener comes first; a ListenerSet without another listener is not accepted", () => {
    const set = listenerSet("s", "Gateway/g", { listeners: [listener("http")] });
    expect(conditions([ours, open, set], serving).filter((one) => one.startsWith("ListenerSet/"))).toEqual([
      "ListenerSet/s Accepted=False/ListenersNotValid",
      "ListenerSet/s Programmed=False/ListenersNotValid",
      "ListenerSet/s#http Accepted=False/HostnameConflict",
      "ListenerSet/s#http Conflicted=True/HostnameConflict",
      "ListenerSet/s#http ResolvedRefs=True/ResolvedRefs",
      "ListenerSet/s#http Programmed=False/HostnameConflict",
    ]);
  });

  test("a ListenerSet is not accepted if the references of none of its listeners resolve", () => {
    const tls = { certificateRefs: [{ name: "absent" }] };
    const https = { ...listener("https", { protocol: "HTTPS", port: 8443 }), tls };
    const states = (listeners: readonly JsonObject[]) =>
      conditions([ours, open, listenerSet("s", "Gateway/g", { listeners })], serving).filter((one) =>
        one.startsWith("ListenerSet/s "),
      );
    expect(states([https])).toEqual([
      "ListenerSet/s Accepted=False/ListenersNotValid",
      "ListenerSet/s Programmed=False/ListenersNotValid",
    ]);
    expect(states([https, listener("http", { port: 8080 })])[0]).toMatch(/^ListenerSet\/s Accepted=True/);
  });

  test("a Gateway whose only valid listeners are in a ListenerSet is programmed", () => {
    const own = withSpec(open, { listeners: [{ ...listener("l", { protocol: "HTTPS", port: 443 }) }] });
    const states = conditions([ours, own, listenerSet("s", "Gateway/g")], serving, "Programmed");
    expect(states).toContain("Gateway/g Programmed=True/Programmed");
    expect(states).toContain("Gateway/g#l Programmed=False/Invalid");
  });

  test("a route on a ListenerSet has an entry for it", () => {
    const objects = [ours, open, listenerSet("s", "Gateway/g"), route("r", "ListenerSet/s")];
    expect(conditions(objects, {}, "Accepted")).toContain("HTTPRoute/r@s Accepted=True/Accepted");
  });
});

describe("routes", () => {
  const states = (objects: readonly JsonObject[], completeness: Completeness = "Complete") =>
    conditions([ours, gateway("g"), ...objects], { completeness }).filter((one) => one.startsWith("HTTPRoute/"));

  test.each([
    ["Gateway/g#absent", {}, "NoMatchingParent"],
    ["Gateway/g", { kind: "TCPRoute" }, "NotAllowedByListeners"],
    ["Gateway/default/g", { namespace: "far" }, "NotAllowedByListeners"],
  ] as const)("%s %o is not accepted", (parent, options, reason) => {
    const all = conditions([ours, gateway("g"), route("r", parent, options)], {}, "Accepted");
    expect(all.at(-1)).toMatch(new RegExp(`Accepted=False/${reason}$`));
  });

  test("hostnames that do not match", () => {
    const own = gateway("g", { listeners: [listener("l", { hostname: "a.example" })] });
    expect(conditions([ours, own, route("r", "Gateway/g", { hostnames: ["b.example"] })], {}, "Accepted").at(-1)).toBe(
      "HTTPRoute/r@g Accepted=False/NoMatchingListenerHostname",
    );
  });

  test.each([
    ["s", [service("s")], "Complete", "True/ResolvedRefs"],
    ["absent", [], "Complete", "False/BackendNotFound"],
    ["absent", [], "Partial", "Unknown/Incomplete"],
    ["Service/far/s", [service("s", { namespace: "far" })], "Complete", "False/RefNotPermitted"],
    ["Gateway/g", [], "Complete", "False/InvalidKind"],
  ] as const)("backend %s", (backend, more, completeness, expected) => {
    expect(states([routeTo("r", "Gateway/g", backend), ...more], completeness)).toEqual([
      "HTTPRoute/r@g Accepted=True/Accepted",
      `HTTPRoute/r@g ResolvedRefs=${expected}`,
    ]);
  });

  test("a kind of an implementation is a kind that we do not support", () => {
    const backend = { group: "example.com", kind: "Bucket", name: "b" };
    expect(states([route("r", "Gateway/g", { rules: [{ backends: [backend] }] })]).at(-1)).toBe(
      "HTTPRoute/r@g ResolvedRefs=False/InvalidKind",
    );
  });

  test("the backend of a mirror", () => {
    const filters = [{ type: "RequestMirror", requestMirror: { backendRef: { name: "absent", port: 80 } } }];
    const objects = [route("r", "Gateway/g", { rules: [{ backends: ["s"], fields: { filters } }] }), service("s")];
    expect(states(objects).at(-1)).toBe("HTTPRoute/r@g ResolvedRefs=False/BackendNotFound");
    expect(states(objects, "Partial").at(-1)).toBe("HTTPRoute/r@g ResolvedRefs=Unknown/Incomplete");
  });

  test("rules with an unsupported filter", () => {
    const filters = [{ type: "ExtensionRef", extensionRef: { group: "example.com", kind: "Foo", name: "f" } }];
    const bad = { backends: ["s"], fields: { filters } };
    expect(states([route("r", "Gateway/g", { rules: [bad, { backends: ["s"] }] }), service("s")])).toContain(
      "HTTPRoute/r@g PartiallyInvalid=True/UnsupportedValue",
    );
    expect(states([route("r", "Gateway/g", { rules: [bad] }), service("s")])[0]).toBe(
      "HTTPRoute/r@g Accepted=False/UnsupportedValue",
    );
  });
});

describe("what a data plane does not serve", () => {
  const embedded: Options = { ...serving, limits: EMBEDDED_LIMITS };
  const both = gateway("g", {
    listeners: [listener("l"), listener("dns", { protocol: "UDP", port: 53 })],
  });
  const udp = route("u", "Gateway/g", { kind: "UDPRoute" });

  test("a UDP listener is not accepted by the embedded gateway, and others are not affected", () => {
    expect(conditions([ours, both], embedded, "Accepted Programmed").slice(1)).toEqual([
      "Gateway/g Accepted=True/ListenersNotValid",
      "Gateway/g Programmed=True/Programmed",
      "Gateway/g#l Accepted=True/Accepted",
      "Gateway/g#l Programmed=True/Programmed",
      "Gateway/g#dns Accepted=False/UnsupportedProtocol",
      "Gateway/g#dns Programmed=False/Invalid",
    ]);
    expect(conditions([ours, both], serving, "Accepted").at(-1)).toBe("Gateway/g#dns Accepted=True/Accepted");
  });

  test("it supports no kind of routes, and a UDPRoute is not accepted", () => {
    const found = statuses([ours, both, udp, routeTo("r", "Gateway/g", "s"), service("s")], embedded);
    const fields = new Map(found.map((status) => [where(status), status.fields]));
    expect(fields.get("Gateway/g#dns")).toEqual({ supportedKinds: [], attachedRoutes: 0 });
    expect(fields.get("Gateway/g#l")).toMatchObject({ attachedRoutes: 1 });
    const accepted = conditions([ours, both, udp, routeTo("r", "Gateway/g", "s"), service("s")], embedded, "Accepted");
    expect(accepted.filter((one) => one.includes("Route/"))).toEqual([
      "HTTPRoute/r@g Accepted=True/Accepted",
      "UDPRoute/u@g Accepted=False/NotAllowedByListeners",
    ]);
  });

  test.each([
    ["GRPC", { grpc: {} }, "PartiallyInvalid=True/UnsupportedValue"],
    ["HTTP", { http: {}, forwardBody: { maxSize: 1024 } }, "PartiallyInvalid=True/UnsupportedValue"],
    ["HTTP", { http: {} }, undefined],
  ] as const)("a rule with an ExternalAuth filter, protocol %s %o", (protocol, more, expected) => {
    const externalAuth = { protocol, backendRef: { name: "s", port: 80 }, ...more };
    const asking = { backends: ["s"], fields: { filters: [{ type: "ExternalAuth", externalAuth }] } };
    const objects = [ours, both, route("r", "Gateway/g", { rules: [asking, { backends: ["s"] }] }), service("s")];
    const ofRoute = conditions(objects, embedded, "PartiallyInvalid");
    expect(ofRoute).toEqual(expected === undefined ? [] : [`HTTPRoute/r@g ${expected}`]);
    expect(conditions(objects, serving, "PartiallyInvalid")).toEqual([]);
  });
});
