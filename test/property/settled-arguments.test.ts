/** What once divided engine and oracle, each with the answer that the specifications give: both must give it. */
import { describe, expect, test } from "vitest";
import { createCel } from "../../src/adapters/cel/create-cel.ts";
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { oracle } from "../oracle/oracle.ts";
import { gatewayGroup, policyGroup } from "./define-kind.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { customStrategies, policyKinds } from "./policy-kinds.ts";

interface Settled {
  readonly effective: readonly EffectivePolicy[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

interface Kind {
  readonly kind: string;
  readonly merge?: Partial<PolicyDefinition["merge"]>;
  readonly targeting?: Partial<PolicyDefinition["targeting"]>;
}

const cel = createCel();

/** Both answers. */
function settle({ kind, merge, targeting }: Kind, objects: readonly JsonObject[]): readonly [Settled, Settled] {
  const found = policyKinds.find(({ definition }) => definition.policies[0].kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  const { definition } = found;
  const definitions = [
    { ...definition, merge: { ...definition.merge, ...merge }, targeting: { ...definition.targeting, ...targeting } },
  ];
  const evaluation = evaluateDocuments(objects, definitions);
  const truth = oracle(objects, { definitions, cel, strategies: customStrategies });
  return [
    {
      effective: [...effectivePolicies(evaluation)],
      verdicts: new Map([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, verdict])),
    },
    truth,
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

/** `p1` is older than `p2`, and so on. */
const policy = (kind: string, name: string, targetRef: JsonObject, spec: JsonObject, namespace = "a"): JsonObject => ({
  apiVersion: `${policyGroup}/v1`,
  kind,
  metadata: { namespace, name, creationTimestamp: `2026-01-0${name.slice(1)}T00:00:00Z` },
  spec: { targetRef, ...spec },
});

/** `p1 bare AtomicDefaults: p2 bare equal` of the only path. */
function sourceAt({ effective }: Settled, pointer: string): string {
  const source = effective.flatMap(({ sources }) => sources).find((one) => one.pointer === pointer);
  const name = (id: string | null | undefined): string => id?.split("/").at(-1) ?? "nobody";
  const lost = (source?.lost ?? []).map(
    (one) =>
      `${name(one.policy)} ${one.block} ${one.reason}${one.reason === "equal" ? "" : ` by ${one.by.map(name).join(" ")}`}`,
  );
  return `${name(source?.policy)} decided by ${name(source?.decidedBy.policy)} ${source?.decidedBy.strategy}: ${lost.sort().join(", ")}`;
}

const enforcementOf = ({ verdicts: all }: Settled, name: string): string => {
  const verdict = [...all].find(([id]) => id.endsWith(`/${name}`))?.[1];
  return verdict?.state === "Accepted" ? verdict.enforcement : (verdict?.reason ?? "nothing");
};

describe("equal is meant of the winner, at the end", () => {
  test("what was equal to a value that lost in its turn shares its fate", () => {
    const objects = [
      gateway(),
      route(),
      policy("PatchPolicy", "p3", onRule, { color: 1 }),
      policy("PatchPolicy", "p2", onRoute, { color: 1 }),
      policy("PatchPolicy", "p1", onGateway, { overrides: { strategy: "patch", color: 2 } }),
    ];
    for (const settled of settle({ kind: "PatchPolicy" }, objects)) {
      expect(sourceAt(settled, "/color")).toBe(
        "p1 decided by p1 PatchOverrides: p2 bare replaced by p1, p3 bare replaced by p1",
      );
      expect(enforcementOf(settled, "p2")).toBe("Overridden");
    }
  });

  test("what was overridden, but whose value prevails after all, is not overridden", () => {
    const objects = [
      gateway(),
      route(),
      policy("PatchPolicy", "p3", onRule, { colors: { dark: 1 } }),
      policy("PatchPolicy", "p2", onRoute, { color: 2 }),
      policy("PatchPolicy", "p1", onGateway, { strategy: "patch", color: 2 }),
    ];
    for (const settled of settle({ kind: "PatchPolicy" }, objects)) {
      expect(sourceAt(settled, "/color")).toBe("p1 decided by p1 PatchDefaults: p2 bare equal");
      expect(enforcementOf(settled, "p2")).toBe("Enforced");
    }
  });

  test("also what was equal to a computed value", () => {
    const objects = [
      gateway(),
      route(),
      policy("CustomPolicy", "p4", onRule, { colors: { light: { shade: 1 } } }),
      policy("CustomPolicy", "p3", onRoute, { colors: { light: { shade: 2 } } }),
      policy("CustomPolicy", "p2", onListener, { strategy: "atomic", colors: { light: {} } }),
      policy("CustomPolicy", "p1", onGateway, { overrides: { strategy: "atomic", color: 1 } }),
    ];
    for (const settled of settle({ kind: "CustomPolicy" }, objects)) {
      expect(sourceAt(settled, "/colors/light")).toBe("nobody decided by p2 AtomicDefaults: p2 bare replaced by p1");
    }
  });
});

test.each([
  ["the tombstone first", { shade: null, k: 2 }],
  ["the tombstone last", { k: 2, shade: null }],
])("what several leaves of one override replace does not depend on their order: %s", (_, color) => {
  const overrides = { strategy: "patch", color };
  const objects = [gateway(), route(), policy("PatchPolicy", "p1", onRoute, { defaults: { color: [500] }, overrides })];
  for (const settled of settle({ kind: "PatchPolicy" }, objects)) {
    expect(sourceAt(settled, "/color")).toBe("nobody decided by p1 PatchOverrides: p1 defaults replaced by p1");
  }
});

test("OldestWins: where an annotation makes overrides of all blocks, the oldest still wins", () => {
  const annotations = { "example.com/strategy": "override" };
  const objects = [
    gateway({ annotations }),
    route(),
    policy("AnnotationPolicy", "p1", onGateway, { limits: { a: 1 } }),
    policy("AnnotationPolicy", "p2", onGateway, { limits: { a: 2 } }),
  ];
  for (const settled of settle({ kind: "AnnotationPolicy", merge: { sameTarget: "OldestWins" } }, objects)) {
    expect(sourceAt(settled, "/limits/a")).toBe("p1 decided by p1 MergeOverrides: p2 bare replaced by p1");
  }
});

test("decidedBy Lower: on one target too, the policy last folded in decides", () => {
  const objects = [
    gateway(),
    route(),
    policy("LowerPolicy", "p1", onRoute, { overrides: { strategy: "atomic", color: 1 } }),
    policy("LowerPolicy", "p2", onRoute, { strategy: "field", color: 2, empty: 1 }),
  ];
  for (const settled of settle({ kind: "LowerPolicy", merge: { sameTarget: "OldestWins" } }, objects)) {
    expect(sourceAt(settled, "/color")).toBe("p1 decided by p1 FieldOverrides: p2 bare replaced by p1");
    expect(sourceAt(settled, "/empty")).toBe("p2 decided by p2 FieldDefaults: ");
  }
});

test("decidedBy Lower: a policy met again higher up has itself below it", () => {
  const blocks = { defaults: { strategy: "field", empty: 1 }, overrides: { strategy: "atomic", color: 1 } };
  const objects = [gateway(), route(), policy("LowerPolicy", "p1", onRoute, { targetRefs: [onGateway], ...blocks })];
  for (const settled of settle({ kind: "LowerPolicy" }, objects)) {
    expect(sourceAt(settled, "/color")).toBe("p1 decided by p1 FieldOverrides: p1 overrides equal");
  }
});

test("a custom strategy decides about what it changes, and what it computes beats what it was computed from", () => {
  const objects = [
    gateway(),
    route(),
    policy("CustomPolicy", "p2", onRoute, { color: 2, colors: { dark: 1 } }),
    policy("CustomPolicy", "p1", onGateway, { overrides: { color: 3 } }),
  ];
  for (const settled of settle({ kind: "CustomPolicy" }, objects)) {
    expect(settled.effective[0]?.spec).toEqual({ color: 5, colors: { dark: 1 } });
    expect(sourceAt(settled, "/color")).toBe(
      "p1 decided by p1 Custom/sumOverrides: p1 overrides overridden by p1, p2 bare replaced by p1",
    );
    expect(sourceAt(settled, "/colors/dark")).toBe("p2 decided by p2 Custom/sumDefaults: ");
  }
});

describe("consumers", () => {
  const meshRoute = route({ parentRefs: [{ group: "", kind: "Service", name: "s" }] });
  const away = (target: JsonObject): JsonObject => ({ ...target, namespace: "a" });

  test("traffic is split off once, however many of the consumer's policies are on the way", () => {
    const objects = [
      service,
      meshRoute,
      policy("MeshPolicy", "p1", away(onService), { color: 1 }, "b"),
      policy("MeshPolicy", "p2", away(onRoute), { empty: 1 }, "b"),
      policy("MeshPolicy", "p3", onService, { color: 3 }),
    ];
    for (const { effective } of settle({ kind: "MeshPolicy" }, objects)) {
      expect(
        effective.map(({ from, spec }) => ({ from, spec })).sort((x, y) => (String(x.from) < String(y.from) ? -1 : 1)),
      ).toEqual([
        { from: "b", spec: { color: 1, empty: 1 } },
        { from: "others", spec: { color: 3 } },
      ]);
    }
  });

  test("a namespace named `others` is a consumer like any other, by its policies and by its routes", () => {
    const named = policy("MeshPolicy", "p1", away(onService), { color: 1 }, "others");
    const own = policy("MeshPolicy", "p3", onService, { color: 3 });
    const theirs = object(
      "HTTPRoute",
      "theirs",
      { parentRefs: [{ group: "", kind: "Service", name: "s", namespace: "a" }], rules: [{ name: "one" }] },
      { namespace: "others" },
    );
    const whose = ({ effective }: Settled) =>
      effective.map(({ from, spec }) => `${from} ${JSON.stringify(spec)}`).sort();
    for (const settled of settle({ kind: "MeshPolicy" }, [service, meshRoute, named, own]))
      expect(whose(settled)).toEqual(['namespace/others {"color":1}', 'others {"color":3}']);
    for (const settled of settle({ kind: "MeshPolicy" }, [service, meshRoute, theirs, named, own]))
      expect(whose(settled)).toEqual(['namespace/others {"color":1}', 'others {"color":3}']);
  });

  test("None: a consumer's policy is in conflict with an older one that acts on everybody's traffic, not the other way round", () => {
    const kind: Kind = { kind: "NonePolicy", targeting: { crossNamespace: "Consumer" } };
    const younger = [
      policy("NonePolicy", "p1", onRoute, { color: 1 }),
      policy("NonePolicy", "p2", away(onRoute), { color: 2 }, "b"),
    ];
    for (const settled of settle(kind, [service, meshRoute, ...younger])) {
      expect(enforcementOf(settled, "p2")).toBe("Conflicted");
    }
    const older = [
      policy("NonePolicy", "p2", onRoute, { color: 1 }),
      policy("NonePolicy", "p1", away(onRoute), { color: 2 }, "b"),
    ];
    for (const settled of settle(kind, [service, meshRoute, ...older])) {
      expect(enforcementOf(settled, "p1")).toBe("Enforced");
      expect(enforcementOf(settled, "p2")).toBe("Enforced");
    }
  });
});

test("a path by a port that is not there ends at the Service, also where another ends at a port", () => {
  const rules = [80, 81].map((port) => ({ backendRefs: [{ name: "s", port }] }));
  const objects = [
    gateway(),
    route({ rules }),
    service,
    policy("PortPolicy", "p1", onService, { retry: { attempts: 1 } }),
  ];
  for (const { effective } of settle({ kind: "PortPolicy" }, objects)) {
    expect(effective.map(({ target }) => target).sort()).toEqual(["Service./a/s", "Service./a/s#http"]);
  }
});

test("an HTTPRoute without rules has the one that its CRD gives it", () => {
  const objects = [
    gateway(),
    object("HTTPRoute", "r", { parentRefs: [{ name: "g" }] }),
    policy("LowerPolicy", "p1", onGateway, { color: 1 }),
  ];
  for (const settled of settle({ kind: "LowerPolicy" }, objects)) {
    expect(settled.effective.map(({ target }) => target)).toEqual([`HTTPRoute.${gatewayGroup}/a/r#rule-1`]);
    expect(enforcementOf(settled, "p1")).toBe("Enforced");
  }
});

test("positionalRules: only rules without a name, by their place; not one of two with the same name", () => {
  const objects = [
    gateway(),
    route({ rules: [{ name: "one" }, { name: "one" }, {}] }),
    policy("LowerPolicy", "p1", onRule, { color: 1 }),
    policy("LowerPolicy", "p2", { ...onRoute, sectionName: "rule-3" }, { color: 2 }),
  ];
  for (const settled of settle({ kind: "LowerPolicy" }, objects)) {
    expect(enforcementOf(settled, "p1")).toBe("TargetNotFound");
    expect(enforcementOf(settled, "p2")).toBe("Enforced");
  }
});
