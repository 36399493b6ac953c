import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  listener,
  route,
  routeTo,
  service,
} from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import { explain } from "../../explain.ts";
import type { Connections } from "./result.ts";

function connections(objects: readonly unknown[], target: string): Connections {
  const { evaluation } = cluster(objects, { definitions: builtInDefinitions() });
  const explanation = explain(evaluation, target);
  if (explanation === undefined) throw new Error(`no ${target}`);
  return explanation.connections;
}

const names = (
  nodes: readonly { readonly kind: string; readonly name: string; readonly sectionName?: string }[],
): readonly string[] =>
  nodes.map(({ kind, name, sectionName }) => `${kind}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`);

const town = [
  gatewayClass("class"),
  gateway("g", {
    listeners: [
      listener("wide", { hostname: "*.example.com" }),
      listener("any", { port: 81 }),
      listener("spare", { port: 82, kinds: ["GRPCRoute"] }),
    ],
  }),
  route("r", ["Gateway/g#wide"], {
    hostnames: ["a.example.com", "*.b.example.com", "elsewhere.org"],
    rules: [
      { name: "one", backends: ["s", "t"] },
      { name: "two", backends: ["s"] },
    ],
  }),
  routeTo("open", "Gateway/g", "s"),
  service("s", { ports: { http: 80, spare: 81 } }),
  service("t"),
  service("unused"),
];

describe("what a target is connected with", () => {
  test("a route: its listeners, the hosts that it has there, and its backends with their rules", () => {
    const { attachedTo, hostnames, backends, backendOf, listeners, attached } = connections(town, "httproute/r");
    expect(names(attachedTo)).toEqual(["Gateway/g#wide"]);
    expect(hostnames).toEqual(["*.b.example.com", "a.example.com"]);
    expect(backends.map(({ name, ports, sections }) => [name, ports, sections])).toEqual([
      ["s", [80], ["one", "two"]],
      ["t", [80], ["one"]],
    ]);
    expect([backendOf, listeners, attached]).toEqual([[], [], []]);
  });

  test("a route without hostnames has those of its listeners", () => {
    expect(connections(town, "httproute/open").hostnames).toEqual(["*", "*.example.com"]);
  });

  test("a rule has its own backends only", () => {
    expect(names(connections(town, "httproute/r#two").backends)).toEqual(["Service/s"]);
  });

  test("a Gateway: its class, its listeners with the number of routes, and what is attached to it", () => {
    const { attachedTo, listeners, attached } = connections(town, "gateway/g");
    expect(names(attachedTo)).toEqual(["GatewayClass/class"]);
    expect(listeners).toEqual([
      { name: "wide", protocol: "HTTP", port: 80, hostname: "*.example.com", attached: 2 },
      { name: "any", protocol: "HTTP", port: 81, attached: 1 },
      { name: "spare", protocol: "HTTP", port: 82, attached: 0 },
    ]);
    expect(names(attached)).toEqual(["HTTPRoute/open", "HTTPRoute/r"]);
    expect(names(connections(town, "gateway/g#any").attached)).toEqual(["HTTPRoute/open"]);
    expect(connections(town, "gateway/g#any").listeners.map(({ name }) => name)).toEqual(["any"]);
  });

  test("a Service: the rules that send requests to it; of a port those that use it", () => {
    const users = ["HTTPRoute/open#rule-1", "HTTPRoute/r#one", "HTTPRoute/r#two"];
    expect(names(connections(town, "service/s").backendOf)).toEqual(users);
    expect(names(connections(town, "service/s#http").backendOf)).toEqual(users);
    expect(names(connections(town, "service/s#spare").backendOf)).toEqual([]);
    expect(names(connections(town, "service/unused").backendOf)).toEqual([]);
  });

  test("a mesh: a Service has the routes attached to it, and hostnames do not count", () => {
    const mesh = [
      service("front"),
      service("back"),
      route("m", "Service/front", { hostnames: ["x.example"], rules: [{ backends: ["back"] }] }),
    ];
    expect(names(connections(mesh, "service/front").attached)).toEqual(["HTTPRoute/m"]);
    expect(connections(mesh, "httproute/m").hostnames).toEqual([]);
    expect(names(connections(mesh, "service/back").backendOf)).toEqual(["HTTPRoute/m#rule-1"]);
  });

  test("a reference that is refused is no connection", () => {
    const lonely = [...town, routeTo("lost", "Gateway/g#spare", "s")];
    expect(connections(lonely, "httproute/lost").attachedTo).toEqual([]);
    const { backends } = connections([...town, routeTo("far", "Gateway/g", "Service/other/s")], "httproute/far");
    expect(backends).toEqual([]);
  });
});
