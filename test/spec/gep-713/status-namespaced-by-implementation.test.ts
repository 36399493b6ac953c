/** GEP-713, "Status needs to be namespaced by implementation" */
import { describe, expect, test } from "vitest";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import { type Json, type JsonObject, objectAt } from "../../../src/core/model/json.ts";
import { isAffectedTypeOf } from "../../../src/core/status/affected-type.ts";
import { mergeStatus } from "../../../src/core/status/merge-status.ts";
import type { Condition } from "../../../src/core/status/status-report.ts";
import type { WantedStatus } from "../../../src/core/status/wanted-status.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { color, colorPolicy, topology } from "./color-policies.ts";

describe("Status needs to be namespaced by implementation", () => {
  test("every entry carries the controller's name, and only its own kinds are reported", () => {
    const other = colorPolicy({ group: "other.io" });
    const made = cluster(
      [
        ...topology([["g1", "r1", "b1"]]),
        color("p", "Gateway/g1", { color: "red" }),
        policy("ColorPolicy", "q", "Gateway/g1", { color: "blue" }, { group: "other.io" }),
      ],
      { definitions: [colorPolicy(), other] },
    );
    const { policies, targets } = made.status({
      controllerName: "mine.io/controller",
      ownedKinds: [{ group: "policies.controller.io", kind: "ColorPolicy" }],
    });
    expect(policies.map(({ policy: id }) => id)).toEqual(["ColorPolicy.policies.controller.io/default/p"]);
    const names = [
      ...policies.flatMap(({ ancestors }) => ancestors.map(({ controllerName }) => controllerName)),
      ...targets.flatMap(({ location }) => (location.at === "Parent" ? [location.controllerName] : [])),
    ];
    expect(names).toEqual(["mine.io/controller", "mine.io/controller"]);
    expect(new Set(targets.flatMap(({ conditions }) => conditions.map(({ type }) => type)))).toEqual(
      new Set(["mine.io/ColorPolicyAffected"]),
    );
  });
});

describe("Status needs to be namespaced by implementation: several controllers write one list", () => {
  const [OURS, THEIRS] = ["mine.io/controller", "other.io/controller"];
  const [BEFORE, NOW] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const ancestorRef = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g1" };
  const accepted: Condition = {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message: "the policy is attached",
    observedGeneration: 2,
  };
  const written = (status: string, more: JsonObject = {}): JsonObject => ({
    type: "Accepted",
    status,
    observedGeneration: 2,
    lastTransitionTime: BEFORE,
    reason: "Accepted",
    message: "the policy is attached",
    ...more,
  });
  const entry = (controllerName: string, ...conditions: readonly JsonObject[]): JsonObject => ({
    ancestorRef,
    controllerName,
    conditions,
  });
  const wanted: WantedStatus = {
    ancestors: [{ ancestorRef, controllerName: OURS, conditions: [accepted] }],
    targets: [],
  };
  const ancestorsAfter = (...ancestors: readonly JsonObject[]): Json | undefined => {
    const object = {
      apiVersion: "policies.controller.io/v1",
      kind: "ColorPolicy",
      metadata: { name: "p" },
      status: { ancestors },
    };
    const merged = mergeStatus(object, wanted, {
      controllerName: OURS,
      isOurs: isAffectedTypeOf(OURS),
      mayChangeAncestors: true,
      now: NOW,
    });
    return merged.object === undefined ? undefined : objectAt(merged.object, "status")["ancestors"];
  };

  test("the entries of another controller stay as they are, in their order, also about the same ancestor", () => {
    const theirs = entry(THEIRS, written("False", { reason: "Invalid" }));
    expect(ancestorsAfter(theirs)).toEqual([theirs, entry(OURS, written("True", { lastTransitionTime: NOW }))]);
    const withdrawn = { ...entry(OURS, written("True")), ancestorRef: { ...ancestorRef, name: "gone" } };
    expect(ancestorsAfter(withdrawn, theirs, entry(OURS, written("True")))).toEqual([
      theirs,
      entry(OURS, written("True")),
    ]);
  });

  test("what says the same already is not written", () => {
    expect(ancestorsAfter(entry(OURS, written("True")))).toBeUndefined();
  });

  test("lastTransitionTime changes when the status does, not with a message or a generation", () => {
    const other = written("True", { message: "other words", observedGeneration: 1 });
    expect(ancestorsAfter(entry(OURS, other))).toEqual([entry(OURS, written("True"))]);
    expect(ancestorsAfter(entry(OURS, written("False")))).toEqual([
      entry(OURS, written("True", { lastTransitionTime: NOW })),
    ]);
  });

  test("where sixteen entries of others are there, none of them makes room", () => {
    const theirs = Array.from({ length: 16 }, (_, i) => entry(`other.io/controller-${i}`, written("True")));
    expect(ancestorsAfter(...theirs)).toBeUndefined();
  });
});

describe("Status needs to be namespaced by implementation: the target is the ancestor", () => {
  const at = (definition: PolicyDefinition, ancestors: "Gateway" | "Target"): PolicyDefinition => ({
    ...definition,
    status: { vocabulary: "Enforced", ancestors },
  });

  test("a Conflicted target of an Inherited kind has an entry of its own, beside that of an accepted one", () => {
    const kind = policyKind("ColorPolicy", {
      targets: ["Gateway"],
      ends: ["Gateway"],
      merge: { sameTarget: "Conflicted" },
    });
    const { conditions } = cluster(
      [
        ...["g1", "g2"].map((name) => gateway(name)),
        gatewayClass("class"),
        policy("ColorPolicy", "older", "Gateway/g1", { color: "red" }, { created: 1 }),
        policy("ColorPolicy", "newer", ["Gateway/g1", "Gateway/g2"], { color: "blue" }, { created: 2 }),
      ],
      { definitions: [at(kind, "Target")] },
    );
    expect(conditions("newer").toSorted()).toEqual([
      "Gateway/g1: Accepted=False/Conflicted",
      "Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });

  test("a section that no Gateway uses is the ancestor of a Direct kind, not its object", () => {
    const kind = policyKind("TlsPolicy", {
      class: "Direct",
      targets: ["Service/Port"],
      ends: ["Service", "Service/Port"],
    });
    const { conditions } = cluster(
      [
        service("s", { ports: { http: 80, admin: 81 } }),
        policy("TlsPolicy", "older", "Service/s#admin", { color: "red" }, { created: 1 }),
        policy("TlsPolicy", "p", ["Service/s#http", "Service/s#admin"], { color: "blue" }, { created: 2 }),
      ],
      { definitions: [at(kind, "Gateway")] },
    );
    expect(conditions("p").toSorted()).toEqual([
      "Service/s#admin: Accepted=False/Conflicted",
      "Service/s#http: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });
});
