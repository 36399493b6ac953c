/** Random objects of a hierarchy that only a definition describes: the engine has no code for it. */
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../../src/core/model/json.ts";
import { foreignGroup } from "./define-kind.ts";
import { kubeObject } from "./random-topology.ts";

const treeRef = fc.constantFrom<JsonObject>(
  { group: foreignGroup, kind: "Tree", name: "t1" },
  { group: foreignGroup, kind: "Tree", name: "t2" },
);
const appleRef = fc.constantFrom<JsonObject>(
  { group: foreignGroup, kind: "Apple", name: "apple1" },
  { group: foreignGroup, kind: "Apple", name: "apple2" },
  { group: foreignGroup, kind: "Apple", name: "apple9" },
);
const tree = fc
  .record({
    orchard: fc.constantFrom("north", "south"),
    branches: fc.array(fc.array(appleRef, { maxLength: 2 }), { maxLength: 2 }),
  })
  .map(({ orchard, branches }) => ({
    orchard,
    branches: branches.map((apples, index) => ({ name: `b${index + 1}`, apples })),
  }));

const foreign = (kind: string, name: string, spec: JsonObject, namespace?: string): JsonObject =>
  kubeObject(
    { apiVersion: `${foreignGroup}/v1`, kind, name, ...(namespace === undefined ? {} : { namespace }) },
    {},
    spec,
  );

/** Workloads in both namespaces. The labels of their Pods depend on a number. */
export const workloadObjects = (number: number): readonly JsonObject[] =>
  ["x", "y", number % 2 === 0 ? "x" : "z"].map((app, index) =>
    foreign(
      "Barrel",
      `barrel${index + 1}`,
      { template: { metadata: { labels: { app, ...(number % 3 === 0 ? { team: "red" } : {}) } } } },
      index < 2 ? "a" : "a-b",
    ),
  );

/** Objects that policies refer to: with and without the key, in both namespaces. */
export const referencedObjects = (number: number): readonly JsonObject[] => [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ca", namespace: "a" }, data: { "ca.crt": "x" } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "bare", namespace: "a" }, data: { other: "x" } },
  ...(number % 2 === 0
    ? [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ca", namespace: "a-b" }, data: { "ca.crt": "x" } }]
    : []),
];

const PICKS: readonly JsonObject[] = [
  { name: "*" },
  { name: "*", namespace: "a-b" },
  { group: "pick.example.com", kind: "Label", name: "red" },
  { group: "pick.example.com", kind: "Label", name: "red", namespace: "all" },
  { name: "berry1", namespace: "a-b" },
  { name: "berry9" },
];

/** Bushes whose branches pick berries in both namespaces. Their references and labels depend on a number. */
export function pickedObjects(number: number): readonly JsonObject[] {
  const pick = (at: number): JsonObject => PICKS[(number + at) % PICKS.length] ?? {};
  const branches = (first: number): JsonObject[] => [
    { name: "b1", picks: [pick(first), pick(first + 2)] },
    { name: "b2", picks: [pick(first + 1)] },
  ];
  const labelled = (object: JsonObject, isRed: boolean): JsonObject => {
    const metadata = object["metadata"];
    return isRed && isJsonObject(metadata) ? { ...object, metadata: { ...metadata, labels: { team: "red" } } } : object;
  };
  return [
    foreign("Bush", "bush1", { branches: branches(0) }, "a"),
    foreign("Bush", "bush2", { branches: branches(3) }, "a-b"),
    labelled(foreign("Berry", "berry1", {}, "a"), number % 2 === 0),
    foreign("Berry", "berry2", {}, "a"),
    labelled(foreign("Berry", "berry1", {}, "a-b"), number % 3 === 0),
    ...(number % 4 === 0 ? [foreign("Berry", "berry3", {}, "a-b")] : []),
  ];
}

/** Orchard > Tree (> Branch) > Apple, all in one namespace. */
export const foreignObjects: fc.Arbitrary<JsonObject[]> = fc
  .record({
    trees: fc.array(tree, { minLength: 1, maxLength: 2 }),
    apples: fc.array(fc.array(treeRef, { maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  })
  .map(({ trees, apples }) => [
    foreign("Orchard", "north", {}),
    foreign("Orchard", "south", {}),
    ...trees.map((spec, index) => foreign("Tree", `t${index + 1}`, spec, "a")),
    ...apples.map((treeRefs, index) => foreign("Apple", `apple${index + 1}`, { treeRefs }, "a")),
  ]);
