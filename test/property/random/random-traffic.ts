/** Random objects that a gateway's configuration depends on: filters, backends, certificates and policies of all forms. */
import fc from "fast-check";
import { type Json, type JsonObject, objectsIn } from "../../../src/core/model/json.ts";
import { type RandomHistory, randomBatches } from "./random-history.ts";
import { chance, jsonOf, kubeObject, weighted } from "./random-topology.ts";

const API = "gateway.networking.k8s.io";
type Arb<T> = fc.Arbitrary<T>;
const namespace = weighted([3, "a"], [1, "b"]);

const made = (
  apiVersion: string,
  kind: string,
  names: readonly string[],
  spec: Arb<JsonObject>,
  annotations: Arb<JsonObject | undefined> = fc.constant(undefined),
): Arb<JsonObject> =>
  fc
    .record({ namespace, name: fc.constantFrom(...names), spec, annotations })
    .map(({ spec: own, annotations: noted, ...identity }) =>
      kubeObject({ apiVersion, kind, ...identity }, { annotations: noted }, own),
    );

const hostname = weighted<string | undefined>([4, undefined], [2, "*.x.org"], [1, "a.x.org"]);

const listeners: Arb<JsonObject[]> = fc
  .array(
    fc.record({
      protocol: weighted([6, "HTTP"], [3, "HTTPS"], [2, "TLS"], [2, "TCP"], [1, "UDP"]),
      mode: fc.constantFrom("Terminate", "Passthrough"),
      port: fc.constantFrom(80, 81, 443),
      hostname,
      certificates: weighted<JsonObject[]>(
        [2, [{ name: "c1" }]],
        [2, [{ name: "c1", namespace: "b" }, { name: "c2" }]],
        [1, [{ name: "c1", kind: "ConfigMap" }]],
      ),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((items) =>
    items.map(({ certificates, mode, ...rest }, index) =>
      jsonOf({
        name: `l${index + 1}`,
        ...rest,
        allowedRoutes: { namespaces: { from: "All" } },
        hostname: rest.protocol === "TCP" || rest.protocol === "UDP" ? undefined : rest.hostname,
        tls: tlsOf(rest.protocol, mode, certificates),
      }),
    ),
  );

function tlsOf(protocol: string, mode: string, certificateRefs: JsonObject[]): JsonObject | undefined {
  if (protocol === "TLS") return { mode, certificateRefs };
  return protocol === "HTTPS" ? { certificateRefs } : undefined;
}

const gateway = made(
  `${API}/v1`,
  "Gateway",
  ["g1", "g2"],
  fc.record({
    gatewayClassName: fc.constantFrom("x", "y"),
    listeners,
    allowedListeners: weighted<JsonObject>([3, { namespaces: { from: "All" } }], [1, { namespaces: { from: "Same" } }]),
  }),
);

const listenerSet = made(
  `${API}/v1`,
  "ListenerSet",
  ["s1", "s2"],
  fc.record({
    parentRef: fc.constantFrom<JsonObject>({ name: "g1", namespace: "a" }, { name: "g2", namespace: "a" }),
    listeners,
  }),
);

const gatewayClass: Arb<JsonObject> = fc
  .tuple(fc.constantFrom("x", "y"), fc.constantFrom("prevail.dev/gateway", "two.org/c"))
  .map(([name, controllerName]) =>
    kubeObject({ apiVersion: `${API}/v1`, kind: "GatewayClass", name }, {}, { controllerName }),
  );

const backendRef = weighted<JsonObject>(
  [5, { name: "s1", port: 80 }],
  [2, { name: "s2", port: 80, weight: 2 }],
  [1, { name: "s2", port: 81, weight: 0 }],
  [2, { name: "s1", port: 81 }],
  [2, { name: "s1", port: 80, namespace: "b" }],
  [1, { name: "gone", port: 80 }],
  [1, { name: "s1" }],
);

const filter = (isBackend: boolean): Arb<JsonObject> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constant<JsonObject>({
        type: "RequestHeaderModifier",
        requestHeaderModifier: { set: [{ name: "X-A", value: "1" }] },
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constant<JsonObject>({
        type: "URLRewrite",
        urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/n" } },
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constant<JsonObject>({ type: "RequestRedirect", requestRedirect: { statusCode: 301 } }),
    },
    { weight: 1, arbitrary: fc.constant<JsonObject>({ type: isBackend ? "CORS" : "ExtensionRef" }) },
    {
      weight: 4,
      arbitrary: backendRef.map(
        (ref): JsonObject => ({ type: "RequestMirror", requestMirror: { backendRef: ref, percent: 10 } }),
      ),
    },
  );

const rule: Arb<JsonObject> = fc
  .record({
    name: weighted<string | undefined>([2, undefined], [1, "one"]),
    matches: fc.array(
      fc.constantFrom<JsonObject>(
        { path: { value: "/a" } },
        { path: { type: "Exact", value: "/a" } },
        { method: "GET" },
      ),
      { maxLength: 2 },
    ),
    filters: chance(0.4, fc.array(filter(false), { maxLength: 2 })),
    backendRefs: fc.array(
      fc
        .tuple(backendRef, chance(0.2, fc.array(filter(true), { maxLength: 1 })))
        .map(([ref, filters]) => jsonOf({ ...ref, filters })),
      { maxLength: 2 },
    ),
    retry: weighted<JsonObject | undefined>([3, undefined], [1, { attempts: 2, codes: [503] }], [1, { attempts: 0 }]),
    timeouts: weighted<JsonObject | undefined>([3, undefined], [1, { request: "3s" }], [1, { backendRequest: "1s" }]),
  })
  .map(jsonOf);

const grpcRule = ({ retry: _, timeouts: __, matches: ___, ...rest }: Readonly<Record<string, Json>>): JsonObject =>
  rest;

/** At least one backend, and nothing else. */
function streamRule({ backendRefs }: JsonObject): JsonObject {
  const refs = objectsIn(backendRefs).map(({ filters: _, ...ref }) => ref);
  return { backendRefs: refs.length === 0 ? [{ name: "s1", port: 80 }] : refs };
}

const route: Arb<JsonObject> = fc
  .tuple(
    weighted([6, "HTTPRoute"], [2, "GRPCRoute"], [2, "TLSRoute"], [2, "TCPRoute"], [1, "UDPRoute"]),
    made(
      `${API}/v1`,
      "HTTPRoute",
      ["r1", "r2", "r3"],
      fc
        .record({
          parentRefs: fc.array(
            fc.constantFrom<JsonObject>(
              { name: "g1", namespace: "a" },
              { name: "g2", namespace: "a", sectionName: "l1" },
              { kind: "ListenerSet", group: API, name: "s1", namespace: "a" },
              { kind: "Service", group: "", name: "s1" },
            ),
            { minLength: 1, maxLength: 2 },
          ),
          hostnames: chance(
            0.5,
            fc.subarray(["a.x.org", "*.x.org", "*.org", "b.x.org"], { minLength: 1, maxLength: 2 }),
          ),
          rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
        })
        .map(jsonOf),
    ),
  )
  .map(([kind, object]) => {
    const spec = object["spec"] as { readonly rules: readonly JsonObject[] };
    if (kind === "HTTPRoute") return object;
    if (kind === "GRPCRoute") return { ...object, kind, spec: { ...spec, rules: spec.rules.map(grpcRule) } };
    const [first] = spec.rules.map(streamRule);
    const { hostnames, ...rest } = spec as JsonObject;
    const names = kind === "TLSRoute" ? { hostnames: hostnames ?? ["*.x.org"] } : {};
    return { ...object, kind, spec: { ...rest, ...names, rules: first === undefined ? [] : [first] } };
  });

const service = made(
  "v1",
  "Service",
  ["s1", "s2"],
  fc.record({
    type: weighted([6, "ClusterIP"], [1, "ExternalName"]),
    ports: fc
      .tuple(
        weighted<string | undefined>([4, undefined], [2, "kubernetes.io/h2c"], [1, "https"], [1, "mysql"]),
        fc.boolean(),
      )
      .map(([appProtocol, more]) => [
        jsonOf({ name: "web", port: 80, appProtocol }),
        ...(more ? [{ name: "admin", port: 81, targetPort: 8081 }] : [{ name: "dns", port: 80, protocol: "UDP" }]),
      ]),
  }),
  chance(
    0.4,
    fc
      .constantFrom("10.0.0.1:8080", "10.0.0.1:8080,[::1]:81", "nonsense")
      .map((value) => ({ "prevail.dev/endpoints": value })),
  ),
);

const slice: Arb<JsonObject> = fc
  .record({
    namespace,
    name: fc.constantFrom("e1", "e2"),
    service: fc.constantFrom("s1", "s2"),
    addressType: weighted([5, "IPv4"], [1, "FQDN"]),
    ports: weighted<JsonObject[]>(
      [3, [{ name: "web", port: 8080 }]],
      [1, [{ port: 8081 }]],
      [1, [{ name: "admin", port: 9 }]],
      [1, [{ name: "dns", port: 53, protocol: "UDP" }]],
    ),
    endpoints: fc.array(
      fc
        .tuple(fc.constantFrom("10.0.0.1", "10.0.0.2", "name"), fc.constantFrom(true, false, undefined))
        .map(([address, ready]) => ({ addresses: [address], conditions: jsonOf({ ready }) })),
      { maxLength: 2 },
    ),
  })
  .map(({ namespace: home, name, service: owner, ...rest }) => ({
    ...kubeObject(
      { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: home, name },
      { labels: { "kubernetes.io/service-name": owner } },
    ),
    ...rest,
  }));

const retryValues = fc.constantFrom<JsonObject>(
  { retry: { attempts: 1 } },
  { retry: { attempts: 3, codes: [500], budget: { percent: 10 } } },
  { timeouts: { backendRequest: "2s" } },
  { retry: { backoff: "1s" }, timeouts: { backendRequest: "4s" } },
);
const target = fc.constantFrom<JsonObject>(
  { group: API, kind: "Gateway", name: "g1" },
  { group: API, kind: "Gateway", name: "g1", sectionName: "l1" },
  { group: API, kind: "ListenerSet", name: "s1" },
  { group: API, kind: "HTTPRoute", name: "r1" },
  { group: API, kind: "HTTPRoute", name: "r1", sectionName: "one" },
  { group: API, kind: "GRPCRoute", name: "r2" },
  { group: "", kind: "Namespace", name: "a" },
  { group: "", kind: "Service", name: "s1" },
  { group: "", kind: "Service", name: "s1", sectionName: "web" },
);
const retryPolicy = made(
  "prevail.dev/v1alpha1",
  "RetryPolicy",
  ["p1", "p2", "p3"],
  fc
    .tuple(target, fc.constantFrom("defaults", "overrides"), retryValues)
    .map(([ref, block, values]) => ({ targetRefs: [ref], [block]: values })),
);

const onService = weighted<JsonObject>(
  [3, { group: "", kind: "Service", name: "s1" }],
  [1, { group: "", kind: "Service", name: "s2" }],
);
const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const tlsPolicy = made(
  `${API}/v1`,
  "BackendTLSPolicy",
  ["t1", "t2"],
  fc
    .tuple(
      onService,
      weighted<JsonObject>([1, {}], [1, { sectionName: "web" }]),
      fc.constantFrom<JsonObject>(
        { hostname: "s.org", wellKnownCACertificates: "System" },
        {
          hostname: "s.org",
          caCertificateRefs: [
            { group: "", kind: "ConfigMap", name: "ca" },
            { group: "", kind: "Secret", name: "ca" },
          ],
        },
        { hostname: "s.org", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] },
        { hostname: "s.org", caCertificateRefs: [{ group: "", kind: "Secret", name: "ca" }] },
      ),
    )
    .map(([ref, section, validation]) => ({ targetRefs: [{ ...ref, ...section }], validation })),
);
/** With certificates, without, and malformed. */
const authorities: Arb<JsonObject> = fc
  .record({ namespace, data: fc.constantFrom<JsonObject>({ "ca.crt": PEM }, {}, { "ca.crt": "x" }) })
  .map(({ namespace: home, data }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ca", namespace: home },
    data,
  }));

const trafficPolicy = made(
  "gateway.networking.x-k8s.io/v1alpha1",
  "XBackendTrafficPolicy",
  ["b1"],
  fc
    .tuple(onService, fc.constantFrom(10, 20))
    .map(([ref, percent]) => ({ targetRefs: [ref], retryConstraint: { budget: { percent } } })),
);

const grant = made(
  `${API}/v1beta1`,
  "ReferenceGrant",
  ["grant1", "grant2"],
  fc.constantFrom<JsonObject>(
    { from: [{ group: API, kind: "HTTPRoute", namespace: "a" }], to: [{ group: "", kind: "Service" }] },
    { from: [{ group: API, kind: "TLSRoute", namespace: "a" }], to: [{ group: "", kind: "Service" }] },
    { from: [{ group: API, kind: "Gateway", namespace: "a" }], to: [{ group: "", kind: "Secret" }] },
    { from: [{ group: API, kind: "GRPCRoute", namespace: "a" }], to: [{ group: "", kind: "Service", name: "s1" }] },
  ),
);

const anyObject: Arb<JsonObject> = fc.oneof(
  { weight: 3, arbitrary: gateway },
  { weight: 2, arbitrary: listenerSet },
  { weight: 1, arbitrary: gatewayClass },
  { weight: 8, arbitrary: route },
  { weight: 5, arbitrary: service },
  { weight: 3, arbitrary: slice },
  { weight: 4, arbitrary: retryPolicy },
  { weight: 2, arbitrary: tlsPolicy },
  { weight: 1, arbitrary: authorities },
  { weight: 2, arbitrary: trafficPolicy },
  { weight: 3, arbitrary: grant },
);

const many = fc.array(anyObject, { minLength: 12, maxLength: 30 });

/** The pool contains several versions of each name, so that most upserts change something. */
export const trafficHistory: Arb<Omit<RandomHistory, "start"> & { readonly start: readonly JsonObject[] }> = fc.record({
  start: many,
  pool: many,
  batches: randomBatches,
});
