/** Gateway API, "RouteParentStatus" */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { apply, touchedOf } from "../apply.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import type { JsonObject } from "../model/json.ts";
import { parseObjectId } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { StatusScope } from "../status/status-tracker.ts";
import { GatewayStatusTracker, type StatusesByObject } from "./gateway-status-tracker.ts";

const OPTIONS = { controllerName: "example.com/gateway" };
const ROUTES = 50;
const start: readonly JsonObject[] = [
  gatewayClass("class", OPTIONS.controllerName),
  gateway("g"),
  service("s"),
  ...Array.from({ length: ROUTES }, (_, index) => routeTo(`r${index}`, "Gateway/g", "s")),
];

function run(steps: Generator<void, StatusesByObject>): StatusesByObject {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The names of the routes that are computed again after a change. */
function computedAfter(upsert: JsonObject): readonly string[] {
  const tracker = new GatewayStatusTracker();
  const all = new StatusScope();
  all.addAll();
  const evaluation = evaluate(buildSnapshot(start, { validated: true }), { definitions: [] });
  const before = run(tracker.update(worldOf(evaluation), all, OPTIONS));
  const applied = apply(evaluation, [{ upsert }]);
  const scope = new StatusScope();
  scope.add(touchedOf(applied), []);
  const after = run(tracker.update(worldOf(applied.evaluation), scope, OPTIONS));
  return [...after]
    .filter(([id, statuses]) => parseObjectId(id).kind === "HTTPRoute" && before.get(id) !== statuses)
    .map(([id]) => parseObjectId(id).name)
    .sort();
}

test("a route that changes is computed again, and no other", () => {
  expect(computedAfter(routeTo("r7", "Gateway/g", "absent"))).toEqual(["r7"]);
  expect(computedAfter(routeTo("new", "Gateway/g", "s"))).toEqual(["new"]);
});

test("what routes refer to may concern all", () => {
  expect(computedAfter(service("t"))).toHaveLength(ROUTES);
  expect(computedAfter(gateway("g", { listeners: [listener("other", { port: 81 })] }))).toHaveLength(ROUTES);
});

test("endpoints concern none", () => {
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "s-1", namespace: "default", labels: { "kubernetes.io/service-name": "s" } },
    addressType: "IPv4",
    ports: [],
    endpoints: [],
  };
  expect(computedAfter(slice)).toEqual([]);
});
