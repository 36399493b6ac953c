/** RFC 9, "Merging two policies together" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { authn, compared, merge, specOf } from "./compare-policies.ts";

describe("Merging two policies together", () => {
  /** p1 has another value for each rule in each block: the value in effect shows the order of the blocks. */
  const p1 = (defaults: JsonObject, bare: JsonObject, overrides: JsonObject): JsonObject => ({
    ...(Object.keys(defaults).length === 0 ? {} : { defaults: merge(authn(defaults)) }),
    ...(Object.keys(bare).length === 0 ? {} : authn(bare)),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides: merge(authn(overrides)) }),
  });

  for (const [name, higher, lower, expected] of [
    ["defaults, then bare, then overrides, into an empty p2", p1({ a: 1 }, { a: 2 }, { a: 3 }), {}, { a: 3 }],
    ["defaults come before bare", p1({ a: 1 }, { a: 2 }, {}), {}, { a: 1 }],
    ["bare rules come before overrides", p1({}, { a: 2, b: 2 }, { a: 3 }), {}, { a: 3, b: 2 }],
    ["bare rules are merged as defaults", p1({}, { a: 2 }, {}), authn({ a: "R" }), { a: "R" }],
    ["p2 keeps what no block touches", p1({ a: 1 }, {}, { b: 3 }), authn({ c: "R" }), { a: 1, b: 3, c: "R" }],
  ] as const) {
    test(name, () => {
      expect(specOf(compared(higher, lower))).toEqual(authn(expected));
    });
  }
});
