/** GEP-713, "Fanout status update problems" */
import { expect, test } from "vitest";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../test/support/cluster/policy-kind.ts";
import { apply, touchedOf } from "../apply.ts";
import { evaluate } from "../evaluate.ts";
import { type Evaluation, worldOf } from "../evaluation.ts";
import type { JsonObject } from "../model/json.ts";
import { type ObjectId, parseObjectId } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { type StatusChanges, StatusScope, StatusTracker } from "./status-tracker.ts";

const definition = policyKind("TestPolicy", {
  targets: ["Gateway/Listener", "HTTPRoute/Rule"],
  ends: ["HTTPRoute/Rule"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
});
const ROUTES = 200;
const start: readonly JsonObject[] = [
  gatewayClass("class", "example.com/gateway"),
  gateway("g"),
  gateway("h"),
  service("s"),
  ...Array.from({ length: ROUTES }, (_, index) => routeTo(`r${index}`, index === 0 ? "Gateway/h" : "Gateway/g", "s")),
  policy("TestPolicy", "all", "Gateway/g", { x: 1 }),
  policy("TestPolicy", "one", "HTTPRoute/r7", { y: 1 }),
  policy("TestPolicy", "other", "Gateway/h", { x: 1 }),
];

/** The names of the objects that are computed again after a change, of policies and targets. */
function computedAfter(...upserts: readonly JsonObject[]): { policies: string[]; targets: string[] } {
  const tracker = new StatusTracker({ controllerName: "example.com/gateway" });
  const before = evaluate(buildSnapshot(start, { validated: true }), { definitions: [definition] });
  const whole = new StatusScope();
  whole.addAll();
  expect(update(tracker, before, whole).targets.size).toBeGreaterThan(ROUTES);
  const applied = apply(
    before,
    upserts.map((upsert) => ({ upsert })),
  );
  const scope = new StatusScope();
  scope.add(touchedOf(applied), worldOf(before).rulebook.kinds);
  const { policies, targets } = update(tracker, applied.evaluation, scope);
  const names = (ids: Iterable<ObjectId>): string[] => [...ids].map((id) => parseObjectId(id).name).sort();
  return { policies: names(policies.keys()), targets: names(targets.keys()) };
}

function update(tracker: StatusTracker, evaluation: Evaluation, scope: StatusScope): StatusChanges {
  const steps = tracker.update(worldOf(evaluation), scope);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

test("a new route: itself, what is above it, and the policies there", () => {
  const after = computedAfter(routeTo("new", "Gateway/g", "s"));
  expect(after).toEqual({ policies: ["all"], targets: ["g", "new"] });
});

test("a policy of one route: the route and the policies that meet there", () => {
  const after = computedAfter(policy("TestPolicy", "one", "HTTPRoute/r7", { y: 2 }));
  expect(after.policies).toEqual(["all", "one"]);
  expect(after.targets).toEqual(["g", "one", "r7"]);
});

test("a Gateway of its own: nothing of the others", () => {
  const after = computedAfter(policy("TestPolicy", "other", "Gateway/h", { x: 2 }));
  expect(after).toEqual({ policies: ["other"], targets: ["h", "other", "r0"] });
});
