import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import {
  gateway,
  gatewayClass,
  namespace,
  policy,
  route,
  routeTo,
  service,
} from "../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { admissionRefusal, admissionWarnings } from "../admit.ts";
import type { PolicyDefinition, SameTarget } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import type { RefusalSettings } from "./find-refusal.ts";

type Definitions = readonly (string | PolicyDefinition)[];

const withGeneration = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), generation: 3 },
});
const retry = (name: string, target: string | readonly string[], spec: JsonObject): JsonObject =>
  withGeneration(policy("RetryPolicy", name, target, spec, { group: "prevail.dev" }));
const clusterRetry = (target: string, spec: JsonObject): JsonObject =>
  withGeneration(policy("ClusterRetryPolicy", "wide", target, spec, { group: "prevail.dev", namespace: "" }));
const overrides = (attempts: number): JsonObject => ({ overrides: { retry: { attempts } } });
const defaults = (attempts: number): JsonObject => ({ defaults: { retry: { attempts } } });
const rule = (enforce: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name: `rule-${enforce.toLowerCase()}` },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    enforce,
    ...spec,
  },
});

const houseClass = withGeneration(gatewayClass("class", "prevail.dev/gateway-controller"));
const [g, h] = [withGeneration(gateway("g")), withGeneration(gateway("h"))];
const base: readonly JsonObject[] = [houseClass, g, h, service("s"), namespace("default")];
const routes = (count: number, parent = "Gateway/g"): readonly JsonObject[] =>
  Array.from({ length: count }, (_, i) => routeTo(`r${String(i).padStart(3, "0")}`, parent, "s"));
const toBoth = route("both", ["Gateway/g", "Gateway/h"], { rules: [{ backends: ["s"] }] });
const house = retry("house", "Gateway/g", overrides(5));

const remove = (oldObject: JsonObject): AdmissionRequest => ({
  operation: "DELETE",
  subResource: "",
  user: "ana",
  object: undefined,
  oldObject,
});

const evaluationOf = (objects: readonly JsonObject[], definitions: Definitions = builtInDefinitions()) =>
  cluster([...base, ...objects], { definitions, completeness: "Complete" }).evaluation;
/** Everything is counted that can be. */
const COUNTED = { countsAbove: 0 };
const PLANNED = { countsAbove: Number.POSITIVE_INFINITY };
const warnings = (objects: readonly JsonObject[], gone: JsonObject, definitions?: Definitions) =>
  admissionWarnings(evaluationOf(objects, definitions), remove(gone), { unread: [], ...COUNTED });
const refusals = (
  objects: readonly JsonObject[],
  gone: JsonObject,
  settings: Partial<RefusalSettings> = {},
  definitions?: Definitions,
) => {
  const evaluation = evaluationOf(objects, definitions);
  const asked = { refuseConflicts: false, confirmAbove: undefined, ...settings };
  return [COUNTED, PLANNED].map((how) => admissionRefusal(evaluation, remove(gone), { ...asked, ...how }));
};
/** The reason, which must be that of the plan. */
const reason = (...args: Parameters<typeof refusals>): string | undefined => {
  const [counted, planned] = refusals(...args);
  expect(counted?.reason).toBe(planned?.reason);
  return counted?.reason;
};

const counted = "(counted, not compared); for the values see kubectl prevail plan";

describe("warnings say that it was counted", () => {
  test.each([
    [
      "a policy",
      [...routes(3), house],
      house,
      [`deleting RetryPolicy default/house ends the effect of its settings on 3 paths below 1 object ${counted}`],
    ],
    [
      "a Gateway: its paths, and the policies that take effect nowhere else",
      [
        ...routes(3),
        toBoth,
        house,
        retry("own", "HTTPRoute/r000", defaults(1)),
        retry("kept", "HTTPRoute/both", { defaults: { retry: { codes: [503] } } }),
      ],
      g,
      [
        `deleting Gateway default/g removes the paths through it to 4 HTTPRoutes and 1 Service ${counted}`,
        "RetryPolicy default/house will have no effect any more",
      ],
    ],
    [
      "a GatewayClass",
      [...routes(2), house, retry("on-h", "Gateway/h", overrides(2)), routeTo("r9", "Gateway/h", "s")],
      houseClass,
      [
        `deleting GatewayClass class removes the paths through it to 3 HTTPRoutes, 2 Gateways and 1 Service ${counted}`,
        "RetryPolicy default/house and RetryPolicy default/on-h will have no effect any more",
      ],
    ],
    [
      "a Namespace: what is in it, and what is below that",
      [
        namespace("infra"),
        gateway("out", {
          namespace: "infra",
          listeners: [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
        }),
        ...routes(2, "Gateway/infra/out"),
        retry("own", "HTTPRoute/r000", defaults(1)),
      ],
      namespace("infra"),
      [
        expect.stringMatching(
          /^deleting Namespace infra deletes 1 Gateway and removes the paths through them to 2 HTTPRoutes and 1 Service \(counted, not compared\); for/,
        ),
        "RetryPolicy default/own will have no effect any more",
      ],
    ],
  ] as const)("%s", (_, objects, gone, expected) => {
    expect(warnings(objects, gone)).toEqual(expected);
  });

  test("CoverageRules that are broken, whatever they enforce, with some of the targets", () => {
    expect(warnings([...routes(150), house, rule("Warn")], house).slice(1)).toEqual([
      "CoverageRule rule-warn would not be met at HTTPRoute default/r000 and at 99 more targets or more",
    ]);
    expect(warnings([...routes(100), house, rule("Warn"), rule("Deny")], house).slice(1)).toEqual([
      "CoverageRule rule-deny would not be met at HTTPRoute default/r000 and at 99 more targets",
      "CoverageRule rule-warn would not be met at HTTPRoute default/r000 and at 99 more targets",
    ]);
  });

  test.each([
    ["a Gateway with few objects", [...routes(3), house], g],
    ["a policy with few paths", [...routes(3), house], house],
    ["a Namespace with few objects", [...routes(3), house], namespace("default")],
  ])("not of %s", (_, objects, gone) => {
    const lines = admissionWarnings(evaluationOf(objects), remove(gone), { unread: [] });
    expect(lines[0]).toMatch(/^deleting .* 3 values? on 3 paths|removes 3 paths with 3 values/);
  });
});

describe("a CoverageRule with enforce: Deny is decided as by the plan", () => {
  const all = retry("all", "Gateway/g", defaults(2));
  test.each([
    ["a rule that is broken", [...routes(3), house, rule("Deny")], "NotCovered"],
    ["a rule that another policy meets", [...routes(3), house, all, rule("Deny")], undefined],
    [
      "a rule that was not met before",
      [...routes(3), house, rule("Deny", { condition: "spec.retry.attempts > 7" })],
      undefined,
    ],
    [
      "a rule that is broken at the last of many targets only",
      [...routes(130), house, ...ownBut(130, 1), rule("Deny")],
      "NotCovered",
    ],
    [
      "a rule that all targets meet by policies of their own",
      [...routes(130), house, ...ownBut(130, 0), rule("Deny")],
      undefined,
    ],
    [
      "a rule about another name of the kind",
      [...routes(3), house, rule("Deny", { policyKind: "ClusterRetryPolicy" })],
      "NotCovered",
    ],
    [
      "a rule about Gateways, below which many paths end",
      [...routes(3), house, rule("Deny", { targets: { levels: ["Gateway"] } })],
      "NotCovered",
    ],
    [
      "a rule about targets elsewhere",
      [...routes(3), house, rule("Deny", { targets: { levels: ["HTTPRoute"], namespaces: ["other"] } })],
      undefined,
    ],
    ["a rule that does not say Deny", [...routes(3), house, rule("Warn")], undefined],
  ])("%s", (_, objects, expected) => {
    expect(reason(objects, house)).toBe(expected);
  });

  test("the message has the targets that were looked at", () => {
    const [first] = refusals([...routes(150), house, rule("Deny")], house);
    expect(first?.message).toBe(
      "CoverageRule rule-deny would not be met at HTTPRoute default/r000 and at 99 more targets or more. Attach a RetryPolicy that meets the rule first.",
    );
  });
});

/** A policy on each route but the last ones. */
function ownBut(count: number, last: number): readonly JsonObject[] {
  return Array.from({ length: count - last }, (_, i) => {
    const name = `r${String(i).padStart(3, "0")}`;
    return retry(`own-${name}`, `HTTPRoute/${name}`, defaults(1));
  });
}

describe("--confirm-above counts exactly the paths through what is deleted", () => {
  test.each([
    ["a policy", house],
    ["a Gateway: not those of its routes through another one", g],
    ["a GatewayClass", houseClass],
  ])("%s", (_, gone) => {
    const objects = [...routes(3), toBoth, house];
    expect(reason(objects, gone, { confirmAbove: 3 })).toBe("NotConfirmed");
    expect(reason(objects, gone, { confirmAbove: 4 })).toBeUndefined();
  });

  test.each(["GatewayClass/class", "Namespace/default"])("a policy on %s", (target) => {
    const wide = clusterRetry(target, overrides(5));
    expect(reason([...routes(3), toBoth, wide], wide, { confirmAbove: 4 })).toBe("NotConfirmed");
    expect(reason([...routes(3), toBoth, wide], wide, { confirmAbove: 5 })).toBeUndefined();
    expect(reason([...routes(3), toBoth, wide], g, { confirmAbove: 3 })).toBe("NotConfirmed");
    expect(reason([...routes(3), toBoth, wide], g, { confirmAbove: 4 })).toBeUndefined();
  });

  test("the message has the limit, as not every path was looked at", () => {
    expect(refusals([...routes(3), house], g, { confirmAbove: 1 })[0]?.message).toBe(
      "deleting Gateway default/g ends the effect of settings on more than 1 path. To confirm: kubectl annotate gateway g -n default prevail.dev/confirm=3 --overwrite",
    );
  });

  test("paths without a value of a policy do not count", () => {
    expect(reason([...routes(3), retry("own", "HTTPRoute/r000", defaults(1))], g, { confirmAbove: 0 })).toBe(
      "NotConfirmed",
    );
    expect(reason([...routes(3), retry("own", "HTTPRoute/r000", defaults(1))], g, { confirmAbove: 1 })).toBeUndefined();
  });
});

const withSameTarget = (sameTarget: SameTarget): readonly PolicyDefinition[] =>
  builtInDefinitions().map((one) => ({ ...one, merge: { ...one.merge, sameTarget } }));

describe("where a count does not decide, there is the plan", () => {
  const plain = /removes \d+ paths? with/;

  test("a policy with another target may be Conflicted", () => {
    const red = retry("red", "Gateway/h", defaults(1));
    const blue = retry("zeal", ["Gateway/g", "Gateway/h"], defaults(2));
    expect(reason([...routes(3), red, blue], g, { refuseConflicts: true }, withSameTarget("Conflicted"))).toBe(
      "Conflicted",
    );
    expect(reason([...routes(3), red, blue], g, {}, withSameTarget("Conflicted"))).toBeUndefined();
  });

  test("the policy on one of the targets lets another one take effect, with which a third one is in conflict", () => {
    const one = retry("a", "Gateway/g", defaults(1));
    const both = retry("b", "Gateway/g", { defaults: { retry: { attempts: 2, codes: [503] } } });
    const other = retry("c", "Gateway/g", { defaults: { retry: { codes: [502] } } });
    expect(
      reason(
        [...routes(3), one, both, other],
        one,
        { refuseConflicts: true },
        withSameTarget("ConflictedWhereBothSet"),
      ),
    ).toBe("Conflicted");
  });

  test("a kind without controllers stays on the paths below a GatewayClass that does not exist", () => {
    const definition: PolicyDefinition[] = builtInDefinitions().map((one) => ({ ...one, controllers: [] }));
    expect(warnings([...routes(3), house], houseClass, definition)).toEqual([]);
    expect(reason([...routes(3), house], houseClass, { confirmAbove: 0 }, definition)).toBeUndefined();
    expect(warnings([...routes(3), house], g, definition)[0]).toContain("counted");
  });

  test("an object that the watch has seen otherwise", () => {
    const other = withGeneration(gateway("g", { class: "other" }));
    expect(warnings([...routes(3), house], other)[0] ?? "").not.toContain("counted");
    expect(
      warnings([...routes(3), house], { ...g, metadata: { ...(g["metadata"] as JsonObject), labels: { a: "b" } } })[0],
    ).toMatch(plain);
  });
});

const inInfra = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), namespace: "infra" },
});

test("a route that is left with a Service as its parent needs no grant: the delete is compared, and refused as by the plan", () => {
  const objects = [
    service("front"),
    service("far", { namespace: "infra" }),
    route("r", ["Gateway/g", "Service/front"], { rules: [{ backends: ["Service/infra/far"] }] }),
    inInfra(retry("own", "Service/far", defaults(2))),
    rule("Deny", {
      targets: { levels: ["Service"] },
      condition: "!has(spec.retry.attempts) || spec.retry.attempts < 2",
    }),
  ];
  expect(reason(objects, g)).toBe("NotCovered");
  expect(warnings(objects, g).join("\n")).not.toContain("counted");
});

const SAME_TARGET: readonly SameTarget[] = [
  "Established",
  "Conflicted",
  "ConflictedWhereBothSet",
  "NoneWins",
  "Undefined",
];

test("any delete is refused for the reason that the plan gives", () => {
  const oneOf = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
  const parents = fc.subarray(["Gateway/g", "Gateway/h", "Service/front"], { minLength: 1 });
  const targets = fc.uniqueArray(
    oneOf("Gateway/g", "Gateway/h", "Gateway/g#http", "HTTPRoute/r0", "HTTPRoute/r1", "HTTPRoute/r2"),
    { minLength: 1, maxLength: 2 },
  );
  const spec = oneOf<JsonObject>(
    overrides(2),
    defaults(3),
    { defaults: { retry: { codes: [503] } } },
    { defaults: { retry: null } },
  );
  const made = fc.record({
    routes: fc.array(fc.record({ parents, backend: oneOf("s", "Service/infra/far") }), { minLength: 1, maxLength: 3 }),
    far: fc.option(spec, { nil: undefined }),
    policies: fc.array(fc.record({ targets, spec }), { minLength: 1, maxLength: 5 }),
    wide: fc.option(fc.record({ target: oneOf("GatewayClass/class", "Namespace/default"), spec }), { nil: undefined }),
    level: oneOf("HTTPRoute", "HTTPRouteRule", "Gateway", "Service"),
    condition: oneOf(
      "has(spec.retry.attempts)",
      "!has(spec.retry.codes)",
      "spec.retry.attempts > 2",
      "!has(spec.retry.attempts) || spec.retry.attempts < 2",
    ),
    gone: oneOf("class", "g", "h", "p0", "p1", "p2", "wide"),
    confirmAbove: oneOf(undefined, 0, 1, 2),
    sameTarget: oneOf(...SAME_TARGET),
  });
  fc.assert(
    fc.property(made, ({ routes: of, far, policies, wide, level, condition, gone, confirmAbove, sameTarget }) => {
      const objects = [
        service("front"),
        service("far", { namespace: "infra" }),
        ...of.map(({ parents: to, backend }, i) => route(`r${i}`, to, { rules: [{ backends: [backend] }] })),
        ...(far === undefined ? [] : [inInfra(retry("own", "Service/far", far))]),
        ...policies.map((one, i) => retry(`p${i}`, one.targets, one.spec)),
        ...(wide === undefined ? [] : [clusterRetry(wide.target, wide.spec)]),
        rule("Deny", { targets: { levels: [level] }, condition }),
      ];
      const named = [...base, ...objects].find(({ metadata }) => (metadata as JsonObject)["name"] === gone);
      if (named !== undefined)
        reason(objects, named, { refuseConflicts: true, confirmAbove }, withSameTarget(sameTarget));
    }),
    { numRuns: 300 },
  );
});
