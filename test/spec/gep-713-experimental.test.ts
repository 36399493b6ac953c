/** GEP-713 in its experimental form. Rows are named after its own headings. */
import { describe, expect, test } from "vitest";
import { worldOf } from "../../src/core/evaluation.ts";
import { explainTarget } from "../../src/core/explain/explain-target.ts";
import type { MergeRules } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { objectId } from "../../src/core/model/refs.ts";
import { cluster } from "../support/cluster.ts";
import { fruit, gateway, policy, reference, route, routeTo, service } from "../support/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../support/policy-kind.ts";
import { describeRetryOnTables } from "../support/retry-on-tables.ts";

const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };
const inherited: Partial<MergeRules> = { granularity: field, bare: "Direct", sameTarget: "OldestWins" };

const cdnPolicy = (name: string, on: string | JsonObject, spec: JsonObject) =>
  policy("CDNCachingPolicy", name, on, spec, { group: "networking.example.net" });
const exampleRoute = (own?: readonly string[]) =>
  route("example", "Gateway/example", { namespace: "appns", ...(own === undefined ? {} : { spec: { retryOn: own } }) });
const retryOnPolicy = (name: string, on: string, spec: JsonObject, created = 0) =>
  policy("RetryOnPolicy", name, on, spec, { group: "field.networking.example.io", namespace: "appns", created });

/** A kind that targets and affects Gateways: the smallest that can show precedence. */
const timeout = policyKind("TimeoutPolicy", {
  targets: ["Namespace", "Gateway", "HTTPRoute"],
  ends: ["Gateway", "HTTPRoute"],
  namespacesAbove: ["Gateway"],
  targeting: { refs: "One", crossNamespace: "ReferenceGrant" },
  merge: inherited,
});
const timeoutPolicy = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("TimeoutPolicy", name, on, spec, created === undefined ? {} : { created });

describe("Direct Policy Attachment", () => {
  const tls = (name: string, spec: JsonObject, created = 0) =>
    policy("TLSConnectionPolicy", name, "Service/fooService", spec, {
      group: "gateway.networking.k8s.io",
      namespace: "foo",
      created,
    });
  const port8443 = { tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 8443 } };
  const objects = [
    gateway("g", { namespace: "foo" }),
    route("r", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
    service("fooService", { namespace: "foo" }),
  ];
  const made = (...policies: readonly JsonObject[]) =>
    cluster([...objects, ...policies], { definitions: ["tls-connection-policy"] });

  test("TLSConnectionPolicy: only modifies the behavior of the object that matches its binding", () => {
    const one = made(tls("tlsport8443", port8443));
    expect(one.paths()).toEqual(["Service/foo/fooService"]);
    expect(one.spec("Service/foo/fooService")).toEqual(port8443);
    expect(one.affectedTargets("foo/tlsport8443")).toEqual(["Service/foo/fooService"]);
  });

  test("straightforward to communicate in one or two Conditions", () => {
    const two = made(tls("tlsport8443", port8443), tls("late", { tls: { port: 1 } }, 1));
    expect(two.conditions("foo/tlsport8443")).toEqual([
      "Service/foo/fooService: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
    expect(two.conditions("foo/late")).toEqual(["Service/foo/fooService: Accepted=False/Conflicted"]);
  });
});

describe("Inherited Policy Attachment: It's all about the defaults and overrides", () => {
  const levels = policyKind("FieldsPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute"],
    merge: { ...inherited, atomicPaths: ["annotations"] },
  });
  const at = (gatewaySpec: JsonObject, routeSpec: JsonObject) =>
    cluster(
      [
        gateway("g"),
        routeTo("r", "Gateway/g"),
        policy("FieldsPolicy", "gp", "Gateway/g", gatewaySpec),
        policy("FieldsPolicy", "rp", "HTTPRoute/r", routeSpec),
      ],
      { definitions: [levels] },
    ).spec("Gateway/g > HTTPRoute/r");

  for (const [rule, gatewaySpec, routeSpec, expected] of [
    ["the set of all distinct fields", { defaults: { a: 1 } }, { overrides: { b: 2 } }, { a: 1, b: 2 }],
    ["overrides win over the same setting in defaults", { overrides: { a: 1 } }, { defaults: { a: 2 } }, { a: 1 }],
    ["overrides: less specific beats more specific", { overrides: { a: 1 } }, { overrides: { a: 2 } }, { a: 1 }],
    ["defaults: more specific beats less specific", { defaults: { a: 1 } }, { defaults: { a: 2 } }, { a: 2 }],
    [
      "an object's fields are replaced one by one",
      { overrides: { o: { a: 1 } } },
      { defaults: { o: { a: 2, b: 2 } } },
      { o: { a: 1, b: 2 } },
    ],
    [
      "a list is entirely replaced, not merged",
      { overrides: { list: [1] } },
      { defaults: { list: [2, 3] } },
      { list: [1] },
    ],
    [
      "a map of annotations is entirely replaced",
      { overrides: { annotations: { a: "1" } } },
      { defaults: { annotations: { b: "2" } } },
      { annotations: { a: "1" } },
    ],
  ] as const) {
    test(rule, () => {
      expect(at(gatewaySpec, routeSpec)).toEqual(expected);
    });
  }
});

describe("Policy Attachment for Ingress", () => {
  test("anyone that has access to create a policy in a namespace can attach it to any resource within that namespace", () => {
    const definition = policyKind("AnyPolicy", {
      targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service/Port"],
      ends: ["Service/Port"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["s"] }] }),
        service("s"),
        ...["Gateway/g", "Gateway/g#http", "HTTPRoute/r", "HTTPRoute/r#rule", "Service/s", "Service/s#http"].map(
          (on, i) =>
            policy("AnyPolicy", `p${i}`, on, { defaults: { [`field${i}`]: on, last: on }, overrides: { first: on } }),
        ),
      ],
      { definitions: [definition] },
    );
    const at = "Gateway/g > Gateway/g#http > HTTPRoute/r > HTTPRoute/r#rule > Service/s > Service/s#http";
    expect(made.spec(at)).toEqual({
      field0: "Gateway/g",
      field1: "Gateway/g#http",
      field2: "HTTPRoute/r",
      field3: "HTTPRoute/r#rule",
      field4: "Service/s",
      field5: "Service/s#http",
      first: "Gateway/g",
      last: "Service/s#http",
    });
    // `first` passes from hand to hand on its way up: each loses it to the next above; `last` stays with the lowest.
    expect([0, 1, 2, 3, 4, 5].map((i) => made.outcome(`p${i}`))).toEqual([
      "PartiallyEnforced by p5",
      "PartiallyEnforced by p0, p5",
      "PartiallyEnforced by p1, p5",
      "PartiallyEnforced by p2, p5",
      "PartiallyEnforced by p3, p5",
      "PartiallyEnforced by p4",
    ]);
  });

  test("each policy applies to the referenced resource and everything below it in terms of hierarchy", () => {
    const made = cluster(
      [
        gateway("one"),
        gateway("two"),
        routeTo("a", "Gateway/one"),
        routeTo("b", "Gateway/one"),
        routeTo("c", "Gateway/two"),
        cdnPolicy("p", "Gateway/one", { default: { cdn: { enabled: true } } }),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(["a", "b", "c"].map((name) => made.spec(`HTTPRoute/${name}`))).toEqual([
      { cdn: { enabled: true } },
      { cdn: { enabled: true } },
      {},
    ]);
    expect(made.affectedTargets("p").filter((target) => !target.includes("#"))).toEqual([
      "Gateway/one",
      "HTTPRoute/a",
      "HTTPRoute/b",
    ]);
  });
});

describe("Policy Attachment for Mesh", () => {
  const mesh = policyKind("MeshPolicy", {
    targets: ["Service", "HTTPRoute"],
    ends: ["Service"],
    targeting: { crossNamespace: "Consumer" },
    merge: inherited,
  });
  const producer = [
    service("foo", { namespace: "prod" }),
    service("foo-a", { namespace: "prod" }),
    route("split", "Service/foo", { namespace: "prod", rules: [{ backends: ["foo-a"] }] }),
  ];
  const meshPolicy = (name: string, namespace: string, on: string, spec: JsonObject) =>
    policy("MeshPolicy", name, on, spec, { namespace, created: 0 });
  const at = "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a";

  test("in its own namespace a policy applies to everybody's requests", () => {
    const made = cluster([...producer, meshPolicy("own", "prod", "Service/foo", { overrides: { x: "own" } })], {
      definitions: [mesh],
    });
    expect(made.chains()).toEqual(["Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)"]);
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own" });
    expect(made.outcome("prod/own")).toBe("Enforced");
  });

  test("it can only apply to requests from the same namespace if the target is in a different namespace", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("own", "prod", "HTTPRoute/split", { defaults: { x: "own", y: "own" } }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "client" })).toEqual({ x: "client", y: "own" });
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own", y: "own" });
    expect(made.effective()).toHaveLength(2);
    expect(made.outcome("client/consumer")).toBe("Enforced");
    expect(made.tally("client/consumer")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.outcome("prod/own")).toBe("PartiallyEnforced by client/consumer");
    expect(made.tally("prod/own")).toEqual({ paths: 2, full: 1, partial: 1, none: 0, met: 0 });
  });

  test("two consumers do not see each other's policies", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("p", "red", "Service/prod/foo", { overrides: { x: "red" } }),
        meshPolicy("p", "blue", "Service/prod/foo", { overrides: { x: "blue" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "red" })).toEqual({ x: "red" });
    expect(made.spec(at, { from: "blue" })).toEqual({ x: "blue" });
    expect(made.spec(at, { from: "others" })).toEqual({});
    expect([made.outcome("red/p"), made.outcome("blue/p")]).toEqual(["Enforced", "Enforced"]);
  });

  test("a consumer in a namespace named 'others' is not everybody", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "own" } }),
        meshPolicy("consumer", "others", "Service/prod/foo", { overrides: { x: "theirs" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "namespace/others" })).toEqual({ x: "theirs" });
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own" });
    expect(made.tally("others/consumer")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("a consumer's policy that lost the route to an older one, and has a rule of it, affects the rule alone", () => {
    const none = policyKind("MeshPolicy", {
      targets: ["HTTPRoute/Rule"],
      ends: ["HTTPRoute/Rule"],
      targeting: { crossNamespace: "Consumer" },
      merge: { none: true },
    });
    const target = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "prod", name: "split" };
    const made = cluster(
      [
        service("foo", { namespace: "prod" }),
        route("split", "Service/foo", { namespace: "prod", rules: [{ name: "one" }, { name: "two" }] }),
        policy("MeshPolicy", "own", target, { x: "own" }, { namespace: "prod", created: 0 }),
        policy(
          "MeshPolicy",
          "theirs",
          target,
          { targetRefs: [{ ...target, sectionName: "one" }], x: "theirs" },
          { namespace: "client", created: 1 },
        ),
      ],
      { definitions: [none] },
    );
    expect(made.affectedBy("HTTPRoute/prod/split")).toEqual(["prod/own"]);
    expect(made.affectedBy("HTTPRoute/prod/split#one")).toEqual(["client/theirs", "prod/own"]);
    expect(made.affectedBy("HTTPRoute/prod/split#two")).toEqual(["prod/own"]);
  });

  describe("None: a target is an object together with the namespace that requests come from", () => {
    const none = policyKind("MeshPolicy", {
      targets: ["Service"],
      ends: ["Service"],
      targeting: { crossNamespace: "Consumer" },
      merge: { none: true },
    });
    const onFoo = (name: string, namespace: string, created: number) =>
      policy("MeshPolicy", name, "Service/prod/foo", { x: name }, { namespace, created });
    const contest = (...policies: readonly JsonObject[]) =>
      cluster([...producer, ...policies], { definitions: [none] });
    const foo = objectId({ group: "", kind: "Service", namespace: "prod", name: "foo" });
    /** What each reader says about a conflict: finding, status, and `explain` on the target. */
    const conflicts = (made: ReturnType<typeof cluster>, namespace: string, name: string) => ({
      findings: made
        .findingsOn(name)
        .filter(({ code }) => code === "Conflicted")
        .map(({ message }) => message),
      status: made.conditions(`${namespace}/${name}`),
      explain: explainTarget(worldOf(made.evaluation), { id: foo }, { group: true })
        .failures.filter(({ policy: id }) => id.endsWith(`/${namespace}/${name}`))
        .map(({ reason, message }) => `${reason}: ${message}`),
    });

    test("an older policy of a consumer and a newer one for all requests: both are accepted, and nothing is reported", () => {
      const made = contest(onFoo("young-general", "prod", 1), onFoo("old-consumer", "client", 0));
      expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "old-consumer" });
      expect(made.spec("Service/prod/foo-a", { from: "others" })).toEqual({ x: "young-general" });
      expect(made.outcome("client/old-consumer")).toBe("Enforced");
      expect(conflicts(made, "client", "old-consumer")).toEqual({
        findings: [],
        status: ["Service/prod/foo: Accepted=True/Accepted Enforced=True/Enforced"],
        explain: [],
      });
      expect(conflicts(made, "prod", "young-general")).toMatchObject({ findings: [], explain: [] });
    });

    test("a newer policy of a consumer and an older one for all requests: the consumer's is Conflicted", () => {
      const made = contest(onFoo("old-general", "prod", 0), onFoo("young-consumer", "client", 1));
      for (const from of ["client", "others"])
        expect(made.spec("Service/prod/foo-a", { from })).toEqual({ x: "old-general" });
      expect(made.outcome("prod/old-general")).toBe("Enforced");
      expect(made.outcome("client/young-consumer")).toBe("Conflicted by prod/old-general");
      const message =
        "Service prod/foo already has MeshPolicy prod/old-general for requests from namespace client, which is older; only one MeshPolicy takes effect on a target";
      expect(made.message("client/young-consumer")).toBe(message);
      expect(made.messages("client/young-consumer", "Accepted")).toEqual([message]);
      expect(conflicts(made, "client", "young-consumer")).toEqual({
        findings: [message],
        status: ["Service/prod/foo: Accepted=False/Conflicted"],
        explain: [`Conflicted: ${message}`],
      });
    });

    test("two policies of one consumer namespace: verdict, status, finding and explain say the same", () => {
      const made = contest(onFoo("b", "client", 0), onFoo("a", "client", 0));
      expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "a" });
      expect(made.outcome("client/a")).toBe("Enforced");
      expect(made.outcome("client/b")).toBe("Conflicted by client/a");
      const message =
        "Service prod/foo already has MeshPolicy client/a for requests from namespace client, which comes first by namespace/name; only one MeshPolicy takes effect on a target";
      expect(made.message("client/b")).toBe(message);
      expect(made.messages("client/b", "Accepted")).toEqual([message]);
      expect(conflicts(made, "client", "b")).toEqual({
        findings: [message],
        status: ["Service/prod/foo: Accepted=False/Conflicted"],
        explain: [`Conflicted: ${message}`],
      });
      expect(conflicts(made, "client", "a")).toMatchObject({ findings: [], explain: [] });
    });

    test("policies of two consumer namespaces do not meet", () => {
      const made = contest(onFoo("p", "red", 0), onFoo("q", "blue", 1));
      expect([made.outcome("red/p"), made.outcome("blue/q")]).toEqual(["Enforced", "Enforced"]);
      expect([...made.findingsOn("p"), ...made.findingsOn("q")]).toEqual([]);
    });
  });

  test("a consumer's policy does not act on traffic through a Gateway", () => {
    const made = cluster(
      [
        ...producer,
        gateway("edge", { namespace: "prod" }),
        route("ingress", "Gateway/edge", { namespace: "prod", rules: [{ backends: ["foo"] }] }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "own" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec("Gateway/prod/edge > HTTPRoute/prod/ingress > Service/prod/foo")).toEqual({ x: "own" });
    expect(made.spec(at, { from: "client" })).toEqual({ x: "client" });
  });

  test("a route can be used to intercept these requests and split them between different backends", () => {
    const made = cluster(
      [
        ...producer,
        service("foo-b", { namespace: "client" }),
        route("intercept", "Service/prod/foo", { namespace: "client", rules: [{ backends: ["foo-b"] }] }),
        meshPolicy("consumer", "client", "HTTPRoute/intercept", { defaults: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "prod", y: "prod" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.chains().toSorted()).toEqual([
      "Service/prod/foo > HTTPRoute/client/intercept > Service/client/foo-b (from client)",
      "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)",
    ]);
    expect(made.spec("HTTPRoute/client/intercept > Service/client/foo-b")).toEqual({ x: "client", y: "prod" });
  });

  test("requests that are intercepted do not go the producer's way, nor does a policy on them", () => {
    const made = cluster(
      [
        ...producer,
        service("foo-b", { namespace: "client" }),
        route("intercept", "Service/prod/foo", { namespace: "client", rules: [{ backends: ["foo-b"] }] }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "prod" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.chains().toSorted()).toEqual([
      "Service/prod/foo > HTTPRoute/client/intercept > Service/client/foo-b (from client)",
      "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)",
    ]);
    expect(made.spec("HTTPRoute/client/intercept")).toEqual({ x: "client" });
    expect(made.spec("HTTPRoute/prod/split")).toEqual({ x: "prod" });
  });
});

describe("Policy TargetRef API", () => {
  test("each Policy resource MUST include a single targetRef field", () => {
    const { spec, ...rest } = timeoutPolicy("none", "Gateway/g", { defaults: { x: 1 } });
    const { targetRef: _, ...untargeted } = spec as JsonObject;
    const made = cluster([gateway("g"), { ...rest, spec: untargeted }], { definitions: [timeout] });
    expect(made.outcome("none")).toBe("Invalid");
    expect(made.message("none")).toMatch(/target/);
  });

  test("it must not target more than one resource at a time", () => {
    const two = policy("TimeoutPolicy", "two", ["Gateway/a", "Gateway/b"], { defaults: { x: 1 } });
    const made = cluster([gateway("a"), gateway("b"), two], { definitions: [timeout] });
    expect(made.outcome("two")).toBe("Invalid");
    expect(made.spec("Gateway/a")).toEqual({});
  });

  test("one target in targetRefs is one target", () => {
    const one = policy("TimeoutPolicy", "one", ["Gateway/a"], { defaults: { x: 1 } });
    expect(cluster([gateway("a"), one], { definitions: [timeout] }).outcome("one")).toBe("Enforced");
  });

  test("Namespace: when unspecified, the local namespace is inferred", () => {
    const made = cluster(
      [
        gateway("g", { namespace: "a" }),
        gateway("g", { namespace: "b" }),
        policy(
          "TimeoutPolicy",
          "p",
          { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
          { defaults: { x: 1 } },
          { namespace: "b" },
        ),
      ],
      { definitions: [timeout] },
    );
    expect(made.spec("Gateway/a/g")).toEqual({});
    expect(made.spec("Gateway/b/g")).toEqual({ x: 1 });
  });
});

describe("Sample Policy API", () => {
  for (const [written, read] of [
    ["override", "overrides"],
    ["overrides", "overrides"],
    ["default", "defaults"],
    ["defaults", "defaults"],
  ] as const) {
    test(`the block \`${written}\` is read as ${read}`, () => {
      const made = cluster([gateway("g"), timeoutPolicy("p", "Gateway/g", { [written]: { x: 1 } })], {
        definitions: [timeout],
      });
      expect(made.spec("Gateway/g")).toEqual({ x: 1 });
      expect(made.source("Gateway/g", "/x").held).toBe(`p ${read}`);
    });
  }
});

describe("Hierarchy", () => {
  const kinds = ["Alpha", "Beta", "Gamma"];
  const definition = policyKind("LevelPolicy", {
    targets: kinds,
    ends: ["Gamma"],
    ...chainOfKinds(kinds),
    merge: inherited,
  });
  const objects = [
    fruit("Alpha/x", { children: [{ kind: "Beta", name: "x" }] }),
    fruit("Beta/x", { children: [{ kind: "Gamma", name: "x" }] }),
    fruit("Gamma/x"),
  ];
  const order = [
    ["Alpha", "override"],
    ["Beta", "override"],
    ["Gamma", "override"],
    ["Gamma", "default"],
    ["Beta", "default"],
    ["Alpha", "default"],
  ] as const;

  for (const [i, [kind, block]] of order.entries()) {
    test(`A override > B override > C override > C default > B default > A default: ${kind} ${block}`, () => {
      const policies = order
        .slice(i)
        .map(([on, name]) =>
          policy("LevelPolicy", `${on}-${name}`.toLowerCase(), `${on}/x`, { [name]: { v: `${on} ${name}` } }),
        );
      const made = cluster([...objects, ...policies], { definitions: [definition] });
      expect(made.spec("Alpha/x > Beta/x > Gamma/x")).toEqual({ v: `${kind} ${block}` });
      const source = made.source("Gamma/x", "/v");
      expect(source.held).toBe(`${kind.toLowerCase()}-${block} ${block}s`);
      expect(source.lost).toHaveLength(order.length - i - 1);
      expect(made.outcome(`${kind}-${block}`.toLowerCase())).toBe("Enforced");
    });
  }

  test("the same order for five levels, each taken away in turn", () => {
    const five = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
    const deep = policyKind("LevelPolicy", {
      targets: five,
      ends: ["Epsilon"],
      ...chainOfKinds(five),
      merge: inherited,
    });
    const objectsOfFive = five.map((kind, i) =>
      fruit(`${kind}/x`, five[i + 1] === undefined ? {} : { children: [{ kind: five[i + 1] ?? "", name: "x" }] }),
    );
    const wanted = [
      ...five.map((kind) => ({ kind, block: "override" })),
      ...five.toReversed().map((kind) => ({ kind, block: "default" })),
    ];
    for (let i = 0; i < wanted.length; i++) {
      const policies = wanted
        .slice(i)
        .map(({ kind, block }) =>
          policy("LevelPolicy", `${kind}-${block}`.toLowerCase(), `${kind}/x`, { [block]: { v: `${kind} ${block}` } }),
        );
      const made = cluster([...objectsOfFive, ...policies], { definitions: [deep] });
      expect(made.spec("Alpha/x > Epsilon/x")).toEqual({ v: `${wanted[i]?.kind} ${wanted[i]?.block}` });
    }
  });

  test("Supported Resources: a kind says what it may be attached to", () => {
    const made = cluster([...objects, gateway("g"), policy("LevelPolicy", "p", "Gateway/g", { default: { v: 1 } })], {
      definitions: [definition],
    });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toContain("it can target: Alpha, Beta, Gamma");
  });

  test("Attaching Policy to GatewayClass: it must be cluster scoped", () => {
    const classes = policyKind("ClassPolicy", {
      joined: [{ group: "example.com", kind: "ClusterClassPolicy", scope: "Cluster" }],
      targets: ["GatewayClass", "Gateway"],
      ends: ["Gateway"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        policy("ClassPolicy", "local", "GatewayClass/class", { override: { x: "local" } }),
        policy("ClusterClassPolicy", "whole", "GatewayClass/class", { default: { x: "whole" } }, { namespace: "" }),
      ],
      { definitions: [classes] },
    );
    expect(made.spec("GatewayClass/class > Gateway/g")).toEqual({ x: "whole" });
    expect(made.conditions("whole")).toEqual(["GatewayClass/class: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.conditions("local")).toEqual(["GatewayClass/class: Accepted=False/TargetNotFound"]);
  });

  test("the Gateway requires cdn to be enabled, the Route changes includeQueryString", () => {
    const { targetRef: _, ...spec } = {
      default: { cdn: { cachePolicy: { includeQueryString: false } } },
      targetRef: {},
    };
    const made = cluster(
      [
        gateway("example"),
        routeTo("example", "Gateway/example"),
        cdnPolicy(
          "on-gateway",
          { kind: "Gateway", name: "example" },
          {
            override: { cdn: { enabled: true } },
            default: { cdn: { cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: true } } },
          },
        ),
        // The GEP's example carries a `type: direct` that its own API does not have: it means nothing.
        cdnPolicy("on-route", { type: "direct", kind: "HTTPRoute", name: "example" }, spec),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(made.spec("Gateway/example > HTTPRoute/example")).toEqual({
      cdn: { enabled: true, cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: false } },
    });
    expect(made.outcome("on-gateway")).toBe("PartiallyEnforced by on-route");
    expect(made.outcome("on-route")).toBe("Enforced");
  });

  test("drainTimeout by the Gateway's override, connectionTimeout by the Route's default", () => {
    const made = cluster(
      [
        gateway("g"),
        routeTo("r", "Gateway/g"),
        cdnPolicy("gp", "Gateway/g", { override: { drainTimeout: "10s" }, default: { connectionTimeout: "60s" } }),
        cdnPolicy("rp", "HTTPRoute/r", { default: { drainTimeout: "5s", connectionTimeout: "30s" } }),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(made.sources("HTTPRoute/r")).toEqual({
      "/connectionTimeout": {
        held: "rp defaults",
        by: "gp defaults FieldDefaults",
        lost: ['gp defaults "60s" overridden by rp'],
      },
      "/drainTimeout": {
        held: "gp overrides",
        by: "gp overrides FieldOverrides",
        lost: ['rp defaults "5s" replaced by gp'],
      },
    });
    expect(made.spec("HTTPRoute/r")).toEqual({ drainTimeout: "10s", connectionTimeout: "30s" });
  });
});

describe("Targeting External Services", () => {
  const retries = (name: string, maxRetries: number, host: string, created: number) =>
    policy(
      "RetryPolicy",
      name,
      `ExternalService/${host}`,
      { default: { maxRetries } },
      { group: "networking.acme.io", created },
    );

  test("policies to requests to external services: a reference to a virtual resource type", () => {
    const made = cluster([retries("foo", 5, "foo.com", 0)], { definitions: ["external-retry-policy-default"] });
    expect(made.paths()).toEqual(["ExternalService/foo.com"]);
    expect(made.spec("ExternalService/foo.com")).toEqual({ maxRetries: 5 });
    expect(made.outcome("foo")).toBe("Enforced");
    expect(made.affectedBy("ExternalService/foo.com")).toEqual(["foo"]);
  });

  test("two policies on one external service are in conflict, on two they are not", () => {
    const made = cluster(
      [retries("newer", 1, "foo.com", 1), retries("older", 5, "foo.com", 0), retries("other", 9, "bar.com", 2)],
      { definitions: ["external-retry-policy-default"] },
    );
    expect(made.spec("ExternalService/foo.com")).toEqual({ maxRetries: 5 });
    expect(made.spec("ExternalService/bar.com")).toEqual({ maxRetries: 9 });
    expect(made.outcome("newer")).toBe("Overridden by older");
  });
});

describe("Merging into existing `spec` fields", () => {
  /** The CDNCachingPolicy's fields, had the HTTPRoute grown them. */
  const definition = policyKind("CDNCachingPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute"],
    merge: { ...inherited, atomicPaths: ["cdn.map"] },
    mapsTo: [{ from: "cdn", to: "HTTPRoute", path: "spec.cdn" }],
  });
  const merged = (own: JsonObject, spec: JsonObject) =>
    cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { spec: { cdn: own } }),
        policy("CDNCachingPolicy", "p", "Gateway/g", spec),
      ],
      { definitions: [definition] },
    );

  for (const [type, key, object, override] of [
    ["string", "key", "foo", "bar"],
    ["list", "key", ["a", "b"], ["c", "d"]],
    ["map[string]string", "map", { foo: "a", bar: "b" }, { foo: "c", bar: "d" }],
  ] as const) {
    test(`${type}: object ${JSON.stringify(object)}, override ${JSON.stringify(override)}`, () => {
      expect(merged({ [key]: object }, { override: { cdn: { [key]: override } } }).spec("HTTPRoute/r")).toEqual({
        cdn: { [key]: override },
      });
    });
  }

  test("values are defaulted if they were not specified in the object being controlled", () => {
    const made = merged(
      { cachePolicy: { includeHost: false } },
      { default: { cdn: { cachePolicy: { includeHost: true, includeProtocol: true } } } },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { includeHost: false, includeProtocol: true } } });
    expect(made.sources("HTTPRoute/r")).toEqual({
      "/cdn/cachePolicy/includeHost": {
        held: "object HTTPRoute/r",
        by: "p defaults FieldDefaults",
        lost: ["p defaults true overridden"],
      },
      "/cdn/cachePolicy/includeProtocol": { held: "p defaults", by: "p defaults FieldDefaults", lost: [] },
    });
    expect(made.outcome("p")).toBe("PartiallyEnforced");
  });

  test("the values of the innermost scalar fields should overwrite the scalar fields in the affected object", () => {
    const made = merged(
      { cachePolicy: { a: 1, b: 2 }, enabled: false },
      { override: { cdn: { cachePolicy: { a: 9 }, enabled: true } } },
    );
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { a: 9, b: 2 }, enabled: true } });
  });

  test("implementations should not copy any structs from the Policy object", () => {
    const made = merged({ cachePolicy: { a: 1 } }, { override: { cdn: { cachePolicy: { b: { c: 2 } } } } });
    expect(made.spec("HTTPRoute/r")).toEqual({ cdn: { cachePolicy: { a: 1, b: { c: 2 } } } });
  });
});

describe("Conflict Resolution", () => {
  const made = (...policies: readonly JsonObject[]) => cluster([gateway("g"), ...policies], { definitions: [timeout] });

  test("Direct Policies override Inherited Policies, even their overrides, even older ones, and never mix", () => {
    const both = made(
      timeoutPolicy("above", "Namespace/default", { overrides: { x: "namespace", z: 1 } }, 0),
      timeoutPolicy("inherited", "Gateway/g", { overrides: { x: "inherited", y: 1 } }, 0),
      timeoutPolicy("direct", "Gateway/g", { x: "direct" }, 9),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "direct" });
    expect(both.outcome("direct")).toBe("Enforced");
    expect(both.outcome("inherited")).toMatch(/^Overridden by .*direct/);
    expect(both.outcome("above")).toBe("Overridden by direct");
  });

  test("a Direct policy acts on its own target only, not below it", () => {
    const both = cluster(
      [gateway("g"), routeTo("r", "Gateway/g"), timeoutPolicy("direct", "Gateway/g", { x: "direct" })],
      {
        definitions: [
          policyKind("TimeoutPolicy", { targets: ["Gateway", "HTTPRoute"], ends: ["HTTPRoute"], merge: inherited }),
        ],
      },
    );
    expect(both.spec("HTTPRoute/r")).toEqual({});
  });

  test("of two Direct policies the oldest is taken, whole", () => {
    const both = made(
      timeoutPolicy("a", "Gateway/g", { x: "newer", y: 1 }, 1),
      timeoutPolicy("z", "Gateway/g", { x: "older" }, 0),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: "older" });
    expect(both.outcome("a")).toBe("Overridden by z");
  });

  test("inside Inherited Policies, the same setting in overrides beats the one in defaults", () => {
    const spec = { overrides: { x: "override" } };
    const other = { defaults: { x: "default" } };
    expect(
      made(timeoutPolicy("a", "Gateway/g", other, 0), timeoutPolicy("b", "Gateway/g", spec, 1)).spec("Gateway/g"),
    ).toEqual({ x: "override" });
    expect(
      made(timeoutPolicy("a", "Gateway/g", spec, 0), timeoutPolicy("b", "Gateway/g", other, 1)).spec("Gateway/g"),
    ).toEqual({ x: "override" });
  });

  for (const block of ["defaults", "overrides"] as const) {
    test(`the oldest Policy based on creation timestamp: ${block}`, () => {
      const both = made(
        timeoutPolicy("a", "Gateway/g", { [block]: { x: "newer" } }, 1),
        timeoutPolicy("b", "Gateway/g", { [block]: { x: "older" } }, 0),
      );
      expect(both.spec("Gateway/g")).toEqual({ x: "older" });
      expect(both.outcome("a")).toBe("Overridden by b");
    });

    test(`alphabetical order by {namespace}/{name}: ${block}, foo/bar before foo/baz`, () => {
      for (const names of [
        ["bar", "baz"],
        ["baz", "bar"],
      ]) {
        const policies = names.map((name) => timeoutPolicy(name, "Gateway/g", { [block]: { x: name } }, 0));
        expect(made(...policies).spec("Gateway/g")).toEqual({ x: "bar" });
      }
    });
  }

  test("fields that are not in conflict all take effect", () => {
    const both = made(
      timeoutPolicy("a", "Gateway/g", { overrides: { x: 1 } }, 0),
      timeoutPolicy("b", "Gateway/g", { overrides: { x: 2, y: 3 } }, 1),
    );
    expect(both.spec("Gateway/g")).toEqual({ x: 1, y: 3 });
    expect(both.outcome("b")).toBe("PartiallyEnforced by a");
  });
});

describe("Kubectl Plugin", () => {
  const crd = (labels: JsonObject) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "plainpolicies.example.com", labels },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "PlainPolicy", plural: "plainpolicies" },
      versions: [{ name: "v1", served: true, storage: true }],
    },
  });
  const plain = policy("PlainPolicy", "p", "Service/s", { x: 1 });

  test("the label gateway.networking.k8s.io/policy: true on the CRD makes a policy kind", () => {
    const made = cluster([service("s"), crd({ "gateway.networking.k8s.io/policy": "true" }), plain]);
    expect(made.spec("Service/s")).toEqual({ x: 1 });
    expect(made.outcome("p")).toBe("Enforced");
    // Whatever rests on an inferred definition says so.
    expect(made.findings.some(({ message }) => message.includes("PlainPolicy"))).toBe(true);
  });

  test("without the label it is none, and nobody is overridden by it", () => {
    const made = cluster([service("s"), crd({}), plain]);
    expect(made.effective("PlainPolicy")).toEqual([]);
  });
});

describe("Conditions", () => {
  const direct = policyKind("DirectPolicy", { class: "Direct", targets: ["Gateway"], ends: ["Gateway"] });
  const directPolicy = (name: string, on: string, created: number, spec: JsonObject = { x: name }) =>
    policy("DirectPolicy", name, on, spec, { created });
  const made = cluster(
    [
      gateway("g"),
      directPolicy("accepted", "Gateway/g", 0),
      directPolicy("conflicted", "Gateway/g", 1),
      directPolicy("astray", "Gateway/nowhere", 2),
      policy("DirectPolicy", "untargeted", { kind: "Gateway" }, { x: 1 }, { created: 3 }),
    ],
    { definitions: [direct] },
  );

  for (const [name, outcome] of [
    ["accepted", "Enforced"],
    ["conflicted", "Conflicted by accepted"],
    ["astray", "TargetNotFound"],
    ["untargeted", "Invalid"],
  ] as const) {
    test(`Accepted: ${name}`, () => {
      expect(made.outcome(name)).toBe(outcome);
    });
  }

  test("PolicyConditionAccepted: True with Accepted; False with Conflicted, Invalid, TargetNotFound, and then no other condition", () => {
    expect(made.conditions("accepted")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.conditions("conflicted")).toEqual(["Gateway/g: Accepted=False/Conflicted"]);
    expect(made.conditions("astray").map((line) => line.replace(/^.*: /, ""))).toEqual([
      "Accepted=False/TargetNotFound",
    ]);
    expect(made.conditions("untargeted").every((line) => line.endsWith(": Accepted=False/Invalid"))).toBe(true);
  });
});

describe("Apply Policies to Sections of a Resource", () => {
  const definition = policyKind("RetryPolicy", {
    group: "networking.acme.io",
    targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service/Port"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: field },
  });
  const foo = route("foo", "Gateway/g", { hostnames: ["foo.com"], rules: [{ name: "bar" }, { name: "baz" }] });
  const retries = (name: string, on: string, maxRetries: number) =>
    policy("RetryPolicy", name, reference(on), { maxRetries }, { group: "networking.acme.io" });

  test("xRoute.Rules.Name: the policy acts on that rule only", () => {
    const made = cluster([gateway("g"), foo, retries("foo", "HTTPRoute/foo#bar", 5)], { definitions: [definition] });
    expect(made.spec("HTTPRoute/foo#bar")).toEqual({ maxRetries: 5 });
    expect(made.spec("HTTPRoute/foo#baz")).toEqual({});
    expect(made.affectedBy("HTTPRoute/foo#bar")).toEqual(["foo"]);
    expect(made.affectedBy("HTTPRoute/foo#baz")).toEqual([]);
  });

  test("Gateway.Listeners.Name: the policy acts on what comes through that listener only", () => {
    const two = gateway("g", {
      listeners: [
        { name: "plain", port: 80, protocol: "HTTP" },
        { name: "other", port: 81, protocol: "HTTP" },
      ],
    });
    const made = cluster([two, foo, retries("foo", "Gateway/g#plain", 5)], { definitions: [definition] });
    expect(made.spec("Gateway/g#plain > HTTPRoute/foo#bar")).toEqual({ maxRetries: 5 });
    expect(made.spec("Gateway/g#other > HTTPRoute/foo#bar")).toEqual({});
  });

  test("when unspecified, this targets the entire resource, and a section is more specific", () => {
    const made = cluster(
      [gateway("g"), foo, retries("whole", "HTTPRoute/foo", 1), retries("part", "HTTPRoute/foo#bar", 2)],
      {
        definitions: [definition],
      },
    );
    expect(made.spec("HTTPRoute/foo#bar")).toEqual({ maxRetries: 2 });
    expect(made.spec("HTTPRoute/foo#baz")).toEqual({ maxRetries: 1 });
    expect(made.outcome("whole")).toBe("PartiallyEnforced by part");
  });
});

describe("Examples", () => {
  const tls = (name: string, spec: JsonObject, target: JsonObject) =>
    policy("TLSMinimumVersionPolicy", name, target, spec, { group: "networking.example.io", namespace: "appns" });
  const onGateway = { name: "internet", group: "gateway.networking.k8s.io", kind: "Gateway" };
  const onNamespace = { name: "appns", group: "", kind: "namespace" };
  const made = (...policies: readonly JsonObject[]) =>
    cluster([gateway("internet", { namespace: "appns" }), gateway("intranet", { namespace: "appns" }), ...policies], {
      definitions: ["tls-minimum-version-policy"],
    });
  const versions = (...policies: readonly JsonObject[]) =>
    ["internet", "intranet"].map((name) => made(...policies).spec(`Gateway/appns/${name}`)["minimumTLSVersion"]);

  test("Direct Policy Attachment: the minimum TLS version required on a Gateway", () => {
    expect(versions(tls("minimum12", { minimumTLSVersion: 1.2 }, onGateway))).toEqual([1.2, undefined]);
  });

  test("Inherited Policy Attachment: defaults across multiple Gateways", () => {
    const defaults = tls("minimum12", { defaults: { minimumTLSVersion: 1.2 } }, onNamespace);
    expect(versions(defaults)).toEqual([1.2, 1.2]);
    expect(versions(defaults, tls("own", { defaults: { minimumTLSVersion: 1.3 } }, onGateway))).toEqual([1.3, 1.2]);
    expect(made(defaults).conditions("appns/minimum12")).toEqual([
      "Namespace/appns: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });

  test("Inherited Policy Attachment: overrides force it, whatever Gateway owners do", () => {
    const forced = tls("minimum12", { overrides: { minimumTLSVersion: 1.2 } }, onNamespace);
    const tries = ["defaults", "overrides"].map((block) =>
      tls(block, { [block]: { minimumTLSVersion: 1.0 } }, onGateway),
    );
    for (const attempt of tries) expect(versions(forced, attempt)).toEqual([1.2, 1.2]);
  });
});

describe("Handling non-scalar values", () => {
  const routeAfter = (own: readonly string[] | undefined, spec: JsonObject) =>
    cluster(
      [
        gateway("example", { namespace: "appns" }),
        exampleRoute(own),
        retryOnPolicy("retryon5xx", "Gateway/example", spec),
      ],
      {
        definitions: ["retry-on-policy-field"],
      },
    ).spec("HTTPRoute/appns/example");
  const codes = { retryOn: ["501", "502", "503"] };

  for (const [what, own, byDefault] of [
    ["does not set the field", undefined, codes],
    ["sets the empty list", [], codes],
    ["sets any other value: it remains, these values are not merged", ["418", "501"], { retryOn: ["418", "501"] }],
  ] as const) {
    test(`default, the HTTPRoute ${what}`, () => {
      expect(routeAfter(own, { defaults: codes })).toEqual(byDefault);
    });

    test(`override, no matter what the value is: the HTTPRoute ${what}`, () => {
      expect(routeAfter(own, { overrides: codes })).toEqual(codes);
    });
  }
});

describe("Interactions between defaults, overrides, and field values", () => {
  describeRetryOnTables({
    where: "HTTPRoute",
    definition: "retry-on-policy-field",
    group: "field.networking.example.io",
    routeWith: exampleRoute,
    read: (made) => {
      const effective = made.effectiveAt("HTTPRoute/appns/example");
      const source = made.sources("HTTPRoute/appns/example")["/retryOn"];
      return { retryOn: effective.spec["retryOn"] ?? [], held: source?.held ?? "nobody" };
    },
  });
});
