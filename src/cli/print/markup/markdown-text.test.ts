import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outsideCode } from "../../../../test/support/cli/outside-code.ts";
import { codeBlock, codeCell, codeSpan, htmlOrCode, textOrCode } from "./markdown-text.ts";

const hostile = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom("`", "|", "\\", "<", "@", "#", "1", " ", "\n", "~", "*", "[", "]", "(", "a") }),
);

describe("text from the input has no meaning in Markdown", () => {
  test("in a code span", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(outsideCode(`x ${codeSpan(text)} y`)).toMatch(/^x {1,2}y$|^x {2}y$/);
      }),
    );
  });

  test("in the cell of a table, which it does not end", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const cell = codeCell(text);
        expect(cell).not.toMatch(/[|\\\n]/);
        expect(outsideCode(cell).trim()).toBe("");
      }),
    );
  });

  test("in a code block", () => {
    fc.assert(
      fc.property(fc.array(hostile), (lines) => {
        expect(outsideCode(codeBlock(lines.join("\n").split("\n"), "diff"))).toBe("");
      }),
    );
  });

  test("among words: it becomes code", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(outsideCode(textOrCode(text))).toMatch(/^[A-Za-z0-9 .,:;()→]*$/);
        expect(htmlOrCode(text).replace(/^<code>(.*)<\/code>$/s, "$1")).not.toMatch(/[<>"\n]/);
      }),
    );
  });
});

test.each([
  ["12 values change on 2 paths, for 1 HTTPRoute.", "12 values change on 2 paths, for 1 HTTPRoute."],
  ["1 @everyone", "`1 @everyone`"],
  ["see www.evil.example", "`see www.evil.example`"],
  ["fixes GH-1", "`fixes GH-1`"],
  ["a`b``c", "```a`b``c```"],
  ["`", "`` ` ``"],
])("textOrCode(%j)", (text, expected) => {
  expect(textOrCode(text)).toBe(expected);
});
