import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { KubeObject, objectFamily } from "../../model/kube-object.ts";
import { reportedConditions } from "./reported-conditions.ts";

const accepted = { type: "Accepted", status: "True", reason: "Accepted", message: "" };
const programmed = { type: "Programmed", status: "False", reason: "Pending", message: "wait" };

function found(status: JsonObject, sectionName?: string) {
  const family = objectFamily("gateway.networking.k8s.io/v1", "Gateway", "infra");
  return reportedConditions(new KubeObject(family, "prod", { status }), sectionName);
}

describe("conditions as found", () => {
  test("the object's own", () => {
    expect(found({ conditions: [accepted, programmed] })).toEqual([accepted, programmed]);
  });

  test("of a route, by parent and controller; what a reference leaves out is filled in", () => {
    const parent = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "g" };
    expect(
      found({
        parents: [
          { parentRef: { name: "g" }, controllerName: "a.example/c", conditions: [accepted] },
          { parentRef: { name: "g", namespace: "x", sectionName: "http" }, conditions: [programmed] },
        ],
      }),
    ).toEqual([
      { parent, controllerName: "a.example/c", ...accepted },
      { parent: { ...parent, namespace: "x", sectionName: "http" }, ...programmed },
    ]);
  });

  test("of listeners: all for the gateway, its own for a listener", () => {
    const status = {
      conditions: [accepted],
      listeners: [
        { name: "http", conditions: [accepted] },
        { name: "https", conditions: [programmed] },
      ],
    };
    expect(found(status)).toEqual([
      accepted,
      { sectionName: "http", ...accepted },
      { sectionName: "https", ...programmed },
    ]);
    expect(found(status, "https")).toEqual([{ sectionName: "https", ...programmed }]);
  });

  test("whatever else is written there does no harm", () => {
    for (const status of [
      { conditions: "yes" },
      { parents: [1, null, { parentRef: 3, conditions: [{}] }] },
      { listeners: {} },
    ])
      expect(() => found(status)).not.toThrow();
    expect(found({ parents: [{ parentRef: 3, conditions: [{}] }] })).toEqual([
      { type: "", status: "", reason: "", message: "" },
    ]);
    expect(reportedConditions(undefined)).toEqual([]);
  });
});
