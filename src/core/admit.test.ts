import { describe, expect, test } from "vitest";
import { cluster } from "../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import type { AdmissionRequest } from "./admission/admission-request.ts";
import type { RefusalSettings } from "./admission/find-refusal.ts";
import { admissionRefusal, admissionWarnings } from "./admit.ts";
import type { Finding } from "./model/finding.ts";
import type { JsonObject } from "./model/json.ts";
import type { TrafficCounts } from "./retry/retry-counts.ts";

const retry = (name: string, target: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => {
  const made = policy("RetryPolicy", name, target, spec, { group: "prevail.dev" });
  return { ...made, metadata: { ...(made["metadata"] as JsonObject), generation: 3, ...metadata } };
};
const overrides = (attempts: number): JsonObject => ({ overrides: { retry: { attempts } } });
const defaults = (attempts: number): JsonObject => ({ defaults: { retry: { attempts } } });

const fridayFix = retry("friday-fix", "Gateway/g", overrides(5));
const ana = retry("ana", "HTTPRoute/r1", defaults(1));
const base: readonly JsonObject[] = [
  gatewayClass("class", "prevail.dev/gateway-controller"),
  gateway("g"),
  routeTo("r1", "Gateway/g", "s"),
  routeTo("r2", "Gateway/g", "s"),
  service("s"),
];
const evaluationOf = (...objects: readonly JsonObject[]) =>
  cluster([...base, ...objects], { definitions: builtInDefinitions(), completeness: "Complete" }).evaluation;

const create = (object: JsonObject): AdmissionRequest => ({
  operation: "CREATE",
  subResource: "",
  user: "ana",
  object,
  oldObject: undefined,
});
const update = (oldObject: JsonObject, object: JsonObject): AdmissionRequest => ({
  ...create(object),
  operation: "UPDATE",
  oldObject,
});
const remove = (oldObject: JsonObject): AdmissionRequest => ({
  ...create(oldObject),
  operation: "DELETE",
  object: undefined,
  oldObject,
});

const warnings = (objects: readonly JsonObject[], request: AdmissionRequest, unread: readonly Finding[] = []) =>
  admissionWarnings(evaluationOf(...objects), request, { unread });
const plain: RefusalSettings = { refuseConflicts: false, confirmAbove: undefined };
const refusal = (objects: readonly JsonObject[], request: AdmissionRequest, settings: Partial<RefusalSettings> = {}) =>
  admissionRefusal(evaluationOf(...objects), request, { ...plain, ...settings });

const with_ = (object: JsonObject, metadata: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), ...metadata },
});

describe("warnings: the plan of the request", () => {
  test("the parable's ending: what deleting the policy changes, and for whom", () => {
    expect(warnings([fridayFix, ana], remove(fridayFix))).toEqual([
      "deleting RetryPolicy default/friday-fix changes 2 values on 2 paths in namespace default; see kubectl prevail plan",
      "RetryPolicy default/ana will take effect",
    ]);
  });

  describe("what retries were worth where they change", () => {
    const traffic = (route: string, backend: string, requests: number, succeededByRetry: number): TrafficCounts => ({
      gateway: { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "default", name: "g" },
      route: { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default", name: route },
      rule: "rule-1",
      backend: { group: "", kind: "Service", namespace: "default", name: backend },
      port: 80,
      requests,
      retried: succeededByRetry,
      succeededByRetry,
    });
    const worth = (
      request: AdmissionRequest,
      counts: readonly TrafficCounts[],
      more: { redactsNames?: boolean } = {},
    ) =>
      admissionWarnings(evaluationOf(fridayFix), request, {
        unread: [],
        retries: { report: { windowMs: 3_600_000, counts, uncounted: 0 }, counted: new Set(), gaps: new Map() },
        ...more,
      }).filter((line) => line.includes("in the last hour"));

    test("deleting the policy: the backend that owes most to retries", () => {
      expect(worth(remove(fridayFix), [traffic("r1", "s", 1000, 180)])).toEqual([
        "in the last hour 18 % of the 1000 requests to Service default/s:80 succeeded only by a retry",
      ]);
      const two = [traffic("r1", "s", 1000, 180), { ...traffic("r2", "s", 100, 50), port: 81 }];
      expect(worth(remove(fridayFix), two)[0]).toMatch(/default\/s:80 succeeded .*; 1 more backend also$/);
    });

    test("with --redact-names the backend is not named", () => {
      expect(worth(remove(fridayFix), [traffic("r1", "s", 1000, 180)], { redactsNames: true })[0]).toBe(
        "in the last hour 18 % of the 1000 requests to one backend succeeded only by a retry",
      );
    });

    test.each([
      ["without counts there is no such warning: they are no zero", remove(fridayFix), []],
      ["requests of other paths do not count", remove(fridayFix), [traffic("other", "s", 10, 5)]],
      ["without the Gateway there are no requests", remove(gateway("g")), [traffic("r1", "s", 10, 5)]],
      ["no retries change", create(service("new")), [traffic("r1", "s", 10, 5)]],
    ])("%s", (_, request, counts) => expect(worth(request, counts)).toEqual([]));
  });

  test("creating it: which policies have no effect any more", () => {
    expect(warnings([ana], create(fridayFix))).toEqual([
      "creating RetryPolicy default/friday-fix changes 2 values on 2 paths in namespace default; see kubectl prevail plan",
      "RetryPolicy default/ana will have no effect any more",
    ]);
  });

  test("a policy that will have no effect itself, and who overrides it", () => {
    expect(warnings([fridayFix], create(ana))).toEqual([
      "RetryPolicy default/ana will have no effect: all its settings are overridden by RetryPolicy default/friday-fix",
    ]);
  });

  test.each([
    ["a misspelt target", retry("ana", "HTTPRoute/r9", defaults(1)), /will not be accepted \(TargetNotFound\): .*r9/],
    ["an invalid spec", retry("ana", "HTTPRoute/r1", { defaults: { retry: { attempts: -1 } } }), /\(Invalid\): /],
  ])("%s: it will not be accepted, and why", (_, object, expected) => {
    expect(warnings([], create(object))).toEqual([expect.stringMatching(expected)]);
  });

  test("a new route: whose values take effect on it", () => {
    expect(warnings([fridayFix], create(routeTo("r3", "Gateway/g", "s")))).toEqual([
      "creating HTTPRoute default/r3 adds 1 path with 1 value in namespace default; see kubectl prevail plan",
      "values on the new paths come from RetryPolicy default/friday-fix",
    ]);
  });

  test("deleting a Gateway, and a Namespace with everything in it", () => {
    expect(warnings([fridayFix], remove(gateway("g")))).toEqual([
      expect.stringMatching(/^deleting Gateway default\/g removes 2 paths with 2 values in namespace default/),
      "RetryPolicy default/friday-fix will have no effect any more",
    ]);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } };
    expect(warnings([fridayFix, namespace], remove(namespace))[0]).toMatch(
      /^deleting Namespace default removes 2 paths with 2 values/,
    );
  });

  test("a delete that reaches more than 1,000 paths: they are counted", () => {
    const routes = Array.from({ length: 1001 }, (_, i) => routeTo(`many-${i}`, "Gateway/g", "s"));
    expect(warnings([fridayFix, ...routes], remove(fridayFix))).toEqual([
      "deleting RetryPolicy default/friday-fix ends the effect of its settings on 1003 paths below 1 object (counted, not compared); for the values see kubectl prevail plan",
    ]);
    expect(refusal([fridayFix, ...routes], remove(fridayFix), { confirmAbove: 1002 })?.reason).toBe("NotConfirmed");
    expect(refusal([fridayFix, ...routes], remove(fridayFix), { confirmAbove: 1003 })).toBeUndefined();
    expect(refusal([fridayFix, ...routes, deny], remove(fridayFix))?.reason).toBe("NotCovered");
  });

  test.each([
    ["an update that changes nothing", update(fridayFix, with_(fridayFix, { generation: 4, resourceVersion: "9" }))],
    ["an annotation", update(fridayFix, with_(fridayFix, { annotations: { a: "b" } }))],
    ["a status", { ...update(fridayFix, { ...fridayFix, status: {} }), subResource: "status" }],
    ["an object that is being deleted", update(with_(fridayFix, { deletionTimestamp: "2026-01-01T00:00:00Z" }), ana)],
    [
      "the namespace controller",
      { ...remove(fridayFix), user: "system:serviceaccount:kube-system:namespace-controller" },
    ],
    ["an object without a name", create({ apiVersion: "v1", kind: "Service", metadata: {} })],
    ["a kind that means nothing to policies", create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } })],
  ])("no warning about %s", (_, request) => {
    expect(warnings([fridayFix, ana], request)).toEqual([]);
  });

  test("the object as the API server has it counts, not the one that the watch has seen", () => {
    const unseen = retry("friday-fix", "Gateway/g", overrides(9));
    expect(warnings([ana], remove(unseen))[0]).toMatch(/^deleting RetryPolicy default\/friday-fix changes 2 values/);
    expect(warnings([fridayFix, ana], create(fridayFix))[0]).toMatch(/^creating .* changes 2 values/);
  });

  test("what could not be read is a warning where something changes", () => {
    const unread: Finding = {
      code: "UnreadableResource",
      severity: "warning",
      message: "list of grpcroutes is forbidden",
    };
    expect(warnings([fridayFix, ana], remove(fridayFix), [unread]).at(-1)).toBe(
      "not everything could be read, so more may change: list of grpcroutes is forbidden",
    );
  });

  test("no value of another policy is in a warning", () => {
    const secret = retry("friday-fix", "Gateway/g", { overrides: { retry: { attempts: 7, codes: [507] } } });
    expect(warnings([secret], create(ana)).join("\n")).not.toMatch(/507|7\b/);
  });

  test("at most five lines of 200 characters without control characters, whatever objects are called", () => {
    const rules = Array.from({ length: 8 }, (_, i) =>
      rule(`r${i}`, { message: `line\none ${"\u202e\u0007x".repeat(90)}` }),
    );
    const lines = warnings([ana, ...rules], remove(ana));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatch(/more; see kubectl prevail plan$/);
    for (const line of lines) {
      expect(Array.from(line).length).toBeLessThanOrEqual(200);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });
});

const rule = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    ...spec,
  },
});
const deny = rule("retries", { enforce: "Deny", message: "Every route needs retries." });

describe("--redact-names: of other policies the handle, of other objects the number", () => {
  const uid = (object: JsonObject, digit: string): JsonObject =>
    with_(object, { uid: `${digit.repeat(8)}-${digit.repeat(4)}-4000-8000-000000000000`, namespace: "default" });
  const house = uid(fridayFix, "a");
  const own = uid(ana, "b");
  const redacted = (objects: readonly JsonObject[], request: AdmissionRequest) =>
    admissionWarnings(evaluationOf(...objects), request, { unread: [], redactsNames: true });

  test("the policy of the request by its name, others by their handles, namespaces by their number", () => {
    expect(redacted([house, own], remove(house))).toEqual([
      "deleting RetryPolicy default/friday-fix changes 2 values on 2 paths in 1 namespace; see kubectl prevail plan",
      "RetryPolicy ~bbbbbbbbbbbb will take effect",
    ]);
    expect(redacted([house], create(ana))).toEqual([
      "RetryPolicy default/ana will have no effect: all its settings are overridden by RetryPolicy ~aaaaaaaaaaaa",
    ]);
    expect(redacted([house], create(routeTo("r3", "Gateway/g", "s")))).toContain(
      "values on the new paths come from RetryPolicy ~aaaaaaaaaaaa",
    );
  });

  test("no similar name is suggested for a target that does not exist; what is invalid is printed", () => {
    expect(redacted([], create(retry("ana", "HTTPRoute/r9", defaults(1))))).toEqual([
      "RetryPolicy default/ana will not be accepted (TargetNotFound)",
    ]);
    const invalid = retry("ana", "HTTPRoute/r1", { defaults: { retry: { attempts: -1 } } });
    expect(redacted([], create(invalid))).toEqual([expect.stringMatching(/\(Invalid\): .*attempts/)]);
  });

  test("targets that do not meet a CoverageRule", () => {
    const settings = { redactsNames: true };
    const onGateway = retry("house", "Gateway/g", defaults(2));
    expect(refusal([onGateway, deny], remove(onGateway), settings)?.message).toBe(
      "CoverageRule retries (Every route needs retries) would not be met at 2 targets. Attach a RetryPolicy that meets the rule first.",
    );
  });

  test("without it they are named", () => {
    expect(warnings([house, own], remove(house))).toContain("RetryPolicy default/ana will take effect");
  });
});

describe("refusals: only what the request makes worse", () => {
  const invalid = retry("ana", "HTTPRoute/r1", { defaults: { retry: { attempts: -1 } } });

  test("a spec that is newly Invalid", () => {
    expect(refusal([], create(invalid))).toEqual({
      reason: "Invalid",
      message: expect.stringMatching(/^RetryPolicy default\/ana would be Invalid: .*attempts/),
    });
    expect(refusal([ana], update(ana, invalid))?.reason).toBe("Invalid");
  });

  test.each([
    [
      "a spec that was Invalid before",
      [invalid],
      update(invalid, {
        ...invalid,
        spec: { ...(invalid["spec"] as JsonObject), defaults: { retry: { attempts: -2 } } },
      }),
    ],
    ["a label of an invalid policy", [invalid], update(ana, with_(ana, { labels: { a: "b" } }))],
    ["a target that does not exist yet", [], create(retry("ana", "HTTPRoute/r9", defaults(1)))],
    [
      "an object that is being deleted",
      [ana],
      update(with_(ana, { deletionTimestamp: "2026-01-01T00:00:00Z" }), invalid),
    ],
    ["a status", [ana], { ...update(ana, invalid), subResource: "status" }],
    ["a conflict, unless the operator asks for it", [], create(ana)],
  ])("never %s", (_, objects, request) => {
    expect(refusal(objects, request)).toBeUndefined();
  });

  test("a policy definition with a new error", () => {
    const definition = (kind: string): JsonObject => ({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "colours.example.com" },
      spec: { policies: [{ group: "example.com", kind: "Colour" }], class: "Direct", targeting: { kinds: [{ kind }] } },
    });
    expect(refusal([], create(definition("Gateway")))).toBeUndefined();
    const broken = { ...definition("Gateway"), spec: { policies: [], class: "Direkt" } };
    expect(refusal([], create(broken))?.reason).toBe("BrokenDefinition");
    expect(refusal([broken], update(broken, { ...broken, spec: { policies: [], class: "Indirect" } }))).toBeUndefined();
    expect(refusal([definition("Gateway")], update(definition("Gateway"), broken))?.reason).toBe("BrokenDefinition");
    expect(refusal([broken], remove(broken))).toBeUndefined();
  });

  describe("a CoverageRule with enforce: Deny", () => {
    const onGateway = retry("house", "Gateway/g", defaults(2));

    test("a delete after which a target does not meet it", () => {
      expect(refusal([onGateway, deny], remove(onGateway))).toEqual({
        reason: "NotCovered",
        message:
          "CoverageRule retries (Every route needs retries) would not be met at HTTPRoute default/r1 and at 1 more target. Attach a RetryPolicy that meets the rule first.",
      });
    });

    test("a new route that does not meet it", () => {
      const route = routeTo("r3", "Gateway/g", "s");
      expect(refusal([deny], create(route))?.message).toContain("HTTPRoute default/r3");
      expect(refusal([onGateway, deny], create(route))).toBeUndefined();
      // Its policy comes first.
      expect(refusal([deny, retry("p", "HTTPRoute/r3", defaults(1))], create(route))).toBeUndefined();
    });

    test.each([
      ["Warn", [onGateway, rule("retries", { enforce: "Warn" })], remove(onGateway)],
      ["a rule without enforce", [onGateway, rule("retries")], remove(onGateway)],
      [
        "targets that did not meet it before",
        [ana, deny],
        update(routeTo("r2", "Gateway/g", "s"), routeTo("r2", "Gateway/g", "t")),
      ],
      ["the rule itself", [], create(deny)],
      ["a policy whose effect another replaces", [onGateway, ana, deny], remove(ana)],
      ["a namespace that is being deleted", [onGateway, deny, terminating], remove(onGateway)],
      [
        "the garbage collector",
        [onGateway, deny],
        { ...remove(onGateway), user: "system:serviceaccount:kube-system:generic-garbage-collector" },
      ],
    ])("never for %s", (_, objects, request) => {
      expect(refusal(objects, request)).toBeUndefined();
    });

    test("a rule with a mistake", () => {
      const broken = rule("retries", { policyKind: "RetryPolcy" });
      expect(refusal([], create(broken))).toEqual({
        reason: "Invalid",
        message: expect.stringContaining("did you mean 'RetryPolicy'"),
      });
      expect(refusal([broken], update(broken, rule("retries", { policyKind: "Other" })))).toBeUndefined();
    });

    test("what is not refused is a warning", () => {
      expect(warnings([onGateway, rule("retries")], remove(onGateway))).toContain(
        "CoverageRule retries would not be met at HTTPRoute default/r1 and at 1 more target",
      );
    });
  });

  describe("--refuse-conflicts", () => {
    const color = (name: string, created: number): JsonObject =>
      with_(
        policy("ColorPolicy", name, "Service/s", { color: name }, { group: "direct.policies.controller.io", created }),
        { uid: `${name === "red" ? "cccccccc-cccc" : "dddddddd-dddd"}-4000-8000-000000000000` },
      );
    const [red, blue] = [color("red", 1), color("blue", 2)];
    const judged = (stored: JsonObject, made: JsonObject, settings: Partial<RefusalSettings>) =>
      admissionRefusal(
        cluster([...base, stored], { definitions: ["color-policy-direct"], completeness: "Complete" }).evaluation,
        create(made),
        { ...plain, ...settings },
      );

    test("a policy that would be Conflicted", () => {
      expect(judged(red, blue, { refuseConflicts: true })).toEqual({
        reason: "Conflicted",
        message: expect.stringMatching(/^ColorPolicy default\/blue would be Conflicted: .*ColorPolicy default\/red/),
      });
      expect(judged(red, blue, {})).toBeUndefined();
      expect(judged(red, blue, { refuseConflicts: true, redactsNames: true })?.message).toBe(
        "ColorPolicy default/blue would be Conflicted",
      );
    });

    test("a policy that would make another one Conflicted", () => {
      expect(judged(blue, red, { refuseConflicts: true })?.message).toBe(
        "ColorPolicy default/blue would be Conflicted because of ColorPolicy default/red",
      );
      expect(judged(blue, red, { refuseConflicts: true, redactsNames: true })?.message).toBe(
        "ColorPolicy ~dddddddddddd would be Conflicted because of ColorPolicy default/red",
      );
    });

    test("a policy that is Conflicted already is no reason, even if it is so with another policy now", () => {
      const stored = cluster([...base, red, blue], { definitions: ["color-policy-direct"], completeness: "Complete" });
      const settings = { ...plain, refuseConflicts: true };
      expect(admissionRefusal(stored.evaluation, create(color("green", 0)), settings)?.message).toBe(
        "ColorPolicy default/red would be Conflicted because of ColorPolicy default/green",
      );
    });
  });

  describe("--confirm-above", () => {
    test("a delete that ends more than that", () => {
      expect(refusal([fridayFix], remove(fridayFix), { confirmAbove: 1 })).toEqual({
        reason: "NotConfirmed",
        message:
          "deleting RetryPolicy default/friday-fix ends the effect of settings on 2 paths, more than 1. To confirm: kubectl annotate retrypolicy friday-fix -n default prevail.dev/confirm=3 --overwrite",
      });
      expect(refusal([fridayFix], remove(fridayFix), { confirmAbove: 2 })).toBeUndefined();
    });

    test("an update that loses as much, and not one that sets another value", () => {
      const less = retry("friday-fix", "Gateway/g", { overrides: { retry: { backoff: "1s" } } });
      expect(refusal([fridayFix], update(fridayFix, less), { confirmAbove: 1 })?.reason).toBe("NotConfirmed");
      const other = retry("friday-fix", "Gateway/g", overrides(6));
      expect(refusal([fridayFix], update(fridayFix, other), { confirmAbove: 1 })).toBeUndefined();
    });

    test.each([
      ["3", undefined],
      ["2", "NotConfirmed"],
      ["4", "NotConfirmed"],
      ["", "NotConfirmed"],
    ])("confirmed for generation %s of 3: %s", (confirmed, reason) => {
      const object = with_(fridayFix, { annotations: { "prevail.dev/confirm": confirmed } });
      expect(refusal([object], remove(object), { confirmAbove: 0 })?.reason).toBe(reason);
    });

    test("deleting a Gateway takes its paths along", () => {
      const prod = with_(gateway("g"), { generation: 1 });
      expect(refusal([fridayFix], remove(prod), { confirmAbove: 1 })?.message).toContain(
        "annotate gateway g -n default",
      );
    });
  });
});

const terminating: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "default", deletionTimestamp: "2026-01-01T00:00:00Z" },
};
