/** Events for owners: GEP-713, "Application Developer Discoverability" */
import { expect, test } from "vitest";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../test/support/cluster/policy-kind.ts";
import { apply, type Change } from "../apply.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import type { PolicyDefinition } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { changeEvents } from "./change-events.ts";

const definition: PolicyDefinition = {
  ...policyKind("TestPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["Service"],
    merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  }),
  visibility: "Target",
  sensitive: ["secret"],
};
const on = (name: string, target: string, spec: JsonObject): JsonObject => policy("TestPolicy", name, target, spec);
const network = [gatewayClass("class"), gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];

/** The events of a change, as lines. */
function eventsOf(
  objects: readonly JsonObject[],
  changes: readonly Change[],
  { definitions = [definition], isOwned = true }: { definitions?: readonly PolicyDefinition[]; isOwned?: boolean } = {},
): readonly string[] {
  const before = evaluate(buildSnapshot([...network, ...objects], { completeness: "Complete" }), { definitions });
  const { evaluation: after, delta } = apply(before, changes);
  const { events, leftOut } = changeEvents({ before: worldOf(before), after: worldOf(after) }, delta, () => isOwned);
  const lines = events.map(({ object, type, reason, message }) => {
    const [kind, , name] = object.split("/");
    return `${kind?.split(".")[0] ?? ""}/${name ?? ""} ${type} ${reason}: ${message}`;
  });
  return leftOut === 0 ? lines : [...lines, `${leftOut} left out`];
}

test("a value that changes: on the routes and Gateways of its paths, with its source", () => {
  expect(eventsOf([on("p", "Gateway/g", { a: 1 })], [{ upsert: on("p", "Gateway/g", { a: 5, b: "x" }) }])).toEqual([
    'Gateway/g Normal ValuesChanged: a 1 → 5, from TestPolicy default/p; b unset → "x", from TestPolicy default/p',
    'HTTPRoute/r Normal ValuesChanged: a 1 → 5, from TestPolicy default/p; b unset → "x", from TestPolicy default/p',
  ]);
});

test("a verdict that becomes another word: on the policy, with the policies that override it", () => {
  const lower = on("lower", "HTTPRoute/r", { a: 1 });
  expect(
    eventsOf([lower, on("p", "Gateway/g", { c: 3 })], [{ upsert: on("p", "Gateway/g", { overrides: { a: 2 } }) }]),
  ).toEqual([
    "TestPolicy/lower Warning Overridden: was Enforced, is Overridden, overridden by TestPolicy default/p",
    expect.stringContaining("Gateway/g Normal ValuesChanged: a 1 → 2, from TestPolicy default/p"),
    expect.stringContaining("HTTPRoute/r Normal ValuesChanged: a 1 → 2, from TestPolicy default/p"),
  ]);
});

test("a new policy whose target does not exist", () => {
  expect(eventsOf([], [{ upsert: on("p", "Gateway/nowhere", { a: 1 }) }])).toEqual([
    "TestPolicy/p Warning TargetNotFound: TargetNotFound: no Gateway 'nowhere' in namespace 'default'",
  ]);
});

test("values that others may not see are not shown", () => {
  const change = [{ upsert: on("p", "HTTPRoute/r", { secret: "new", a: 2 }) }];
  const [, line = ""] = eventsOf([on("p", "HTTPRoute/r", { secret: "old", a: 1 })], change);
  expect(line).toContain("a 1 → 2");
  expect(line).toContain("secret (not shown) → (not shown), from TestPolicy default/p");
  const { visibility: _, ...closed } = definition;
  const [hidden = ""] = eventsOf([on("p", "HTTPRoute/r", { a: 1 })], [{ upsert: on("p", "HTTPRoute/r", { a: 2 }) }], {
    definitions: [closed],
  });
  expect(hidden).toContain("a (not shown) → (not shown)");
});

test("no event for a new route, for the number of paths, for another source of the same value, for kinds that are not owned", () => {
  const given = on("p", "Gateway/g", { a: 1 });
  expect(eventsOf([given], [{ upsert: routeTo("new", "Gateway/g", "s") }])).toEqual([]);
  expect(eventsOf([given], [{ upsert: on("p", "Gateway/g", { a: 1, b: 2 }) }], { isOwned: false })).toEqual([]);
  expect(eventsOf([given], [{ upsert: on("q", "HTTPRoute/r", { a: 1 }) }])).toEqual([]);
});

test("at most 20 objects have an event for one change", () => {
  const routes = Array.from({ length: 40 }, (_, index) => routeTo(`more-${index}`, "Gateway/g", "s"));
  const lines = eventsOf([...routes, on("p", "Gateway/g", { a: 1 })], [{ upsert: on("p", "Gateway/g", { a: 2 }) }]);
  expect(lines.length).toBe(21);
  expect(lines.at(-1)).toBe("22 left out");
});
