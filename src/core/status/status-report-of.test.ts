/**
 * Gateway API, "PolicyStatus.ancestors"
 * Gateway API, "PolicyAncestorStatus"
 */
import { describe, expect, test } from "vitest";
import { type Cluster, cluster } from "../../../test/support/cluster/cluster.ts";
import {
  fruit,
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  namespace,
  policy,
  reference,
  route,
  routeTo,
  service,
} from "../../../test/support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../../test/support/cluster/policy-kind.ts";
import { apply } from "../apply.ts";
import { buildStatus } from "../build-status.ts";
import { evaluate } from "../evaluate.ts";
import type { JsonObject } from "../model/json.ts";
import { buildSnapshot } from "../model/snapshot.ts";

const definition = policyKind("TestPolicy", {
  joined: [{ group: "example.com", kind: "ClusterTestPolicy", scope: "Cluster" }],
  targets: ["Namespace", "GatewayClass", "Gateway/Listener", "HTTPRoute/Rule", "Service/Port"],
  ends: ["Service"],
  namespacesAbove: ["Gateway"],
  targeting: { selectors: true },
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
});
const on = (name: string, target: string | readonly string[], spec: JsonObject = { x: name }, generation?: number) =>
  policy("TestPolicy", name, target, spec, generation === undefined ? {} : { generation });
const made = (...objects: readonly JsonObject[]) => cluster(objects, { definitions: [definition] });
const path = [gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];
const onPath = "On Gateway default/g#http > HTTPRoute default/r#rule-1 > Service default/s";
const whole = "Accepted=True/Accepted Enforced=True/Enforced";

describe("the ancestors of a policy", () => {
  for (const [name, target, expected] of [
    ["a Gateway: itself", "Gateway/g", ["Gateway/g"]],
    ["a listener: its Gateway", "Gateway/g#http", ["Gateway/g"]],
    ["a route: each Gateway above it", "HTTPRoute/both", ["Gateway/g", "Gateway/h"]],
    ["a backend: each Gateway above it", "Service/s", ["Gateway/g", "Gateway/h"]],
    ["a Namespace: itself", "Namespace/default", ["Namespace/default"]],
  ] as const) {
    test(name, () => {
      const objects = [gateway("h"), route("both", ["Gateway/g", "Gateway/h"], { rules: [{ backends: ["s"] }] })];
      expect(made(...path, ...objects, on("p", target)).conditions("p")).toEqual(
        expected.map((at) => `${at}: ${whole}`),
      );
    });
  }

  test("a GatewayClass: itself, however many Gateways it has", () => {
    const umbrella = policy("ClusterTestPolicy", "p", "GatewayClass/class", { x: 1 }, { namespace: "" });
    expect(made(...path, gateway("h"), routeTo("i", "Gateway/h", "s"), umbrella).conditions("p")).toEqual([
      `GatewayClass/class: ${whole}`,
    ]);
  });

  test("mesh: the parent Service", () => {
    const objects = [service("front"), service("back"), routeTo("r", "Service/front", "back")];
    expect(made(...objects, on("p", "HTTPRoute/r")).conditions("p")).toEqual([`Service/front: ${whole}`]);
  });

  test("without a path: the targets, sections too", () => {
    const objects = [gateway("g"), on("p", ["Gateway/g", "Gateway/g#http"])];
    expect(cluster(objects, { definitions: [definition], completeness: "Complete" }).conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=False/NoPath",
      "Gateway/g#http: Accepted=True/Accepted Enforced=False/NoPath",
    ]);
    // Routes that are not in the input may be attached to the Gateway.
    expect(made(...objects).conditions("p")).toEqual([
      "Gateway/g: Accepted=True/Accepted Enforced=Unknown/Incomplete",
      "Gateway/g#http: Accepted=True/Accepted Enforced=Unknown/Incomplete",
    ]);
  });

  test("a refused target beside a good one has an entry of its own", () => {
    const two = made(...path, on("p", ["Gateway/g", "Gateway/gg"]));
    expect(two.conditions("p")).toEqual([`Gateway/g: ${whole}`, "Gateway/gg: Accepted=False/TargetNotFound"]);
    expect(two.messages("p", "Accepted")[1]).toContain("did you mean 'g'?");
  });

  test("an Invalid policy: its targets as far as they can be read", () => {
    const bad: JsonObject = on("p", ["Gateway/g", "Gateway/other/h"], { defaults: 7 });
    expect(made(...path, bad).conditions("p")).toEqual([
      "Gateway/g: Accepted=False/Invalid",
      "Gateway/other/h: Accepted=False/Invalid",
    ]);
    expect(made(...path, bad).messages("p", "Accepted")[0]).toContain("spec.defaults");
  });

  for (const [name, spec] of [
    ["a selector that matches nothing", { targetRefs: [{ kind: "Gateway", selector: { matchLabels: { a: "b" } } }] }],
    ["a target without a name", { targetRef: { kind: "Gateway" } }],
    ["no target at all", {}],
    ["no spec that could be read", null],
  ] as const) {
    test(`nothing that could be named: the policy's namespace (${name})`, () => {
      const lines = made(...path, { ...on("p", "Gateway/g"), spec }).conditions("p");
      expect(lines).toEqual([expect.stringMatching(/^Namespace\/default: Accepted=False\/(TargetNotFound|Invalid)$/)]);
    });
  }

  test("a cluster-scoped policy without a target that could be named has no entry", () => {
    const lost = { ...policy("ClusterTestPolicy", "p", "Gateway/g", {}, { namespace: "" }), spec: {} };
    expect(made(...path, lost).status().policies).toEqual([
      expect.objectContaining({ policy: "ClusterTestPolicy.example.com//p", ancestors: [] }),
    ]);
  });

  test("at most sixteen, and a finding names the others", () => {
    const names = Array.from({ length: 30 }, (_, i) => `g${String(i).padStart(2, "0")}`);
    const many = made(
      ...names.map((name) => gateway(name)),
      route(
        "r",
        names.map((name) => `Gateway/${name}`),
        { rules: [{ backends: ["s"] }] },
      ),
      service("s"),
      on("p", "HTTPRoute/r"),
    );
    expect(many.conditions("p")).toEqual(names.slice(0, 16).map((name) => `Gateway/${name}: ${whole}`));
    expect(many.status().findings).toEqual([
      {
        code: "AncestorsLeftOut",
        severity: "warning",
        object: "TestPolicy.example.com/default/p",
        field: "status.ancestors",
        message: `TestPolicy default/p has 30 ancestors, but its status can list only 16; left out: ${names
          .slice(16, 26)
          .map((name) => `Gateway default/${name}`)
          .join(", ")} and 4 more`,
      },
    ]);
  });

  test("sixteen are not too many", () => {
    const names = Array.from({ length: 16 }, (_, i) => `g${i}`);
    const all = made(
      ...names.map((name) => gateway(name)),
      on(
        "p",
        names.map((name) => `Gateway/${name}`),
      ),
    );
    expect(all.conditions("p")).toHaveLength(16);
    expect(all.status().findings).toEqual([]);
  });
});

describe("None: a policy that has lost a target", () => {
  const direct = policyKind("DirectPolicy", { class: "Direct", targets: ["Service/Port"], ends: ["Service/Port"] });
  const one = (name: string, target: readonly string[], created: number) =>
    policy("DirectPolicy", name, target, { x: name }, { created });

  test("keeps the others: an entry for each", () => {
    const both = cluster(
      [service("a"), service("b"), one("old", ["Service/a"], 0), one("new", ["Service/a", "Service/b"], 1)],
      {
        definitions: [direct],
      },
    );
    expect(both.conditions("old")).toEqual([`Service/a: ${whole}`]);
    expect(both.conditions("new")).toEqual([`Service/b: ${whole}`, "Service/a: Accepted=False/Conflicted"]);
    expect(both.messages("new", "Accepted")[1]).toContain("Service default/a already has DirectPolicy default/old");
  });

  test("a port and its Service are two targets, and so two entries", () => {
    const ports = service("a", { ports: { http: 80, https: 443 } });
    const all = cluster(
      [
        ports,
        one("old", ["Service/a"], 0),
        one("port", ["Service/a", "Service/a#http"], 1),
        one("late", ["Service/a#http"], 2),
      ],
      { definitions: [direct] },
    );
    expect(all.conditions("old")).toEqual([`Service/a: ${whole}`]);
    expect(all.conditions("port")).toEqual([`Service/a#http: ${whole}`, "Service/a: Accepted=False/Conflicted"]);
    expect(all.conditions("late")).toEqual(["Service/a#http: Accepted=False/Conflicted"]);
    const both = cluster([ports, one("both", ["Service/a", "Service/a#http"], 0)], { definitions: [direct] });
    expect(both.conditions("both")).toEqual([`Service/a: ${whole}`, `Service/a#http: ${whole}`]);
    expect(both.messages("both", "Enforced")).toEqual([
      "takes effect on its only path",
      "takes effect on its only path",
    ]);
  });

  test("is not attached to it for want of a path", () => {
    const none = policyKind("TestPolicy", {
      targets: ["Gateway", "HTTPRoute"],
      ends: ["Service"],
      merge: { none: true },
    });
    const objects = [gateway("g"), on("old", "Gateway/g"), on("two", ["Gateway/g", "HTTPRoute/r"])];
    const all = cluster([...objects, route("r", [])], { definitions: [none] });
    expect(all.conditions("two")).toEqual([
      "HTTPRoute/r: Accepted=True/Accepted Enforced=False/NoPath",
      "Gateway/g: Accepted=False/Conflicted",
    ]);
  });
});

test("a refused target that is an ancestor by another target is reported in that entry", () => {
  const routes = policyKind("TestPolicy", { targets: ["HTTPRoute"], ends: ["Service"] });
  const all = cluster([...path, on("p", ["HTTPRoute/r", "Gateway/g", "Gateway/g"])], { definitions: [routes] });
  expect(all.conditions("p")).toEqual([`Gateway/g: ${whole}`]);
  expect(all.messages("p", "Accepted")).toEqual([
    "the policy is attached, but not to every target: TestPolicy cannot target a Gateway (gateway.networking.k8s.io); it can target: HTTPRoute",
  ]);
});

describe("the message names overriding policies and targets", () => {
  test("Enforced", () => {
    expect(made(...path, on("p", "Gateway/g")).messages("p", "Enforced")).toEqual(["takes effect on its only path"]);
    const two = made(...path, routeTo("i", "Gateway/g", "s"), on("p", "Gateway/g"));
    expect(two.messages("p", "Enforced")).toEqual(["takes effect on all of its 2 paths"]);
  });

  test("PartiallyEnforced", () => {
    const overridden = made(...path, routeTo("i", "Gateway/g", "s"), on("p", "Gateway/g"), on("q", "HTTPRoute/r"));
    expect(overridden.messages("p", "Enforced")).toEqual([
      `of its 2 paths, takes effect on 1, is overridden on 1; overridden by TestPolicy default/q, at Service default/s. ${onPath}: x is overridden by TestPolicy default/q`,
    ]);
    const inPart = made(...path, on("p", "Gateway/g", { x: 1, y: 1 }), on("q", "HTTPRoute/r", { x: 2 }));
    expect(inPart.messages("p", "Enforced")).toEqual([
      `takes effect in part on its only path; overridden by TestPolicy default/q, at Service default/s. ${onPath}: y takes effect; x is overridden by TestPolicy default/q`,
    ]);
  });

  describe("PartiallyEnforced: which parts, on one path", () => {
    const parts = (all: Cluster, name = "p"): string =>
      all
        .messages(name, "Enforced")
        .join()
        .split(/\. On /)[1] ?? "";
    const onRoute = (name: string, x: JsonObject) => [
      routeTo(name, "Gateway/g", "s"),
      on(`q-${name}`, `HTTPRoute/${name}`, x),
    ];
    const settings = (from: number, to: number): JsonObject =>
      Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`x${from + i}`, from]));

    test("where it takes effect in part rather than where it is overridden", () => {
      const all = made(
        gateway("g"),
        service("s"),
        ...onRoute("a", { x: 2, y: 2 }),
        ...onRoute("b", { y: 3 }),
        on("p", "Gateway/g", { x: 1, y: 1 }),
      );
      expect(parts(all)).toBe(
        "Gateway default/g#http > HTTPRoute default/b#rule-1 > Service default/s: x takes effect; y is overridden by TestPolicy default/q-b",
      );
    });

    test("of many a few are named", () => {
      const all = made(
        ...path,
        on("p", "Gateway/g", { ...settings(0, 20), nested: { ["long".repeat(100)]: 1 } }),
        on("q", "HTTPRoute/r", settings(10, 17)),
      );
      expect(parts(all)).toMatch(
        /: nested\.(long)+…, x0, x1, x17, x18 and 9 more take effect; x10, x11, x12, x13, x14 are overridden by TestPolicy default\/q; 2 more are overridden$/,
      );
      expect(parts(all).length).toBeLessThan(400);
    });

    test("by whom, each", () => {
      const all = made(
        ...path,
        on("p", "Gateway/g", { x: 1, y: 1, z: 1 }),
        on("q", "HTTPRoute/r", { x: 2 }),
        on("r", "Service/s", { y: 2 }),
      );
      expect(parts(all)).toMatch(
        /: z takes effect; x is overridden by TestPolicy default\/q; y is overridden by TestPolicy default\/r$/,
      );
    });

    test("a setting that two of its blocks have is named once", () => {
      const all = made(
        ...path,
        on("p", "Gateway/g", { defaults: { x: 1, y: 1 }, overrides: { x: 2 } }),
        on("q", "HTTPRoute/r", { x: 3, y: 3 }),
      );
      expect(parts(all)).toMatch(/: x takes effect; y is overridden by TestPolicy default\/q$/);
    });

    test("entries of remove count as settings", () => {
      const all = made(
        ...path,
        on("p", "Gateway/g", { defaults: { x: 1, y: 1 } }),
        on("q", "HTTPRoute/r", { defaults: { z: 1 }, remove: ["x", "y"] }),
        on("o", "Gateway/g", { overrides: { y: 2 } }),
      );
      expect(parts(all, "q")).toMatch(/: z, remove x take effect; remove y is overridden by TestPolicy default\/o$/);
    });

    test("ancestor by ancestor", () => {
      const all = made(
        ...path,
        gateway("h"),
        routeTo("i", "Gateway/h", "s"),
        on("p", "Service/s", { x: 1, y: 1 }),
        on("g1", "Gateway/g", { overrides: { x: 2 } }),
        on("h1", "Gateway/h", { overrides: { y: 2 } }),
      );
      expect(all.messages("p", "Enforced").map((message) => message.split(": ")[1])).toEqual([
        "y takes effect; x is overridden by TestPolicy default/g1",
        "x takes effect; y is overridden by TestPolicy default/h1",
      ]);
    });
  });

  test("Overridden, by more policies than can be named", () => {
    const low = Array.from({ length: 12 }, (_, i) =>
      on(`low${String(i).padStart(2, "0")}`, "HTTPRoute/r", { [`x${i}`]: 1 }),
    );
    const spec = Object.fromEntries(low.map((_, i) => [`x${i}`, 0]));
    const [message] = made(...path, on("p", "Gateway/g", spec), ...low).messages("p", "Enforced");
    expect(message).toMatch(/^is overridden on its only path; overridden by TestPolicy default\/low00, /);
    expect(message).toMatch(/TestPolicy default\/low09 and 2 more, at Service default\/s$/);
  });

  test("a constraint that is met", () => {
    const met = made(
      ...path,
      on("p", "Gateway/g", { overrides: { when: "spec.x > 5", x: 5 } }),
      on("q", "HTTPRoute/r", { x: 3 }),
    );
    expect(met.conditions("p")).toEqual([`Gateway/g: ${whole}`]);
    expect(met.messages("p", "Enforced")).toEqual(["constraint met: on 1 path the condition of the policy is false"]);
  });

  test("a constraint that is met on some paths: it takes effect on none of those", () => {
    const constraint = on("p", "Gateway/g", { overrides: { when: "spec.x > 5", x: 5 } });
    const routes = [3, 7].flatMap((x) => [routeTo(`r${x}`, "Gateway/g", "s"), on(`q${x}`, `HTTPRoute/r${x}`, { x })]);
    const some = made(...path.slice(0, 1), service("s"), ...routes, constraint);
    expect(some.conditions("p")).toEqual([`Gateway/g: ${whole}`]);
    expect(some.messages("p", "Enforced")).toEqual(["of its 2 paths, takes effect on 1, has its constraint met on 1"]);
    const overridden = made(
      ...path.slice(0, 1),
      service("s"),
      ...routes,
      constraint,
      on("a", "Gateway/g", { overrides: { x: 4 } }),
    );
    expect(overridden.conditions("p")).toEqual(["Gateway/g: Accepted=True/Accepted Enforced=False/Overridden"]);
    expect(overridden.messages("p", "Enforced")).toEqual([
      "of its 2 paths, is overridden on 1, has its constraint met on 1; overridden by TestPolicy default/a, at Service default/s",
    ]);
  });

  test("no message is longer than an API server takes", () => {
    const names = Array.from({ length: 200 }, (_, at) => `${"n".repeat(250)}${at}`);
    const long = made(...path, on("p", "Gateway/g"), ...names.map((name) => on(name, "HTTPRoute/r")));
    const [length = 0] = long.messages("p", "Enforced").map((message) => message.length);
    expect(length).toBeGreaterThan(250);
    expect(length).toBeLessThanOrEqual(32_768);
  });
});

test("the Programmed vocabulary", () => {
  const programmed = { ...definition, status: { vocabulary: "Programmed" as const } };
  const all = cluster(
    [
      ...path,
      gateway("empty"),
      on("top", "Gateway/g", { overrides: { x: 1 } }),
      on("part", "HTTPRoute/r", { x: 2, y: 2 }),
      on("low", "Service/s", { x: 3 }),
      on("none", "Gateway/empty"),
    ],
    { definitions: [programmed], completeness: "Complete" },
  );
  expect(["top", "part", "low", "none"].flatMap((name) => all.conditions(name))).toEqual([
    "Gateway/g: Accepted=True/Accepted Programmed=True/Programmed",
    "Gateway/g: Accepted=True/Accepted Programmed=True/PartiallyProgrammed",
    "Gateway/g: Accepted=True/Accepted Programmed=False/Overridden",
    "Gateway/empty: Accepted=True/Accepted Programmed=False/NoPath",
  ]);
});

test("behind a data plane, Enforced=True waits for its acknowledgement, ancestor by ancestor", () => {
  const objects = [gateway("h"), route("r2", "Gateway/h", { rules: [{ backends: ["s"] }] })];
  const both = made(...path, ...objects, on("p", "Service/s"), on("q", "Gateway/g"));
  const asked: string[] = [];
  const { policies } = both.status({
    acknowledged: (ancestor, id) => {
      asked.push(`${ancestor} ${id}`);
      return ancestor.endsWith("/h");
    },
  });
  const shown = policies.map(({ ancestors }) =>
    ancestors.map(
      ({ ancestorRef, conditions }) =>
        `${ancestorRef.name} ${conditions.map(({ status, reason }) => `${status}/${reason}`).join(" ")}`,
    ),
  );
  expect(shown).toEqual([
    ["g True/Accepted False/Reconciling", "h True/Accepted True/Enforced"],
    ["g True/Accepted False/Overridden"],
  ]);
  expect(policies[0]?.ancestors[0]?.conditions[1]?.message).toContain("Gateway default/g");
  expect(asked).toEqual([
    "Gateway.gateway.networking.k8s.io/default/g TestPolicy.example.com/default/p",
    "Gateway.gateway.networking.k8s.io/default/h TestPolicy.example.com/default/p",
  ]);
});

test("ownedKinds: only those, for policies and targets; one of several joined kinds stands for all", () => {
  const other = policyKind("OtherPolicy", { targets: ["Gateway"], ends: ["Gateway"] });
  const umbrella = policy("ClusterTestPolicy", "all", "GatewayClass/class", { y: 1 }, { namespace: "" });
  const both = cluster([...path, on("p", "Gateway/g"), umbrella, policy("OtherPolicy", "o", "Gateway/g", { x: 1 })], {
    definitions: [definition, other],
  });
  const names = (kinds: readonly string[]) => {
    const { policies, targets } = both.status({ ownedKinds: kinds.map((kind) => ({ group: "example.com", kind })) });
    const types = new Set(targets.flatMap(({ conditions }) => conditions.map(({ type }) => type)));
    return [...policies.map(({ policy: id }) => id.split("/")[2]), ...types];
  };
  expect(names(["ClusterTestPolicy"])).toEqual(["all", "p", "example.com/TestPolicyAffected"]);
  expect(names(["OtherPolicy"])).toEqual(["o", "example.com/OtherPolicyAffected"]);
  expect(names([])).toEqual([]);
});

test("observedGeneration is the policy's for the policy, the target's for the target; without one there is none", () => {
  const with7 = made(gateway("g", { generation: 7 }), ...path.slice(1), on("p", "Gateway/g", { x: 1 }, 3));
  const { policies, targets } = with7.status();
  expect(policies[0]?.ancestors[0]?.conditions.map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3]);
  const byObject = targets.map(({ object, conditions }) => [object.split("/").at(-1), conditions[0]]);
  expect(Object.fromEntries(byObject)).toMatchObject({ g: { observedGeneration: 7 } });
  expect(targets.find(({ object }) => object.endsWith("/s"))?.conditions[0]).not.toHaveProperty("observedGeneration");
});

describe("Affected conditions", () => {
  const prefix = "example.com/TestPolicyAffected=True by TestPolicy default/p";

  test("each in its field: status.conditions, status.listeners, status.parents", () => {
    expect(made(...path, gatewayClass("class"), namespace("default"), on("p", "Gateway/g")).targetConditions()).toEqual(
      [
        `Gateway/g status.conditions: ${prefix}`,
        `Gateway/g status.listeners[http]: ${prefix}`,
        `HTTPRoute/r status.parents[g]: ${prefix}`,
        `Service/s status.conditions: ${prefix}`,
      ],
    );
  });

  test("a Namespace and a GatewayClass, where documents define them", () => {
    const umbrella = policy("ClusterTestPolicy", "u", "GatewayClass/class", { y: 1 }, { namespace: "" });
    const all = [...path, on("p", "Namespace/default"), umbrella];
    const shown = (...more: readonly JsonObject[]) =>
      made(...all, ...more)
        .targetConditions()
        .filter((line) => /^(Namespace|GatewayClass)/.test(line));
    expect(shown()).toEqual([]);
    expect(shown(gatewayClass("class"), namespace("default"))).toEqual([
      "GatewayClass/class status.conditions: example.com/TestPolicyAffected=True by ClusterTestPolicy u",
      "Namespace/default status.conditions: example.com/TestPolicyAffected=True by ClusterTestPolicy u, TestPolicy default/p",
    ]);
  });

  test("a ListenerSet and its listeners", () => {
    const objects = [
      gateway("g", { allowedListeners: "Same" }),
      listenerSet("ls", "Gateway/g"),
      routeTo("r", "ListenerSet/ls", "s"),
      service("s"),
    ];
    expect(made(...objects, on("p", "Gateway/g")).targetConditions()).toEqual([
      `Gateway/g status.conditions: ${prefix}`,
      `HTTPRoute/r status.parents[ls]: ${prefix}`,
      `ListenerSet/ls status.conditions: ${prefix}`,
      `ListenerSet/ls status.listeners[extra]: ${prefix}`,
      `Service/s status.conditions: ${prefix}`,
    ]);
  });

  test("a rule and a port have none of their own: their object says where", () => {
    const objects = [
      gateway("g"),
      route("r", "Gateway/g", {
        rules: [{ name: "a", backends: ["s"] }, { name: "b", backends: ["s"] }, { backends: ["s"] }],
      }),
      service("s"),
    ];
    expect(made(...objects, on("p", ["HTTPRoute/r#b", "HTTPRoute/r#a"])).targetConditions()).toEqual([
      `HTTPRoute/r status.parents[g]: ${prefix} (in a, b)`,
      `Service/s status.conditions: ${prefix}`,
    ]);
    const both = made(...objects, on("p", ["HTTPRoute/r#b", "HTTPRoute/r"]));
    expect(both.targetConditions()[0]).toBe(`HTTPRoute/r status.parents[g]: ${prefix}`);
  });

  test("a route says for each of its parents what comes through that one", () => {
    const objects = [
      gateway("g", { listeners: [listener("a"), listener("b", { port: 81 })] }),
      gateway("h"),
      route("r", ["Gateway/g#a", { ...reference("Gateway/g"), port: 81 }, { name: "h" }, { name: "h" }], {
        rules: [{ backends: ["s"] }],
      }),
      service("s"),
    ];
    const policies = [on("p", "Gateway/g#a"), on("q", "Gateway/h"), on("r", "HTTPRoute/r", { y: 1 })];
    // Gateway API v1.7.0 refuses these parents together; a cluster with other CRDs takes them.
    const all = cluster([...objects, ...policies], { definitions: [definition], validated: true });
    const parents = all
      .status()
      .targets.flatMap(({ location, conditions }) =>
        location.at === "Parent" ? [[location.parentRef, conditions[0]?.message]] : [],
      );
    expect(parents).toEqual([
      [reference("Gateway/g#a"), "affected by TestPolicy default/p, TestPolicy default/r"],
      [{ ...reference("Gateway/g"), port: 81 }, "affected by TestPolicy default/r"],
      [reference("Gateway/h"), "affected by TestPolicy default/q, TestPolicy default/r"],
    ]);
    expect(
      all.status().targets.flatMap(({ location }) => (location.at === "Parent" ? [location.controllerName] : [])),
    ).toEqual(Array.from({ length: 3 }, () => "example.com/controller"));
  });

  test("below a Namespace level the parent is still the Gateway", () => {
    const levels = policyKind("TestPolicy", {
      targets: ["Namespace", "HTTPRoute"],
      ends: ["HTTPRoute"],
      namespacesAbove: ["HTTPRoute"],
    });
    const all = cluster([gateway("g"), routeTo("r", "Gateway/g"), on("p", "Namespace/default")], {
      definitions: [levels],
    });
    expect(all.targetConditions()).toEqual([`HTTPRoute/r status.parents[g]: ${prefix}`]);
  });

  test("a parent that is not there has no status of ours", () => {
    const lines = made(routeTo("r", "Gateway/absent", "s"), service("s"), on("p", "HTTPRoute/r")).targetConditions();
    expect(lines).toEqual([
      expect.stringContaining("Service/s status.conditions: example.com/TestPolicyAffected=Unknown"),
    ]);
  });

  test("kinds without conditions: an annotation; a CRD with status.conditions has them", () => {
    const { kinds, links } = chainOfKinds(["Tree", "Apple"]);
    const fruits = policyKind("TestPolicy", { targets: ["Tree", "Apple"], ends: ["Apple"], kinds, links });
    const conditions = { type: "array", items: { type: "object" } };
    const status = { type: "object", properties: { conditions } };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "apples.fruit.example.com" },
      spec: {
        group: "fruit.example.com",
        scope: "Namespaced",
        names: { kind: "Apple", plural: "apples" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { status } } },
          },
        ],
      },
    };
    const child = { group: "fruit.example.com", kind: "Apple", name: "a" };
    const objects = [fruit("Tree/t", { children: [child] }), fruit("Apple/a"), on("p", "Tree/t")];
    const shown = (...more: readonly JsonObject[]) =>
      cluster([...objects, ...more], { definitions: [fruits] }).targetConditions();
    expect(shown()).toEqual([`Apple/a metadata.annotations: ${prefix}`, `Tree/t metadata.annotations: ${prefix}`]);
    expect(shown(crd)).toEqual([`Apple/a status.conditions: ${prefix}`, `Tree/t metadata.annotations: ${prefix}`]);
  });

  test("two kinds of one name in different groups share the condition, and each names its policies", () => {
    const twin = policyKind("TestPolicy", { group: "other.io", targets: ["Gateway"], ends: ["Gateway"] });
    const all = cluster(
      [...path, on("p", "Gateway/g"), policy("TestPolicy", "q", "Gateway/g", { x: 1 }, { group: "other.io" })],
      {
        definitions: [definition, twin],
      },
    );
    expect(all.targetConditions()[0]).toBe(
      `Gateway/g status.conditions: ${prefix.replace("TestPolicy ", "TestPolicy.example.com ")}, TestPolicy.other.io default/q`,
    );
  });

  test("more policies than one message should name", () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      on(`p${String(i).padStart(2, "0")}`, "Service/s", { [`x${i}`]: 1 }),
    );
    const [line] = made(...path, ...many).targetConditions();
    expect(line).toMatch(/TestPolicy default\/p49 and 10 more$/);
  });

  test("the domain is the controller's, with or without a path", () => {
    const types = (controllerName: string) =>
      made(...path, on("p", "Service/s"))
        .status({ controllerName })
        .targets.flatMap(({ conditions }) => conditions.map(({ type }) => type));
    expect(types("colors.controller.k8s.io/blue")).toEqual(["colors.controller.k8s.io/TestPolicyAffected"]);
    expect(types("plain")).toEqual(["plain/TestPolicyAffected"]);
  });
});

test("after changes: the same as of the changed objects evaluated at once", () => {
  const options = { controllerName: "example.com/controller" };
  const documents = (objects: readonly JsonObject[]) => buildSnapshot(objects);
  const evaluated = (objects: readonly JsonObject[]) => evaluate(documents(objects), { definitions: [definition] });
  const before = [...path, on("p", "Gateway/g"), on("q", "HTTPRoute/r", { y: 1 })];
  const added = [gateway("g", { generation: 2 }), on("q", "Service/s", { x: 2 }), routeTo("r2", "Gateway/g", "s")];
  const after = [...before.filter(({ kind }) => kind !== "Gateway").slice(0, -1), ...added];
  const { evaluation } = apply(
    evaluated(before),
    added.map((value) => ({ upsert: value })),
  );
  expect(buildStatus(evaluation, options)).toEqual(buildStatus(evaluated(after), options));
  expect(buildStatus(evaluation, options)).not.toEqual(buildStatus(evaluated(before), options));
});

test("no times, and the same bytes for the same objects in any order", () => {
  const objects = [...path, on("p", "Gateway/g"), on("q", "HTTPRoute/r", { y: 1 }), on("z", "Gateway/zz")];
  const [one, two] = [made(...objects), made(...objects.toReversed())].map((all) => JSON.stringify(all.status()));
  expect(one).toBe(two);
  expect(one).not.toMatch(/time/i);
});

describe("a kind whose status has no ancestors", () => {
  const none = { ...definition, status: { vocabulary: "Enforced", ancestors: "None" } } as const;
  const conditionsOf = (...objects: readonly JsonObject[]): readonly string[] => {
    const evaluation = evaluate(buildSnapshot(objects, { validated: true }), { definitions: [none] });
    const [status] = buildStatus(evaluation, { controllerName: "example.com/c" }).policies;
    expect(status?.ancestors).toEqual([]);
    return (status?.conditions ?? []).map((one) => `${one.type}=${one.status}/${one.reason}: ${one.message}`);
  };
  const two = [...path, gateway("h"), routeTo("i", "Gateway/h", "s")];
  for (const [name, objects, expected] of [
    [
      "one condition over all ancestors",
      [...two, on("p", ["Gateway/g", "Gateway/h"])],
      ["Accepted=True/Accepted: the policy is attached", expect.stringMatching(/^Enforced=True\/Enforced: .*2 paths/)],
    ],
    [
      "a target that is not there is named in Accepted",
      [...two, on("p", ["Gateway/g", "Gateway/gg"])],
      [
        expect.stringMatching(/^Accepted=True\/Accepted: .*not to every target: .*gg/),
        expect.stringMatching(/^Enforced=True/),
      ],
    ],
    [
      "overridden in part: the settings and the policy that overrides them",
      [...two, on("p", ["Gateway/g", "Gateway/h"]), on("q", "HTTPRoute/r", { overrides: { x: "q" } })],
      [
        expect.stringMatching(/^Accepted=True/),
        expect.stringMatching(/^Enforced=True\/PartiallyEnforced: .*TestPolicy default\/q/),
      ],
    ],
    ["no target", [...two, { ...on("p", "Gateway/g"), spec: {} }], [expect.stringMatching(/^Accepted=False/)]],
  ] as const)
    test(name, () => {
      expect(conditionsOf(...objects)).toEqual(expected);
    });
});
