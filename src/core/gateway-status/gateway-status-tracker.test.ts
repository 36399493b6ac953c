/** Gateway API, "RouteParentStatus" */
import { expect, test } from "vitest";
import {
  gateway,
  gatewayClass,
  listener,
  listenerSet,
  routeTo,
  service,
} from "../../../test/support/cluster/gateway-objects.ts";
import { apply, type Change, touchedOf } from "../apply.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { compareText, parseObjectId } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import type { TargetStatus } from "../status/status-report.ts";
import { StatusScope } from "../status/status-tracker.ts";
import { GatewayStatusTracker, type OwnStatusChanges } from "./gateway-status-tracker.ts";
import { gatewayStatuses } from "./gateway-statuses.ts";

const OPTIONS = { controllerName: "example.com/gateway" };
const ROUTES = 50;
const start: readonly JsonObject[] = [
  gatewayClass("class", OPTIONS.controllerName),
  gateway("g"),
  service("s"),
  ...Array.from({ length: ROUTES }, (_, index) => routeTo(`r${index}`, "Gateway/g", "s")),
];

function run(steps: Generator<void, OwnStatusChanges>): OwnStatusChanges {
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
  run(tracker.update(worldOf(evaluation), all, OPTIONS));
  const applied = apply(evaluation, [{ upsert }]);
  const scope = new StatusScope();
  scope.add(touchedOf(applied), []);
  const { statuses } = run(tracker.update(worldOf(applied.evaluation), scope, OPTIONS));
  return [...statuses.keys()]
    .filter((id) => parseObjectId(id).kind === "HTTPRoute")
    .map((id) => parseObjectId(id).name)
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

/** Attached routes by listener, as the tracker has them after these changes, one after the other. It must have the status of a new evaluation. */
function attachedAfter(...changes: readonly (readonly Change[])[]): Readonly<Record<string, Json | undefined>> {
  const tracker = new GatewayStatusTracker();
  const all = new StatusScope();
  all.addAll();
  let evaluation = evaluate(buildSnapshot(start, { validated: true }), { definitions: [] });
  const found = new Map(run(tracker.update(worldOf(evaluation), all, OPTIONS)).statuses);
  for (const step of changes) {
    const applied = apply(evaluation, step);
    evaluation = applied.evaluation;
    const scope = new StatusScope();
    scope.add(touchedOf(applied), []);
    const { isWhole, statuses } = run(tracker.update(worldOf(evaluation), scope, OPTIONS));
    if (isWhole) found.clear();
    for (const [id, own] of statuses) found.set(id, own);
    const expected = gatewayStatuses(worldOf(evaluation), OPTIONS);
    expect([...found.values()].flat().sort(byObject)).toEqual([...expected].sort(byObject));
  }
  return Object.fromEntries(
    [...found.values()]
      .flat()
      .flatMap(({ object, location, fields }) =>
        location.at === "Listener"
          ? [[`${parseObjectId(object).name}/${location.name}`, fields?.["attachedRoutes"]]]
          : [],
      ),
  );
}

const byObject = (a: TargetStatus, b: TargetStatus): number => compareText(a.object, b.object);

test("attached routes are counted while routes come, go and move", () => {
  const upsert = (object: JsonObject): readonly Change[] => [{ upsert: object }];
  const two = gateway("g", { listeners: [listener("http"), listener("other", { port: 81 })] });
  const onOther = (name: string): JsonObject => routeTo(name, "Gateway/g#other", "s");
  const gone = { group: GATEWAY_API, kind: "HTTPRoute", namespace: "default", name: "r1" };
  expect(attachedAfter(upsert(routeTo("new", "Gateway/g", "s")))).toEqual({ "g/http": ROUTES + 1 });
  expect(attachedAfter([{ delete: gone }])).toEqual({ "g/http": ROUTES - 1 });
  expect(attachedAfter(upsert(two), upsert(onOther("r1")))).toEqual({ "g/http": ROUTES - 1, "g/other": ROUTES });
  expect(attachedAfter(upsert(two), upsert(onOther("r1")), [{ delete: gone }])).toEqual({
    "g/http": ROUTES - 1,
    "g/other": ROUTES - 1,
  });
  expect(attachedAfter(upsert(routeTo("r2", "Gateway/absent", "s")), upsert(routeTo("r2", "Gateway/g", "s")))).toEqual({
    "g/http": ROUTES,
  });
  const set = listenerSet("more", "Gateway/g", { listeners: [listener("extra", { port: 82 })] });
  const allowing = gateway("g", { allowedListeners: "Same" });
  const onSet = routeTo("r3", "ListenerSet/more", "s");
  expect(attachedAfter(upsert(allowing), upsert(set), upsert(onSet))).toEqual({
    "g/http": ROUTES - 1,
    "more/extra": 1,
  });
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
