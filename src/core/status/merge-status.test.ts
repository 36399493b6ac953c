/**
 * GEP-713, "Status needs to be namespaced by implementation"
 * Gateway API, "PolicyAncestorStatus"
 * Gateway API, "RouteParentStatus"
 * Gateway API, "ListenerStatus"
 * Kubernetes, "Typical status properties"
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { objectId } from "../model/refs.ts";
import { isAffectedTypeOf } from "./affected-type.ts";
import { mergeStatus } from "./merge-status.ts";
import type { AncestorStatus, Condition, StatusLocation, TargetStatus } from "./status-report.ts";
import { NOTHING_WANTED, type WantedStatus } from "./wanted-status.ts";

const OURS = "prevail.dev/gateway";
const THEIRS = "example.com/controller";
const AFFECTED = "prevail.dev/RetryPolicyAffected";
const [BEFORE, NOW] = ["2026-11-18T08:00:00Z", "2026-11-18T09:00:00Z"];

const merge = (object: JsonObject, wanted: WantedStatus, mayChangeAncestors = true) =>
  mergeStatus(object, wanted, {
    controllerName: OURS,
    isOurs: isAffectedTypeOf(OURS),
    mayChangeAncestors,
    now: NOW,
  });

const condition = (type: string, status: Condition["status"], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Because",
  message: "as it is",
  observedGeneration: 1,
  ...more,
});
/** A condition as it is in the cluster. */
const written = (type: string, status: Condition["status"], more: JsonObject = {}): JsonObject => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: BEFORE,
  reason: "Because",
  message: "as it is",
  ...more,
});

const gatewayRef = (name: string) => ({ group: GATEWAY_API, kind: "Gateway", namespace: "infra", name });
const ancestor = (name: string, ...conditions: Condition[]): AncestorStatus => ({
  ancestorRef: gatewayRef(name),
  controllerName: OURS,
  conditions,
});
const writtenAncestor = (name: string, controllerName: string, ...conditions: JsonObject[]): JsonObject => ({
  ancestorRef: gatewayRef(name),
  controllerName,
  conditions,
});
const policy = (...ancestors: readonly Json[]): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name: "p", namespace: "infra", resourceVersion: "7" },
  ...(ancestors.length === 0 ? {} : { status: { ancestors } }),
});
const object = (kind: string, status?: JsonObject): JsonObject => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind,
  metadata: { name: "x", namespace: "infra", resourceVersion: "7" },
  ...(status === undefined ? {} : { status }),
});
const id = objectId({ group: GATEWAY_API, kind: "Gateway", namespace: "infra", name: "x" });
const at = (location: StatusLocation, ...conditions: Condition[]): TargetStatus => ({
  object: id,
  location,
  conditions,
});
const ancestors = (...entries: AncestorStatus[]): WantedStatus => ({ ancestors: entries, targets: [] });
const targets = (...entries: TargetStatus[]): WantedStatus => ({ ancestors: [], targets: entries });
const parent = (name: string): StatusLocation => ({ at: "Parent", parentRef: { name }, controllerName: OURS });
const listener = (name: string): StatusLocation => ({ at: "Listener", name });
const statusOf = (merged: ReturnType<typeof merge>): Json | undefined => merged.object?.["status"];

describe("status.ancestors of a policy", () => {
  for (const [name, before, wanted, expected] of [
    [
      "a first entry, with the time of now",
      policy(),
      ancestors(ancestor("g", condition("Accepted", "True"))),
      [writtenAncestor("g", OURS, written("Accepted", "True", { lastTransitionTime: NOW }))],
    ],
    [
      "an equal entry is not written",
      policy(writtenAncestor("g", OURS, written("Accepted", "True"))),
      ancestors(ancestor("g", condition("Accepted", "True"))),
      "equal",
    ],
    [
      "another order is not written",
      policy(
        writtenAncestor("h", OURS, written("Enforced", "True"), written("Accepted", "True")),
        writtenAncestor("g", OURS, written("Accepted", "True")),
      ),
      ancestors(
        ancestor("g", condition("Accepted", "True")),
        ancestor("h", condition("Accepted", "True"), condition("Enforced", "True")),
      ),
      "equal",
    ],
    ...[{ kind: "Service", group: "" }, { namespace: "shop" }, { sectionName: "http" }].map(
      (other) =>
        [
          `an entry for another ${Object.keys(other)[0]} of the name is another entry`,
          policy({ ...writtenAncestor("g", OURS), ancestorRef: { ...gatewayRef("g"), ...other } }),
          ancestors(ancestor("g", condition("Accepted", "True"))),
          [writtenAncestor("g", OURS, written("Accepted", "True", { lastTransitionTime: NOW }))],
        ] as const,
    ),
    [
      "another status has the time of now",
      policy(writtenAncestor("g", OURS, written("Accepted", "True"))),
      ancestors(ancestor("g", condition("Accepted", "False"))),
      [writtenAncestor("g", OURS, written("Accepted", "False", { lastTransitionTime: NOW }))],
    ],
    [
      "another reason, message or generation keeps its time",
      policy(writtenAncestor("g", OURS, written("Accepted", "True"))),
      ancestors(ancestor("g", condition("Accepted", "True", { message: "otherwise", observedGeneration: 2 }))),
      [writtenAncestor("g", OURS, written("Accepted", "True", { message: "otherwise", observedGeneration: 2 }))],
    ],
    [
      "entries of another controller stay, wherever they are",
      policy(
        writtenAncestor("g", THEIRS, written("Accepted", "False")),
        writtenAncestor("g", OURS, written("Accepted", "True")),
        "not an entry",
        writtenAncestor("h", THEIRS, written("Accepted", "True")),
      ),
      ancestors(ancestor("h", condition("Accepted", "True"))),
      [
        writtenAncestor("g", THEIRS, written("Accepted", "False")),
        "not an entry",
        writtenAncestor("h", THEIRS, written("Accepted", "True")),
        writtenAncestor("h", OURS, written("Accepted", "True", { lastTransitionTime: NOW })),
      ],
    ],
    [
      "what ended is withdrawn, as an empty list",
      policy(writtenAncestor("g", OURS, written("Accepted", "True"))),
      NOTHING_WANTED,
      [],
    ],
    ["nothing to report and nothing there", policy(), NOTHING_WANTED, "equal"],
    [
      "a condition of our entry that is not wanted is withdrawn",
      policy(writtenAncestor("g", OURS, written("Accepted", "True"), written("Enforced", "True"))),
      ancestors(ancestor("g", condition("Accepted", "True"))),
      [writtenAncestor("g", OURS, written("Accepted", "True"))],
    ],
    [
      "the second of two entries for one ancestor is withdrawn",
      policy(
        writtenAncestor("g", OURS, written("Accepted", "True")),
        writtenAncestor("g", OURS, written("Accepted", "False")),
      ),
      ancestors(ancestor("g", condition("Accepted", "True"))),
      [writtenAncestor("g", OURS, written("Accepted", "True"))],
    ],
    [
      "a reference with the defaults left out is the same",
      policy({
        ancestorRef: { name: "g" },
        controllerName: OURS,
        conditions: [written("Accepted", "True")],
      }),
      ancestors(ancestor("g", condition("Accepted", "True"))),
      "equal",
    ],
  ] as const)
    test(name, () => {
      const merged = merge(before, wanted);
      expect(expected === "equal" ? merged.object : statusOf(merged)).toEqual(
        expected === "equal" ? undefined : { ancestors: expected },
      );
    });

  test("at most 16 entries, those of others first", () => {
    const others = Array.from({ length: 15 }, (_, index) => writtenAncestor(`their-${index}`, THEIRS));
    const merged = merge(policy(...others), ancestors(ancestor("g"), ancestor("h")));
    expect(statusOf(merged)).toMatchObject({ ancestors: { length: 16 } });
    expect(merged.leftOut).toEqual([
      { reason: "Full", message: "status.ancestors has no room for Gateway h: it may have 16 entries" },
    ]);
  });

  test("a kind that rests on something unreadable: nothing is written and nothing withdrawn", () => {
    const before = policy(writtenAncestor("g", OURS, written("Accepted", "True")));
    expect(merge(before, NOTHING_WANTED, false).object).toBeUndefined();
    expect(merge(before, ancestors(ancestor("h")), false).object).toBeUndefined();
  });
});

describe("conditions of objects that a policy affects", () => {
  const accepted = written("Accepted", "Unknown", { reason: "Pending" });
  for (const [name, before, wanted, expected] of [
    [
      "a Gateway: added to the conditions of its controller",
      object("Gateway", { conditions: [accepted], addresses: [] }),
      targets(at({ at: "Conditions" }, condition(AFFECTED, "True"))),
      { conditions: [accepted, written(AFFECTED, "True", { lastTransitionTime: NOW })], addresses: [] },
    ],
    [
      "a new generation alone is written, with the old time",
      object("Gateway", { conditions: [accepted, written(AFFECTED, "True")] }),
      targets(at({ at: "Conditions" }, condition(AFFECTED, "True", { observedGeneration: 2 }))),
      { conditions: [accepted, written(AFFECTED, "True", { observedGeneration: 2 })] },
    ],
    [
      "withdrawn, also for a policy kind that no longer exists",
      object("Gateway", { conditions: [written("prevail.dev/GonePolicyAffected", "True"), accepted] }),
      NOTHING_WANTED,
      { conditions: [accepted] },
    ],
    [
      "a condition of another domain, and one of ours that is not about policies, stay",
      object("Gateway", {
        conditions: [written("example.com/RetryPolicyAffected", "True"), written("prevail.dev/Other", "True")],
      }),
      NOTHING_WANTED,
      "equal",
    ],
    [
      "a listener: in the entry of its controller",
      object("Gateway", {
        listeners: [{ name: "http", attachedRoutes: 3, conditions: [accepted] }, { name: "other" }],
      }),
      targets(at(listener("http"), condition(AFFECTED, "True"))),
      {
        listeners: [
          {
            name: "http",
            attachedRoutes: 3,
            conditions: [accepted, written(AFFECTED, "True", { lastTransitionTime: NOW })],
          },
          { name: "other" },
        ],
      },
    ],
    [
      "a listener that is not affected any more",
      object("Gateway", {
        listeners: [{ name: "http", attachedRoutes: 3, conditions: [accepted, written(AFFECTED, "True")] }],
      }),
      NOTHING_WANTED,
      { listeners: [{ name: "http", attachedRoutes: 3, conditions: [accepted] }] },
    ],
    [
      "a route: an entry of our own beside that of the Gateway's controller",
      object("HTTPRoute", { parents: [{ parentRef: { name: "g" }, controllerName: THEIRS, conditions: [accepted] }] }),
      targets(at(parent("g"), condition(AFFECTED, "True"))),
      {
        parents: [
          { parentRef: { name: "g" }, controllerName: THEIRS, conditions: [accepted] },
          {
            parentRef: { name: "g" },
            controllerName: OURS,
            conditions: [written(AFFECTED, "True", { lastTransitionTime: NOW })],
          },
        ],
      },
    ],
    [
      "a route: an entry without a condition is withdrawn, with others it stays",
      object("HTTPRoute", {
        parents: [
          { parentRef: { name: "g" }, controllerName: OURS, conditions: [written(AFFECTED, "True")] },
          { parentRef: { name: "h" }, controllerName: OURS, conditions: [accepted, written(AFFECTED, "True")] },
        ],
      }),
      NOTHING_WANTED,
      { parents: [{ parentRef: { name: "h" }, controllerName: OURS, conditions: [accepted] }] },
    ],
    [
      "the parent as the API server completes it",
      object("HTTPRoute", {
        parents: [
          {
            parentRef: { group: GATEWAY_API, kind: "Gateway", name: "g" },
            controllerName: OURS,
            conditions: [written(AFFECTED, "True")],
          },
        ],
      }),
      targets(at(parent("g"), condition(AFFECTED, "True"))),
      "equal",
    ],
    ["a status that is not an object counts as none", { ...object("Gateway"), status: "odd" }, NOTHING_WANTED, "equal"],
  ] as const)
    test(name, () => {
      const merged = merge(before, wanted);
      if (expected === "equal") expect(merged.object).toBeUndefined();
      else expect(merged.object).toEqual({ ...before, status: expected });
    });

  test("a listener that its controller has not listed yet waits", () => {
    const merged = merge(object("Gateway"), targets(at(listener("http"), condition(AFFECTED, "True"))));
    expect(merged.object).toBeUndefined();
    expect(merged.leftOut.map(({ reason }) => reason)).toEqual(["NoEntry"]);
  });

  test("a full list keeps what is in it", () => {
    const conditions = Array.from({ length: 8 }, (_, index) => written(`Their${index}`, "True"));
    const merged = merge(
      object("Gateway", { conditions }),
      targets(at({ at: "Conditions" }, condition(AFFECTED, "True"))),
    );
    expect(merged.object).toBeUndefined();
    expect(merged.leftOut).toEqual([
      { reason: "Full", message: `the status has no room for the condition ${AFFECTED}: it may have 8 conditions` },
    ]);
  });

  test("a kind whose facts cannot be read: its conditions stay as they are", () => {
    const before = object("Gateway", { conditions: [written(AFFECTED, "True")] });
    const otherwise = condition(AFFECTED, "True", { message: "otherwise" });
    const locations: readonly StatusLocation[] = [{ at: "Conditions" }, parent("g"), { at: "Annotations" }];
    for (const wanted of [NOTHING_WANTED, ...locations.map((location) => targets(at(location, otherwise)))]) {
      const merged = mergeStatus(before, wanted, {
        controllerName: OURS,
        isOurs: (type) => type !== AFFECTED,
        mayChangeAncestors: true,
        now: NOW,
      });
      expect(merged.object).toBeUndefined();
    }
  });
});

describe("objects of a GatewayClass of this controller", () => {
  const asOwner = (before: JsonObject, wanted: WantedStatus) =>
    mergeStatus(before, wanted, {
      controllerName: OURS,
      isOurs: isAffectedTypeOf(OURS),
      implementsGatewayApi: true,
      mayChangeAncestors: true,
      now: NOW,
    });
  const own = (...entries: TargetStatus[]): WantedStatus => ({ ...targets(...entries), isOwn: true });
  const fresh = (type: string): JsonObject => written(type, "True", { lastTransitionTime: NOW });
  const theirs = written("example.com/TheirsAffected", "True");
  const http = { name: "http", supportedKinds: [], attachedRoutes: 1 };
  for (const [name, before, wanted, expected] of [
    [
      "its conditions and fields; conditions of other domains stay",
      object("Gateway", { conditions: [written("Scheduled", "True"), theirs], addresses: [{ value: "192.0.2.1" }] }),
      own({
        ...at({ at: "Conditions" }, condition("Accepted", "True"), condition(AFFECTED, "True")),
        fields: { addresses: [{ value: "192.0.2.2" }], attachedListenerSets: 0 },
      }),
      {
        conditions: [theirs, fresh("Accepted"), fresh(AFFECTED)],
        addresses: [{ value: "192.0.2.2" }],
        attachedListenerSets: 0,
      },
    ],
    [
      "a CoverageRule: whether it is met, and the numbers of its targets",
      object("CoverageRule"),
      own({
        ...at({ at: "Conditions" }, condition("Accepted", "True"), condition("Covered", "True")),
        fields: { targets: 2, uncovered: 0 },
      }),
      { conditions: [fresh("Accepted"), fresh("Covered")], targets: 2, uncovered: 0 },
    ],
    [
      "its listeners as they are wanted, in that order, with the conditions of other domains",
      object("Gateway", {
        listeners: [
          { name: "gone", conditions: [theirs] },
          { ...http, conditions: [theirs] },
        ],
      }),
      own(
        { ...at(listener("new"), condition("Accepted", "True")), fields: { supportedKinds: [], attachedRoutes: 0 } },
        { ...at(listener("http"), condition("Accepted", "True")), fields: { supportedKinds: [], attachedRoutes: 1 } },
      ),
      {
        listeners: [
          { name: "new", supportedKinds: [], attachedRoutes: 0, conditions: [fresh("Accepted")] },
          { ...http, conditions: [theirs, fresh("Accepted")] },
        ],
      },
    ],
    [
      "a kept condition stays, with its old generation; a list that is absent and would be empty stays absent",
      object("Gateway", { conditions: [written("Programmed", "True")] }),
      own({
        ...at({ at: "Conditions" }, condition("Accepted", "True")),
        fields: { addresses: [] },
        kept: ["Programmed"],
      }),
      { conditions: [written("Programmed", "True"), fresh("Accepted")] },
    ],
    [
      "what is there already is not written",
      object("Gateway", {
        addresses: [],
        conditions: [written("Accepted", "True")],
        listeners: [{ ...http, conditions: [written("Accepted", "True")] }],
      }),
      own(
        { ...at({ at: "Conditions" }, condition("Accepted", "True")), fields: { addresses: [] } },
        { ...at(listener("http"), condition("Accepted", "True")), fields: { supportedKinds: [], attachedRoutes: 1 } },
      ),
      "equal",
    ],
    [
      "a Gateway of another class has no condition or field of ours",
      object("Gateway", { conditions: [written("Accepted", "True")], addresses: [] }),
      targets({ ...at({ at: "Conditions" }, condition("Accepted", "False")), fields: { addresses: [1] } }),
      "equal",
    ],
    [
      "the entry of a route that is not attached to our Gateways any more is withdrawn as a whole",
      object("HTTPRoute", {
        parents: [
          { parentRef: { name: "g" }, controllerName: OURS, conditions: [written("Accepted", "True")] },
          { parentRef: { name: "g" }, controllerName: THEIRS, conditions: [written("Accepted", "True")] },
        ],
      }),
      NOTHING_WANTED,
      { parents: [{ parentRef: { name: "g" }, controllerName: THEIRS, conditions: [written("Accepted", "True")] }] },
    ],
  ] as const)
    test(name, () => {
      const merged = asOwner(before, wanted);
      if (expected === "equal") expect(merged.object).toBeUndefined();
      else expect(merged.object).toEqual({ ...before, status: expected });
    });

  test("a listener without fields has no entry: the list may not have it", () => {
    const merged = asOwner(object("Gateway"), own(at(listener("http"), condition(AFFECTED, "True"))));
    expect(merged.object).toBeUndefined();
    expect(merged.leftOut.map(({ reason }) => reason)).toEqual(["NoEntry"]);
  });
});

describe("conditions of a policy whose kind has no ancestors", () => {
  const theirs = written("example.com/Checked", "True");
  const before = { ...policy(), status: { conditions: [theirs, written("Enforced", "True")] } };
  const wanted: WantedStatus = { ...NOTHING_WANTED, conditions: [condition("Accepted", "False")] };
  const fresh = written("Accepted", "False", { lastTransitionTime: NOW });
  test("the types that controllers of policies write are ours, others stay", () => {
    expect(statusOf(merge(before, wanted))).toEqual({ conditions: [theirs, fresh] });
    expect(statusOf(merge(before, { ...NOTHING_WANTED, conditions: [] }))).toEqual({ conditions: [theirs] });
  });
  test("a kind that is not owned, or whose facts cannot be read: nothing changes", () => {
    expect(merge(before, NOTHING_WANTED).object).toBeUndefined();
    expect(merge(before, wanted, false).object).toBeUndefined();
  });
});

describe("annotations, where there are no conditions", () => {
  const annotated = (annotations: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "x", annotations },
  });
  const wanted = targets(at({ at: "Annotations" }, condition(AFFECTED, "True")));
  test("added and withdrawn, others stay", () => {
    expect(merge(annotated({ a: "b" }), wanted).object).toEqual(annotated({ a: "b", [AFFECTED]: "true" }));
    expect(merge(annotated({ a: "b", [AFFECTED]: "true" }), wanted).object).toBeUndefined();
    expect(merge(annotated({ a: "b", [AFFECTED]: "true" }), NOTHING_WANTED).object).toEqual(annotated({ a: "b" }));
  });
  test("what is only possible is not annotated", () => {
    const unknown = targets(at({ at: "Annotations" }, condition(AFFECTED, "Unknown")));
    expect(merge(annotated({}), unknown).object).toBeUndefined();
  });
});

describe("for any status of others", () => {
  const name = fc.constantFrom("g", "h", "i");
  const entry = fc.record({
    controllerName: fc.constantFrom(OURS, THEIRS),
    ref: name,
    types: fc.uniqueArray(fc.constantFrom("Accepted", "Enforced", AFFECTED), { minLength: 1 }),
    status: fc.constantFrom("True" as const, "False" as const),
  });
  const entries = fc.array(entry, { maxLength: 10 });
  const inCluster = (
    list: readonly { controllerName: string; ref: string; types: string[]; status: "True" | "False" }[],
  ) =>
    list.map(({ controllerName, ref, types, status }) =>
      writtenAncestor(ref, controllerName, ...types.map((type) => written(type, status))),
    );
  const theirs = (merged: JsonObject): readonly Json[] =>
    ((merged["status"] as JsonObject)["ancestors"] as readonly JsonObject[]).filter(
      (one) => one["controllerName"] !== OURS,
    );

  test("theirs stays, and a second merge changes nothing", () => {
    fc.assert(
      fc.property(entries, fc.uniqueArray(name), (list, names) => {
        const before = policy(...inCluster(list), "odd");
        const wanted = ancestors(...names.map((one) => ancestor(one, condition("Accepted", "True"))));
        const after = merge(before, wanted).object ?? before;
        expect(theirs(after)).toEqual(theirs(before));
        expect(merge(after, wanted).object).toBeUndefined();
        const ours = ((after["status"] as JsonObject)["ancestors"] as readonly JsonObject[]).length;
        expect(ours - theirs(after).length).toBe(names.length);
      }),
    );
  });
});
