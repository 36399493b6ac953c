import { describe, expect, test } from "vitest";
import { createCel } from "../../../model/cel/create-cel.ts";
import type { Json } from "../../../model/json.ts";
import { exceptWhere } from "./condition.ts";

describe("conditions", () => {
  const cel = createCel();
  const wish = (keys: readonly string[], value: Json): Parameters<typeof exceptWhere>[0] => [
    { keys, value, pointer: "", unit: keys },
  ];
  for (const [name, keys, value, spec, isTrue] of [
    ["where it is as wanted", ["retry", "attempts"], 0, { retry: { attempts: 0 } }, false],
    ["where it is not", ["retry", "attempts"], 0, { retry: { attempts: 1 } }, true],
    ["where it is not set", ["retry", "attempts"], 0, { retry: {} }, true],
    ["where nothing is set", ["retry", "attempts"], 0, {}, true],
    ["a list", ["codes"], [502, 503], { codes: [502, 503] }, false],
    ["another list", ["codes"], [502, 503], { codes: [502] }, true],
    ["a map", ["limits", "a"], { requests: 1, window: "1m" }, { limits: { a: { requests: 1, window: "1m" } } }, false],
    [
      "keys that are no names of CEL",
      ["limits", "per-client", "in"],
      'x"y',
      { limits: { "per-client": { in: 'x"y' } } },
      false,
    ],
    ["such a key that is missing", ["limits", "per-client"], true, { limits: {} }, true],
    ["a number with a fraction", ["ratio"], 0.5, { ratio: 0.5 }, false],
  ] as const) {
    test(`${name}: ${isTrue}`, () => {
      expect(cel(exceptWhere(wish(keys, value)), { spec, self: {} })).toEqual({ state: "value", value: isTrue });
    });
  }
});
