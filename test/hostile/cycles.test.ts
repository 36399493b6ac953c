import { describe, expect, test } from "vitest";
import type { KindFacts, LevelKind, LinkRow, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { findings } from "../../src/index.ts";
import { decided, evaluateDocuments } from "../property/evaluate-cluster.ts";
import { foreignGroup, policyKinds } from "../property/policy-kinds.ts";
import { bakery, definitions, policy } from "./bakery-cluster.ts";

const folder: LevelKind = { group: foreignGroup, kind: "Folder" };
const drawer: LevelKind = { group: foreignGroup, kind: "Drawer" };
const facts = ({ group, kind }: LevelKind): KindFacts => ({ group, kind, scope: "Namespaced", sections: [] });

/** A kind whose hierarchy has these links; whatever is in a circle is in a circle by data. */
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
    hierarchy: { ...foreign.hierarchy, effectiveTargets: [drawer], links, kinds: [folder, drawer].map(facts) },
  };
}

const parents = (from: LevelKind, to: LevelKind): LinkRow => ({ from, to, via: "ParentRefs", path: "spec.parents" });
const children = (from: LevelKind, to: LevelKind): LinkRow => ({ from, to, via: "ChildRefs", path: "spec.children" });

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
    // Nothing else is touched.
    const without = decided(evaluateDocuments(bakery, definitions));
    const other = decided(evaluation);
    expect(other.effective.filter((line) => !line.includes("LoopPolicy"))).toStrictEqual(without.effective);
    expect(other.verdicts.filter((line) => !line.includes("LoopPolicy"))).toStrictEqual(without.verdicts);
    // And the order in which the objects came does not matter.
    expect(decided(evaluateDocuments([...bakery, onFolder, ...objects.toReversed()], all))).toStrictEqual(other);
  });

  test("ten thousand objects in one circle", () => {
    const many = 10_000;
    const objects = Array.from({ length: many }, (_, at) =>
      item("Folder", `f${at}`, { parents: refs("Folder", `f${(at + 1) % many}`) }),
    );
    const evaluation = evaluateDocuments(
      [...objects, onFolder],
      [kindWith([parents(folder, folder), parents(folder, drawer)])],
    );
    const errors = findings(evaluation).filter(
      ({ severity, message }) => severity === "error" && /cycl|circle/i.test(message),
    );
    expect(errors.length).toBeGreaterThan(0);
    for (const { message } of errors) expect(message.length).toBeLessThan(10_000);
  });

  test("ten thousand objects in one line", () => {
    const many = 10_000;
    const line = Array.from({ length: many }, (_, at) =>
      item("Folder", `f${at}`, { parents: at === 0 ? [] : refs("Folder", `f${at - 1}`) }),
    );
    const objects = [...line, item("Drawer", "d1", { parents: refs("Folder", "f1") })];
    const evaluation = evaluateDocuments(
      [...objects, onFolder],
      [kindWith([parents(folder, folder), parents(folder, drawer)])],
    );
    expect(decided(evaluation).effective).toHaveLength(1);
  });
});
