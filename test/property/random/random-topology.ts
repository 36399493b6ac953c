/**
 * Random Gateway API objects. There are few names, so that references match often, and enough errors (names, sections,
 * protocols, missing grants) to exercise every reason not to attach.
 */
import fc from "fast-check";
import { isJsonList, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import { gatewayGroup, namingAnnotation, policyGroup, strategyAnnotation } from "./define-kind.ts";
import { policyKinds } from "./policy-kinds.ts";

/** `a-b/p1` sorts before `a/p1` as one string, but `a` before `a-b`: GEP-713 compares `namespace/name` as one string. */
export const namespaces = ["a", "a-b"] as const;

type Arb<T> = fc.Arbitrary<T>;
export const chance = <T>(probability: number, value: Arb<T>): Arb<T | undefined> =>
  fc.oneof(
    { weight: Math.round(100 * (1 - probability)), arbitrary: fc.constant(undefined) },
    { weight: Math.round(100 * probability), arbitrary: value },
  );
export const weighted = <T>(...choices: readonly (readonly [weight: number, value: T])[]): Arb<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

/** Omits undefined values, which JSON does not have. */
export function jsonOf(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

interface Dressing {
  readonly labels: JsonObject | undefined;
  readonly annotations: JsonObject | undefined;
}

export function kubeObject(
  { apiVersion, kind, namespace, name }: Identity,
  dressing: Partial<Dressing>,
  spec?: JsonObject,
): JsonObject {
  return jsonOf({ apiVersion, kind, metadata: jsonOf({ namespace, name, ...dressing }), spec });
}

const gatewayApi = `${gatewayGroup}/v1`;
const anyNamespace = weighted([3, "a"], [2, "a-b"]);
const labels: Arb<JsonObject | undefined> = chance(0.6, fc.constantFrom({ team: "red" }, { team: "blue" }));
const dressing: Arb<Dressing> = fc.record({
  labels,
  annotations: chance(
    0.4,
    fc
      .record({
        [strategyAnnotation]: fc.constantFrom("override", "default", "takeover", "bogus"),
        [namingAnnotation]: weighted<string | undefined>([2, undefined], [2, "p1,p2"], [1, "p3"], [1, "p2, p4,gone"]),
      })
      .map(jsonOf),
  ),
});

/** A reference to a policy that may have the name: policies are named `p1`, `p2` … */
const policyReference: Arb<JsonObject> = fc
  .record({
    group: fc.constant(policyGroup),
    kind: weighted([4, "NamedPolicy"], [1, "ClusterNamedPolicy"], [3, "ParametersPolicy"], [1, "Teapot"]),
    name: fc.constantFrom("p1", "p2", "p3", "p4", "p5"),
    namespace: weighted<string | undefined>([5, undefined], [2, "a"], [1, "a-b"]),
  })
  .map(jsonOf);
const extensionFilters: Arb<JsonObject[] | undefined> = chance(
  0.3,
  fc.array(
    policyReference.map((extensionRef) => ({ type: "ExtensionRef", extensionRef })),
    { minLength: 1, maxLength: 2 },
  ),
);

const namespaceObjects: Arb<JsonObject[]> = fc
  .tuple(...namespaces.map((name) => fc.tuple(fc.constant(name), weighted([8, true], [2, false]), dressing)))
  .map((rows) =>
    rows
      .filter(([, isDefined]) => isDefined)
      .map(([name, , dressed]) => kubeObject({ apiVersion: "v1", kind: "Namespace", name }, dressed)),
  );

const classObjects: Arb<JsonObject[]> = fc
  .record({ names: fc.subarray(["x", "y"], { minLength: 1 }), parametersRef: chance(0.3, policyReference) })
  .map(({ names, parametersRef }) =>
    names.map((name) =>
      kubeObject(
        { apiVersion: gatewayApi, kind: "GatewayClass", name },
        {},
        jsonOf({ controllerName: name === "x" ? "example.com/gateway" : "other.io/gateway", parametersRef }),
      ),
    ),
  );

const allowedRoutes: Arb<JsonObject | undefined> = weighted<JsonObject | undefined>(
  [3, undefined],
  [9, { namespaces: { from: "All" } }],
  [1, { namespaces: { from: "Same" } }],
  [1, { namespaces: { from: "Selector", selector: { matchLabels: { team: "red" } } } }],
  [
    1,
    {
      namespaces: {
        from: "Selector",
        selector: { matchExpressions: [{ key: "team", operator: "NotIn", values: ["red"] }] },
      },
    },
  ],
  [1, { kinds: [{ kind: "HTTPRoute" }] }],
  [1, { kinds: [{ group: gatewayGroup, kind: "GRPCRoute" }], namespaces: { from: "All" } }],
);

const listenerHostname = weighted<string | undefined>(
  [9, undefined],
  [2, "*.example.com"],
  [1, "one.example.com"],
  [1, "*.deep.example.com"],
);
const routeHostnames: Arb<string[] | undefined> = chance(
  0.25,
  fc.subarray(["one.example.com", "example.com", "two.deep.example.com", "*.example.com", "elsewhere.org"], {
    minLength: 1,
    maxLength: 2,
  }),
);

const listeners: Arb<JsonObject[]> = fc
  .array(
    fc.record({
      protocol: weighted([12, "HTTP"], [3, "HTTPS"], [1, "TLS"], [1, "TCP"], [1, "UDP"]),
      port: fc.constantFrom(80, 443),
      hostname: listenerHostname,
      mode: fc.constantFrom("Passthrough", "Terminate"),
      allowedRoutes,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((items) =>
    items.map(({ protocol, mode, ...rest }, index) =>
      jsonOf({
        name: `l${index + 1}`,
        protocol,
        ...rest,
        tls: protocol === "TLS" ? { mode, certificateRefs: [{ name: "c" }] } : undefined,
      }),
    ),
  );

/** Gateway g1 nearly always exists: most routes name it. */
const gatewayNames: Arb<readonly (readonly [namespace: string, name: string])[]> = weighted<
  readonly (readonly [string, string])[]
>(
  [1, []],
  [4, [["a", "g1"]]],
  [
    6,
    [
      ["a", "g1"],
      ["a-b", "g2"],
    ],
  ],
  [
    2,
    [
      ["a", "g1"],
      ["a-b", "g2"],
      ["a", "g3"],
    ],
  ],
  [1, [["a-b", "g2"]]],
);

const gateways: Arb<JsonObject[]> = gatewayNames.chain((names) =>
  fc.tuple(
    ...names.map(([namespace, name]) =>
      fc
        .record({
          dressed: dressing,
          gatewayClassName: weighted([6, "x"], [2, "y"], [1, "z"]),
          infrastructure: chance(
            0.4,
            policyReference.map((parametersRef) => ({ parametersRef })),
          ),
          listeners,
          allowedListeners: weighted<JsonObject | undefined>(
            [1, undefined],
            [3, { namespaces: { from: "All" } }],
            [1, { namespaces: { from: "Same" } }],
          ),
        })
        .map(({ dressed, ...spec }) =>
          kubeObject({ apiVersion: gatewayApi, kind: "Gateway", namespace, name }, dressed, jsonOf(spec)),
        ),
    ),
  ),
);

const listenerSets: Arb<JsonObject[]> = fc
  .array(
    fc.record({
      namespace: anyNamespace,
      dressed: dressing,
      parent: fc.constantFrom<JsonObject>(
        { name: "g1" },
        { name: "g1", namespace: "a" },
        { name: "g2", namespace: "a-b" },
      ),
      listeners,
    }),
    { maxLength: 2 },
  )
  .map((items) =>
    items.map((item, index) =>
      kubeObject(
        { apiVersion: gatewayApi, kind: "ListenerSet", namespace: item.namespace, name: `s${index + 1}` },
        item.dressed,
        { parentRef: item.parent, listeners: item.listeners },
      ),
    ),
  );

const parentRef: Arb<JsonObject> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .record({
        gateway: weighted<JsonObject>(
          [9, { name: "g1", namespace: "a" }],
          [3, { name: "g2", namespace: "a-b" }],
          [1, { name: "g3" }],
          [1, { name: "g9" }],
        ),
        sectionName: weighted<string | undefined>([14, undefined], [3, "l1"], [1, "l2"], [1, "l9"]),
        port: weighted<number | undefined>([15, undefined], [1, 80]),
      })
      .map(({ gateway, ...rest }) => jsonOf({ ...gateway, ...rest })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonObject>(
      { kind: "ListenerSet", group: gatewayGroup, name: "s1" },
      { kind: "ListenerSet", group: gatewayGroup, name: "s1", sectionName: "l1" },
      { kind: "ListenerSet", group: gatewayGroup, name: "s2", namespace: "a" },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<JsonObject>(
      { kind: "Service", group: "", name: "svc1" },
      { kind: "Service", group: "", name: "svc1", namespace: "a" },
      { kind: "Service", group: "", name: "svc2", namespace: "a", port: 80 },
    ),
  },
);

const backendRef: Arb<JsonObject> = weighted<JsonObject>(
  [5, { name: "svc1", port: 80 }],
  [3, { name: "svc2", port: 80 }],
  [2, { name: "svc1", port: 81 }],
  [2, { name: "svc1", namespace: "a-b", port: 80 }],
  [2, { name: "svc1", namespace: "a", port: 80 }],
  [1, { name: "gone", port: 80 }],
  [1, { name: "svc1", group: "", kind: "Service", port: 80, weight: 3 }],
  [1, { name: "bucket", group: "storage.example.com", kind: "Bucket" }],
);

/** Own values of the fields that policy kinds map to. Empty values count as unset. */
const ownRetry: Arb<JsonObject | undefined> = weighted<JsonObject | undefined>(
  [4, undefined],
  [2, { attempts: 2 }],
  [1, { attempts: 0, codes: [503] }],
  [1, { codes: [], hint: "" }],
  [1, {}],
);
const ownFields: Arb<JsonObject> = fc
  .record({
    retry: ownRetry,
    timeouts: weighted<JsonObject | undefined>([5, undefined], [1, { request: "1s", labels: { k: "own" } }], [1, {}]),
    filters: weighted<JsonObject[] | undefined>(
      [3, undefined],
      [2, [{ type: "RetryFilter", retry: { attempts: 1 }, more: { timeouts: { request: "3s" } } }]],
      [1, [{ type: "RetryFilter" }, { type: "URLRewrite" }, { type: "RetryFilter", retry: { codes: [500] } }]],
      [1, [{ type: "URLRewrite" }]],
    ),
  })
  .map(jsonOf);

const rule: Arb<JsonObject> = fc
  .record({
    name: weighted<string | undefined>([4, undefined], [3, "one"], [2, "two"]),
    backendRefs: chance(0.8, fc.array(backendRef, { maxLength: 2 })),
    own: chance(0.5, ownFields),
    extensionFilters,
  })
  .map(({ own, extensionFilters: extensions, ...fields }) => {
    const filters = [...(isJsonList(own?.["filters"]) ? own["filters"] : []), ...(extensions ?? [])];
    return jsonOf({ ...fields, ...own, filters: filters.length === 0 ? undefined : filters });
  });

const routeKinds = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute"] as const;

/** The version of TLSRoute and TCPRoute that allows several rules. */
const streamApi = `${gatewayGroup}/v1alpha2`;
const isStream = (kind: string): boolean => kind === "TLSRoute" || kind === "TCPRoute";
/** Rules of these kinds need a backend. */
const withBackend = (one: JsonObject): JsonObject => {
  const refs = one["backendRefs"];
  return isJsonList(refs) && refs.length > 0 ? one : { ...one, backendRefs: [{ name: "svc1", port: 80 }] };
};

const routes: Arb<JsonObject[]> = fc
  .array(
    fc.record({
      kind: weighted([12, "HTTPRoute"], [2, "GRPCRoute"], [1, "TLSRoute"], [1, "TCPRoute"]),
      namespace: anyNamespace,
      dressed: dressing,
      parentRefs: fc.array(parentRef, { minLength: 1, maxLength: 2 }),
      hostnames: routeHostnames,
      rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
      retry: ownRetry,
    }),
    { minLength: 2, maxLength: 4 },
  )
  .map((items) =>
    items.map(({ kind, namespace, dressed, hostnames, ...rest }, index) =>
      kubeObject(
        { apiVersion: isStream(kind) ? streamApi : gatewayApi, kind, namespace, name: `r${index + 1}` },
        dressed,
        jsonOf({
          hostnames: kind === "TCPRoute" ? undefined : hostnames,
          ...rest,
          rules: isStream(kind) ? rest.rules.map(withBackend) : rest.rules,
        }),
      ),
    ),
  );

const ports: Arb<JsonObject[]> = weighted<JsonObject[]>(
  [
    4,
    [
      { name: "http", port: 80 },
      { name: "admin", port: 81 },
    ],
  ],
  [2, [{ port: 80 }]],
  [1, [{ name: "http", port: 80 }]],
);

const services: Arb<JsonObject[]> = fc
  .subarray(
    [
      ["a", "svc1"],
      ["a-b", "svc1"],
      ["a", "svc2"],
      ["a-b", "svc2"],
    ] as const,
    { minLength: 1 },
  )
  .chain((names) =>
    fc.tuple(
      ...names.map(([namespace, name]) =>
        fc
          .record({ dressed: dressing, ports })
          .map((item) =>
            kubeObject({ apiVersion: "v1", kind: "Service", namespace, name }, item.dressed, { ports: item.ports }),
          ),
      ),
    ),
  );

const grantsFrom: Arb<JsonObject> = fc.record({
  group: weighted([2, gatewayGroup], [3, policyGroup]),
  kind: fc.constantFrom("HTTPRoute", "GRPCRoute", "PatchPolicy", "ExclusivePolicy", "MergePolicy"),
  namespace: anyNamespace,
});
const grantsTo: Arb<JsonObject> = weighted<JsonObject>(
  [2, { group: "", kind: "Service" }],
  [1, { group: "", kind: "Service", name: "svc1" }],
  [2, { group: gatewayGroup, kind: "Gateway" }],
  [2, { group: gatewayGroup, kind: "HTTPRoute" }],
  [1, { group: gatewayGroup, kind: "HTTPRoute", name: "r1" }],
);
const grants: Arb<JsonObject[]> = fc
  .array(
    fc.record({
      namespace: anyNamespace,
      from: fc.array(grantsFrom, { minLength: 1, maxLength: 4 }),
      to: fc.array(grantsTo, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  )
  .map((items) =>
    items.map(({ namespace, ...spec }, index) =>
      kubeObject(
        { apiVersion: `${gatewayGroup}/v1beta1`, kind: "ReferenceGrant", namespace, name: `grant${index + 1}` },
        {},
        spec,
      ),
    ),
  );

const grantees: readonly JsonObject[] = [
  ...[...routeKinds, "Gateway"].map((kind) => ({ group: gatewayGroup, kind })),
  ...policyKinds.flatMap(({ definition }) => definition.policies.map(({ group, kind }) => ({ group, kind }))),
];
/** The maximum number of `from` entries in a ReferenceGrant. */
const MAX_FROM = 16;

/** Each namespace grants access to the routes and policies of the other. */
const mutualGrants: readonly JsonObject[] = [
  ["a", "a-b"],
  ["a-b", "a"],
].flatMap(([namespace = "", other = ""]) =>
  [0, 1, 2]
    .map((at) => [grantees.slice(at * MAX_FROM, (at + 1) * MAX_FROM), at] as const)
    .map(([from, at]) =>
      kubeObject(
        { apiVersion: `${gatewayGroup}/v1`, kind: "ReferenceGrant", namespace, name: `mutual${at}` },
        {},
        {
          from: from.map((grantee) => ({ ...grantee, namespace: other })),
          to: [
            { group: "", kind: "Service" },
            ...["Gateway", "ListenerSet", ...routeKinds].map((kind) => ({ group: gatewayGroup, kind })),
            { group: policyGroup, kind: "NamedPolicy" },
          ],
        },
      ),
    ),
);

export const gatewayObjects: Arb<JsonObject[]> = fc
  .tuple(
    namespaceObjects,
    classObjects,
    gateways,
    listenerSets,
    routes,
    services,
    fc.oneof({ weight: 1, arbitrary: grants }, { weight: 1, arbitrary: fc.constant(mutualGrants) }),
  )
  .map((groups) => groups.flat());
