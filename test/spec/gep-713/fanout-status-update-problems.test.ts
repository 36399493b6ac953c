/** GEP-713, "Fanout status update problems" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway } from "../../support/cluster/gateway-objects.ts";
import { color, colorPolicy } from "./color-policies.ts";

describe("Fanout status update problems", () => {
  test("at most sixteen ancestors are reported, and a finding names the others", () => {
    const names = Array.from({ length: 17 }, (_, i) => `g${String(i).padStart(2, "0")}`);
    const made = cluster(
      [
        ...names.map((name) => gateway(name)),
        color(
          "p",
          names.map((name) => `Gateway/${name}`),
          { color: "red" },
        ),
      ],
      { definitions: [colorPolicy()] },
    );
    expect(made.conditions("p")).toHaveLength(16);
    expect(made.status().findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("Gateway default/g16"),
    ]);
  });
});
