import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../json.ts";
import type { Block } from "../../policy.ts";
import { BlockCache } from "./block-cache.ts";

const ASIDE = ["targetRef"];

/** Few keys and values, so that equal specs are common. */
const { spec } = fc.letrec<{ spec: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json[]>(0, 1, "a", "b", "", null, true, false, [], {}),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("spec"),
  ),
  spec: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 2 }),
}));

/** What is compared: all keys but the targets, in their order. */
const textOf = (whole: JsonObject): string =>
  JSON.stringify(Object.entries(whole).filter(([key]) => !ASIDE.includes(key)));

test("finds the blocks of an equal spec, and no others", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(spec, fc.constantFrom("g1", "g2")), { maxLength: 30 }), (specs) => {
      const cache = new BlockCache();
      const model = new Map<string, readonly Block[]>();
      for (const [own, name] of specs) {
        const whole = { targetRef: { name }, ...own };
        expect(cache.read(whole, ASIDE)).toBe(true);
        expect(cache.find()).toBe(model.get(textOf(whole)));
        if (cache.find() !== undefined) continue;
        const blocks: readonly Block[] = [];
        cache.keep(blocks);
        // So few specs never reach the limit per hash.
        model.set(textOf(whole), blocks);
      }
    }),
    { numRuns: 300 },
  );
});

describe("a spec that is too long or too deep is not kept", () => {
  test.each<[string, JsonObject]>([
    ["many values", { list: Array.from({ length: 1000 }, (_, nth) => nth) }],
    ["many targets", { a: 1, targetRef: { names: Array.from({ length: 1000 }, String) } }],
    ["deep", { a: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as Json }],
  ])("%s", (_, own) => {
    expect(new BlockCache().read(own, ASIDE)).toBe(false);
  });

  test("a long spec does not affect the next one", () => {
    const cache = new BlockCache();
    cache.read({ a: 1 }, ASIDE);
    const blocks: readonly Block[] = [];
    cache.keep(blocks);
    cache.read({ a: Array.from({ length: 1000 }, (_, nth) => nth) }, ASIDE);
    expect(cache.read({ a: 1, targetRef: {} }, ASIDE)).toBe(true);
    expect(cache.find()).toBe(blocks);
  });
});
