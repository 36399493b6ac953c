import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  listener,
  namespace,
  policy,
  route,
  routeTo,
  service,
} from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import { worldOf } from "../../evaluation.ts";
import { kindId, parseTargetId, type TargetId } from "../../model/refs.ts";
import { buildGraph, type GraphOptions } from "./build-graph.ts";
import { foldGraph } from "./fold-graph.ts";
import type { Graph, GraphNode } from "./result.ts";

const retry = (name: string, target: string): object =>
  policy("RetryPolicy", name, [target], { defaults: { retry: { attempts: 1 } } }, { group: "prevail.dev" });

const DRAWN = { sections: "Used", lone: "LeftOut" } as const;

function graphOf(objects: readonly unknown[], options: Partial<GraphOptions> = {}): Graph {
  const { evaluation } = cluster(objects, { definitions: builtInDefinitions() });
  return buildGraph(worldOf(evaluation), { ...DRAWN, ...options });
}

/** `Gateway/g`, `Gateway/g#http`, or `4 x HTTPRoute/a`. */
function nameOf({ ref, sectionName, fold }: GraphNode): string {
  const own = `${ref.kind}/${ref.name}${sectionName === undefined ? "" : `#${sectionName}`}`;
  return fold === undefined ? own : `${fold.members.length} x ${own}`;
}

const namesOf = ({ nodes }: Graph): readonly string[] => nodes.map(nameOf);

function edgesOf({ nodes, edges }: Graph): readonly string[] {
  const names = new Map<TargetId, string>(nodes.map((node) => [node.id, nameOf(node)]));
  return edges.map(({ from, to }) => `${names.get(from)} > ${names.get(to)}`);
}

const town = [
  gatewayClass("class", "prevail.dev/gateway"),
  gateway("g", {
    listeners: [listener("http"), listener("spare", { port: 81, kinds: ["GRPCRoute"] })],
  }),
  route("r", "Gateway/g", {
    rules: [
      { name: "a", backends: ["s"] },
      { name: "b", backends: ["t"] },
    ],
  }),
  service("s"),
  service("t"),
  service("unused"),
];

describe("buildGraph", () => {
  test("rules and ports without policies, and listeners without routes, are left out and counted", () => {
    const graph = graphOf(town);
    expect(edgesOf(graph)).toEqual([
      "Gateway/g > Gateway/g#http",
      "Gateway/g#http > HTTPRoute/r",
      "GatewayClass/class > Gateway/g",
      "HTTPRoute/r > Service/s",
      "HTTPRoute/r > Service/t",
    ]);
    expect(graph.leftOut.sections).toEqual([
      { kind: "Gateway", count: 1 },
      { kind: "HTTPRoute", count: 2 },
      { kind: "Service", count: 2 },
    ]);
  });

  test("a rule with a policy is drawn, and its backends are below it", () => {
    const graph = graphOf([...town, retry("p", "HTTPRoute/r#a")]);
    expect(edgesOf(graph)).toEqual(
      expect.arrayContaining(["HTTPRoute/r > HTTPRoute/r#a", "HTTPRoute/r#a > Service/s", "HTTPRoute/r > Service/t"]),
    );
    expect(graph.leftOut.sections).toContainEqual({ kind: "HTTPRoute", count: 1 });
  });

  test("sections All draws every section and leaves none out", () => {
    const graph = graphOf(town, { sections: "All" });
    expect(namesOf(graph)).toEqual(
      expect.arrayContaining(["Gateway/g#spare", "HTTPRoute/r#a", "HTTPRoute/r#b", "Service/s#http"]),
    );
    expect(edgesOf(graph)).not.toContain("HTTPRoute/r > Service/s");
    expect(graph.leftOut.sections).toEqual([]);
  });

  test("objects without links and policies are drawn on request, also with all sections", () => {
    expect(namesOf(graphOf(town))).not.toContain("Service/unused");
    expect(graphOf(town).leftOut.lone).toEqual([{ kind: "Service", count: 1 }]);
    expect(graphOf(town, { sections: "All" }).leftOut.lone).toEqual([{ kind: "Service", count: 1 }]);
    const graph = graphOf(town, { lone: "Drawn", sections: "All" });
    expect(namesOf(graph)).toEqual(expect.arrayContaining(["Service/unused", "Service/unused#http"]));
    expect(graph.leftOut.lone).toEqual([]);
  });

  test("depth counts objects, not sections", () => {
    const levels = (depth: number): readonly string[] => namesOf(graphOf(town, { depth }));
    expect(levels(0)).toEqual(["GatewayClass/class"]);
    expect(levels(1)).toEqual(["Gateway/g", "Gateway/g#http", "GatewayClass/class"]);
    expect(levels(2)).toContain("HTTPRoute/r");
    expect(graphOf(town, { depth: 1 }).leftOut.farther).toEqual([
      { kind: "HTTPRoute", count: 1 },
      { kind: "Service", count: 2 },
    ]);
  });

  test("depth is counted from the targets, upwards and downwards", () => {
    const { id } = find(graphOf(town), "Service/t");
    const graph = graphOf(town, { targets: [parseTargetId(id)].map(({ object }) => ({ id: object })), depth: 1 });
    expect(namesOf(graph)).toEqual(["HTTPRoute/r", "Service/t"]);
  });

  test("around a rule: neither other rules nor their backends", () => {
    const { id } = find(graphOf([...town, retry("p", "HTTPRoute/r#a")]), "HTTPRoute/r");
    const targets = [{ id: parseTargetId(id).object, sectionName: "a" }];
    const both = [
      ...town.slice(0, 2),
      route("r", "Gateway/g", { rules: [{ name: "a", backends: ["s"] }, { backends: ["s"] }] }),
      service("s"),
    ];
    expect(edgesOf(graphOf(both, { targets }))).toEqual([
      "Gateway/g > Gateway/g#http",
      "Gateway/g#http > HTTPRoute/r",
      "GatewayClass/class > Gateway/g",
      "HTTPRoute/r > HTTPRoute/r#a",
      "HTTPRoute/r#a > Service/s",
    ]);
  });

  test("a Namespace with policies is no level of its own", () => {
    const objects = [...town, namespace("default"), retry("p", "Namespace/default")];
    expect(namesOf(graphOf(objects, { depth: 1 }))).toEqual([
      "Gateway/g",
      "Gateway/g#http",
      "GatewayClass/class",
      "Namespace/default",
    ]);
  });

  test("kinds: edges lead over what is left out", () => {
    const kinds = new Set([
      kindId({ group: "gateway.networking.k8s.io", kind: "Gateway" }),
      kindId({ group: "", kind: "Service" }),
    ]);
    const graph = graphOf(town, { kinds });
    expect(edgesOf(graph)).toEqual([
      "Gateway/g > Gateway/g#http",
      "Gateway/g#http > Service/s",
      "Gateway/g#http > Service/t",
    ]);
    expect(graph.leftOut.otherKinds).toEqual([
      { kind: "GatewayClass", count: 1 },
      { kind: "HTTPRoute", count: 1 },
    ]);
  });

  test("policy kinds: other policies are left out and counted", () => {
    const graph = graphOf([...town, retry("p", "HTTPRoute/r")], {
      policyKinds: new Set([kindId({ group: "prevail.dev", kind: "ClusterRetryPolicy" })]),
    });
    expect(graph.nodes.flatMap(({ policies }) => policies)).toEqual([]);
    expect(graph.leftOut.otherPolicies).toBe(1);
    const targets = [{ id: parseTargetId(find(graph, "GatewayClass/class").id).object }];
    const above = graphOf([...town, retry("p", "Service/unused")], { targets, policyKinds: new Set() });
    expect(above.leftOut.otherPolicies).toBe(0);
  });

  test("a mesh: the route of a Service is below it, and its backends below the route", () => {
    const graph = graphOf([service("front"), service("back"), routeTo("m", "Service/front", "back")]);
    expect(edgesOf(graph)).toEqual(expect.arrayContaining(["HTTPRoute/m > Service/back"]));
    expect(edgesOf(graph).some((edge) => edge.startsWith("Service/front") && edge.endsWith("> HTTPRoute/m"))).toBe(
      true,
    );
  });
});

const find = ({ nodes }: Graph, name: string): GraphNode => {
  const found = nodes.find((node) => nameOf(node) === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe("foldGraph", () => {
  const many = (count: number, prefix = "r"): readonly object[] =>
    Array.from({ length: count }, (_, at) => [
      routeTo(`${prefix}${at}`, "Gateway/g", `s-${prefix}${at}`),
      service(`s-${prefix}${at}`),
    ]).flat();
  const folded = (objects: readonly unknown[], whole: readonly TargetId[] = []): Graph =>
    foldGraph(graphOf([gateway("g"), ...objects]), new Set(whole));

  test("four routes without policies become one node, and so do their backends", () => {
    expect(namesOf(folded(many(4)))).toEqual(
      expect.arrayContaining(["4 x HTTPRoute/r0", "4 x Service/s-r0", "Gateway/g"]),
    );
    expect(edgesOf(folded(many(4)))).toEqual(
      expect.arrayContaining(["Gateway/g#http > 4 x HTTPRoute/r0", "4 x HTTPRoute/r0 > 4 x Service/s-r0"]),
    );
  });

  test("three are drawn one by one", () => {
    expect(namesOf(folded(many(3)))).toEqual(expect.arrayContaining(["HTTPRoute/r0", "HTTPRoute/r1", "HTTPRoute/r2"]));
  });

  test("a route with a policy of its own, or on a rule of its own, is not folded", () => {
    const objects = [
      ...many(4),
      routeTo("own", "Gateway/g", "s-r0"),
      retry("p", "HTTPRoute/own"),
      route("ruled", "Gateway/g", { rules: [{ name: "a", backends: ["s-r0"] }] }),
      retry("q", "HTTPRoute/ruled#a"),
    ];
    expect(namesOf(folded(objects))).toEqual(
      expect.arrayContaining(["4 x HTTPRoute/r0", "HTTPRoute/own", "HTTPRoute/ruled", "HTTPRoute/ruled#a"]),
    );
  });

  test("a Service with a policy is not folded with the others, nor a shared one", () => {
    const graph = folded([
      ...many(5),
      retry("p", "Service/s-r1"),
      routeTo("own", "Gateway/g", "s-r2"),
      retry("q", "HTTPRoute/own"),
    ]);
    expect(namesOf(graph)).toEqual(expect.arrayContaining(["5 x HTTPRoute/r0", "Service/s-r1", "Service/s-r2"]));
  });

  test("routes of other namespaces, kinds or parents are other nodes", () => {
    const elsewhere = Array.from({ length: 4 }, (_, at) =>
      route(`e${at}`, "Gateway/default/g", { namespace: "elsewhere" }),
    );
    const grpc = Array.from({ length: 4 }, (_, at) => route(`x${at}`, "Gateway/g", { kind: "GRPCRoute" }));
    const objects = [
      gateway("g", { listeners: [listener("http", { from: "All" })] }),
      ...many(4),
      ...elsewhere,
      ...grpc,
    ];
    expect(namesOf(foldGraph(graphOf(objects), new Set()))).toEqual(
      expect.arrayContaining(["4 x HTTPRoute/r0", "4 x HTTPRoute/e0", "4 x GRPCRoute/x0"]),
    );
  });

  test("25 routes that each have a policy with the same effect become one node; 24 do not", () => {
    const withPolicies = (count: number): readonly object[] =>
      Array.from({ length: count }, (_, at) => [
        routeTo(`r${at}`, "Gateway/g", "s"),
        retry(`p${at}`, `HTTPRoute/r${at}`),
      ]).flat();
    const graph = folded([service("s"), ...withPolicies(25)]);
    const node = find(graph, "25 x HTTPRoute/r0");
    expect(node.fold?.policies).toMatchObject([{ policy: "RetryPolicy.prevail.dev/default/p0" }]);
    expect(
      namesOf(folded([service("s"), ...withPolicies(24)])).filter((name) => name.startsWith("HTTPRoute")),
    ).toHaveLength(24);
  });

  test("what was asked for is never folded", () => {
    const { id } = find(graphOf([gateway("g"), ...many(5)]), "HTTPRoute/r3");
    expect(namesOf(folded(many(5), [id]))).toEqual(expect.arrayContaining(["HTTPRoute/r3", "4 x HTTPRoute/r0"]));
  });
});
