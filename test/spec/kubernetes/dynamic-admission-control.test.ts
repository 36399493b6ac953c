/**
 * Kubernetes, "Dynamic Admission Control"
 * Kubernetes, "Good practices for admission webhooks"
 * What a webhook may refuse, and what it must let pass.
 */
import { describe, expect, test } from "vitest";
import type { AdmissionRequest } from "../../../src/core/admission/admission-request.ts";
import type { RefusalSettings } from "../../../src/core/admission/find-refusal.ts";
import { admissionRefusal, admissionWarnings } from "../../../src/core/admit.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";

const retry = (name: string, target: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => {
  const made = policy("RetryPolicy", name, target, spec, { group: "prevail.dev" });
  return { ...made, metadata: { ...(made["metadata"] as JsonObject), generation: 3, ...metadata } };
};
const valid: JsonObject = { defaults: { retry: { attempts: 2 } } };
const invalid: JsonObject = { defaults: { retry: { attempts: -1 } } };
const asIt = (object: JsonObject, metadata: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), ...metadata },
});
const rule: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name: "retries" },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    enforce: "Deny",
  },
};

const ana = retry("ana", "HTTPRoute/r1", valid);
const topology: readonly JsonObject[] = [
  gatewayClass("class", "prevail.dev/gateway-controller"),
  gateway("g"),
  routeTo("r1", "Gateway/g", "s"),
  routeTo("r2", "Gateway/g", "s"),
  service("s"),
];
const evaluationOf = (objects: readonly JsonObject[]) =>
  cluster([...topology, ...objects], { definitions: builtInDefinitions(), completeness: "Complete" }).evaluation;
const request = (change: Partial<AdmissionRequest>): AdmissionRequest => ({
  operation: change.oldObject === undefined ? "CREATE" : change.object === undefined ? "DELETE" : "UPDATE",
  subResource: "",
  user: "ana",
  object: undefined,
  oldObject: undefined,
  ...change,
});
const reasonOf = (
  objects: readonly JsonObject[],
  change: Partial<AdmissionRequest>,
  settings: Partial<RefusalSettings> = {},
): string | undefined =>
  admissionRefusal(evaluationOf(objects), request(change), {
    refuseConflicts: false,
    confirmAbove: undefined,
    ...settings,
  })?.reason;

describe("Dynamic Admission Control", () => {
  test("a spec that is newly invalid is refused; one that was invalid before may be changed and stay so", () => {
    const broken = retry("ana", "HTTPRoute/r1", invalid);
    expect(reasonOf([ana], { oldObject: ana, object: broken })).toBe("Invalid");
    expect(reasonOf([], { object: broken })).toBe("Invalid");
    const other = retry("ana", "HTTPRoute/r2", invalid);
    expect(reasonOf([broken], { oldObject: broken, object: other })).toBeUndefined();
  });

  test("changes of metadata and status pass, whatever the spec is", () => {
    const broken = retry("ana", "HTTPRoute/r1", invalid, { finalizers: ["example.com/f"] });
    expect(reasonOf([broken], { oldObject: broken, object: asIt(broken, { finalizers: [] }) })).toBeUndefined();
    const confirmed = asIt(ana, { annotations: { "prevail.dev/confirm": "3" } });
    expect(reasonOf([ana, rule], { oldObject: ana, object: confirmed }, { confirmAbove: 0 })).toBeUndefined();
  });

  test("an object that is being deleted is never in the way, and its finalizers can be removed", () => {
    const leaving = asIt(ana, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/f"] });
    const gone = { oldObject: leaving, object: { ...asIt(leaving, { finalizers: [] }), spec: invalid } };
    expect(reasonOf([leaving, rule], gone, { confirmAbove: 0 })).toBeUndefined();
    expect(reasonOf([leaving, rule], { oldObject: leaving }, { confirmAbove: 0 })).toBeUndefined();
  });

  test.each([
    "system:serviceaccount:kube-system:namespace-controller",
    "system:serviceaccount:kube-system:generic-garbage-collector",
  ])("%s completes deletions, so it is never refused", (user) => {
    expect(reasonOf([ana, rule], { oldObject: ana })).toBe("NotCovered");
    expect(reasonOf([ana, rule], { oldObject: ana, user })).toBeUndefined();
  });

  test("in a namespace that is being deleted everything may go, and deleting the Namespace itself is not refused", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } };
    const leaving = asIt(namespace, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(reasonOf([ana, rule, leaving], { oldObject: ana }, { confirmAbove: 0 })).toBeUndefined();
    expect(reasonOf([ana, rule, namespace], { oldObject: namespace }, { confirmAbove: 0 })).toBeUndefined();
  });

  test("a target that is not there yet is no reason to refuse: objects are applied in any order", () => {
    expect(reasonOf([], { object: retry("early", "HTTPRoute/later", valid) })).toBeUndefined();
  });

  test("a rule that was not met before is not the fault of this request", () => {
    const unmet = retry("house", "Gateway/g", { defaults: { timeouts: { request: "3s" } } });
    expect(reasonOf([unmet, rule], { oldObject: unmet })).toBeUndefined();
    expect(reasonOf([], { object: rule })).toBeUndefined();
  });

  test("a confirmation names the generation that it is for, so the next change uses it up", () => {
    const house = retry("house", "Gateway/g", { overrides: { retry: { attempts: 5 } } });
    const confirmed = (generation: string): JsonObject =>
      asIt(house, { annotations: { "prevail.dev/confirm": generation } });
    expect(reasonOf([house], { oldObject: house }, { confirmAbove: 1 })).toBe("NotConfirmed");
    expect(reasonOf([house], { oldObject: house }, { confirmAbove: 2 })).toBeUndefined();
    expect(reasonOf([house], { oldObject: confirmed("2") }, { confirmAbove: 1 })).toBe("NotConfirmed");
    expect(reasonOf([house], { oldObject: confirmed("3") }, { confirmAbove: 1 })).toBeUndefined();
  });

  test("a request is judged by the object that the API server has, also where its name is empty (deletecollection)", () => {
    const warnings = admissionWarnings(evaluationOf([ana]), request({ oldObject: ana }), { unread: [] });
    expect(warnings[0]).toMatch(/^deleting RetryPolicy default\/ana changes 1 value on 1 path/);
  });
});

/** GEP-713, "Conflict resolution": a webhook can prevent conflicts. */
describe("--refuse-conflicts", () => {
  const color = (name: string, value: string, created: number): JsonObject =>
    policy("ColorPolicy", name, "Service/s", { color: value }, { group: "direct.policies.controller.io", created });
  const [first, second] = [color("first", "red", 1), color("second", "blue", 2)];
  const judged = (
    stored: readonly JsonObject[],
    change: Partial<AdmissionRequest>,
    refuseConflicts: boolean,
  ): string | undefined => {
    const settings = { definitions: ["color-policy-direct"], completeness: "Complete" } as const;
    const { evaluation } = cluster([...topology, ...stored], settings);
    return admissionRefusal(evaluation, request(change), { refuseConflicts, confirmAbove: undefined })?.reason;
  };

  test("a policy that would be Conflicted is refused if the operator asks for it, and one that already is may be changed", () => {
    expect(judged([first], { object: second }, false)).toBeUndefined();
    expect(judged([first], { object: second }, true)).toBe("Conflicted");
    expect(judged([second], { object: first }, true)).toBe("Conflicted");
    const changed = { oldObject: second, object: color("second", "green", 2) };
    expect(judged([first, second], changed, true)).toBeUndefined();
  });
});
