import { describe, expect, test } from "vitest";
import { kindWith } from "../../../../test/support/cluster/ask-how.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import type { Json } from "../../model/json.ts";
import { type UnitRules, unitRulesOf } from "../../model/units.ts";
import { parsePath, settingsOf } from "./settings.ts";

describe("paths of settings", () => {
  for (const [text, keys] of [
    ["retry.attempts", ["retry", "attempts"]],
    ['limits["a.b"].requests', ["limits", "a.b", "requests"]],
    ['["a b"]', ["a b"]],
    ["/retry/attempts", ["retry", "attempts"]],
    ["/limits/a~1b", ["limits", "a/b"]],
    ["__proto__.x", ["__proto__", "x"]],
    ["", undefined],
    [".retry", undefined],
    ["retry.", undefined],
    ["retry..attempts", undefined],
    ["retry[0]", undefined],
    ["/retry//x", undefined],
    ['limits["a', undefined],
  ] as const)
    test(`'${text}'`, () => expect(parsePath(text)).toEqual(keys));

  test("a map stands for its keys, unless the kind takes it as one value; a part of such a value is a part of the unit", () => {
    const rules = (merge: PolicyDefinition["merge"]): UnitRules => unitRulesOf({ ...kindWith("Field"), merge });
    const units = (definition: PolicyDefinition, keys: readonly string[], value: Json | undefined): readonly string[] =>
      settingsOf([{ keys, value }], rules(definition.merge)).map(
        (wish) => `${wish.keys.join(".")} of ${wish.unit.join(".")}`,
      );
    const [field, merge] = [kindWith("Field"), kindWith("Merge")];
    expect(units(field, ["limits"], { a: 1, b: { c: 2 } })).toEqual([
      "limits.a of limits.a",
      "limits.b.c of limits.b.c",
    ]);
    expect(units(field, ["limits"], undefined)).toEqual(["limits of limits"]);
    expect(units(merge, ["limits", "a"], { requests: 1 })).toEqual(["limits.a of limits.a"]);
    expect(units(merge, ["limits", "a", "requests"], 1)).toEqual(["limits.a.requests of limits.a"]);
    expect(units(merge, ["limits", "a", "requests"], undefined)).toEqual(["limits.a.requests of limits.a"]);
  });
});
