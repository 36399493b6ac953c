/** GEP-713, "Spanning behavior across relationships of a target" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colorDefinition, topology } from "./color-policies.ts";

describe("Spanning behavior across relationships of a target", () => {
  test("Spanning behavior across relationships of a target: everything below, nothing beside", () => {
    const made = cluster(
      [
        ...topology([
          ["g1", "r1", "b1"],
          ["g1", "r2", "b2"],
          ["g2", "r3", "b3"],
        ]),
        color("p", ["Gateway/g1"], { color: "blue" }),
      ],
      { definitions: [colorDefinition] },
    );
    expect(["b1", "b2", "b3"].map((name) => made.spec(`Service/${name}`))).toEqual([
      { color: "blue" },
      { color: "blue" },
      {},
    ]);
  });
});
