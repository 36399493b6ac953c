/** GEP-713 experimental, "Sample Policy API" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway } from "../../support/cluster/gateway-objects.ts";
import { timeout, timeoutPolicy } from "./inherited-policies.ts";

describe("Sample Policy API", () => {
  for (const [written, read] of [
    ["override", "overrides"],
    ["overrides", "overrides"],
    ["default", "defaults"],
    ["defaults", "defaults"],
  ] as const) {
    test(`the block \`${written}\` is read as ${read}`, () => {
      const made = cluster([gateway("g"), timeoutPolicy("p", "Gateway/g", { [written]: { x: 1 } })], {
        definitions: [timeout],
      });
      expect(made.spec("Gateway/g")).toEqual({ x: 1 });
      expect(made.source("Gateway/g", "/x").held).toBe(`p ${read}`);
    });
  }
});
