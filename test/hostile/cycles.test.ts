import { afterAll, describe, expect, test, vi } from "vitest";
import type { KindFacts, LevelKind, LinkRow, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, findings } from "../../src/index.ts";
import { type Evaluation, evaluateDocuments, outputOf, resultsOf } from "../property/evaluate-cluster.ts";
import { foreignGroup } from "../property/random/define-kind.ts";
import { policyKinds } from "../property/random/policy-kinds.ts";
import { bakery, definitions, policy } from "./bakery-cluster.ts";

// Each test takes less than a second on an idle machine.
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

const folder: LevelKind = { group: foreignGroup, kind: "Folder" };
const drawer: LevelKind = { group: foreignGroup, kind: "Drawer" };
const cabinet: LevelKind = { group: foreignGroup, kind: "Cabinet" };
const facts = ({ group, kind }: LevelKind): KindFacts => ({ group, kind, scope: "Namespaced", sections: [] });

/** A policy kind whose hierarchy has these links. The cycles are in the objects. */
function kindWith(links: readonly LinkRow[]): PolicyDefinition {
  const foreign = policyKinds.find(({ definition }) => definition.hierarchy.links.length > 0)?.definition;
  if (foreign === undefined) throw new Error("no foreign kind to start from");
  return {
    ...foreign,
    name: "loops.example.com",
    policies: [{ group: "example.com", kind: "LoopPolicy", scope: "Namespaced" }],
    targeting: {
      ...foreign.targeting,
      kinds: [folder, drawer].map((kind) => ({ ...kind, sections: [], virtual: false, policies: [] })),
    },
    hierarchy: { ...foreign.hierarchy, effectiveTargets: [drawer], links, kinds: [cabinet, folder, drawer].map(facts) },
  };
}

const parents = (from: LevelKind, to: LevelKind): LinkRow => ({ from, to, via: "ParentRefs", path: "spec.parents" });
const children = (from: LevelKind, to: LevelKind): LinkRow => ({ from, to, via: "ChildRefs", path: "spec.children" });

/** A hierarchy in which folders contain folders. */
const nesting = kindWith([parents(cabinet, folder), parents(folder, folder), parents(folder, drawer)]);

const item = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${foreignGroup}/v1`,
  kind,
  metadata: { name, namespace: "bakery" },
  spec,
});
const refs = (kind: string, ...names: readonly string[]): readonly JsonObject[] =>
  names.map((name) => ({ group: foreignGroup, kind, name }));

const onFolder = policy("LoopPolicy", "p", {
  targetRef: { group: foreignGroup, kind: "Folder", name: "f1" },
  limits: { a: 1 },
});

const rows: readonly (readonly [string, PolicyDefinition, readonly JsonObject[], readonly string[]])[] = [
  [
    "A → B → A of one kind",
    kindWith([parents(folder, folder), parents(folder, drawer)]),
    [
      item("Folder", "f1", { parents: refs("Folder", "f2") }),
      item("Folder", "f2", { parents: refs("Folder", "f1") }),
      item("Drawer", "d1", { parents: refs("Folder", "f1") }),
    ],
    ["f1", "f2"],
  ],
  [
    "itself",
    kindWith([parents(folder, folder), parents(folder, drawer)]),
    [item("Folder", "f1", { parents: refs("Folder", "f1") }), item("Drawer", "d1", { parents: refs("Folder", "f1") })],
    ["f1"],
  ],
  [
    "A → B → C → A",
    kindWith([children(folder, folder), children(folder, drawer)]),
    [
      item("Folder", "f1", { children: refs("Folder", "f2") }),
      item("Folder", "f2", { children: refs("Folder", "f3") }),
      item("Folder", "f3", { children: [...refs("Folder", "f1"), ...refs("Drawer", "d1")] }),
      item("Drawer", "d1", {}),
    ],
    ["f1", "f2", "f3"],
  ],
  [
    "two kinds in a circle",
    kindWith([parents(folder, drawer), children(drawer, folder)]),
    [item("Folder", "f1", {}), item("Drawer", "d1", { parents: refs("Folder", "f1"), children: refs("Folder", "f1") })],
    ["f1", "d1"],
  ],
];

describe("a cycle is an error that names the objects in it", () => {
  test.each(rows)("%s", (_, definition, objects, inCycle) => {
    const all = [...definitions, definition];
    const evaluation = evaluateDocuments([...bakery, ...objects, onFolder], all);
    const errors = findings(evaluation).filter(({ severity }) => severity === "error");
    const naming = errors.filter(({ message }) => inCycle.every((name) => message.includes(name)));
    expect(naming.length, JSON.stringify(errors, undefined, 1)).toBeGreaterThan(0);
    // Other objects are unaffected.
    const without = resultsOf(evaluateDocuments(bakery, definitions));
    const other = resultsOf(evaluation);
    expect(other.effective.filter((line) => !line.includes("LoopPolicy"))).toStrictEqual(without.effective);
    expect(other.verdicts.filter((line) => !line.includes("LoopPolicy"))).toStrictEqual(without.verdicts);
    // The order of the objects does not matter.
    expect(resultsOf(evaluateDocuments([...bakery, onFolder, ...objects.toReversed()], all))).toStrictEqual(other);
  });

  test("ten thousand objects in one cycle", () => {
    const many = 10_000;
    const objects = Array.from({ length: many }, (_, at) =>
      item("Folder", `f${at}`, { parents: refs("Folder", `f${(at + 1) % many}`) }),
    );
    const evaluation = evaluateDocuments([...objects, onFolder], [nesting]);
    const [cycle, ...others] = findings(evaluation).filter(({ severity }) => severity === "error");
    expect(others).toEqual([]);
    expect(cycle?.message).toMatch(
      /^these objects are linked in a cycle, .*: Folder bakery\/f0 > .* > 9990 more > Folder bakery\/f0; remove one of the links$/,
    );
    expect(cycle?.object).toBe("Folder.fruit.example.com/bakery/f0");
  });
});

describe("objects that are nested too deep", () => {
  /** A chain of nested folders with a drawer in the last one. */
  const line = (length: number): readonly JsonObject[] => [
    item("Cabinet", "c", {}),
    ...Array.from({ length }, (_, at) =>
      item("Folder", `f${at}`, { parents: at === 0 ? refs("Cabinet", "c") : refs("Folder", `f${at - 1}`) }),
    ),
    item("Drawer", "d", { parents: refs("Folder", `f${length - 1}`) }),
  ];
  const atTop = policy("LoopPolicy", "p", {
    targetRef: { group: foreignGroup, kind: "Folder", name: "f0" },
    limits: { a: 1 },
  });
  const limits = (evaluation: Evaluation): readonly string[] =>
    findings(evaluation)
      .filter(({ code }) => code === "LinkLimit")
      .map(({ object, message }) => `${object}: ${message}`);

  test("sixty levels are accepted", () => {
    const evaluation = evaluateDocuments([...line(60), atTop], [nesting]);
    expect(limits(evaluation)).toEqual([]);
    expect(resultsOf(evaluation).effective).toHaveLength(1);
  });

  test.each([70, 10_000])("%i levels are an error that names the object at the limit", (length) => {
    const evaluation = evaluateDocuments([...line(length), atTop], [nesting]);
    expect(limits(evaluation)).toEqual([
      "Folder.fruit.example.com/bakery/f63: Folder bakery/f63 is below 64 or more levels of objects, so policies above it have no effect on it; reduce the number of levels",
    ]);
    expect(resultsOf(evaluation).effective).toEqual([]);
  });

  test("too many paths to one object are an error that names it", () => {
    const levels = 40;
    const objects = Array.from({ length: levels }, (_, at) =>
      ["a", "b"].map((side) =>
        item("Folder", `${side}${at}`, {
          parents: at === 0 ? refs("Cabinet", "c") : refs("Folder", `a${at - 1}`, `b${at - 1}`),
        }),
      ),
    ).flat();
    const drawer = item("Drawer", "d", { parents: refs("Folder", `a${levels - 1}`) });
    const atTop0 = policy("LoopPolicy", "p", {
      targetRef: { group: foreignGroup, kind: "Folder", name: "a0" },
      limits: { a: 1 },
    });
    const evaluation = evaluateDocuments([item("Cabinet", "c", {}), ...objects, drawer, atTop0], [nesting]);
    expect(limits(evaluation)).toEqual(
      ["a", "b"].map(
        (side) =>
          `Folder.fruit.example.com/bakery/${side}14: more than 10000 paths lead to Folder bakery/${side}14, so policies above it have no effect on it; remove links above it`,
      ),
    );
    expect(resultsOf(evaluation).effective).toEqual([]);
  });

  test("the rest of the cluster is unaffected", () => {
    const without = resultsOf(evaluateDocuments(bakery, definitions));
    const { effective, verdicts, affected } = resultsOf(
      evaluateDocuments([...bakery, ...line(200), atTop], [...definitions, nesting]),
    );
    expect({ effective, affected }).toStrictEqual({ effective: without.effective, affected: without.affected });
    expect(verdicts.filter((one) => !one.includes("LoopPolicy"))).toStrictEqual(without.verdicts);
  });

  test("a change that makes the chain too long gives the same result as a rebuild", () => {
    const start = evaluateDocuments([...line(60), atTop], [nesting]);
    const longer = line(100);
    const { evaluation } = apply(
      start,
      longer.map((value) => ({ upsert: value })),
    );
    expect(outputOf(evaluation)).toStrictEqual(outputOf(evaluateDocuments([...longer, atTop], [nesting])));
    const back = apply(evaluation, [{ upsert: item("Drawer", "d", { parents: refs("Folder", "f10") }) }]);
    expect(resultsOf(back.evaluation).effective).toHaveLength(1);
  });
});
