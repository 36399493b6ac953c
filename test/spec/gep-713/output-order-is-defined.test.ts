/** Equal input gives equal output, in a defined order. */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { color, colorPolicy, paths, topology } from "./color-policies.ts";

describe("Output order is defined", () => {
  test("the order of documents does not matter", () => {
    const documents = [
      ...topology(paths),
      ...["z", "a", "m"].map((name) => color(name, "Gateway/g1", { overrides: { color: name } }, { created: 1 })),
      color("p4", ["HTTPRoute/r4", "HTTPRoute/r1"], { color: "green" }),
    ];
    const forwards = cluster(documents, { definitions: [colorPolicy()] });
    const backwards = cluster(documents.toReversed(), { definitions: [colorPolicy()] });
    expect(backwards.effective()).toEqual(forwards.effective());
    expect(["z", "a", "m", "p4"].map((name) => backwards.verdictOf(name))).toEqual(
      ["z", "a", "m", "p4"].map((name) => forwards.verdictOf(name)),
    );
  });
});
