import { describe, expect, test } from "vitest";
import { gateway, reference, route, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { compileDataplane, type DataplaneConfig } from "../../../dataplane.ts";
import { buildSnapshot, evaluate } from "../../../index.ts";
import type { JsonObject } from "../../model/json.ts";
import { formatRef } from "../../model/refs.ts";

const compile = (objects: readonly JsonObject[], endpointAnnotations: "Used" | "Ignored" = "Used"): DataplaneConfig =>
  compileDataplane(evaluate(buildSnapshot(objects)), { endpointAnnotations });

function entries<K, V>(table: { forEach(visit: (value: V, key: K) => void): void }): readonly (readonly [K, V])[] {
  const found: (readonly [K, V])[] = [];
  table.forEach((value, key) => found.push([key, value]));
  return found;
}

const problemsOf = ({ problems }: DataplaneConfig): readonly string[] =>
  problems.map(({ object, field, message }) => `${formatRef(object)} ${field}: ${message}`);

/** The Service `s` with one port, and a route to it. */
function withPort(port: JsonObject, kind = "HTTPRoute", more: readonly JsonObject[] = []): readonly JsonObject[] {
  const made = service("s");
  return [
    gateway("g"),
    { ...made, spec: { ports: [{ name: "web", port: 80, ...port }] } },
    route("r", "Gateway/g", { kind, rules: [{ backends: ["s"] }] }),
    ...more,
  ];
}

const onService = (
  kind: string,
  name: string,
  spec: JsonObject,
  apiVersion = "gateway.networking.k8s.io/v1",
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "default" },
  spec: { targetRefs: [reference("Service/s")], ...spec },
});
const tls = (validation: JsonObject, name = "tls"): JsonObject => onService("BackendTLSPolicy", name, { validation });
const system = { hostname: "s.example", wellKnownCACertificates: "System" };

function targetOf({ gateways }: DataplaneConfig): unknown {
  const action = gateways[0]?.ports[0]?.listeners[0]?.virtualHosts[0]?.routes[0]?.rule.action;
  if (action?.type === "Respond") return action.reason;
  return action?.type === "Forward" ? action.backends[0]?.target : action;
}

describe("appProtocol (GEP-1911)", () => {
  test.each<[string | undefined, string, string]>([
    [undefined, "HTTPRoute", "default/s:80 HTTP/1.1"],
    ["http", "HTTPRoute", "default/s:80 HTTP/1.1"],
    ["kubernetes.io/ws", "HTTPRoute", "default/s:80 HTTP/1.1"],
    ["kubernetes.io/h2c", "HTTPRoute", "default/s:80/h2 HTTP/2"],
    [undefined, "GRPCRoute", "default/s:80/h2 HTTP/2"],
    ["http", "GRPCRoute", "default/s:80/h2 HTTP/2"],
  ])("%s of a %s", (appProtocol, kind, expected) => {
    const { backends } = compile(withPort(appProtocol === undefined ? {} : { appProtocol }, kind));
    expect(entries(backends).map(([id, { protocol }]) => `${id} ${protocol}`)).toEqual([expected]);
  });

  test.each(["https", "kubernetes.io/wss"])("%s needs a BackendTLSPolicy", (appProtocol) => {
    expect(targetOf(compile(withPort({ appProtocol })))).toBe(
      `spec.rules[0].backendRefs[0]: port 80 of Service default/s has appProtocol '${appProtocol}', but no BackendTLSPolicy configures TLS for it`,
    );
    const { backends } = compile(withPort({ appProtocol }, "HTTPRoute", [tls(system)]));
    expect(entries(backends).map(([, backend]) => backend.tls?.hostname)).toEqual(["s.example"]);
  });

  test("another one is not served", () => {
    expect(targetOf(compile(withPort({ appProtocol: "mysql" })))).toBe(
      "spec.rules[0].backendRefs[0]: port 80 of Service default/s has appProtocol 'mysql', which is not supported",
    );
  });

  test("one port for HTTPRoutes and GRPCRoutes: two backends, one list of endpoints", () => {
    const grpc = route("q", "Gateway/g", { kind: "GRPCRoute", rules: [{ backends: ["s"] }] });
    const { backends, endpoints } = compile([...withPort({}), grpc]);
    expect(
      entries(backends)
        .map(([id]) => id)
        .sort(),
    ).toEqual(["default/s:80", "default/s:80/h2"]);
    expect(entries(endpoints).map(([id]) => id)).toEqual(["default/s:80"]);
  });
});

describe("what cannot be a backend", () => {
  test.each<[string, JsonObject, string]>([
    [
      "a port for UDP",
      { ports: [{ port: 80, protocol: "UDP" }] },
      "port 80 of Service default/s is for UDP, not for TCP",
    ],
    [
      "ExternalName",
      { type: "ExternalName", externalName: "x.org", ports: [{ port: 80 }] },
      "Service default/s is of type ExternalName, which is not supported",
    ],
    ["another port", { ports: [{ port: 81 }] }, "Service default/s has no port 80"],
  ])("%s", (_, spec, reason) => {
    const objects = [
      gateway("g"),
      { ...service("s"), spec },
      route("r", "Gateway/g", { rules: [{ backends: ["s"] }] }),
    ];
    expect(targetOf(compile(objects))).toBe(`spec.rules[0].backendRefs[0]: ${reason}`);
  });
});

describe("BackendTLSPolicy", () => {
  const backendOf = (validation: JsonObject) =>
    entries(compile(withPort({}, "HTTPRoute", [tls(validation)])).backends)[0]?.[1];

  test("hostname, names and authorities", () => {
    const subjectAltNames = [
      { type: "Hostname", hostname: "a.example" },
      { type: "URI", uri: "spiffe://a/b" },
    ];
    expect(backendOf({ ...system, subjectAltNames })?.tls).toEqual({
      hostname: "s.example",
      authorities: "System",
      subjectAltNames: [
        { type: "Hostname", value: "a.example" },
        { type: "URI", value: "spiffe://a/b" },
      ],
    });
    const caCertificateRefs = [{ group: "", kind: "ConfigMap", name: "ca" }];
    expect(backendOf({ hostname: "s.example", caCertificateRefs })?.tls?.authorities).toEqual([
      { group: "", kind: "ConfigMap", namespace: "default", name: "ca" },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ["no hostname", { wellKnownCACertificates: "System" }, "BackendTLSPolicy default/tls has no validation.hostname"],
    [
      "no authorities",
      { hostname: "a" },
      "BackendTLSPolicy default/tls has neither validation.caCertificateRefs nor wellKnownCACertificates: System",
    ],
    [
      "Secrets only",
      { hostname: "a", caCertificateRefs: [{ group: "", kind: "Secret", name: "ca" }] },
      "BackendTLSPolicy default/tls has no ConfigMap in validation.caCertificateRefs",
    ],
    [
      "a ConfigMap without ca.crt",
      { hostname: "a", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "empty" }] },
      "BackendTLSPolicy default/tls is not accepted: spec.validation.caCertificateRefs[0]: ConfigMap default/empty has no key 'ca.crt'",
    ],
    [
      "a name of neither type",
      { ...system, subjectAltNames: [{ type: "Hostname" }] },
      "BackendTLSPolicy default/tls has a subjectAltName that is neither a Hostname nor a URI",
    ],
  ])("that cannot be followed never means plain text: %s", (_, validation, reason) => {
    const empty = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "empty", namespace: "default" } };
    expect(targetOf(compile(withPort({}, "HTTPRoute", [tls(validation), empty])))).toBe(
      `spec.rules[0].backendRefs[0]: ${reason}`,
    );
  });

  test("of two on one Service the older counts; one on a port counts there", () => {
    const aged = (policy: JsonObject, creationTimestamp: string): JsonObject => ({
      ...policy,
      metadata: { ...(policy["metadata"] as JsonObject), creationTimestamp },
    });
    const older = aged(tls({ ...system, hostname: "older" }, "z"), "2025-01-01T00:00:00Z");
    const newer = aged(tls({ ...system, hostname: "newer" }, "a"), "2026-01-01T00:00:00Z");
    const hostname = (...policies: readonly JsonObject[]) =>
      entries(compile(withPort({}, "HTTPRoute", policies)).backends)[0]?.[1].tls?.hostname;
    expect(hostname(newer, older)).toBe("older");
    const onPort = onService("BackendTLSPolicy", "port", {
      targetRefs: [reference("Service/s#web")],
      validation: { ...system, hostname: "port" },
    });
    expect(hostname(older, onPort)).toBe("port");
  });

  test("an invalid reference beside a valid one is ignored and reported", () => {
    const empty = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "empty", namespace: "default" } };
    const caCertificateRefs = ["empty", "other"].map((name) => ({ group: "", kind: "ConfigMap", name }));
    const config = compile(withPort({}, "HTTPRoute", [tls({ hostname: "a", caCertificateRefs }), empty]));
    expect(entries(config.backends)[0]?.[1].tls?.authorities).toMatchObject([{ name: "other" }]);
    expect(problemsOf(config)).toEqual([
      "BackendTLSPolicy default/tls spec.validation.caCertificateRefs: invalid references to CA certificates are ignored",
    ]);
  });

  test("an authority that is not a ConfigMap is reported", () => {
    const refs = ["ConfigMap", "Secret"].map((kind) => ({ group: "", kind, name: "ca" }));
    const config = compile(withPort({}, "HTTPRoute", [tls({ hostname: "a", caCertificateRefs: refs })]));
    expect(problemsOf(config)).toEqual([
      "BackendTLSPolicy default/tls spec.validation.caCertificateRefs: only ConfigMaps are supported: other CA certificates are ignored",
    ]);
  });
});

test("XBackendTrafficPolicy: the budget of the backend, with its defaults", () => {
  const policy = onService(
    "XBackendTrafficPolicy",
    "x",
    { retryConstraint: { budget: { percent: 5 } } },
    "gateway.networking.x-k8s.io/v1alpha1",
  );
  const [found] = entries(compile(withPort({}, "HTTPRoute", [policy])).backends);
  expect(found?.[1].budget).toEqual({ percent: 5, intervalMs: 10_000, minRetryRate: { count: 10, intervalMs: 1000 } });
});

describe("endpoints", () => {
  const slice = (
    name: string,
    more: JsonObject,
    labels: JsonObject = { "kubernetes.io/service-name": "s" },
  ): JsonObject => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: "default", labels },
    addressType: "IPv4",
    ports: [{ name: "web", port: 8080 }],
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ...more,
  });
  const shown = (config: DataplaneConfig): readonly string[] =>
    entries(config.endpoints).flatMap(([, list]) => list.map(({ address, port }) => `${address}:${port}`));
  const endpointsOf = (port: JsonObject, ...slices: readonly JsonObject[]) =>
    shown(compile(withPort(port, "HTTPRoute", slices)));

  test.each<[string, JsonObject, readonly JsonObject[], readonly string[]]>([
    ["none", {}, [], []],
    [
      "by the name of the port",
      {},
      [
        slice("a", {
          ports: [
            { name: "x", port: 1 },
            { name: "web", port: 8080 },
          ],
        }),
      ],
      ["10.0.0.1:8080"],
    ],
    ["no port of that name", {}, [slice("a", { ports: [{ name: "x", port: 80 }] })], []],
    [
      "a port without a name, by the target port",
      { targetPort: 9 },
      [slice("a", { ports: [{ port: 9 }] })],
      ["10.0.0.1:9"],
    ],
    [
      "a port without a number: the target port",
      { targetPort: 9 },
      [slice("a", { ports: [{ name: "web" }] })],
      ["10.0.0.1:9"],
    ],
    ["a port for UDP", {}, [slice("a", { ports: [{ name: "web", port: 1, protocol: "UDP" }] })], []],
    [
      "endpoints that are not marked as unready",
      {},
      [
        slice("a", {
          endpoints: [
            { addresses: ["10.0.0.1"], conditions: { ready: false } },
            { addresses: ["10.0.0.2"], conditions: {} },
            { addresses: ["10.0.0.3"], conditions: { ready: true } },
          ],
        }),
      ],
      ["10.0.0.2:8080", "10.0.0.3:8080"],
    ],
    [
      "endpoints that terminate and serve, if none is ready",
      {},
      [
        slice("a", { endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: false, serving: false } }] }),
        slice("b", {
          endpoints: [{ addresses: ["10.0.0.2"], conditions: { ready: false, serving: true, terminating: true } }],
        }),
      ],
      ["10.0.0.2:8080"],
    ],
    [
      "endpoints that terminate get nothing beside one that is ready",
      {},
      [
        slice("a", {}),
        slice("b", {
          endpoints: [{ addresses: ["10.0.0.2"], conditions: { ready: false, serving: true, terminating: true } }],
        }),
      ],
      ["10.0.0.1:8080"],
    ],
    [
      "of all slices, in order, each once",
      {},
      [
        slice("a", { endpoints: [{ addresses: ["10.0.0.2"] }, { addresses: ["10.0.0.1"] }] }),
        slice("b", {}),
        slice("c", { addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] }),
      ],
      ["10.0.0.1:8080", "10.0.0.2:8080", "fd00::1:8080"],
    ],
    ["of another Service", {}, [slice("a", {}, { "kubernetes.io/service-name": "t" }), slice("b", {}, {})], []],
  ])("%s", (_, port, slices, expected) => {
    expect(endpointsOf(port, ...slices)).toEqual(expected);
  });

  test("names are not looked up, and a text that is not an address is reported", () => {
    const config = compile(
      withPort({}, "HTTPRoute", [
        slice("a", { addressType: "FQDN" }),
        slice("b", { endpoints: [{ addresses: ["name"] }] }),
      ]),
    );
    expect(shown(config)).toEqual([]);
    expect(problemsOf(config)).toEqual([
      "EndpointSlice default/a addressType: only IPv4 and IPv6 addresses are supported: these endpoints are ignored",
      'EndpointSlice default/b endpoints[0].addresses[0]: "name" is not an IP address: the endpoint is ignored',
    ]);
  });

  test("in files the annotation is used, and its mistakes are reported; elsewhere it is ignored", () => {
    const annotated = (value: string): readonly JsonObject[] => [
      gateway("g"),
      service("s", { annotations: { "prevail.dev/endpoints": value } }),
      route("r", "Gateway/g", { rules: [{ backends: ["s"] }] }),
      slice("a", { ports: [{ name: "http", port: 8080 }] }),
    ];
    expect(shown(compile(annotated("127.0.0.1:2, 127.0.0.1:1")))).toEqual(["127.0.0.1:1", "127.0.0.1:2"]);
    const wrong = compile(annotated("localhost:1"));
    expect(shown(wrong)).toEqual([]);
    expect(problemsOf(wrong)).toEqual([
      "Service default/s metadata.annotations[\"prevail.dev/endpoints\"]: 'localhost:1' is not an address with a port; write 127.0.0.1:8081 or [::1]:8081, separated by commas. The backend has no endpoints",
    ]);
    const ignored = compile(annotated("127.0.0.1:1"), "Ignored");
    expect(shown(ignored)).toEqual(["10.0.0.1:8080"]);
    expect(problemsOf(ignored)).toEqual([
      'Service default/s metadata.annotations["prevail.dev/endpoints"]: the annotation is ignored, because it is used for files only: endpoints come from EndpointSlices',
    ]);
  });
});
