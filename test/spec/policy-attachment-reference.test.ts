/** The reference page "Metaresources and Policy Attachment". Rows are named after its own headings. */
import { describe, expect, test } from "vitest";
import type { MergeRules } from "../../src/core/model/definition.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import { cluster, showSource } from "../support/cluster.ts";
import { fruit, gateway, listener, policy, route, routeTo, service } from "../support/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../support/policy-kind.ts";
import { describeRetryOnTables } from "../support/retry-on-tables.ts";

const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };
/** What the page says of every inherited kind: fields merge one by one, "first created wins", no block is a Direct policy. */
const inherited: Partial<MergeRules> = { granularity: field, bare: "Direct", sameTarget: "OldestWins" };

/** The page's AcmeServicePolicy, taken down to Services: three levels. */
const acme = policyKind("AcmeServicePolicy", {
  targets: ["Gateway", "HTTPRoute", "Service"],
  ends: ["Service"],
  targeting: { refs: "One" },
  merge: { ...inherited, atomicPaths: ["annotations"] },
});
const acmePolicy = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("AcmeServicePolicy", name, on, spec, created === undefined ? {} : { created });
const ingress = [gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];
const acmeSpec = (...policies: readonly JsonObject[]) =>
  cluster([...ingress, ...policies], { definitions: [acme] }).spec("Service/s");

const retryFilter = (codes?: readonly string[]): JsonObject => ({
  type: "RetryFilter",
  ...(codes === undefined ? {} : { retryOn: codes }),
});
const filteredRoute = (...filters: readonly JsonObject[]) =>
  route("example", "Gateway/example", { namespace: "appns", rules: [{ fields: { filters } }] });
const retryOnPolicy = (name: string, on: string, spec: JsonObject, created = 0) =>
  policy("RetryOnPolicy", name, on, spec, { group: "networking.example.io", namespace: "appns", created });
/** What becomes of the filters of `HTTPRoute appns/example`, in their order. */
const filtersAfter = (filters: readonly JsonObject[], ...policies: readonly JsonObject[]) =>
  cluster([gateway("example", { namespace: "appns" }), filteredRoute(...filters), ...policies], {
    definitions: ["retry-on-policy-filter"],
  })
    .fields("HTTPRoute/appns/example")
    .map(({ spec }) => spec["retryOn"] ?? []);

describe("Direct Policy Attachment", () => {
  const tls = (name: string, port: number, created: number, on: Json = "fooService") =>
    policy(
      "TLSConnectionPolicy",
      name,
      { group: "", kind: "Service", name: on },
      { tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port } },
      { group: "gateway.networking.k8s.io", namespace: "foo", created },
    );
  const foo = service("fooService", { namespace: "foo" });

  test("TLSConnectionPolicy: connecting to the Service is TLS, validated by CAcert", () => {
    const made = cluster([foo, tls("tlsport8443", 8443, 0)], { definitions: ["tls-connection-policy"] });
    expect(made.paths()).toEqual(["Service/foo/fooService"]);
    expect(made.spec("Service/foo/fooService")).toEqual({
      tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 8443 },
    });
    expect(made.outcome("foo/tlsport8443")).toBe("Enforced");
  });

  test("this would apply to every usage of that Service across any HTTPRoutes in that namespace", () => {
    const made = cluster(
      [
        gateway("g", { namespace: "foo" }),
        route("r1", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
        route("r2", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
        foo,
        tls("tlsport8443", 8443, 0),
      ],
      { definitions: ["tls-connection-policy"] },
    );
    expect(made.paths()).toEqual(["Service/foo/fooService"]);
    expect(made.tally("foo/tlsport8443")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.affectedTargets("foo/tlsport8443")).toEqual(["Service/foo/fooService"]);
  });

  test("Direct Policy Attachments must target one specific object", () => {
    const two = policy(
      "TLSConnectionPolicy",
      "two",
      ["Service/fooService", "Service/barService"],
      { tls: { port: 1 } },
      { group: "gateway.networking.k8s.io", namespace: "foo" },
    );
    const made = cluster([foo, service("barService", { namespace: "foo" }), two], {
      definitions: ["tls-connection-policy"],
    });
    expect(made.outcome("foo/two")).toBe("Invalid");
    expect(made.effective().filter(({ sources }) => sources.length > 0)).toEqual([]);
  });

  test("should only be used to target objects in the same namespace as the Policy object", () => {
    const away = policy(
      "TLSConnectionPolicy",
      "away",
      "Service/foo/fooService",
      { tls: { port: 1 } },
      { group: "gateway.networking.k8s.io", namespace: "bar" },
    );
    const made = cluster([foo, away], { definitions: ["tls-connection-policy"] });
    expect(made.outcome("bar/away")).toBe("TargetNotFound");
    expect(made.message("bar/away")).toMatch(/namespace/);
  });

  test("the modifications only affect the single object: never mixed, the oldest is taken", () => {
    const made = cluster([foo, tls("newer", 1, 1), tls("older", 2, 0)], { definitions: ["tls-connection-policy"] });
    expect(made.spec("Service/foo/fooService")).toEqual({
      tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 2 },
    });
    expect(made.outcome("foo/older")).toBe("Enforced");
    expect(made.outcome("foo/newer")).toBe("Conflicted by foo/older");
  });
});

describe("Inherited Policy Attachment: It's all about the defaults and overrides", () => {
  test("the resultant Policy should be the set of all distinct fields inside the relevant Policy objects", () => {
    const spec = acmeSpec(
      acmePolicy("g", "Gateway/g", { default: { a: 1 }, override: { b: 2 } }),
      acmePolicy("r", "HTTPRoute/r", { default: { c: { d: 3 } } }),
      acmePolicy("s", "Service/s", { override: { c: { e: 4 } } }),
    );
    expect(spec).toEqual({ a: 1, b: 2, c: { d: 3, e: 4 } });
  });

  test("only a single Policy wins the right to affect each field, on a per-distinct-field basis", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", { override: { x: "g" }, default: { y: "g", z: "g" } }),
        acmePolicy("rp", "HTTPRoute/r", { override: { x: "r" }, default: { y: "r" } }),
      ],
      { definitions: [acme] },
    );
    expect(made.sources("Service/s")).toEqual({
      "/x": { held: "gp overrides", by: "gp overrides FieldOverrides", lost: ['rp overrides "r" replaced by gp'] },
      "/y": { held: "rp defaults", by: "gp defaults FieldDefaults", lost: ['gp defaults "g" overridden by rp'] },
      "/z": { held: "gp defaults", by: "gp defaults FieldDefaults", lost: [] },
    });
    expect(made.outcome("gp")).toBe("PartiallyEnforced by rp");
    expect(made.outcome("rp")).toBe("PartiallyEnforced by gp");
  });

  test("settings in overrides stanzas will win over the same setting in a defaults stanza", () => {
    const defaults = acmePolicy("r", "HTTPRoute/r", { default: { x: "default" } });
    expect(acmeSpec(defaults, acmePolicy("g", "Gateway/g", { override: { x: "override" } }))).toEqual({
      x: "override",
    });
    const above = acmePolicy("g", "Gateway/g", { default: { x: "default" } });
    expect(acmeSpec(above, acmePolicy("r", "HTTPRoute/r", { override: { x: "override" } }))).toEqual({ x: "override" });
    expect(acmeSpec(acmePolicy("g", "Gateway/g", { default: { x: "default" }, override: { x: "override" } }))).toEqual({
      x: "override",
    });
  });

  test("overrides: less specific beats more specific", () => {
    const policies = ["Gateway/g", "HTTPRoute/r", "Service/s"].map((on, i) =>
      acmePolicy(`p${i}`, on, { override: { x: on } }, 9 - i),
    );
    expect(acmeSpec(...policies)).toEqual({ x: "Gateway/g" });
    expect(acmeSpec(...policies.slice(1))).toEqual({ x: "HTTPRoute/r" });
  });

  test("defaults: more specific beats less specific", () => {
    const policies = ["Service/s", "HTTPRoute/r", "Gateway/g"].map((on, i) =>
      acmePolicy(`p${i}`, on, { default: { x: on } }, 9 - i),
    );
    expect(acmeSpec(...policies)).toEqual({ x: "Service/s" });
    expect(acmeSpec(...policies.slice(1))).toEqual({ x: "HTTPRoute/r" });
  });

  test("for fields where the value is an object, the replacement is on simple fields", () => {
    const spec = acmeSpec(
      acmePolicy("g", "Gateway/g", { override: { o: { a: "g" } }, default: { o: { b: "g", c: "g" } } }),
      acmePolicy("s", "Service/s", { default: { o: { a: "s", b: "s" } } }),
    );
    expect(spec).toEqual({ o: { a: "g", b: "s", c: "g" } });
  });

  test("lists are entirely replaced, not merged", () => {
    const lower = acmePolicy("s", "Service/s", { default: { list: ["c", "d", "e"] } });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { override: { list: ["a"] } }))).toEqual({ list: ["a"] });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { default: { list: ["a", "b"] } }))).toEqual({
      list: ["c", "d", "e"],
    });
    // Lists of structs are lists, too: one value between policies.
    const structs = acmePolicy("s", "Service/s", { default: { list: [{ a: 1 }] } });
    expect(acmeSpec(structs, acmePolicy("g", "Gateway/g", { override: { list: [{ b: 2 }] } }))).toEqual({
      list: [{ b: 2 }],
    });
  });

  test("the same applies to map[string]string fields: annotations are entirely replaced", () => {
    const lower = acmePolicy("s", "Service/s", { default: { annotations: { foo: "a", bar: "b" } } });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { override: { annotations: { foo: "c" } } }))).toEqual({
      annotations: { foo: "c" },
    });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { default: { annotations: { baz: "c" } } }))).toEqual({
      annotations: { foo: "a", bar: "b" },
    });
  });

  test("map[string]string as the CRD's schema shows it (additionalProperties)", () => {
    const settings = {
      type: "object",
      properties: {
        labels: { type: "object", additionalProperties: { type: "string" } },
        struct: { type: "object", properties: { a: {}, b: {} } },
      },
    };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "acmeservicepolicies.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "AcmeServicePolicy", plural: "acmeservicepolicies" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    properties: { targetRef: { type: "object" }, override: settings, default: settings },
                  },
                },
              },
            },
          },
        ],
      },
    };
    const lower = acmePolicy("s", "Service/s", { default: { labels: { foo: "a", bar: "b" }, struct: { a: 1 } } });
    const higher = acmePolicy("g", "Gateway/g", { override: { labels: { foo: "c" }, struct: { b: 2 } } });
    expect(acmeSpec(crd, lower, higher)).toEqual({ labels: { foo: "c" }, struct: { a: 1, b: 2 } });
  });

  test("two Policies of the same type specify different fields: all of the specified fields take effect", () => {
    const one = acmePolicy("a", "Gateway/g", { default: { x: 1 } }, 0);
    const other = acmePolicy("b", "Gateway/g", { default: { y: 2 } }, 1);
    expect(acmeSpec(one, other)).toEqual({ x: 1, y: 2 });
  });

  test("a value equal to the winner's is not overridden", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", { default: { x: 1, y: [1, 2] } }),
        acmePolicy("rp", "HTTPRoute/r", { default: { x: 1, y: [1, 2] } }),
      ],
      { definitions: [acme] },
    );
    expect(made.source("Service/s", "/x")).toEqual({
      held: "rp defaults",
      by: "gp defaults FieldDefaults",
      lost: ["gp defaults 1 equal"],
    });
    expect(made.outcome("gp")).toBe("Enforced");
    expect(made.tally("gp")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.outcome("rp")).toBe("Enforced");
  });
});

describe("Policy Attachment for Ingress", () => {
  test("each policy applies to the referenced resource and everything below it, across namespaces", () => {
    const open = [listener("http", { from: "All" })];
    const made = cluster(
      [
        gateway("shared", { namespace: "infra", listeners: open }),
        route("one", "Gateway/infra/shared", { namespace: "a", rules: [{ backends: ["s"] }] }),
        route("two", "Gateway/infra/shared", { namespace: "b", rules: [{ backends: ["s"] }] }),
        service("s", { namespace: "a" }),
        service("s", { namespace: "b" }),
        policy(
          "AcmeServicePolicy",
          "all",
          "Gateway/shared",
          { default: { x: "all", y: "all" } },
          { namespace: "infra" },
        ),
        policy("AcmeServicePolicy", "mine", "HTTPRoute/two", { default: { x: "mine" } }, { namespace: "b" }),
      ],
      { definitions: [acme] },
    );
    expect(made.spec("HTTPRoute/a/one > Service/a/s")).toEqual({ x: "all", y: "all" });
    expect(made.spec("HTTPRoute/b/two > Service/b/s")).toEqual({ x: "mine", y: "all" });
  });
});

describe("Policy Attachment for Mesh", () => {
  test("policy can be applied in any namespace but only to requests from the same namespace if the target is in another", () => {
    const mesh = policyKind("MeshPolicy", {
      targets: ["Service"],
      ends: ["Service"],
      targeting: { refs: "One", crossNamespace: "Consumer" },
      merge: inherited,
    });
    const made = cluster(
      [
        service("foo", { namespace: "prod" }),
        service("foo-a", { namespace: "prod" }),
        route("split", "Service/foo", { namespace: "prod", rules: [{ backends: ["foo-a"] }] }),
        policy("MeshPolicy", "own", "Service/foo", { default: { x: "own" } }, { namespace: "prod" }),
        policy("MeshPolicy", "away", "Service/prod/foo", { override: { x: "away" } }, { namespace: "client" }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "away" });
    expect(made.spec("Service/prod/foo-a", { from: "others" })).toEqual({ x: "own" });
    expect(made.conditions("client/away")).toEqual(["Service/prod/foo: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
});

describe("Target Reference API", () => {
  test("a single targetRef: it MUST not target more than one resource at a time", () => {
    const made = cluster(
      [...ingress, gateway("h"), policy("AcmeServicePolicy", "two", ["Gateway/g", "Gateway/h"], { default: { x: 1 } })],
      { definitions: [acme] },
    );
    expect(made.outcome("two")).toBe("Invalid");
    expect(made.conditions("two")).toEqual(["Gateway/g: Accepted=False/Invalid", "Gateway/h: Accepted=False/Invalid"]);
  });

  test("it can be used to target larger resources that apply to multiple child resources", () => {
    const made = cluster(
      [...ingress, routeTo("q", "Gateway/g", "s"), acmePolicy("p", "Gateway/g", { default: { x: 1 } })],
      { definitions: [acme] },
    );
    expect(made.tally("p")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });
});

describe("Policy Boilerplate", () => {
  test("a policy that omits both Override and Default is Direct: its own target, not what lies below", () => {
    const direct = cluster([...ingress, acmePolicy("p", "Service/s", { x: 1 })], { definitions: [acme] });
    expect(direct.spec("Service/s")).toEqual({ x: 1 });
    const above = cluster([...ingress, acmePolicy("p", "Gateway/g", { x: 1 })], { definitions: [acme] });
    expect(above.spec("Service/s")).toEqual({});
    expect(above.outcome("p")).toBe("NoPath");
  });

  test("Inherited Policy Attachment includes one or both", () => {
    for (const spec of [{ default: { x: 1 } }, { override: { x: 1 } }, { default: { x: 0 }, override: { x: 1 } }]) {
      expect(acmeSpec(acmePolicy("p", "Gateway/g", spec))).toEqual({ x: 1 });
    }
  });
});

describe("Hierarchy", () => {
  /** A chain of kinds, one object each, and a policy kind that targets all of them. */
  function chain(names: readonly string[]) {
    const kinds = names.map((name) => `Level${name}`);
    const definition = policyKind("LevelPolicy", {
      targets: kinds,
      ends: kinds.slice(-1),
      ...chainOfKinds(kinds),
      merge: inherited,
    });
    const objects = kinds.map((kind, i) => {
      const child = kinds[i + 1];
      return fruit(`${kind}/x`, child === undefined ? {} : { children: [{ kind: child, name: "x" }] });
    });
    const order = [
      ...names.map((name) => ({ name, block: "override" })),
      ...names.toReversed().map((name) => ({ name, block: "default" })),
    ];
    return { definition, objects, order, end: `${kinds.at(-1)}/x` };
  }

  function winner(names: readonly string[], present: readonly { readonly name: string; readonly block: string }[]) {
    const { definition, objects, end } = chain(names);
    const policies = present.map(({ name, block }, i) =>
      // Older policies stand lower in the wanted order: age must not matter between levels.
      policy(
        "LevelPolicy",
        `p-${name.toLowerCase()}-${block}`,
        `Level${name}/x`,
        { [block]: { value: `${name} ${block}` } },
        { created: 99 - i },
      ),
    );
    return cluster([...objects, ...policies], { definitions: [definition] }).spec(end)["value"];
  }

  for (const names of [
    ["A", "B"],
    ["A", "B", "C"],
    ["A", "B", "C", "D", "E"],
  ]) {
    const { order } = chain(names);
    const title = order.map(({ name, block }) => `${name} ${block}`).join(" > ");
    for (const [i, { name, block }] of order.entries()) {
      test(`${title}: ${name} ${block} beats all that follow`, () => {
        expect(winner(names, order.slice(i))).toBe(`${name} ${block}`);
      });
    }
  }

  test("A override > B override > C override > C default > B default > A default: every subset", () => {
    const names = ["A", "B", "C"];
    const { order } = chain(names);
    for (let subset = 1; subset < 2 ** order.length; subset++) {
      const present = order.filter((_, i) => (subset & (1 << i)) !== 0);
      const [first] = present;
      expect(winner(names, present), present.map(({ name, block }) => `${name} ${block}`).join(", ")).toBe(
        `${first?.name} ${first?.block}`,
      );
    }
  });

  test("one policy resource may include 2 structs: both blocks of one policy stand at their places", () => {
    const names = ["A", "B", "C"];
    const { definition, objects, end } = chain(names);
    const both = (name: string, fields: readonly string[]) =>
      policy("LevelPolicy", `p-${name.toLowerCase()}`, `Level${name}/x`, {
        override: Object.fromEntries(fields.map((key) => [key, `${name} override`])),
        default: { x: `${name} default`, y: `${name} default`, z: `${name} default` },
      });
    const made = cluster([...objects, both("A", ["x"]), both("B", ["x", "y"]), both("C", [])], {
      definitions: [definition],
    });
    expect(made.spec(end)).toEqual({ x: "A override", y: "B override", z: "C default" });
  });

  test("AcmeServicePolicy: the Gateway requires cdn, the Route changes includeQueryString", () => {
    const made = cluster(
      `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: example, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: example, namespace: default}
spec:
  parentRefs: [{name: example}]
  rules: [{}]
---
apiVersion: networking.example.net/v1
kind: AcmeServicePolicy
metadata: {name: on-gateway, namespace: default}
spec:
  override:
    cdn: {enabled: true}
  default:
    cdn:
      cachePolicy: {includeHost: true, includeProtocol: true, includeQueryString: true}
  targetRef: {kind: Gateway, name: example}
---
apiVersion: networking.example.net/v1
kind: AcmeServicePolicy
metadata: {name: on-route, namespace: default}
spec:
  default:
    cdn:
      cachePolicy: {includeQueryString: false}
  targetRef: {kind: HTTPRoute, name: example}
`,
      { definitions: ["acme-service-policy"] },
    );
    expect(made.spec("Gateway/example > HTTPRoute/example")).toEqual({
      cdn: { enabled: true, cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: false } },
    });
    expect(made.source("HTTPRoute/example", "/cdn/cachePolicy/includeQueryString")).toEqual({
      held: "on-route defaults",
      by: "on-gateway defaults FieldDefaults",
      lost: ["on-gateway defaults true overridden by on-route"],
    });
    expect(made.source("HTTPRoute/example", "/cdn/enabled").held).toBe("on-gateway overrides");
    expect(made.outcome("on-gateway")).toBe("PartiallyEnforced by on-route");
    expect(made.outcome("on-route")).toBe("Enforced");
  });

  test("the override drainTimeout of the Gateway, the default connectionTimeout of the Route", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", {
          override: { drainTimeout: "10s" },
          default: { connectionTimeout: "60s", maxConnections: 100 },
        }),
        acmePolicy("rp", "HTTPRoute/r", {
          default: { drainTimeout: "5s", connectionTimeout: "30s", idleTimeout: "1h" },
        }),
      ],
      { definitions: [acme] },
    );
    expect(made.spec("Service/s")).toEqual({
      drainTimeout: "10s",
      connectionTimeout: "30s",
      // "fields that are not common across objects may both end up affecting the final object"
      maxConnections: 100,
      idleTimeout: "1h",
    });
    expect(made.source("Service/s", "/drainTimeout")).toEqual({
      held: "gp overrides",
      by: "gp overrides FieldOverrides",
      lost: ['rp defaults "5s" replaced by gp'],
    });
    expect(made.source("Service/s", "/connectionTimeout")).toEqual({
      held: "rp defaults",
      by: "gp defaults FieldDefaults",
      lost: ['gp defaults "60s" overridden by rp'],
    });
    expect(made.outcome("gp")).toBe("PartiallyEnforced by rp");
    expect(made.outcome("rp")).toBe("PartiallyEnforced by gp");
  });

  test("Attaching Policy to GatewayClass: any policy attached to it must also be cluster scoped", () => {
    const definition = policyKind("ClassPolicy", {
      joined: [{ group: "example.com", kind: "ClusterClassPolicy", scope: "Cluster" }],
      targets: ["GatewayClass", "Gateway"],
      ends: ["Gateway"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        policy("ClassPolicy", "namespaced", "GatewayClass/class", { default: { x: "namespaced" } }, { created: 0 }),
        policy(
          "ClusterClassPolicy",
          "cluster",
          "GatewayClass/class",
          { default: { x: "cluster" } },
          { namespace: "", created: 1 },
        ),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("GatewayClass/class > Gateway/g")).toEqual({ x: "cluster" });
    expect(made.outcome("cluster")).toBe("Enforced");
    expect(made.verdictOf("namespaced").state).toBe("NotAccepted");
    expect(made.message("namespaced")).toMatch(/scope/);
  });
});

describe("Targeting External Services", () => {
  test("a reference to a virtual resource type; without defaults or overrides it is a Direct Attached Policy", () => {
    const foo = policy(
      "RetryPolicy",
      "foo",
      { group: "networking.example.net", kind: "ExternalService", name: "foo.com" },
      { maxRetries: 5 },
      { group: "networking.example.net" },
    );
    const made = cluster([foo], { definitions: ["external-retry-policy"] });
    expect(made.outcome("foo")).toBe("Enforced");
    expect(made.effective().map(({ path, spec }) => [path.map(({ kind, name }) => `${kind}/${name}`), spec])).toEqual([
      [["ExternalService/foo.com"], { maxRetries: 5 }],
    ]);
  });
});

describe("Merging into existing `spec` fields", () => {
  /** A kind whose `settings` are a field of every rule. */
  const definition = policyKind("SettingsPolicy", {
    targets: ["Gateway", "HTTPRoute/Rule"],
    ends: ["HTTPRoute/Rule"],
    merge: { ...inherited, atomicPaths: ["settings.map"] },
    mapsTo: [{ from: "settings", to: "HTTPRoute/Rule", path: "settings" }],
  });
  function merged(own: JsonObject | undefined, spec: JsonObject, on = "Gateway/g") {
    const fields = own === undefined ? {} : { settings: own };
    return cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule", fields }] }),
        policy("SettingsPolicy", "p", on, spec),
      ],
      { definitions: [definition] },
    );
  }
  const at = "HTTPRoute/r#rule";

  for (const [type, key, object, override] of [
    ["string", "key", "foo", "bar"],
    ["list", "key", ["a", "b"], ["c", "d"]],
    ["map[string]string", "map", { foo: "a", bar: "b" }, { foo: "c", bar: "d" }],
    ["map[string]string with other keys", "map", { foo: "a", bar: "b" }, { baz: "c" }],
    ["number", "key", 1, 0],
    ["boolean", "key", true, false],
  ] as const) {
    test(`${type}: the override's value replaces the object's`, () => {
      const made = merged({ [key]: object }, { override: { settings: { [key]: override } } });
      expect(made.spec(at)).toEqual({ settings: { [key]: override } });
      expect(made.source(at, `/settings/${key}`)).toEqual({
        held: "p overrides",
        by: "p overrides FieldOverrides",
        lost: [`object ${JSON.stringify(object)} replaced by p`],
      });
    });

    test(`${type}: the object's value is the most specific default`, () => {
      const made = merged({ [key]: object }, { default: { settings: { [key]: override } } });
      expect(made.spec(at)).toEqual({ settings: { [key]: object } });
      expect(made.source(at, `/settings/${key}`)).toEqual({
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: [`p defaults ${JSON.stringify(override)} overridden`],
      });
      expect(made.outcome("p")).toBe("Overridden");
      expect(made.affectedBy("HTTPRoute/r")).toEqual([]);
    });
  }

  for (const [what, own] of [
    ["an empty list", []],
    ["an empty string", ""],
    ["an empty map", {}],
  ] as const) {
    test(`a default will only ever replace an empty or unset value: ${what} is one`, () => {
      const made = merged({ key: own }, { default: { settings: { key: "policy" } } });
      expect(made.spec(at)).toEqual({ settings: { key: "policy" } });
      expect(made.source(at, "/settings/key").held).toBe("p defaults");
      expect(made.outcome("p")).toBe("Enforced");
    });
  }

  for (const own of [0, false]) {
    test(`a default will only ever replace an empty or unset value: ${own} is a value`, () => {
      const made = merged({ key: own }, { default: { settings: { key: "policy" } } });
      expect(made.spec(at)).toEqual({ settings: { key: own } });
    });
  }

  test("an unset field takes the default", () => {
    expect(merged(undefined, { default: { settings: { key: "policy" } } }).spec(at)).toEqual({
      settings: { key: "policy" },
    });
  });

  test("merge values at a scalar level, not at a struct level", () => {
    const made = merged(
      { cachePolicy: { includeHost: false, ttl: 5 } },
      {
        default: { settings: { cachePolicy: { includeHost: true, includeProtocol: true } } },
        override: { settings: { cachePolicy: { ttl: 9 } } },
      },
    );
    expect(made.spec(at)).toEqual({ settings: { cachePolicy: { includeHost: false, includeProtocol: true, ttl: 9 } } });
  });

  test("if preventing settings from being overwritten is important: a lower override beats the object's own value too", () => {
    const made = merged({ key: "own" }, { override: { settings: { key: "rule" } } }, "HTTPRoute/r#rule");
    expect(made.spec(at)).toEqual({ settings: { key: "rule" } });
  });

  test("a struct that is a member of a list: each existing item has each of its fields compared", () => {
    const made = cluster(
      [
        gateway("example", { namespace: "appns" }),
        route("example", "Gateway/example", {
          namespace: "appns",
          rules: [
            { fields: { filters: [retryFilter(["418"]), { type: "Other" }, retryFilter()] } },
            { fields: { filters: [retryFilter([])] } },
            {},
          ],
        }),
        retryOnPolicy("p", "Gateway/example", { defaults: { retryOn: ["503"] } }),
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    const fields = made.fields("HTTPRoute/appns/example");
    expect(
      fields.map(({ pointer, spec }) => [
        /rules\/(\d)\/filters\/(\d)/.exec(pointer)?.slice(1, 3).join("."),
        spec["retryOn"],
      ]),
    ).toEqual([
      ["0.0", ["418"]],
      ["0.2", ["503"]],
      ["1.0", ["503"]],
    ]);
    expect(made.outcome("appns/p")).toBe("PartiallyEnforced");
  });

  /** A kind with these mappings, a route with this spec and rule, and policies on the Gateway or the route. */
  const mapped = (
    merge: Partial<MergeRules>,
    mapsTo: Parameters<typeof policyKind>[1]["mapsTo"],
    own: { readonly route?: JsonObject; readonly rule?: JsonObject; readonly gateway?: JsonObject },
    ...policies: readonly (readonly [name: string, on: string, spec: JsonObject])[]
  ) =>
    cluster(
      [
        withSpec(gateway("g"), own.gateway),
        route("r", "Gateway/g", { rules: [{ name: "rule", fields: own.rule ?? {} }], spec: own.route ?? {} }),
        ...policies.map(([name, on, spec]) => policy("MappedPolicy", name, on, spec)),
      ],
      {
        definitions: [
          policyKind("MappedPolicy", {
            targets: ["Gateway", "HTTPRoute/Rule"],
            ends: ["HTTPRoute/Rule"],
            merge,
            mapsTo: mapsTo ?? [],
          }),
        ],
      },
    );
  const withSpec = (object: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...object,
    spec: { ...(object["spec"] as JsonObject), ...more },
  });
  const toRoute = [{ from: "x", to: "HTTPRoute", path: "spec.x" }];

  for (const [what, merge, spec, expected] of [
    ["an Atomic default", {}, { defaults: { x: { a: 9, b: 3 } } }, { a: 1, b: 3, c: 5 }],
    ["an Atomic override", {}, { overrides: { x: { a: 9, b: 3 } } }, { a: 9, b: 3, c: 5 }],
    ["a Field override", inherited, { overrides: { x: { a: 9, b: 3 } } }, { a: 9, b: 3, c: 5 }],
  ] as const) {
    test(`any fields that are overridden should be overridden on a per-field basis: ${what}`, () => {
      const made = mapped(merge, toRoute, { route: { x: { a: 1, c: 5 } } }, ["p", "Gateway/g", spec]);
      expect(made.spec(at)).toEqual({ x: expected });
    });
  }

  test("any fields that are overridden should be overridden on a per-field basis: a Direct policy", () => {
    const made = mapped(inherited, toRoute, { route: { x: { a: 1, c: 5 } } }, ["p", "HTTPRoute/r", { x: { a: 9 } }]);
    expect(made.spec(at)).toEqual({ x: { a: 9, c: 5 } });
    expect(made.outcome("p")).toBe("Enforced");
  });

  test("an Atomic policy whose values all yield to the object's still keeps out the one above it", () => {
    const made = mapped(
      {},
      toRoute,
      { route: { x: { a: 1 } } },
      ["low", "HTTPRoute/r", { x: { a: 2 } }],
      ["top", "Gateway/g", { defaults: { x: { b: 3 } } }],
    );
    expect(made.spec(at)).toEqual({ x: { a: 1 } });
    expect(made.outcome("top")).toBe("Overridden");
  });

  test("a Direct kind may control the value of existing fields: it is no default to its target", () => {
    const definition = policyKind("DirectPolicy", {
      class: "Direct",
      targets: ["HTTPRoute"],
      ends: ["HTTPRoute"],
      mapsTo: toRoute,
    });
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { spec: { x: { a: 1, b: 2 } } }),
        policy("DirectPolicy", "p", "HTTPRoute/r", { x: { a: 9, c: 9 } }),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ x: { a: 9, b: 2, c: 9 } });
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.source("HTTPRoute/r", "/x/a")).toEqual({
      held: "p bare",
      by: "p bare None",
      lost: ["object 1 replaced by p"],
    });
  });

  test("more specific beats less specific among the objects' own values, whatever the order of the mappings", () => {
    const toRule = { from: "x", to: "HTTPRoute/Rule", path: "x" };
    for (const mappings of [
      [...toRoute, toRule],
      [toRule, ...toRoute],
    ]) {
      const own = { route: { x: { a: 7, b: 7 } }, rule: { x: { a: 1 } } };
      const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { x: { a: 3, c: 3 } } }]);
      expect(made.spec(at)).toEqual({ x: { a: 1, b: 7, c: 3 } });
      expect(made.source(at, "/x/a")).toEqual({
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: ["object 7 overridden", "p defaults 3 overridden"],
      });
    }
  });

  test("own values of two objects: each is told of its own object", () => {
    const mappings = [{ from: "tls", to: "Gateway", path: "spec.tlsSettings" }, ...toRoute];
    const own = { gateway: { tlsSettings: { min: 1 } }, route: { x: { a: 1 } } };
    const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { y: 1 } }]);
    expect(made.source(at, "/tls/min").held).toBe("object Gateway/g");
    expect(made.source(at, "/x/a").held).toBe("object HTTPRoute/r");
  });

  test("each item is compared to the corresponding fields in the Policy, and to no others", () => {
    const items = ["retry", "timeouts"].map((from) => ({ from, to: "HTTPRoute/Rule", path: `filters[].${from}` }));
    const own = { rule: { filters: [{ type: "Any", timeouts: { request: "5s" } }] } };
    const made = mapped(inherited, items, own, ["p", "Gateway/g", { default: { timeouts: { request: "10s" } } }]);
    expect(made.fields(at).map(({ pointer, spec }) => [pointer, spec])).toEqual([
      ["/spec/rules/0/filters/0/retry", {}],
      ["/spec/rules/0/filters/0/timeouts", { timeouts: { request: "5s" } }],
    ]);
    expect(made.outcome("p")).toBe("Overridden");
    expect(made.affectedBy("HTTPRoute/r")).toEqual([]);
  });

  test("a field of its own beside fields of items: it counts as well", () => {
    const mappings = [...toRoute, { from: "n", to: "HTTPRoute/Rule", path: "filters[type=R].n", create: false }];
    const own = { route: { x: { a: 1 } }, rule: { filters: [{ type: "R", n: 1 }] } };
    const made = mapped(inherited, mappings, own, ["p", "Gateway/g", { default: { x: { a: 3 } } }]);
    expect(made.spec(at)).toEqual({ x: { a: 1 } });
    expect(made.fields(at).map(({ spec }) => spec)).toEqual([{ n: 1 }]);
    expect(made.outcome("p")).toBe("Overridden");
  });

  test("only structs that are there are touched, where the kind says so", () => {
    const mappings = [{ from: "x", to: "HTTPRoute", path: "spec.ext.x", create: false }];
    const spec = { default: { x: { y: 1, z: 2 } } };
    const there = mapped(inherited, mappings, { route: { ext: { x: { y: 0 } } } }, ["p", "Gateway/g", spec]);
    expect(there.spec(at)).toEqual({ x: { y: 0, z: 2 } });
    expect(there.fields(at)).toEqual([]);
    const absent = mapped(inherited, mappings, {}, ["p", "Gateway/g", spec]);
    expect(absent.effective()).toEqual([]);
    expect(absent.outcome("p")).toBe("NoPath");
    expect(absent.affectedBy("HTTPRoute/r")).toEqual([]);
  });
});

describe("Conflict Resolution", () => {
  const at = (name: string, spec: JsonObject, created?: number, namespace = "foo") =>
    policy("TLSMinimumVersionPolicy", name, "Gateway/internet", spec, {
      group: "networking.example.io",
      namespace,
      ...(created === undefined ? {} : { created }),
    });
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("internet", { namespace: "foo" }), ...policies], { definitions: ["tls-minimum-version-policy"] });
  const version = (...policies: readonly JsonObject[]) => made(...policies).spec("Gateway/foo/internet");

  test("the same setting in overrides beats the one in defaults, whatever their age", () => {
    for (const [older, newer] of [
      ["defaults", "overrides"],
      ["overrides", "defaults"],
    ] as const) {
      expect(version(at("a", { [older]: { v: older } }, 0), at("b", { [newer]: { v: newer } }, 1))).toEqual({
        v: "overrides",
      });
    }
  });

  for (const block of ["defaults", "overrides"] as const) {
    test(`${block}: the oldest Policy based on creation timestamp (01:02:03 before 01:02:04)`, () => {
      // The older one is alphabetically last and comes last.
      expect(version(at("a", { [block]: { v: "04" } }, 1), at("z", { [block]: { v: "03" } }, 0))).toEqual({ v: "03" });
    });

    test(`${block}: then alphabetical order by {namespace}/{name}: foo/bar before foo/baz`, () => {
      const bar = at("bar", { [block]: { v: "bar" } }, 0);
      const baz = at("baz", { [block]: { v: "baz" } }, 0);
      expect(version(bar, baz)).toEqual({ v: "bar" });
      expect(version(baz, bar)).toEqual({ v: "bar" });
    });

    test(`${block}: three of an age in alphabetical order, by code units`, () => {
      const policies = ["a-b", "a.b", "aa"].map((name) => at(name, { [block]: { v: name } }, 5));
      expect(version(...policies.toReversed())).toEqual({ v: "a-b" });
      expect(version(...policies.slice(1).toReversed())).toEqual({ v: "a.b" });
    });

    test(`${block}: a policy without a creation timestamp is the newest`, () => {
      expect(version(at("a", { [block]: { v: "file" } }), at("z", { [block]: { v: "cluster" } }, 9))).toEqual({
        v: "cluster",
      });
    });
  }

  test("the losers are told who beat them", () => {
    const both = made(at("bar", { defaults: { v: 1 } }, 0), at("baz", { defaults: { v: 2, w: 3 } }, 0));
    expect(both.source("Gateway/foo/internet", "/v")).toEqual({
      held: "foo/bar defaults",
      by: "foo/baz defaults FieldDefaults",
      lost: ["foo/baz defaults 2 overridden by foo/bar"],
    });
    expect(both.outcome("foo/bar")).toBe("Enforced");
    expect(both.outcome("foo/baz")).toBe("PartiallyEnforced by foo/bar");
  });

  test("Direct Policies should never overlap Inherited Policies: where they do, the Direct one is taken whole", () => {
    const both = made(at("inherited", { overrides: { v: 1, w: 1 } }, 0), at("direct", { v: 2 }, 1));
    expect(both.spec("Gateway/foo/internet")).toEqual({ v: 2 });
    expect(both.source("Gateway/foo/internet", "/v")).toMatchObject({
      held: "foo/direct bare",
      lost: ["foo/inherited overrides 1 replaced by foo/direct"],
    });
    expect(both.outcome("foo/inherited")).toBe("Overridden by foo/direct");
    expect(both.outcome("foo/direct")).toBe("Enforced");
  });

  test("Policy Boilerplate: only a policy that omits both blocks is Direct; rules beside a block are defaults", () => {
    const both = made(at("top", { overrides: { v: 1 } }, 0), at("low", { defaults: { w: 1 }, v: 2 }, 1));
    expect(both.spec("Gateway/foo/internet")).toEqual({ v: 1, w: 1 });
    expect(both.outcome("foo/top")).toBe("Enforced");
    const removed = made(at("z", { defaults: { w: 1, v: 1 } }, 0), at("a", { remove: ["v"] }, 1));
    expect(removed.outcome("foo/a")).toBe("Enforced");
  });
});

describe("Status", () => {
  test("it must be possible to determine which controller was responsible", () => {
    const made = cluster([...ingress, acmePolicy("p", "Gateway/g", { default: { x: 1 } })], { definitions: [acme] });
    const { policies } = made.status({ controllerName: "acme.io/one" });
    expect(policies.flatMap(({ ancestors }) => ancestors.map(({ controllerName }) => controllerName))).toEqual([
      "acme.io/one",
    ]);
  });
});

describe("Examples", () => {
  const internet = gateway("internet", {
    namespace: "appns",
    listeners: [listener("https", { protocol: "HTTPS", port: 443 })],
  });
  const intranet = gateway("intranet", { namespace: "appns" });
  const elsewhere = gateway("elsewhere", { namespace: "other" });
  const tls = (name: string, spec: JsonObject, target: JsonObject) =>
    policy("TLSMinimumVersionPolicy", name, target, spec, {
      group: "networking.example.io",
      namespace: "appns",
      created: 0,
    });
  const onInternet = { name: "internet", group: "gateway.networking.k8s.io", kind: "Gateway" };
  // The page writes `kind: namespace`, in lower case.
  const onNamespace = { name: "appns", group: "", kind: "namespace" };
  const made = (...policies: readonly JsonObject[]) =>
    cluster([internet, intranet, elsewhere, ...policies], { definitions: ["tls-minimum-version-policy"] });

  test("Direct Policy Attachment: the minimum TLS version required on a Gateway", () => {
    const direct = made(tls("minimum12", { minimumTLSVersion: 1.2 }, onInternet));
    expect(direct.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(direct.spec("Gateway/appns/intranet")).toEqual({});
    expect(direct.outcome("appns/minimum12")).toBe("Enforced");
    expect(direct.affectedBy("Gateway/appns/internet")).toEqual(["appns/minimum12"]);
  });

  test("Inherited Policy Attachment: default the setting across multiple Gateways", () => {
    const inheritedMade = made(tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace));
    expect(inheritedMade.spec("Namespace/appns > Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(inheritedMade.spec("Namespace/appns > Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(inheritedMade.spec("Gateway/other/elsewhere")).toEqual({});
    expect(inheritedMade.tally("appns/minimum12")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });

  test("a default can be changed by Gateway owners", () => {
    const changed = made(
      tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace),
      tls("own", { defaults: { minimumTLSVersion: 1.3 } }, onInternet),
    );
    expect(changed.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.3 });
    expect(changed.spec("Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(changed.outcome("appns/minimum12")).toBe("PartiallyEnforced by appns/own");
  });

  test("all Gateways must use a minimum TLS version of 1.2, and this cannot be changed by Gateway owners", () => {
    const forced = made(
      tls("minimum12", { overrides: { minimumTLSVersion: 1.2 } }, onNamespace),
      tls("mine", { overrides: { minimumTLSVersion: 1.0 } }, onInternet),
      tls("wish", { defaults: { minimumTLSVersion: 1.1 } }, { ...onInternet, name: "intranet" }),
    );
    expect(forced.spec("Gateway/appns/internet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(forced.spec("Gateway/appns/intranet")).toEqual({ minimumTLSVersion: 1.2 });
    expect(forced.outcome("appns/minimum12")).toBe("Enforced");
    expect(forced.outcome("appns/mine")).toBe("Overridden by appns/minimum12");
    expect(forced.outcome("appns/wish")).toBe("Overridden by appns/minimum12");
  });
});

describe("Handling non-scalar values", () => {
  const defaults = retryOnPolicy("retryon5xx", "Gateway/example", { defaults: { retryOn: ["501", "502", "503"] } });
  const overrides = retryOnPolicy("retryon5xx", "Gateway/example", { overrides: { retryOn: ["501", "503"] } });

  for (const [what, filter, byDefault] of [
    ["does not set the field", retryFilter(), ["501", "502", "503"]],
    ["sets the empty list", retryFilter([]), ["501", "502", "503"]],
    ["sets any other value: it remains, these values are not merged", retryFilter(["418"]), ["418"]],
  ] as const) {
    test(`default, the filter ${what}`, () => {
      expect(filtersAfter([filter], defaults)).toEqual([byDefault]);
    });

    test(`override, no matter what the value is: the filter ${what}`, () => {
      expect(filtersAfter([filter], overrides)).toEqual([["501", "503"]]);
    });
  }

  test("HTTPRoutes that use the RetryFilter: no filter, no effect", () => {
    expect(filtersAfter([{ type: "Other" }], overrides)).toEqual([]);
  });

  test("HTTPRoutes that use the RetryFilter: others are not affected, and are no paths of the policy", () => {
    const inNamespace = (name: string, ...filters: readonly JsonObject[]) =>
      route(name, "Gateway/example", { namespace: "appns", rules: [{ fields: { filters } }] });
    const made = cluster(
      [
        gateway("example", { namespace: "appns" }),
        inNamespace("with", retryFilter()),
        inNamespace("without", { type: "Other" }),
        overrides,
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    expect(made.chains()).toEqual(["Namespace/appns > Gateway/appns/example > HTTPRoute/appns/with"]);
    expect(made.tally("appns/retryon5xx").paths).toBe(1);
    expect(made.affectedBy("HTTPRoute/appns/without")).toEqual([]);
    expect(made.affectedBy("HTTPRoute/appns/with")).toEqual(["appns/retryon5xx"]);
  });
});

describe("Interactions between defaults, overrides, and field values", () => {
  const onNamespace = retryOnPolicy("retryon5xx", "Namespace/appns", { defaults: { retryOn: ["501", "502", "503"] } });
  const routeIn = (namespace: string, parent: string) =>
    route("example", parent, { namespace, rules: [{ fields: { filters: [retryFilter()] } }] });

  test("a Namespace policy has the same effect as applying that Policy to every Gateway there", () => {
    const made = cluster(
      [
        gateway("one", { namespace: "appns", listeners: [listener("http", { from: "All" })] }),
        gateway("two", { namespace: "appns", listeners: [listener("http", { from: "All" })] }),
        gateway("three", { namespace: "infra", listeners: [listener("http", { from: "All" })] }),
        routeIn("appns", "Gateway/one"),
        // "the HTTPRoutes themselves may not necessarily be in the same namespace though"
        routeIn("elsewhere", "Gateway/appns/two"),
        // A route in the namespace of the policy, under a Gateway that is not: not reached.
        route("example3", "Gateway/infra/three", {
          namespace: "appns",
          rules: [{ fields: { filters: [retryFilter()] } }],
        }),
        onNamespace,
      ],
      { definitions: ["retry-on-policy-filter"] },
    );
    const codes = (path: string) => made.fields(path).map(({ spec }) => spec["retryOn"]);
    expect(codes("Namespace/appns > Gateway/appns/one > HTTPRoute/appns/example")).toEqual([["501", "502", "503"]]);
    expect(codes("Namespace/appns > Gateway/appns/two > HTTPRoute/elsewhere/example")).toEqual([["501", "502", "503"]]);
    expect(codes("Gateway/infra/three > HTTPRoute/appns/example3")).toEqual([]);
    expect(made.chains().filter((chain) => chain.includes("example3"))).toEqual([]);
    expect(made.tally("appns/retryon5xx")).toEqual({ paths: 2, full: 2, partial: 0, none: 0, met: 0 });
  });

  describeRetryOnTables({
    where: "RetryFilter",
    definition: "retry-on-policy-filter",
    group: "networking.example.io",
    routeWith: (codes) => filteredRoute(retryFilter(codes)),
    read: (made) => {
      const [only, ...others] = made.fields("HTTPRoute/appns/example");
      expect(others).toEqual([]);
      const source = only?.sources.find(({ pointer }) => pointer === "/retryOn");
      return {
        retryOn: only?.spec["retryOn"] ?? [],
        held: source === undefined ? "nobody" : showSource(source).held,
      };
    },
  });
});
