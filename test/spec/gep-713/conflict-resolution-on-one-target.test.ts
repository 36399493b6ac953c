/** GEP-713, "Conflict resolution": conflicts on one target, where a kind says otherwise */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { caveatsFor } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";

const definition = (merge: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "trafficpolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "TrafficPolicy" }],
    class: "Inherited",
    targeting: { kinds: ["Gateway", "HTTPRoute"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    merge: { granularity: { default: "Field" }, ...merge },
    ...more,
  },
});

const traffic = (name: string, on: string, spec: JsonObject, options: object = {}) =>
  policy("TrafficPolicy", name, on, spec, options);

const objects = [gateway("g"), route("r", "Gateway/g", { rules: [{ backends: ["s"] }] }), service("s")];

describe("Precedence by a field or an annotation", () => {
  const weighed = (weights: Readonly<Record<string, string | undefined>>, precedence: JsonObject[string]) =>
    cluster([
      definition({ precedence, sameTarget: "Conflicted" }),
      ...objects,
      ...Object.entries(weights).map(([name, weight], created) =>
        traffic(
          name,
          "HTTPRoute/r",
          { [name]: 1, priority: Number(weight ?? 0) },
          {
            created,
            ...(weight === undefined ? {} : { annotations: { "example.com/weight": weight } }),
          },
        ),
      ),
    ]);
  const byWeight = [{ annotation: "example.com/weight", descending: true }];

  test("the highest weight is higher, an absent one counts as 0, and equal ones are ordered by age", () => {
    const made = weighed({ a: undefined, b: "5", c: "5", d: "-1" }, byWeight);
    expect(made.spec("HTTPRoute/r")).toEqual({ b: 1, priority: 5 });
    expect(["a", "b", "c", "d"].map((name) => made.outcome(name))).toEqual([
      "Conflicted by b",
      "Enforced",
      "Conflicted by b",
      "Conflicted by b",
    ]);
    expect(made.message("a")).toBe(
      "HTTPRoute default/r already has TrafficPolicy default/b, which comes first by the annotation example.com/weight; only one TrafficPolicy takes effect on a target",
    );
    expect(made.message("c")).toContain("which is older");
  });

  test("by a field, the lowest first, and by name before age", () => {
    const made = weighed({ z: "1", y: "1", x: "2" }, [{ path: "priority" }, "Name"]);
    expect(made.outcome("y")).toBe("Enforced");
    expect(made.message("z")).toContain("which comes first by namespace/name");
    expect(made.message("x")).toContain("which comes first by spec.priority");
  });

  test("it decides between defaults on one target, too, and never between levels", () => {
    const light = { created: 0, annotations: { "example.com/weight": "1" } };
    const heavy = { created: 1, annotations: { "example.com/weight": "9" } };
    const made = cluster([
      definition({ precedence: byWeight, sameTarget: "OldestWins" }),
      ...objects,
      traffic("route-light", "HTTPRoute/r", { x: "light", z: "light" }, light),
      traffic("route-heavy", "HTTPRoute/r", { x: "heavy" }, heavy),
      traffic("gateway", "Gateway/g", { x: "gateway", y: "gateway" }, heavy),
    ]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "heavy", y: "gateway", z: "light" });
  });
});

describe("Conflicts on one target, in a kind that merges levels", () => {
  const policies = [
    traffic("g1", "Gateway/g", { x: "g1", y: "g1" }, { created: 0 }),
    traffic("r1", "HTTPRoute/r", { x: "r1" }, { created: 1 }),
    traffic("r2", "HTTPRoute/r", { z: "r2" }, { created: 2 }),
    traffic("r3", "HTTPRoute/r", { x: "r3", w: "r3" }, { created: 3 }),
  ];
  const outcomes = (made: ReturnType<typeof cluster>) => ["g1", "r1", "r2", "r3"].map((name) => made.outcome(name));

  test("Conflicted: the oldest takes effect, and is merged with the policy above it", () => {
    const made = cluster([definition({ sameTarget: "Conflicted" }), ...objects, ...policies]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "r1", y: "g1" });
    expect(outcomes(made)).toEqual(["PartiallyEnforced by r1", "Enforced", "Conflicted by r1", "Conflicted by r1"]);
    expect(made.contributors("HTTPRoute/r")).toEqual(["g1", "r1"]);
    expect(made.conditions("r2")).toEqual(["HTTPRoute/r: Accepted=False/Conflicted"]);
  });

  test("ConflictedWhereBothSet: policies add up unless both set a field; then the newer is not accepted as a whole", () => {
    const made = cluster([definition({ sameTarget: "ConflictedWhereBothSet" }), ...objects, ...policies]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "r1", y: "g1", z: "r2" });
    expect(outcomes(made)).toEqual(["PartiallyEnforced by r1", "Enforced", "Enforced", "Conflicted by r1"]);
    expect(made.message("r3")).toBe(
      "HTTPRoute default/r already has TrafficPolicy default/r1, which is older and sets x, too; of two TrafficPolicy on a target that set the same field, the second is not accepted",
    );
  });

  test("ConflictedWhereBothSet: a value above or below the field is the same field, a policy that is not accepted does not count", () => {
    const made = cluster([
      definition({ sameTarget: "ConflictedWhereBothSet" }),
      ...objects,
      traffic("a", "HTTPRoute/r", { x: { deep: 1 } }, { created: 0 }),
      traffic("b", "HTTPRoute/r", { x: 1, y: 1 }, { created: 1 }),
      traffic("c", "HTTPRoute/r", { y: 2 }, { created: 2 }),
    ]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: { deep: 1 }, y: 2 });
    expect(made.outcome("b")).toBe("Conflicted by a");
  });

  test("NoneWins: of several on a target none takes effect, and one alone does", () => {
    const made = cluster([definition({ sameTarget: "NoneWins" }), ...objects, ...policies]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "g1", y: "g1" });
    expect(outcomes(made)).toEqual(["Enforced", "Conflicted by r2", "Conflicted by r1", "Conflicted by r1"]);
    expect(made.message("r1")).toBe(
      "HTTPRoute default/r also has TrafficPolicy default/r2; of several TrafficPolicy on one target none takes effect",
    );
    expect(made.affectedBy("HTTPRoute/r")).toEqual(["g1"]);
  });

  test("NoneWins: policies that are never merged", () => {
    const direct = definition({ strategy: "None", sameTarget: "NoneWins" });
    delete (direct["spec"] as { merge: { granularity?: unknown } }).merge.granularity;
    const made = cluster([direct, ...objects, ...policies]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "g1", y: "g1" });
    expect(made.outcome("r1")).toBe("Conflicted by r2");
  });

  test("Undefined: which of several takes effect is not known, nor what takes effect below the target", () => {
    const made = cluster([definition({ sameTarget: "Undefined" }), ...objects, ...policies]);
    expect(outcomes(made)).toEqual(["Incomplete", "Undefined by r2", "Undefined by r1", "Undefined by r1"]);
    expect(made.message("r1")).toBe(
      "HTTPRoute default/r also has TrafficPolicy default/r2; of several TrafficPolicy on one target one takes effect, and it is not defined which",
    );
    expect(made.effectiveAt("HTTPRoute/r").incomplete).toBe(true);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: "g1", y: "g1" });
    expect(made.findingsOn("r1").map(({ code, severity }) => [code, severity])).toEqual([
      ["UndefinedConflict", "warning"],
    ]);
    expect(made.conditions("r1").join()).toContain("Accepted=Unknown/Undefined");
    expect(made.conditions("g1").join()).toContain("Enforced=Unknown/Incomplete");
    const caveats = caveatsFor(made.evaluation, { about: "Input" }).map(({ code, message }) => `${code}: ${message}`);
    expect(caveats).toContain(
      "UndefinedConflict: which of 3 policies take effect is not defined, because several are on one target: TrafficPolicy default/r1, TrafficPolicy default/r2, TrafficPolicy default/r3",
    );
  });

  test("Undefined: one policy alone takes effect, also where it has another target with a rival", () => {
    const made = cluster([
      definition({ sameTarget: "Undefined" }),
      ...objects,
      traffic("g", "Gateway/g", { x: 1 }),
      traffic("r", "HTTPRoute/r", { y: 1 }),
    ]);
    expect(made.spec("HTTPRoute/r")).toEqual({ x: 1, y: 1 });
    expect(made.outcome("r")).toBe("Enforced");
  });

  test("Undefined: a Direct kind", () => {
    const direct = {
      class: "Direct",
      targeting: { kinds: [{ kind: "Service", sections: ["Port"] }] },
      hierarchy: {},
      merge: { sameTarget: "Undefined" },
    };
    const made = cluster([
      definition({}, direct),
      ...objects,
      traffic("s1", "Service/s", { x: 1 }),
      traffic("s2", "Service/s", { x: 2 }),
    ]);
    expect(["s1", "s2"].map((name) => made.outcome(name))).toEqual(["Undefined by s2", "Undefined by s1"]);
    expect(made.effective()).toEqual([]);
  });

  test("what has no meaning together is a mistake", () => {
    const problems = (merge: JsonObject, more: JsonObject = {}) =>
      parseDefinition(kubeObject(definition(merge, more))).findings.map(({ code, field }) => `${code} ${field}`);
    const consumer = { targeting: { crossNamespace: "Consumer", kinds: ["HTTPRoute"] } };
    expect(problems({ sameTarget: "Conflicted" }, consumer)).toEqual(["DefinitionMisplaced spec.merge.sameTarget"]);
    expect(problems({ limit: 1 }, consumer)).toEqual(["DefinitionMisplaced spec.merge.limit"]);
    expect(problems({ limit: 0 })).toEqual(["DefinitionUnknownValue spec.merge.limit"]);
    expect(problems({ precedence: ["Level"] })).toEqual(["DefinitionUnknownValue spec.merge.precedence[0]"]);
    expect(problems({ strategy: "None", granularity: {}, sameTarget: "OldestWins" })).toEqual([
      "DefinitionMisplaced spec.merge.granularity",
      "DefinitionMisplaced spec.merge.sameTarget",
    ]);
  });
});
