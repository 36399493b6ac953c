/**
 * Where policies can be: the hierarchy (DESIGN 4.1) and the targets (DESIGN 4.2), through the public API.
 * Attachment rules are Gateway API's own: parentRefs, allowedRoutes, protocols, hostnames, ListenerSets, mesh, grants.
 */
import { describe, expect, test } from "vitest";
import { compileDataplane } from "../../src/core/dataplane/compile-dataplane.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import type { KindFacts, MergeRules, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, verdicts } from "../../src/index.ts";
import { type Cluster, cluster } from "../support/cluster.ts";
import {
  fruit,
  gateway,
  gatewayClass,
  type ListenerOptions,
  listener,
  listenerSet,
  namespace,
  policy,
  reference,
  referenceGrant,
  route,
  routeTo,
  service,
} from "../support/gateway-objects.ts";
import { chainOfKinds, level, policyKind } from "../support/policy-kind.ts";

const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };
const routeKinds = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"];
const local = { group: "example.com", kind: "LocalPolicy", scope: "Namespaced" } as const;

/** A kind that a cluster-scoped policy brings to every path below GatewayClass `class`, down to `ends`. */
const reaching = (...ends: readonly string[]): PolicyDefinition =>
  policyKind("PathPolicy", {
    scope: "Cluster",
    joined: [local],
    targets: [
      "Namespace",
      "GatewayClass",
      "Gateway/Listener",
      "ListenerSet/Listener",
      ...routeKinds.map((kind) => `${kind}/Rule`),
      "Service/Port",
    ],
    ends,
    merge: { granularity: field },
  });
const everywhere = policy("PathPolicy", "everywhere", "GatewayClass/class", { x: 1 }, { namespace: "" });
const under = (ends: readonly string[], ...objects: readonly unknown[]) =>
  cluster([everywhere, ...objects], { definitions: [reaching(...ends)] });
/** Whether the route `r` in `namespace` hangs under Gateway `infra/g`, and how often. */
const attached = (
  listenerOptions: ListenerOptions,
  routeOptions: Parameters<typeof route>[2] = {},
  ...more: readonly unknown[]
) =>
  under(
    routeKinds,
    gateway("g", { namespace: "infra", listeners: [listener("l", listenerOptions)] }),
    route("r", "Gateway/infra/g", { namespace: "infra", ...routeOptions }),
    ...more,
  ).chains().length;

describe("Hierarchy", () => {
  test("GatewayClass > Gateway > Listener > HTTPRoute > Rule > Service > Port", () => {
    const made = under(["Service/Port"], gateway("g"), routeTo("r", "Gateway/g", "s"), service("s"));
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s > Service/s#http",
    ]);
  });

  test("Gateway > ListenerSet > Listener", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", { allowedListeners: "Same" }),
      listenerSet("ls", "Gateway/g"),
      routeTo("r", "ListenerSet/ls"),
    );
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > ListenerSet/ls > ListenerSet/ls#extra > HTTPRoute/r",
    ]);
  });

  test("one path per way down: two listeners, two rules, two backends", () => {
    const made = under(
      ["Service"],
      gateway("g", { listeners: [listener("a"), listener("b", { port: 81 })] }),
      route("r", "Gateway/g", { rules: [{ backends: ["s", "t"] }, { backends: ["s"] }] }),
      service("s"),
      service("t"),
    );
    expect(
      made
        .paths()
        .map((path) => path.split(" > ").slice(2).join(" > "))
        .toSorted(),
    ).toEqual(
      ["a", "b"].flatMap((name) => [
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s`,
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-1 > Service/t`,
        `Gateway/g#${name} > HTTPRoute/r > HTTPRoute/r#rule-2 > Service/s`,
      ]),
    );
  });

  test("duplicate parentRefs or backends give one path", () => {
    const made = under(
      ["Service"],
      gateway("g"),
      route("r", ["Gateway/g", "Gateway/g", "Gateway/g#http", { ...reference("Gateway/g"), port: 80 }], {
        rules: [{ backends: ["s", "s", "Service/s"] }],
      }),
      service("s"),
    );
    expect(made.chains()).toEqual(["Gateway/g > HTTPRoute/r > Service/s"]);
  });

  test("several effective targets: a rule without a backend is its own end, one with backends is not", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "bare" }, { name: "served", backends: ["s"] }] }),
      service("s"),
    );
    const ends = made.paths().map((path) => path.split(" > ").slice(-2).join(" > "));
    expect(ends.toSorted()).toEqual(["HTTPRoute/r > HTTPRoute/r#bare", "HTTPRoute/r#served > Service/s"]);
  });

  test("a backend that does not exist is no end of a path, and the rule is", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["absent"] }] }),
    );
    expect(made.paths().map((path) => path.split(" > ").at(-1))).toEqual(["HTTPRoute/r#rule"]);
  });

  test("named and unnamed rules: declared names are kept, the others are shown by their place", () => {
    const made = under(
      ["HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{}, { name: "named" }, {}] }),
    );
    expect(made.effective().map(({ path }) => path.at(-1)?.sectionName)).toEqual(
      expect.arrayContaining(["rule-1", "named", "rule-3"]),
    );
  });

  test.each([
    ["left out", {}],
    ["null", { rules: null }],
  ])("an HTTPRoute whose rules are %s has the one that its CRD gives it, and a data plane serves it", (_, rules) => {
    const bare = { ...route("r", "Gateway/g"), spec: { parentRefs: [reference("Gateway/g")], ...rules } };
    const made = under(["HTTPRoute/Rule"], gateway("g"), bare);
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule-1",
    ]);
    const world = worldOf(made.evaluation);
    const [port] = compileDataplane(world, { endpointAnnotations: "Used" }).gateways.flatMap(({ ports }) => ports);
    const [served] = port?.listeners[0]?.virtualHosts[0]?.routes ?? [];
    expect([served?.rule.rule, served?.match.path]).toEqual(["rule-1", { type: "PathPrefix", value: "/" }]);
  });

  test("an empty list of rules is refused, as the API server does (MinItems), of GRPCRoutes it is none", () => {
    const empty = (kind: string) => ({ ...route("r", "Gateway/g", { kind }), spec: { rules: [] } });
    expect(under(["HTTPRoute"], empty("HTTPRoute")).findingsOn("r")).toEqual([
      expect.objectContaining({ severity: "error", field: "spec.rules" }),
    ]);
    expect(under(["GRPCRoute"], empty("GRPCRoute")).findingsOn("r")).toEqual([]);
  });

  test("Namespaces and GatewayClasses that objects name but no document defines are implied", () => {
    const made = under(["Gateway"], gateway("a"), gateway("b"));
    expect(made.outcome("everywhere")).toBe("Enforced");
    expect(made.findings.filter(({ message }) => message.includes("class"))).toHaveLength(1);
    const defined = under(["Gateway"], gateway("a"), gatewayClass("class"));
    expect(defined.findings.filter(({ message }) => /GatewayClass/.test(message))).toEqual([]);
  });

  test("nothing else is implied: what a reference names in vain is not found", () => {
    const kinds: readonly KindFacts[] = [
      { ...level("Orchard"), scope: "Cluster", sections: [] },
      { ...level("Tree"), scope: "Namespaced", sections: [] },
    ];
    const byRefs = { from: level("Orchard"), to: level("Tree"), via: "ParentRefs", path: "spec.orchards" } as const;
    const byName = { from: level("Orchard"), to: level("Tree"), via: "ParentName", path: "spec.orchard" } as const;
    const definition = policyKind("FruitPolicy", {
      scope: "Cluster",
      targets: ["Orchard"],
      ends: ["Tree"],
      merge: { granularity: field },
      kinds,
      links: [byRefs, byName],
    });
    const inVain = fruit("Tree/t", { orchards: [reference("Orchard/gone")] });
    const onGone = policy("FruitPolicy", "p", "Orchard/gone", { x: 1 }, { namespace: "" });
    const made = cluster([inVain, onGone], { definitions: [definition] });
    expect(made.outcome("p")).toBe("TargetNotFound");
    // Whoever hangs under it by its bare name has it, and so has the policy when that changes.
    const below = fruit("Tree/t", { orchard: "gone" });
    expect(cluster([below, onGone], { definitions: [definition] }).outcome("p")).toBe("Enforced");
    for (const [before, after] of [
      [inVain, below],
      [below, inVain],
    ] as const) {
      const changed = apply(cluster([before, onGone], { definitions: [definition] }).evaluation, [{ upsert: after }]);
      expect([...verdicts(changed.evaluation)]).toEqual([
        ...verdicts(cluster([after, onGone], { definitions: [definition] }).evaluation),
      ]);
    }
  });

  test("a GatewayClass that nobody names is not found", () => {
    const made = cluster([gateway("g"), policy("PathPolicy", "p", "GatewayClass/other", { x: 1 }, { namespace: "" })], {
      definitions: [reaching("Gateway")],
    });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toContain("other");
  });

  test("an absent parent Gateway makes what hangs below it incomplete", () => {
    const made = cluster(
      [routeTo("r", "Gateway/absent", "s"), service("s"), policy("LocalPolicy", "p", "HTTPRoute/r", { x: 1 })],
      {
        definitions: [reaching("Service")],
      },
    );
    expect(made.paths()).toEqual(["HTTPRoute/r > HTTPRoute/r#rule-1 > Service/s (incomplete)"]);
    expect(made.spec("HTTPRoute/r > Service/s")).toEqual({ x: 1 });
  });

  test("a route that no listener accepts is on no path, and its policy says so", () => {
    const made = cluster(
      [gateway("g"), route("r", "Gateway/g#absent"), policy("LocalPolicy", "p", "HTTPRoute/r", { x: 1 })],
      {
        definitions: [reaching("HTTPRoute")],
      },
    );
    expect(made.chains()).toEqual([]);
    expect(made.outcome("p")).toBe("NoPath");
  });
});

describe("parentRefs", () => {
  const two = gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })] });
  const under2 = (parent: JsonObject | string) =>
    under(["HTTPRoute"], two, route("r", [parent]))
      .paths()
      .map((path) => path.split(" > ")[2]);

  for (const [name, parent, listeners] of [
    ["name", "Gateway/g", ["Gateway/g#a", "Gateway/g#b"]],
    ["sectionName", "Gateway/g#b", ["Gateway/g#b"]],
    ["port", { name: "g", port: 81 }, ["Gateway/g#b"]],
    ["sectionName and port of one listener", { name: "g", sectionName: "a", port: 80 }, ["Gateway/g#a"]],
    ["sectionName and port of two listeners", { name: "g", sectionName: "a", port: 81 }, []],
    ["a sectionName that no listener has", { name: "g", sectionName: "c" }, []],
    ["a port that no listener has", { name: "g", port: 82 }, []],
    ["kind and group left out mean a Gateway", { name: "g" }, ["Gateway/g#a", "Gateway/g#b"]],
    ["another kind", { kind: "Service", group: "", name: "g" }, []],
    ["another name", { name: "gg" }, []],
  ] as const) {
    test(name, () => {
      const made = under2(parent);
      expect(name === "another name" ? made.filter((node) => node?.startsWith("Gateway")) : made).toEqual(listeners);
    });
  }

  test("namespace: the route's own unless it says another", () => {
    const open = (ns: string) => gateway("g", { namespace: ns, listeners: [listener("l", { from: "All" })] });
    const chains = (parent: string) =>
      under(["HTTPRoute"], open("a"), open("b"), route("r", parent, { namespace: "a" })).chains();
    expect(chains("Gateway/g")).toEqual(["Gateway/a/g > HTTPRoute/a/r"]);
    expect(chains("Gateway/b/g")).toEqual(["Gateway/b/g > HTTPRoute/a/r"]);
  });
});

describe("allowedRoutes", () => {
  for (const [name, from, inside, outside] of [
    ["namespaces left out mean Same", undefined, 1, 0],
    ["namespaces from Same", "Same", 1, 0],
    ["namespaces from All", "All", 1, 1],
    ["namespaces from None", "None", 0, 0],
  ] as const) {
    test(name, () => {
      const options = from === undefined ? {} : { from };
      expect([attached(options), attached(options, { namespace: "apps" })]).toEqual([inside, outside]);
    });
  }

  test("namespaces from Selector: by the labels of the route's namespace", () => {
    const from = { from: { team: "a" } };
    expect(attached(from, { namespace: "apps" }, namespace("apps", { team: "a", more: "x" }))).toBe(1);
    expect(attached(from, { namespace: "apps" }, namespace("apps", { team: "b" }))).toBe(0);
    expect(attached(from, { namespace: "apps" })).toBe(0);
    // The Gateway's own namespace is no exception.
    expect(attached(from, {}, namespace("infra", {}))).toBe(0);
  });

  test("kinds", () => {
    expect(attached({ kinds: ["HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] })).toBe(0);
    expect(attached({ kinds: ["GRPCRoute", "HTTPRoute"] })).toBe(1);
    expect(attached({ kinds: ["GRPCRoute"] }, { kind: "GRPCRoute" })).toBe(1);
    // A kind that the protocol cannot carry is not let in by listing it.
    expect(attached({ kinds: ["TCPRoute"], protocol: "HTTP" }, { kind: "TCPRoute" })).toBe(0);
  });

  test("kinds: a refusal names the group, where it is not Gateway API's", () => {
    const odd = { ...listener("l"), allowedRoutes: { kinds: [{ group: "example.com", kind: "HTTPRoute" }] } };
    const made = under(["HTTPRoute"], gateway("g", { listeners: [odd] }), route("r", "Gateway/g"));
    expect(made.findingsOn("r").map(({ message }) => message)).toEqual([
      "listener l of Gateway default/g accepts HTTPRoute of group 'example.com' only, not HTTPRoute",
    ]);
  });

  for (const [protocol, kinds] of [
    ["HTTP", ["HTTPRoute", "GRPCRoute"]],
    ["HTTPS", ["HTTPRoute", "GRPCRoute"]],
    ["TLS", ["TLSRoute", "TCPRoute"]],
    ["TCP", ["TCPRoute"]],
    ["UDP", ["UDPRoute"]],
  ] as const) {
    test(`protocol ${protocol} takes ${kinds.join(" and ")}`, () => {
      expect(routeKinds.filter((kind) => attached({ protocol }, { kind }) > 0)).toEqual(
        routeKinds.filter((kind) => (kinds as readonly string[]).includes(kind)),
      );
    });
  }
});

describe("hostnames", () => {
  for (const [listenerHost, routeHosts, expected] of [
    [undefined, undefined, 1],
    [undefined, ["foo.com"], 1],
    ["foo.com", undefined, 1],
    ["foo.com", [], 1],
    ["foo.com", ["foo.com"], 1],
    ["foo.com", ["bar.com"], 0],
    ["foo.com", ["bar.com", "foo.com"], 1],
    ["foo.com", ["www.foo.com"], 0],
    ["www.foo.com", ["foo.com"], 0],
    ["*.foo.com", ["www.foo.com"], 1],
    ["*.foo.com", ["a.b.foo.com"], 1],
    ["*.foo.com", ["foo.com"], 0],
    ["*.foo.com", ["barfoo.com"], 0],
    ["*.foo.com", ["www.foo.com.evil.com"], 0],
    ["www.foo.com", ["*.foo.com"], 1],
    ["a.b.foo.com", ["*.foo.com"], 1],
    ["foo.com", ["*.foo.com"], 0],
    ["barfoo.com", ["*.foo.com"], 0],
    ["*.foo.com", ["*.foo.com"], 1],
    ["*.foo.com", ["*.bar.foo.com"], 1],
    ["*.bar.foo.com", ["*.foo.com"], 1],
    ["*.foo.com", ["*.bar.com"], 0],
    ["*.foo.com", ["*.barfoo.com"], 0],
    ["*.com", ["foo.com"], 1],
  ] as const) {
    test(`listener ${listenerHost ?? "none"}, route ${routeHosts?.join(", ") ?? "none"}: ${expected === 1 ? "attached" : "not attached"}`, () => {
      const options = listenerHost === undefined ? {} : { hostname: listenerHost };
      expect(attached(options, routeHosts === undefined ? {} : { hostnames: routeHosts })).toBe(expected);
    });
  }

  test("each route kind that has hostnames: GRPCRoute and TLSRoute too, TCPRoute not", () => {
    expect(attached({ hostname: "foo.com" }, { kind: "GRPCRoute", hostnames: ["bar.com"] })).toBe(0);
    expect(attached({ hostname: "foo.com", protocol: "TLS" }, { kind: "TLSRoute", hostnames: ["bar.com"] })).toBe(0);
    expect(attached({ hostname: "foo.com", protocol: "TLS" }, { kind: "TLSRoute", hostnames: ["foo.com"] })).toBe(1);
    expect(attached({ protocol: "TCP" }, { kind: "TCPRoute" })).toBe(1);
  });

  test("each listener decides for itself", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", {
        listeners: [
          listener("a", { hostname: "a.com" }),
          listener("b", { hostname: "b.com" }),
          listener("any", { port: 81 }),
        ],
      }),
      route("r", "Gateway/g", { hostnames: ["b.com"] }),
    );
    expect(
      made
        .paths()
        .map((path) => path.split(" > ")[2] ?? "")
        .toSorted(),
    ).toEqual(["Gateway/g#any", "Gateway/g#b"]);
  });
});

describe("ListenerSets", () => {
  const chains = (allowedListeners: "All" | "Same" | "None" | undefined, setNamespace = "infra") =>
    under(
      ["HTTPRoute"],
      gateway("g", { namespace: "infra", ...(allowedListeners === undefined ? {} : { allowedListeners }) }),
      listenerSet("ls", "Gateway/infra/g", { namespace: setNamespace }),
      route("r", `ListenerSet/${setNamespace}/ls`, { namespace: setNamespace }),
    ).chains();

  for (const [allowed, inside, outside] of [
    [undefined, 0, 0],
    ["None", 0, 0],
    ["Same", 1, 0],
    ["All", 1, 1],
  ] as const) {
    test(`allowedListeners from ${allowed ?? "left out means None"}`, () => {
      expect([chains(allowed).length, chains(allowed, "apps").length]).toEqual([inside, outside]);
    });
  }

  test("a route under the Gateway is not under its ListenerSets", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", { allowedListeners: "Same" }),
      listenerSet("ls", "Gateway/g"),
      routeTo("r", "Gateway/g"),
    );
    expect(made.chains()).toEqual(["Gateway/g > HTTPRoute/r"]);
  });

  test("the identity of a listener is its owner and its name", () => {
    const made = cluster(
      [
        everywhere,
        gateway("g", { allowedListeners: "Same", listeners: [listener("same")] }),
        listenerSet("ls", "Gateway/g", { listeners: [listener("same", { port: 81 })] }),
        routeTo("r1", "Gateway/g"),
        routeTo("r2", "ListenerSet/ls"),
        policy("LocalPolicy", "on-set", "ListenerSet/ls#same", { x: 2 }),
      ],
      { definitions: [reaching("HTTPRoute")] },
    );
    expect(made.spec("Gateway/g#same > HTTPRoute/r1")).toEqual({ x: 1 });
    expect(made.spec("ListenerSet/ls#same > HTTPRoute/r2")).toEqual({ x: 2 });
  });
});

describe("ReferenceGrants for backends", () => {
  const chains = (...grants: readonly JsonObject[]) =>
    under(
      ["Service"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ backends: ["Service/apps/s"] }] }),
      service("s", { namespace: "apps" }),
      ...grants,
    ).chains();
  const from = { kind: "HTTPRoute", namespace: "default" };
  const to = { kind: "Service" };

  test("a cross-namespace backendRef needs a ReferenceGrant", () => {
    expect(chains()).toEqual([]);
    expect(chains(referenceGrant("grant", "apps", { from, to }))).toEqual(["Gateway/g > HTTPRoute/r > Service/apps/s"]);
    expect(chains(referenceGrant("grant", "apps", { from, to: { ...to, name: "s" } }))).toHaveLength(1);
  });

  for (const [name, inNamespace, ends] of [
    ["in the route's namespace", "default", { from, to }],
    ["from another namespace", "apps", { from: { ...from, namespace: "other" }, to }],
    ["from another kind of route", "apps", { from: { ...from, kind: "GRPCRoute" }, to }],
    ["from another group", "apps", { from: { ...from, group: "example.com" }, to }],
    ["to another kind", "apps", { from, to: { kind: "Secret", group: "" } }],
    ["to another name", "apps", { from, to: { ...to, name: "t" } }],
  ] as const) {
    test(`near miss: one ${name} permits nothing`, () => {
      expect(chains(referenceGrant("grant", inNamespace, ends))).toEqual([]);
    });
  }

  test("the link that is not there does not take the rule with it", () => {
    const made = under(
      ["Service", "HTTPRoute/Rule"],
      gateway("g"),
      route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["Service/apps/s"] }] }),
      service("s", { namespace: "apps" }),
    );
    expect(made.paths().map((path) => path.split(" > ").at(-1))).toEqual(["HTTPRoute/r#rule"]);
  });
});

describe("References compare kinds and groups to the letter", () => {
  const group = "gateway.networking.k8s.io";
  const refusals = (parent: JsonObject, backend: JsonObject) => {
    const made = under(
      ["Service"],
      gateway("g"),
      service("s"),
      route("r", [parent], { rules: [{ fields: { backendRefs: [{ port: 80, ...backend }] } }] }),
    );
    return made.findingsOn("r").map(({ code, field: at, message }) => `${code} ${at}: ${message}`);
  };
  const noParent = "a HTTPRoute has no parent of kind";
  const parents = "only Gateway, ListenerSet, XListenerSet, Service";

  test.each([
    ["as they are", { name: "g" }, { name: "s" }, []],
    ["spelled out", { group, kind: "Gateway", name: "g" }, { group: "", kind: "Service", name: "s" }, []],
    [
      "the kind in another case",
      { kind: "gateway", name: "g" },
      { kind: "service", name: "s" },
      [
        "InvalidKind spec.parentRefs[0]: ".concat(
          `${noParent} 'gateway' of group '${group}', ${parents}; for Gateway write kind: Gateway`,
        ),
        "InvalidKind spec.rules[0].backendRefs[0]: a HTTPRoute has no child of kind 'service' of group '', only Service; for Service write kind: Service",
      ],
    ],
    [
      "a group with a version",
      { group: `${group}/v1`, kind: "Gateway", name: "g" },
      { name: "s" },
      [
        `InvalidKind spec.parentRefs[0]: ${noParent} 'Gateway' of group '${group}/v1', ${parents}; for Gateway write group: '${group}'`,
      ],
    ],
    [
      "a Service as parent without its group",
      { kind: "Service", name: "s" },
      { name: "s" },
      [
        `InvalidKind spec.parentRefs[0]: ${noParent} 'Service' of group '${group}', ${parents}; for Service write group: ''`,
      ],
    ],
  ])("%s", (_, parent, backend, expected) => {
    expect(refusals(parent, backend)).toEqual(expected);
  });
});

describe("Mesh", () => {
  const mesh = policyKind("MeshPolicy", {
    targets: ["Service", "HTTPRoute"],
    ends: ["Service"],
    merge: { granularity: field },
  });
  const onService = policy("MeshPolicy", "p", "Service/s", { x: 1 }, { namespace: "prod" });
  const s = service("s", { namespace: "prod" });
  const t = service("t", { namespace: "prod" });
  const made = (...objects: readonly unknown[]) => cluster([s, t, onService, ...objects], { definitions: [mesh] });
  const producer = route("producer", "Service/s", { namespace: "prod", rules: [{ backends: ["t"] }] });
  const consumer = (ns: string) => [
    route("consumer", "Service/prod/s", { namespace: ns, rules: [{ backends: ["Service/prod/t"] }] }),
    referenceGrant(`from-${ns}`, "prod", { from: { kind: "HTTPRoute", namespace: ns }, to: { kind: "Service" } }),
  ];

  test("a producer's route carries everybody's traffic", () => {
    expect(made(producer).chains()).toEqual([
      "Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)",
    ]);
  });

  test("a consumer's route carries its own namespace's, instead of the producer's", () => {
    expect(
      made(producer, ...consumer("red"), ...consumer("blue"))
        .chains()
        .toSorted(),
    ).toEqual([
      "Service/prod/s > HTTPRoute/blue/consumer > Service/prod/t (from blue)",
      "Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)",
      "Service/prod/s > HTTPRoute/red/consumer > Service/prod/t (from red)",
    ]);
  });

  test("a route that splits its own Service's traffic is no cycle", () => {
    const self = made(route("self", "Service/s", { namespace: "prod", rules: [{ backends: ["s", "t"] }] }));
    expect(self.chains().toSorted()).toEqual([
      "Service/prod/s > HTTPRoute/prod/self > Service/prod/s (from others)",
      "Service/prod/s > HTTPRoute/prod/self > Service/prod/t (from others)",
    ]);
    expect(self.findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(self.outcome("prod/p")).toBe("Enforced");
  });

  test("a Service as parent by port", () => {
    const byPort = (port: number) =>
      made(
        route("producer", [{ ...reference("Service/s"), port }], { namespace: "prod", rules: [{ backends: ["t"] }] }),
      ).chains();
    expect(byPort(80)).toEqual(["Service/prod/s > HTTPRoute/prod/producer > Service/prod/t (from others)"]);
  });

  test.each([
    ["Services alone need no grant for backends elsewhere", ["Service/prod/s"], true],
    ["a Gateway that is not in the snapshot may carry it, too", ["Service/prod/s", "Gateway/absent"], false],
    ["a Service that is not there carries nothing", ["Service/prod/s", "Service/absent"], true],
  ])("grants: %s", (_, parents, expected) => {
    const split = route("split", parents, { namespace: "red", rules: [{ backends: ["Service/prod/t"] }] });
    expect(made(split).findings.every(({ code }) => code !== "RefNotPermitted")).toBe(expected);
    expect(made(split).chains().includes("Service/prod/s > HTTPRoute/red/split > Service/prod/t (from red)")).toBe(
      expected,
    );
  });

  test("ingress and mesh stay apart: a path through a Gateway has no `from`", () => {
    const both = cluster(
      [
        s,
        t,
        onService,
        producer,
        gateway("g", { namespace: "prod" }),
        route("ingress", "Gateway/g", { namespace: "prod", rules: [{ backends: ["s"] }] }),
      ],
      { definitions: [mesh] },
    );
    const [ingress] = both.effective().filter(({ path }) => path.some(({ kind }) => kind === "Gateway"));
    expect(ingress?.from).toBeUndefined();
    expect(both.chains()).toContain("Gateway/prod/g > HTTPRoute/prod/ingress > Service/prod/s");
  });
});

describe("Namespaces as levels", () => {
  const kind = (...above: readonly string[]) =>
    policyKind("LocalPolicy", {
      joined: [{ group: "example.com", kind: "ClusterPolicy", scope: "Cluster" }],
      targets: ["Namespace", "Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      namespacesAbove: above,
      merge: { granularity: field },
    });
  const on = (name: string, target: string, spec: JsonObject, ns = "default") =>
    policy("LocalPolicy", name, target, spec, { namespace: ns });
  const open = gateway("g", { listeners: [listener("http", { from: "All" })] });
  const nodes = (made: Cluster) =>
    made
      .effective()
      .map(({ path }) =>
        path.map(({ kind: k, name, sectionName }) => `${k}/${name}${sectionName === undefined ? "" : "#"}`).join(" > "),
      );

  test("gateway and route in one namespace: it is visited once, at its highest place", () => {
    const made = cluster(
      [open, routeTo("r", "Gateway/g"), on("ns", "Namespace/default", { x: "ns" }), on("gw", "Gateway/g", { x: "gw" })],
      {
        definitions: [kind("Gateway", "HTTPRoute")],
      },
    );
    expect(nodes(made)).toEqual(["GatewayClass/class > Namespace/default > Gateway/g > Gateway/g# > HTTPRoute/r"]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "gw" });
    expect(made.outcome("ns")).toBe("Overridden by gw");
  });

  test("route elsewhere: Gateway > Namespace(route) > HTTPRoute", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("ns", "Namespace/apps", { x: "ns", y: "ns" }, "apps"),
        on("gw", "Gateway/g", { x: "gw", z: "gw" }),
        on("rt", "HTTPRoute/r", { y: "rt" }, "apps"),
      ],
      { definitions: [kind("HTTPRoute")] },
    );
    expect(nodes(made)).toEqual(["GatewayClass/class > Gateway/g > Gateway/g# > Namespace/apps > HTTPRoute/r"]);
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: "ns", y: "rt", z: "gw" });
  });

  test("both namespaces where they differ, each above its own object", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("up", "Namespace/default", { x: 1 }),
        on("down", "Namespace/apps", { x: 2 }, "apps"),
      ],
      { definitions: [kind("Gateway", "HTTPRoute")] },
    );
    expect(nodes(made)).toEqual([
      "GatewayClass/class > Namespace/default > Gateway/g > Gateway/g# > Namespace/apps > HTTPRoute/r",
    ]);
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: 2 });
  });

  test("an override on the namespace is above the Gateway's", () => {
    const made = cluster(
      [
        open,
        routeTo("r", "Gateway/g"),
        on("ns", "Namespace/default", { overrides: { x: "ns" } }),
        on("gw", "Gateway/g", { overrides: { x: "gw" } }),
      ],
      { definitions: [kind("Gateway", "HTTPRoute")] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "ns" });
  });

  test("only above the kinds that the definition lists", () => {
    const made = cluster(
      [
        open,
        route("r", "Gateway/default/g", { namespace: "apps" }),
        on("down", "Namespace/apps", { x: 2 }, "apps"),
        on("up", "Namespace/default", { x: 1 }),
      ],
      { definitions: [kind("Gateway")] },
    );
    expect(made.spec("HTTPRoute/apps/r")).toEqual({ x: 1 });
    expect(made.outcome("apps/down")).toBe("NoPath");
  });

  test("a policy that reaches everything through its namespace has that namespace for ancestor", () => {
    const made = cluster([open, routeTo("r", "Gateway/g"), on("ns", "Namespace/default", { x: 1 })], {
      definitions: [kind("Gateway")],
    });
    expect(made.conditions("ns")).toEqual(["Namespace/default: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.affectedBy("Namespace/default")).toEqual(["ns"]);
  });
});

describe("Scope", () => {
  const definition = policyKind("LocalPolicy", {
    joined: [{ group: "example.com", kind: "ClusterPolicy", scope: "Cluster" }],
    targets: ["Namespace", "GatewayClass", "Gateway"],
    ends: ["Gateway"],
    namespacesAbove: ["Gateway"],
    merge: { granularity: field },
  });
  const objects = [gateway("g"), gateway("h", { namespace: "other" })];
  const made = (...policies: readonly JsonObject[]) =>
    cluster([...objects, ...policies], { definitions: [definition] });
  const onLocal = (target: string) => policy("LocalPolicy", "p", target, { x: 1 });
  const onCluster = (target: string) => policy("ClusterPolicy", "c", target, { x: 2 }, { namespace: "" });

  test("a namespaced policy may target the Namespace it lives in", () => {
    expect(made(onLocal("Namespace/default")).outcome("p")).toBe("Enforced");
  });

  test("and no other", () => {
    const refused = made(onLocal("Namespace/other"));
    expect(refused.outcome("p")).toBe("TargetNotFound");
    expect(refused.message("p")).toMatch(/other/);
    expect(refused.effective().every(({ sources }) => sources.length === 0)).toBe(true);
  });

  test("any other cluster-scoped target needs a cluster-scoped policy", () => {
    expect(made(onLocal("GatewayClass/class")).outcome("p")).toBe("TargetNotFound");
    expect(made(onLocal("GatewayClass/class")).message("p")).toMatch(/scope/);
    expect(made(onCluster("GatewayClass/class")).outcome("c")).toBe("Enforced");
    expect(made(onCluster("Namespace/other")).outcome("c")).toBe("Enforced");
  });

  test("joined kinds share one stack: they meet, and one kind's policy beats the other's", () => {
    const both = made(onLocal("Namespace/default"), onCluster("GatewayClass/class"));
    expect(both.spec("Gateway/g")).toEqual({ x: 1 });
    expect(both.spec("Gateway/other/h")).toEqual({ x: 2 });
    expect(both.outcome("c")).toBe("PartiallyEnforced by p");
    expect(new Set(both.effective().map(({ policyKind: { kind } }) => kind))).toEqual(new Set(["LocalPolicy"]));
  });

  test("joined kinds on one target: by age, then by namespace/name", () => {
    const both = made(
      policy("LocalPolicy", "p", "Namespace/default", { overrides: { x: "local" } }, { created: 1 }),
      policy("ClusterPolicy", "c", "Namespace/default", { overrides: { x: "cluster" } }, { namespace: "", created: 0 }),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "cluster" });
    const tie = made(
      policy("LocalPolicy", "p", "Namespace/default", { overrides: { x: "local" } }, { created: 0 }),
      policy("ClusterPolicy", "c", "Namespace/default", { overrides: { x: "cluster" } }, { namespace: "", created: 0 }),
    );
    // "/c" stands before "default/p".
    expect(tie.spec("Gateway/g")).toEqual({ x: "cluster" });
  });
});

describe("Targets", () => {
  const definition = policyKind("LocalPolicy", {
    targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service"],
    ends: ["HTTPRoute/Rule"],
    targeting: { selectors: true },
    merge: { granularity: field },
  });
  const objects = [
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "named" }, {}, { name: "twice" }, { name: "twice" }] }),
    gateway("far", { namespace: "other" }),
    service("s"),
  ];
  const made = (target: JsonObject, definitions: readonly (PolicyDefinition | string)[] = [definition]) =>
    cluster([...objects, policy("LocalPolicy", "p", target, { x: 1 })], { definitions });

  const gw = "gateway.networking.k8s.io";
  const refused: readonly (readonly [name: string, target: JsonObject, message: RegExp])[] = [
    ["not found", { group: gw, kind: "Gateway", name: "absent" }, /absent/],
    ["not found: one letter off", { group: gw, kind: "HTTPRoute", name: "rr" }, /rr/],
    ["not found here, though in another namespace", { group: gw, kind: "Gateway", name: "far" }, /far/],
    ["section absent", { group: gw, kind: "Gateway", name: "g", sectionName: "https" }, /https/],
    [
      "section absent: the name of another kind of section",
      { group: gw, kind: "Gateway", name: "g", sectionName: "named" },
      /named/,
    ],
    [
      "a positional name",
      { group: gw, kind: "HTTPRoute", name: "r", sectionName: "rule-2" },
      /^'rule-2' is only how an unnamed rule of HTTPRoute default\/r is shown; give the rule a name of its own and target that$/,
    ],
    [
      "a name that is not unique",
      { group: gw, kind: "HTTPRoute", name: "r", sectionName: "twice" },
      /^2 rules of HTTPRoute default\/r are named 'twice', and a target must mean one; give each a name of its own and target that$/,
    ],
    [
      "a section of a kind that has none here",
      { group: "", kind: "Service", name: "s", sectionName: "http" },
      /section/,
    ],
    ["kind not allowed", { group: gw, kind: "GRPCRoute", name: "r" }, /GRPCRoute/],
    ["kind of another group", { group: "example.com", kind: "Gateway", name: "g" }, /example\.com/],
    [
      "selector matching nothing",
      { group: gw, kind: "Gateway", selector: { matchLabels: { no: "such" } } },
      /selector/,
    ],
    ["another namespace", { group: gw, kind: "Gateway", namespace: "other", name: "far" }, /namespace/],
  ];

  for (const [name, target, message] of refused) {
    test(`refused: ${name}`, () => {
      const one = made(target);
      expect(one.outcome("p")).toBe("TargetNotFound");
      expect(one.message("p")).toMatch(message);
      expect(one.effective().every(({ sources }) => sources.length === 0)).toBe(true);
    });
  }

  describe("refused: field and message lead to what is to be changed", () => {
    const cross = policyKind("LocalPolicy", {
      targets: ["Gateway/Listener", "HTTPRoute/Rule", "Namespace"],
      ends: ["HTTPRoute/Rule"],
      namespacesAbove: ["Gateway"],
      targeting: { selectors: true, crossNamespace: "ReferenceGrant" },
      merge: { granularity: field },
    });
    const labels = { team: "red" };
    const labelled = [
      route("near", "Gateway/g", { labels, rules: [{ name: "one" }] }),
      gateway("far", { namespace: "other", labels }),
      namespace("elsewhere", labels),
    ];
    const told = (spec: JsonObject) =>
      cluster([...labelled, { ...policy("LocalPolicy", "p", {}, {}), spec: { x: 1, ...spec } }], {
        definitions: [cross],
      })
        .findingsOn("p")
        .filter(({ severity }) => severity === "error")
        .map(({ code, field: at, message }) => `${code} ${at}: ${message}`);
    const matchLabels = labels;
    const none = { no: "such" };

    test.each([
      [
        "a group that is wrong",
        { targetRef: { group: "example.com", kind: "HTTPRoute", name: "near" } },
        `KindNotAllowed spec.targetRef.group: LocalPolicy cannot target a HTTPRoute of group 'example.com'; for HTTPRoute write group: '${gw}'`,
      ],
      [
        "a kind that is wrong",
        { targetRef: { group: gw, kind: "HTPRoute", name: "near" } },
        `KindNotAllowed spec.targetRef.kind: LocalPolicy cannot target a HTPRoute (${gw}); it can target: Gateway, HTTPRoute, Namespace; did you mean 'HTTPRoute'?`,
      ],
      [
        "a selector's routes without the section",
        { targetRef: { group: gw, kind: "HTTPRoute", sectionName: "onne", selector: { matchLabels } } },
        "SectionNotFound spec.targetRef.sectionName: nothing that the selector matches has such a section: HTTPRoute default/near has no rule named 'onne'; did you mean 'one'?",
      ],
      [
        "a selector's objects in another namespace, without a grant",
        { targetRef: { group: gw, kind: "Gateway", namespace: "other", selector: { matchLabels } } },
        "ReferenceNotPermitted spec.targetRef.selector: the selector matches, but Gateway other/far is in another namespace, and no ReferenceGrant in namespace 'other' lets a LocalPolicy (example.com) from namespace 'default' refer to it",
      ],
      [
        "a selector's Namespaces, of which none is its own",
        { targetRef: { group: "", kind: "Namespace", selector: { matchLabels } } },
        "ScopeNotAllowed spec.targetRef.selector: the selector matches Namespace elsewhere, but a namespaced policy can target only the Namespace it lives in, 'default'",
      ],
      [
        "a selector that matches nothing",
        { targetRef: { group: gw, kind: "Gateway", selector: { matchLabels: none } } },
        "SelectorMatchesNothing spec.targetRef.selector: the selector matches no Gateway in namespace 'default'",
      ],
      [
        "labels that stand in the target itself and match nothing",
        { targetSelectors: [{ group: gw, kind: "Gateway", matchLabels: none }] },
        "SelectorMatchesNothing spec.targetSelectors[0]: the selector matches no Gateway in namespace 'default'",
      ],
    ])("%s", (_, spec, expected) => {
      expect(told(spec)).toEqual([expected]);
    });
  });

  describe("Namespaces and GatewayClasses that no document defines", () => {
    const wide = policyKind("WidePolicy", {
      scope: "Cluster",
      targets: ["Namespace", "GatewayClass"],
      ends: ["Gateway"],
      namespacesAbove: ["Gateway"],
      targeting: { selectors: true },
      merge: { granularity: field },
    });
    const on = (target: JsonObject) => policy("WidePolicy", "p", target, { x: 1 }, { namespace: "" });
    const at = (...all: readonly unknown[]) => cluster(all, { definitions: [wide] });

    test("are guessed, too", () => {
      const shop = gateway("g", { namespace: "shop", class: "house" });
      expect(at(shop, on(reference("Namespace/shpo"))).message("p")).toBe("no Namespace 'shpo'; did you mean 'shop'?");
      expect(at(shop, on(reference("GatewayClass/huose"))).message("p")).toBe(
        "no GatewayClass 'huose'; did you mean 'house'?",
      );
    });

    test("and the guess follows what objects name", () => {
      const moved = gateway("g", { class: "house" });
      for (const [target, change] of [
        ["Namespace/shpo", gateway("other", { namespace: "shop" })],
        ["GatewayClass/huose", moved],
      ] as const) {
        const before = at(gateway("g"), on(reference(target)));
        const { evaluation, delta } = apply(before.evaluation, [{ upsert: change }]);
        const kept = change === moved ? [] : [gateway("g")];
        const after = at(change, ...kept, on(reference(target)));
        expect([...verdicts(evaluation)]).toEqual([...verdicts(after.evaluation)]);
        expect(delta.verdicts).toHaveLength(1);
      }
    });

    test("a selector sees the name that Kubernetes labels a Namespace with, defined or not", () => {
      const byName = (name: string) =>
        on({ kind: "Namespace", selector: { matchLabels: { "kubernetes.io/metadata.name": name } } });
      const there = gateway("g", { namespace: "shop" });
      expect(at(there, namespace("shop"), byName("shop")).outcome("p")).toBe("Enforced");
      expect(at(there, byName("shop")).outcome("p")).toBe("Enforced");
      expect(at(there, byName("elsewhere")).message("p")).toBe("the selector matches no Namespace");
      const { evaluation } = apply(at(byName("shop")).evaluation, [{ upsert: there }]);
      expect([...verdicts(evaluation)]).toEqual([...verdicts(at(there, byName("shop")).evaluation)]);
    });
  });

  test("refused: each with its own message", () => {
    const messages = refused.map(([, target]) => made(target).message("p"));
    expect(new Set(messages).size).toBe(messages.length);
  });

  test("refused: a positional name, with a message that says so", () => {
    expect(made({ group: gw, kind: "HTTPRoute", name: "r", sectionName: "rule-2" }).message("p")).toMatch(/name/i);
  });

  test("positional names, where the definition allows them", () => {
    const on = (sectionName: string) =>
      cluster(
        [
          gateway("g"),
          route("r", "Gateway/g", { rules: [{}, {}, { name: "third" }] }),
          policy(
            "RulePolicy",
            "p",
            { ...reference("HTTPRoute/r"), sectionName },
            { x: 1 },
            { group: "vendor-c.example.com" },
          ),
        ],
        { definitions: ["vendor-c-rule-policy"] },
      );
    expect(on("rule-2").spec("HTTPRoute/r#rule-2")).toEqual({ x: 1 });
    expect(on("rule-2").affectedTargets("p")).toEqual(["HTTPRoute/r#rule-2"]);
    expect(on("third").outcome("p")).toBe("Enforced");
    expect(on("rule-4").outcome("p")).toBe("TargetNotFound");
    expect(on("rule-0").outcome("p")).toBe("TargetNotFound");
  });

  test("a rule that is really called rule-2 is targeted by that name", () => {
    const both = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule-2" }] }),
        policy("LocalPolicy", "p", "HTTPRoute/r#rule-2", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    expect(both.outcome("p")).toBe("Enforced");
    expect(both.spec("HTTPRoute/r#rule-2")).toEqual({ x: 1 });
  });

  for (const [name, target] of [
    ["kinds compare case-insensitively", { group: gw, kind: "httproute", name: "r" }],
    ["group with a version", { group: `${gw}/v1`, kind: "HTTPRoute", name: "r" }],
    ["group left out, where the kind is unambiguous", { kind: "HTTPRoute", name: "r" }],
  ] as const) {
    test(name, () => {
      expect(made(target).outcome("p")).toBe("Enforced");
      expect(made(target).affectedBy("HTTPRoute/r")).toEqual(["p"]);
    });
  }

  test("names do not compare case-insensitively", () => {
    expect(made({ group: gw, kind: "Gateway", name: "G" }).outcome("p")).toBe("TargetNotFound");
  });

  test("one bad target does not hide the good ones, nor the good ones the bad", () => {
    const bad = refused.map(([, target]) => target);
    const both = cluster([...objects, policy("LocalPolicy", "p", [...bad, "Gateway/g"], { x: 1 })], {
      definitions: [definition],
    });
    expect(both.outcome("p")).toBe("Enforced");
    expect(new Set(both.findingsOn("p").map(({ message }) => message)).size).toBeGreaterThanOrEqual(bad.length);
  });

  test("one bad policy never changes the result for the others", () => {
    const good = policy("LocalPolicy", "good", "Gateway/g", { x: 1 });
    const bad = [
      policy("LocalPolicy", "bad1", "Gateway/absent", { overrides: { x: 2 } }),
      { ...policy("LocalPolicy", "bad2", "Gateway/g", {}), spec: "not a spec" },
      policy("LocalPolicy", "bad3", { kind: "Gateway" }, { overrides: { x: 3 } }),
    ];
    const alone = cluster([...objects, good], { definitions: [definition] });
    const together = cluster([...objects, good, ...bad], { definitions: [definition] });
    expect(together.effective()).toEqual(alone.effective());
    expect(["bad1", "bad2", "bad3"].map((name) => together.outcome(name))).toEqual([
      "TargetNotFound",
      "Invalid",
      "Invalid",
    ]);
  });

  test("a policy of a kind that nobody defines is listed as unknown, never dropped in silence", () => {
    const both = cluster([...objects, policy("MysteryPolicy", "p", "Gateway/g", { x: 1 })], {
      definitions: [definition],
    });
    expect(both.findingsOn("p").map(({ message }) => message)).toEqual([expect.stringContaining("MysteryPolicy")]);
  });
});

describe("Direct policies", () => {
  const direct = policyKind("DirectPolicy", {
    class: "Direct",
    targets: ["Service/Port"],
    ends: ["Service", "Service/Port"],
  });
  const on = (name: string, target: string, created: number) =>
    policy("DirectPolicy", name, target, { x: name }, { created });

  test("a Direct policy on a Service covers the ports that have none of their own: no conflict", () => {
    const made = cluster(
      [service("s", { ports: { http: 80, admin: 81 } }), on("whole", "Service/s", 0), on("port", "Service/s#admin", 1)],
      {
        definitions: [direct],
      },
    );
    expect(made.spec("Service/s > Service/s#admin")).toEqual({ x: "port" });
    expect(made.outcome("port")).toBe("Enforced");
    expect(made.verdictOf("whole").state).toBe("Accepted");
    const whole = made
      .effective()
      .filter(({ spec }) => spec["x"] === "whole")
      .map(({ path }) => path.at(-1)?.sectionName ?? "s");
    expect(whole.length).toBeGreaterThan(0);
    expect(whole).not.toContain("admin");
  });

  test("two on one port are in conflict: the oldest wins", () => {
    const made = cluster([service("s"), on("a", "Service/s#http", 1), on("z", "Service/s#http", 0)], {
      definitions: [direct],
    });
    expect(made.spec("Service/s#http")).toEqual({ x: "z" });
    expect(made.outcome("a")).toBe("Conflicted by z");
  });
});

describe("Hierarchies of their own, by data", () => {
  test("a new kind of route and a new kind of backend", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "FruitRoute/Rule", "Bucket"],
      ends: ["Bucket"],
      merge: { granularity: field },
      links: [
        {
          from: level("Gateway/Listener"),
          to: level("FruitRoute"),
          via: "ParentRefs",
          path: "spec.parentRefs",
          attachment: "RouteToListener",
        },
        { from: level("FruitRoute/Rule"), to: level("Bucket"), via: "ChildRefs", path: "backendRefs" },
      ],
      kinds: [
        {
          ...level("FruitRoute"),
          scope: "Namespaced",
          sections: [{ section: "Rule", path: "spec.rules" }],
          route: { protocols: ["HTTP"], hostnames: true },
        },
        { ...level("Bucket"), scope: "Namespaced", sections: [] },
      ],
    });
    const fruitRoute = (name: string, hostname: string) =>
      fruit(`FruitRoute/${name}`, {
        parentRefs: [{ name: "g" }],
        hostnames: [hostname],
        rules: [{ name: "pick", backendRefs: [{ ...reference("Bucket/b") }] }],
      });
    const made = cluster(
      [
        gateway("g", { listeners: [listener("http", { hostname: "*.fruit.com" })] }),
        fruitRoute("r", "apple.fruit.com"),
        fruitRoute("q", "apple.vegetable.com"),
        fruit("Bucket/b"),
        policy("LocalPolicy", "gw", "Gateway/g", { x: 1, y: 1 }),
        policy("LocalPolicy", "rl", reference("FruitRoute/r#pick"), { x: 2 }),
      ],
      { definitions: [definition] },
    );
    expect(made.chains()).toEqual(["Gateway/g > FruitRoute/r > Bucket/b"]);
    expect(made.spec("Bucket/b")).toEqual({ x: 2, y: 1 });
  });

  test("a document is all it takes: a route kind, a backend kind, and status for them", () => {
    const made = cluster(`
apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: pickpolicies.fruit.example.com}
spec:
  policies: [{group: fruit.example.com, kind: PickPolicy}]
  class: Inherited
  targeting:
    kinds: [Gateway, {group: fruit.example.com, kind: FruitRoute, sections: [Row]}]
  hierarchy:
    effectiveTargets: [{group: fruit.example.com, kind: Bucket}]
    kinds:
    - group: fruit.example.com
      kind: FruitRoute
      sections: [{section: Row, path: spec.rows}]
      route: {protocols: [HTTP], hostnames: true}
    - {group: fruit.example.com, kind: Bucket}
    links:
    - {from: GatewayListener, to: FruitRoute, via: ParentRefs, path: spec.parentRefs, attachment: RouteToListener}
    - {from: FruitRouteRow, to: Bucket, via: ChildRefs, path: buckets}
  merge: {granularity: {default: Field}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}, {name: tcp, port: 81, protocol: TCP}]}
---
apiVersion: fruit.example.com/v1
kind: FruitRoute
metadata: {name: r, namespace: default}
spec: {parentRefs: [{name: g}], rows: [{name: first, buckets: [{group: fruit.example.com, kind: Bucket, name: b}]}]}
---
apiVersion: fruit.example.com/v1
kind: Bucket
metadata: {name: b, namespace: default}
---
apiVersion: fruit.example.com/v1
kind: PickPolicy
metadata: {name: all, namespace: default}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: g}, x: 1, z: 1}
---
apiVersion: fruit.example.com/v1
kind: PickPolicy
metadata: {name: row, namespace: default}
spec: {targetRef: {group: fruit.example.com, kind: FruitRoute, name: r, sectionName: first}, x: 2}
`);
    expect(made.paths()).toEqual([
      "GatewayClass/class > Gateway/g > Gateway/g#http > FruitRoute/r > FruitRoute/r#first > Bucket/b",
    ]);
    expect(made.spec("Bucket/b")).toEqual({ x: 2, z: 1 });
    expect(made.conditions("all")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
    expect(made.conditions("row")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"]);
    const [all, row] = ["PickPolicy default/all", "PickPolicy default/row"];
    expect(made.targetConditions().map((line) => line.replace("example.com/PickPolicyAffected=True by ", ""))).toEqual([
      `Bucket/b metadata.annotations: ${all}, ${row}`,
      `FruitRoute/r status.parents[g]: ${all}, ${row} (in first)`,
      `Gateway/g status.conditions: ${all}`,
      `Gateway/g status.listeners[http]: ${all}`,
    ]);
  });

  test("links by the parent's name, and by the child's list of parents", () => {
    const kinds = ["Orchard", "Tree", "Apple"];
    const { kinds: facts } = chainOfKinds(kinds);
    const definition = policyKind("LocalPolicy", {
      targets: kinds,
      ends: ["Apple"],
      merge: { granularity: field },
      kinds: facts,
      links: [
        { from: level("Orchard"), to: level("Tree"), via: "ParentName", path: "spec.orchard" },
        { from: level("Tree"), to: level("Apple"), via: "ParentRefs", path: "spec.trees" },
      ],
    });
    const made = cluster(
      [
        fruit("Orchard/o"),
        fruit("Tree/t", { orchard: "o" }),
        fruit("Tree/u", { orchard: "elsewhere" }),
        fruit("Apple/a", { trees: [{ name: "t" }, { name: "u" }] }),
        policy("LocalPolicy", "p", "Orchard/o", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("Orchard/o > Tree/t > Apple/a")).toEqual({ x: 1 });
    expect(made.tally("p")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("a cycle is an error naming the objects in it, and changes nothing for the others", () => {
    const kinds = ["Orchard", "Tree"];
    const { kinds: facts } = chainOfKinds(kinds);
    const definition = policyKind("LocalPolicy", {
      targets: kinds,
      ends: ["Tree"],
      merge: { granularity: field },
      kinds: facts,
      roots: ["Orchard"],
      links: [
        { from: level("Orchard"), to: level("Tree"), via: "ChildRefs", path: "spec.trees" },
        { from: level("Tree"), to: level("Orchard"), via: "ChildRefs", path: "spec.orchards" },
      ],
    });
    const made = cluster(
      [
        fruit("Orchard/round", { trees: [reference("Tree/about")] }),
        fruit("Tree/about", { orchards: [reference("Orchard/round")] }),
        fruit("Orchard/straight", { trees: [reference("Tree/tall")] }),
        fruit("Tree/tall"),
        policy("LocalPolicy", "p", "Orchard/straight", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    const told = made.findings.filter(
      ({ severity, message }) => severity === "error" && message.includes("round") && message.includes("about"),
    );
    expect(told).toHaveLength(1);
    expect(made.spec("Orchard/straight > Tree/tall")).toEqual({ x: 1 });
  });
});

describe("A policy of a kind that nothing describes is listed, never dropped in silence (DESIGN 4.6)", () => {
  const crd = (name: string, label: string | undefined, color: JsonObject = {}) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, ...(label === undefined ? {} : { labels: { "gateway.networking.k8s.io/policy": label } }) },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "LocalPolicy", plural: name.split(".")[0] ?? "" },
      versions: [
        {
          name: "v1",
          storage: true,
          schema: { openAPIV3Schema: { properties: { spec: { type: "object", properties: { color } } } } },
        },
      ],
    },
  });
  const aimed = policy("LocalPolicy", "p", "Gateway/g", { color: "red" });
  const selecting = {
    ...aimed,
    spec: { targetSelectors: [{ group: "gateway.networking.k8s.io", kind: "Gateway", matchLabels: { a: "b" } }] },
  };
  const unknown = (...objects: readonly unknown[]) =>
    cluster(objects)
      .findingsOn("p")
      .filter(({ code }) => code === "UnknownPolicyKind")
      .map(({ message }) => message.replace(/^.*Add/, "Add"));
  const addCrd = "Add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy";
  const addLabel =
    "Add a PolicyDefinition, or give its CRD the label gateway.networking.k8s.io/policy (Direct or Inherited)";

  test.each([
    ["nothing at all", [aimed], [addCrd]],
    ["nothing, and it only selects", [selecting], [addCrd]],
    ["a CRD without the label", [aimed, crd("localpolicies.example.com", undefined)], [addLabel]],
    ["a CRD whose label says something else", [aimed, crd("localpolicies.example.com", "yes")], [addLabel]],
    ["a CRD with the label", [aimed, crd("localpolicies.example.com", "Inherited")], []],
  ])("%s", (_, objects, expected) => {
    expect(unknown(...objects)).toEqual(expected);
  });

  test("of two CRDs for one kind the first by name counts, whatever the order, and the other is reported", () => {
    const first = crd("a.example.com", "Inherited", { type: "string" });
    const second = crd("b.example.com", "Direct", { type: "integer" });
    for (const objects of [
      [first, second],
      [second, first],
    ]) {
      const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), aimed, ...objects]);
      expect(made.outcome("p")).toBe("Enforced");
      expect(made.paths("LocalPolicy")).toHaveLength(1);
      expect(made.findings.filter(({ code }) => code === "CrdClash")).toEqual([
        expect.objectContaining({
          object: "CustomResourceDefinition.apiextensions.k8s.io//b.example.com",
          field: "spec.names.kind",
          message:
            "CustomResourceDefinition a.example.com already describes LocalPolicy (example.com); this one is not used. Remove one of them",
        }),
      ]);
    }
  });
});

describe("Hostile names", () => {
  test("__proto__, constructor and toString are names like any other", () => {
    const definition = policyKind("LocalPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["HTTPRoute"],
      merge: { granularity: { default: "Merge", field: "strategy", values: {} }, rules: ["rules"] },
    });
    const spec = JSON.parse('{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}') as JsonObject;
    const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), policy("LocalPolicy", "p", "Gateway/g", spec)], {
      definitions: [definition],
    });
    expect(JSON.stringify(made.spec("HTTPRoute/r"))).toBe(
      '{"rules":{"__proto__":{"x":1},"constructor":{"x":2},"toString":{"x":3}}}',
    );
    expect(made.outcome("p")).toBe("Enforced");
  });
});
