import { expect, test } from "vitest";
import { createGauge, label } from "./metric-families.ts";

test("a name cannot end its label, its line or begin another metric", () => {
  const name = 'rule"} 1\nforged{x="\\';
  const text = createGauge("prevail_rules", "Rules.", () => new Map([[`rule="${label(name)}"`, 2]])).render();
  expect(text.split("\n").slice(2)).toEqual(['prevail_rules{rule="rule\\"} 1\\nforged{x=\\"\\\\"} 2', ""]);
});
