import { expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { service } from "../../../../test/support/cluster/gateway-objects.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import { worldOf } from "../../evaluation.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { TrafficCounts } from "../../retry/retry-counts.ts";
import { trafficThrough } from "./traffic-through.ts";

const node = (group: string, kind: string, name: string): PathNode => ({ group, kind, namespace: "default", name });
const counted: TrafficCounts = {
  gateway: node(GATEWAY_API, "Gateway", "g"),
  route: node(GATEWAY_API, "HTTPRoute", "r"),
  rule: "one",
  backend: node("", "Service", "s"),
  port: 80,
  requests: 1,
  retried: 0,
  succeededByRetry: 0,
};

test.each<[string, PathNode, readonly TrafficCounts[] | undefined]>([
  ["a Gateway", node(GATEWAY_API, "Gateway", "g"), [counted]],
  ["another Gateway", node(GATEWAY_API, "Gateway", "h"), []],
  ["a route", node(GATEWAY_API, "HTTPRoute", "r"), [counted]],
  ["a Service", node("", "Service", "s"), [counted]],
  ["a listener", { ...node(GATEWAY_API, "Gateway", "g"), sectionName: "http" }, undefined],
  ["a Gateway of another group", node("networking.istio.io", "Gateway", "g"), undefined],
  ["a route of another group", node("cards.example", "HTTPRoute", "r"), undefined],
  ["a Service of another group", node("serving.knative.dev", "Service", "s"), undefined],
])("the counts of %s; undefined where requests are not counted by the kind", (_, target, expected) => {
  const { evaluation } = cluster([service("s")]);
  expect(trafficThrough(worldOf(evaluation), target, [counted])).toEqual(expected);
});
