/** Random objects of a hierarchy that only a definition describes: the engine has no code for it. */
import fc from "fast-check";
import type { JsonObject } from "../../../src/core/model/json.ts";
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
