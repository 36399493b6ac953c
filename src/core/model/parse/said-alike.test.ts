import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import type { Block } from "../policy.ts";
import { SaidAlike } from "./said-alike.ts";

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

/** What decides: everything but the targets, in its order. */
const textOf = (said: JsonObject): string =>
  JSON.stringify(Object.entries(said).filter(([key]) => !ASIDE.includes(key)));

test("what was said before is found, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(spec, fc.constantFrom("g1", "g2")), { maxLength: 30 }), (specs) => {
      const said = new SaidAlike();
      const model = new Map<string, readonly Block[]>();
      for (const [own, name] of specs) {
        const whole = { targetRef: { name }, ...own };
        expect(said.read(whole, ASIDE)).toBe(true);
        expect(said.find()).toBe(model.get(textOf(whole)));
        if (said.find() !== undefined) continue;
        const blocks: readonly Block[] = [];
        said.keep(blocks);
        // More of one hash than are kept are found anew each time; so few cannot be that many.
        model.set(textOf(whole), blocks);
      }
    }),
    { numRuns: 300 },
  );
});

describe("what is too long or too deep is not looked for", () => {
  test.each<[string, JsonObject]>([
    ["many values", { list: Array.from({ length: 1000 }, (_, nth) => nth) }],
    ["many targets", { a: 1, targetRef: { names: Array.from({ length: 1000 }, String) } }],
    ["deep", { a: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as Json }],
  ])("%s", (_, own) => {
    expect(new SaidAlike().read(own, ASIDE)).toBe(false);
  });

  test("and it leaves no trace for the next", () => {
    const said = new SaidAlike();
    said.read({ a: 1 }, ASIDE);
    const blocks: readonly Block[] = [];
    said.keep(blocks);
    said.read({ a: Array.from({ length: 1000 }, (_, nth) => nth) }, ASIDE);
    expect(said.read({ a: 1, targetRef: {} }, ASIDE)).toBe(true);
    expect(said.find()).toBe(blocks);
  });
});
