/** Gateway API, "GatewayClass": the finalizer while Gateways use it */
import { describe, expect, test } from "vitest";
import { gateway, gatewayClass } from "../../../test/support/cluster/gateway-objects.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import { type JsonObject, objectAt } from "../model/json.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { classesInUse, GATEWAY_EXISTS_FINALIZER, withFinalizer } from "./class-finalizer.ts";
import { OwnedGateways } from "./owned-gateways.ts";

const OURS = "prevail.dev/gateway";

test("classesInUse: the classes of our controller, and whether a Gateway uses each", () => {
  const objects = [
    gatewayClass("class", OURS),
    gatewayClass("idle", OURS),
    gatewayClass("foreign", "example.com/other"),
    gateway("door"),
  ];
  const world = worldOf(evaluate(buildSnapshot(objects)));
  const found = classesInUse(world, new OwnedGateways(world, OURS));
  expect(Object.fromEntries(found)).toEqual({
    class: { uid: "", isUsed: true },
    idle: { uid: "", isUsed: false },
  });
});

describe("withFinalizer", () => {
  const having = (finalizers: readonly string[] | undefined, more: JsonObject = {}): JsonObject => ({
    ...gatewayClass("class", OURS),
    metadata: { name: "class", ...(finalizers === undefined ? {} : { finalizers }), ...more },
  });
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  const OTHER = "example.com/other";
  const IS = GATEWAY_EXISTS_FINALIZER;

  test.each<[string, JsonObject, boolean, readonly string[] | undefined]>([
    ["set while a Gateway uses it", having(undefined), true, [IS]],
    ["removed afterwards", having([IS]), false, []],
    ["finalizers of others stay, when it is set", having([OTHER]), true, [OTHER, IS]],
    ["finalizers of others stay, when it is removed", having([IS, OTHER]), false, [OTHER]],
    ["nothing to do while it is used", having([IS]), true, undefined],
    ["nothing to do while it is not used", having([OTHER]), false, undefined],
    ["removed from a class that waits for its deletion", having([IS], deleted), false, []],
    ["not set on a class that is being deleted", having([OTHER], deleted), true, undefined],
  ])("%s", (_, object, isUsed, expected) => {
    const next = withFinalizer(object, { isUsed });
    expect(next && objectAt(next, "metadata")["finalizers"]).toEqual(expected);
  });
});
