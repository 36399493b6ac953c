/** Cases in which engine and oracle once differed. Both must give the result that the specifications require. */
import { describe, expect, test } from "vitest";
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { oracle } from "../oracle/oracle.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { gatewayGroup, policyGroup } from "./random/define-kind.ts";
import { customStrategies, policyKinds } from "./random/policy-kinds.ts";

interface Result {
  readonly effective: readonly EffectivePolicy[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

interface Kind {
  readonly kind: string;
  readonly merge?: Partial<PolicyDefinition["merge"]>;
  readonly targeting?: Partial<PolicyDefinition["targeting"]>;
}

const cel = createCel();

/** The results of engine and oracle. */
function evaluateBoth({ kind, merge, targeting }: Kind, objects: readonly JsonObject[]): readonly [Result, Result] {
  const found = policyKinds.find(({ definition }) => definition.policies[0].kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  const { definition } = found;
  const definitions = [
    { ...definition, merge: { ...definition.merge, ...merge }, targeting: { ...definition.targeting, ...targeting } },
  ];
  const evaluation = evaluateDocuments(objects, definitions);
  const expected = oracle(objects, { definitions, cel, strategies: customStrategies });
  return [
    {
      effective: [...effectivePolicies(evaluation)],
      verdicts: new Map([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, verdict])),
    },
    expected,
  ];
}

const api = `${gatewayGroup}/v1`;
const object = (kind: string, name: string, spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: kind === "Service" ? "v1" : api,
  kind,
  metadata: { namespace: "a", name, ...more },
  spec,
});
const gateway = (more: JsonObject = {}): JsonObject =>
  object("Gateway", "g", { gatewayClassName: "x", listeners: [{ name: "l", protocol: "HTTP", port: 80 }] }, more);
const route = (spec: JsonObject = {}): JsonObject =>
  object("HTTPRoute", "r", { parentRefs: [{ name: "g" }], rules: [{ name: "one" }], ...spec });
const service = object("Service", "s", { ports: [{ name: "http", port: 80 }] });

const onGateway: JsonObject = { group: gatewayGroup, kind: "Gateway", name: "g" };
const onListener: JsonObject = { ...onGateway, sectionName: "l" };
const onRoute: JsonObject = { group: gatewayGroup, kind: "HTTPRoute", name: "r" };
const onRule: JsonObject = { ...onRoute, sectionName: "one" };
const onService: JsonObject = { group: "", kind: "Service", name: "s" };

/** Policy `p1` is older than `p2`, and so on. */
const policy = (kind: string, name: string, targetRef: JsonObject, spec: JsonObject, namespace = "a"): JsonObject => ({
  apiVersion: `${policyGroup}/v1`,
  kind,
  metadata: { namespace, name, creationTimestamp: `2026-01-0${name.slice(1)}T00:00:00Z` },
  spec: { targetRef, ...spec },
});

/** The source of a pointer on the only path: `p1 decided by p1 AtomicDefaults: p2 bare equal`. */
function sourceAt({ effective }: Result, pointer: string): string {
  const source = effective.flatMap(({ sources }) => sources).find((one) => one.pointer === pointer);
  const name = (id: string | null | undefined): string => id?.split("/").at(-1) ?? "none";
  const lost = (source?.lost ?? []).map(
    (one) =>
      `${name(one.policy)} ${one.block} ${one.reason}${one.reason === "equal" ? "" : ` by ${one.by.map(name).join(" ")}`}`,
  );
  return `${name(source?.policy)} decided by ${name(source?.decidedBy.policy)} ${source?.decidedBy.strategy}: ${lost.sort().join(", ")}`;
}

const enforcementOf = ({ verdicts: all }: Result, name: string): string => {
  const verdict = [...all].find(([id]) => id.endsWith(`/${name}`))?.[1];
  return verdict?.state === "Accepted" ? verdict.enforcement : (verdict?.reason ?? "nothing");
};

describe("a setting is equal if its value equals the final one", () => {
  test("a setting equal to a value that is overridden later is overridden, too", () => {
    const objects = [
      gateway(),
      route(),
      policy("PatchPolicy", "p3", onRule, { color: 1 }),
      policy("PatchPolicy", "p2", onRoute, { color: 1 }),
      policy("PatchPolicy", "p1", onGateway, { overrides: { strategy: "patch", color: 2 } }),
    ];
    for (const result of evaluateBoth({ kind: "PatchPolicy" }, objects)) {
      expect(sourceAt(result, "/color")).toBe(
        "p1 decided by p1 PatchOverrides: p2 bare overridden by p1, p3 bare overridden by p1",
      );
      expect(enforcementOf(result, "p2")).toBe("Overridden");
    }
  });

  test("a setting that was overridden is equal if its value takes effect in the end", () => {
    const objects = [
      gateway(),
      route(),
      policy("PatchPolicy", "p3", onRule, { colors: { dark: 1 } }),
      policy("PatchPolicy", "p2", onRoute, { color: 2 }),
      policy("PatchPolicy", "p1", onGateway, { strategy: "patch", color: 2 }),
    ];
    for (const result of evaluateBoth({ kind: "PatchPolicy" }, objects)) {
      expect(sourceAt(result, "/color")).toBe("p1 decided by p1 PatchDefaults: p2 bare equal");
      expect(enforcementOf(result, "p2")).toBe("Enforced");
    }
  });

  test("a setting equal to a computed value that is overridden later is overridden, too", () => {
    const objects = [
      gateway(),
      route(),
      policy("CustomPolicy", "p4", onRule, { colors: { light: { shade: 1 } } }),
      policy("CustomPolicy", "p3", onRoute, { colors: { light: { shade: 2 } } }),
      policy("CustomPolicy", "p2", onListener, { strategy: "atomic", colors: { light: {} } }),
      policy("CustomPolicy", "p1", onGateway, { overrides: { strategy: "atomic", color: 1 } }),
    ];
    for (const result of evaluateBoth({ kind: "CustomPolicy" }, objects)) {
      expect(sourceAt(result, "/colors/light")).toBe("none decided by p2 AtomicDefaults: p2 bare overridden by p1");
    }
  });
});

test.each([
  ["the tombstone first", { shade: null, k: 2 }],
  ["the tombstone last", { k: 2, shade: null }],
])("several leaves of one override replace the same values in any order: %s", (_, color) => {
  const overrides = { strategy: "patch", color };
  const objects = [gateway(), route(), policy("PatchPolicy", "p1", onRoute, { defaults: { color: [500] }, overrides })];
  for (const result of evaluateBoth({ kind: "PatchPolicy" }, objects)) {
    expect(sourceAt(result, "/color")).toBe("none decided by p1 PatchOverrides: p1 defaults overridden by p1");
  }
});

test("OldestWins: the oldest policy takes effect also where an annotation turns all blocks into overrides", () => {
  const annotations = { "example.com/strategy": "override" };
  const objects = [
    gateway({ annotations }),
    route(),
    policy("AnnotationPolicy", "p1", onGateway, { limits: { a: 1 } }),
    policy("AnnotationPolicy", "p2", onGateway, { limits: { a: 2 } }),
  ];
  for (const result of evaluateBoth({ kind: "AnnotationPolicy", merge: { sameTarget: "OldestWins" } }, objects)) {
    expect(sourceAt(result, "/limits/a")).toBe("p1 decided by p1 MergeOverrides: p2 bare overridden by p1");
  }
});

test("decidedBy Lower: the policy folded last dictates the granularity on one target, too", () => {
  const objects = [
    gateway(),
    route(),
    policy("LowerPolicy", "p1", onRoute, { overrides: { strategy: "atomic", color: 1 } }),
    policy("LowerPolicy", "p2", onRoute, { strategy: "field", color: 2, empty: 1 }),
  ];
  for (const result of evaluateBoth({ kind: "LowerPolicy", merge: { sameTarget: "OldestWins" } }, objects)) {
    expect(sourceAt(result, "/color")).toBe("p1 decided by p1 FieldOverrides: p2 bare overridden by p1");
    expect(sourceAt(result, "/empty")).toBe("p2 decided by p2 FieldDefaults: ");
  }
});

test("decidedBy Lower: a policy on two levels of a path is its own lower policy", () => {
  const blocks = { defaults: { strategy: "field", empty: 1 }, overrides: { strategy: "atomic", color: 1 } };
  const objects = [gateway(), route(), policy("LowerPolicy", "p1", onRoute, { targetRefs: [onGateway], ...blocks })];
  for (const result of evaluateBoth({ kind: "LowerPolicy" }, objects)) {
    expect(sourceAt(result, "/color")).toBe("p1 decided by p1 FieldOverrides: p1 overrides equal");
  }
});

test("a computed value of a custom strategy overrides the values it was computed from", () => {
  const objects = [
    gateway(),
    route(),
    policy("CustomPolicy", "p2", onRoute, { color: 2, colors: { dark: 1 } }),
    policy("CustomPolicy", "p1", onGateway, { overrides: { color: 3 } }),
  ];
  for (const result of evaluateBoth({ kind: "CustomPolicy" }, objects)) {
    expect(result.effective[0]?.spec).toEqual({ color: 5, colors: { dark: 1 } });
    expect(sourceAt(result, "/color")).toBe(
      "p1 decided by p1 Custom/sumOverrides: p1 overrides replaced by p1, p2 bare overridden by p1",
    );
    expect(sourceAt(result, "/colors/dark")).toBe("p2 decided by p2 Custom/sumDefaults: ");
  }
});

describe("consumers", () => {
  const meshRoute = route({ parentRefs: [{ group: "", kind: "Service", name: "s" }] });
  const away = (target: JsonObject): JsonObject => ({ ...target, namespace: "a" });

  test("several policies of one consumer on a path split off its traffic once", () => {
    const objects = [
      service,
      meshRoute,
      policy("MeshPolicy", "p1", away(onService), { color: 1 }, "b"),
      policy("MeshPolicy", "p2", away(onRoute), { empty: 1 }, "b"),
      policy("MeshPolicy", "p3", onService, { color: 3 }),
    ];
    for (const { effective } of evaluateBoth({ kind: "MeshPolicy" }, objects)) {
      expect(
        effective.map(({ from, spec }) => ({ from, spec })).sort((x, y) => (String(x.from) < String(y.from) ? -1 : 1)),
      ).toEqual([
        { from: "b", spec: { color: 1, empty: 1 } },
        { from: "others", spec: { color: 3 } },
      ]);
    }
  });

  test("a namespace named `others` is an ordinary consumer, by its policies and by its routes", () => {
    const named = policy("MeshPolicy", "p1", away(onService), { color: 1 }, "others");
    const own = policy("MeshPolicy", "p3", onService, { color: 3 });
    const theirs = object(
      "HTTPRoute",
      "theirs",
      { parentRefs: [{ group: "", kind: "Service", name: "s", namespace: "a" }], rules: [{ name: "one" }] },
      { namespace: "others" },
    );
    const byTraffic = ({ effective }: Result) =>
      effective.map(({ from, spec }) => `${from} ${JSON.stringify(spec)}`).sort();
    for (const result of evaluateBoth({ kind: "MeshPolicy" }, [service, meshRoute, named, own]))
      expect(byTraffic(result)).toEqual(['namespace/others {"color":1}', 'others {"color":3}']);
    for (const result of evaluateBoth({ kind: "MeshPolicy" }, [service, meshRoute, theirs, named, own]))
      expect(byTraffic(result)).toEqual(['namespace/others {"color":1}', 'others {"color":3}']);
  });

  test("None: a consumer's policy is Conflicted with an older policy for all traffic, not the other way round", () => {
    const kind: Kind = { kind: "NonePolicy", targeting: { crossNamespace: "Consumer" } };
    const younger = [
      policy("NonePolicy", "p1", onRoute, { color: 1 }),
      policy("NonePolicy", "p2", away(onRoute), { color: 2 }, "b"),
    ];
    for (const result of evaluateBoth(kind, [service, meshRoute, ...younger])) {
      expect(enforcementOf(result, "p2")).toBe("Conflicted");
    }
    const older = [
      policy("NonePolicy", "p2", onRoute, { color: 1 }),
      policy("NonePolicy", "p1", away(onRoute), { color: 2 }, "b"),
    ];
    for (const result of evaluateBoth(kind, [service, meshRoute, ...older])) {
      expect(enforcementOf(result, "p1")).toBe("Enforced");
      expect(enforcementOf(result, "p2")).toBe("PartiallyEnforced");
    }
  });
});

test("a path through a missing port ends at the Service, also if another path ends at a port", () => {
  const rules = [80, 81].map((port) => ({ backendRefs: [{ name: "s", port }] }));
  const objects = [
    gateway(),
    route({ rules }),
    service,
    policy("PortPolicy", "p1", onService, { retry: { attempts: 1 } }),
  ];
  for (const { effective } of evaluateBoth({ kind: "PortPolicy" }, objects)) {
    expect(effective.map(({ target }) => target).sort()).toEqual(["Service./a/s", "Service./a/s#http"]);
  }
});

test("an HTTPRoute without rules has the default rule of its CRD", () => {
  const objects = [
    gateway(),
    object("HTTPRoute", "r", { parentRefs: [{ name: "g" }] }),
    policy("LowerPolicy", "p1", onGateway, { color: 1 }),
  ];
  for (const result of evaluateBoth({ kind: "LowerPolicy" }, objects)) {
    expect(result.effective.map(({ target }) => target)).toEqual([`HTTPRoute.${gatewayGroup}/a/r#rule-1`]);
    expect(enforcementOf(result, "p1")).toBe("Enforced");
  }
});

test("positionalRules: a position names a rule without a name, not one of two rules with the same name", () => {
  const objects = [
    gateway(),
    route({ rules: [{ name: "one" }, { name: "one" }, {}] }),
    policy("LowerPolicy", "p1", onRule, { color: 1 }),
    policy("LowerPolicy", "p2", { ...onRoute, sectionName: "rule-3" }, { color: 2 }),
  ];
  for (const result of evaluateBoth({ kind: "LowerPolicy" }, objects)) {
    expect(enforcementOf(result, "p1")).toBe("TargetNotFound");
    expect(enforcementOf(result, "p2")).toBe("Enforced");
  }
});
