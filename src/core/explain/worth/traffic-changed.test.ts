import { expect, test } from "vitest";
import type { PathNode } from "../../effective/paths/path-node.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { TrafficCounts } from "../../retry/retry-counts.ts";
import type { Plan } from "../plan/result.ts";
import { countedWhereChanged, trafficOnPaths } from "./traffic-changed.ts";

const node = (group: string, kind: string, name: string, sectionName?: string): PathNode => ({
  group,
  kind,
  namespace: "shop",
  name,
  ...(sectionName === undefined ? {} : { sectionName }),
});
const GATEWAY = node(GATEWAY_API, "Gateway", "g");
const ROUTE = node(GATEWAY_API, "HTTPRoute", "r");
const OTHERS = ["Gateway", "HTTPRoute", "CardRoute", "Service"].map((kind) => node("cards.example", kind, "own"));

/** A plan in which the attempts of retries change on one path. */
const planOn = (...nodes: readonly PathNode[]): Plan => ({
  objects: [],
  kinds: [
    {
      policyKind: { group: "prevail.dev", kind: "RetryPolicy" },
      paths: 1,
      changes: [{ nodes, change: "changed", values: [{ pointer: "/retry/attempts" }], removals: [] }],
    },
  ],
  policies: [],
  findings: { added: [], removed: [] },
  namespaces: [],
  stillImplied: [],
});

const nameOf = ({ group, kind, name }: { group: string; kind: string; name: string }): string =>
  `${group}/${kind}/${name}`;

test.each<[string, readonly PathNode[], string]>([
  ["a Gateway", [GATEWAY], nameOf(GATEWAY)],
  ["a route", [GATEWAY, ROUTE], nameOf(ROUTE)],
  ["a TCPRoute", [GATEWAY, node(GATEWAY_API, "TCPRoute", "t")], `${GATEWAY_API}/TCPRoute/t`],
  ["a Service", [GATEWAY, ROUTE, node("", "Service", "s")], "/Service/s"],
])("what is counted of a path to %s, also with kinds of the same names in another group", (_, path, end) => {
  for (const nodes of [path, [...path, ...OTHERS], [...OTHERS, ...path]]) {
    const { gateways, ends } = countedWhereChanged(planOn(...nodes));
    expect(gateways.map(nameOf)).toEqual([nameOf(GATEWAY)]);
    expect(ends.map(nameOf)).toEqual([end]);
  }
});

test("objects of another group are no part of the requests that are counted", () => {
  const ref = ({ group, kind, namespace, name }: PathNode) => ({ group, kind, namespace, name });
  const counted: TrafficCounts = {
    gateway: ref(GATEWAY),
    route: ref(ROUTE),
    rule: "one",
    backend: { group: "", kind: "Service", namespace: "shop", name: "s" },
    port: 80,
    requests: 1,
    retried: 0,
    succeededByRetry: 0,
  };
  const path = [GATEWAY, { ...ROUTE, sectionName: "one" }];
  const others = OTHERS.map((other) => ({ ...other, sectionName: "part" }));
  expect(trafficOnPaths([path], [counted])).toEqual([counted]);
  expect(trafficOnPaths([[...path, ...others]], [counted])).toEqual([counted]);
  expect(trafficOnPaths([[...others, ...path]], [counted])).toEqual([counted]);
});
