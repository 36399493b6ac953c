import { describe, expect, test } from "vitest";
import { printable } from "../../../core/model/words/printable.ts";
import { createPrinter, type Printer } from "./create-printer.ts";
import { glued, shorten, styled } from "./styled-text.ts";

function printed(use: (print: Printer) => void, options: { columns?: number; colour?: boolean } = {}): string {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  use(createPrinter({ write, columns: options.columns, colour: options.colour ?? false, headers: true }));
  return text;
}

describe("paragraph", () => {
  test("breaks at spaces and indents what follows", () => {
    expect(
      printed((print) => print.paragraph({ indent: 2, hanging: 2 }, "one two three four five six"), { columns: 20 }),
    ).toBe("  one two three four\n    five six\n");
  });

  test("keeps pieces of one word together, in colour or not", () => {
    const printText = (print: Printer): void => print.paragraph({}, "aaaa bbbb (", styled("cccc", "red"), ") dddd");
    expect(printed(printText, { columns: 20 })).toBe("aaaa bbbb (cccc)\ndddd\n");
    expect(printed(printText, { columns: 20, colour: true })).toBe("aaaa bbbb (\u001b[31mcccc\u001b[39m)\ndddd\n");
  });

  test("does not break glued words", () => {
    expect(printed((print) => print.paragraph({}, `one two three ${glued("four five")}`), { columns: 20 })).toBe(
      "one two three\nfour five\n",
    );
  });

  test("lets a word that is too long stand alone", () => {
    expect(printed((print) => print.paragraph({}, `a ${"x".repeat(30)} b`), { columns: 20 })).toBe(
      `a\n${"x".repeat(30)}\nb\n`,
    );
  });

  test("is at most 100 wide in a pipe and on wide terminals", () => {
    for (const options of [{}, { columns: 300 }]) {
      const text = printed((print) => print.paragraph({}, "word ".repeat(100)), options);
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    }
  });
});

describe("whatever comes from input is harmless", () => {
  test("no text reaches the terminal's controls", () => {
    const evil = "a\u001b[31mred\u0007\r\nb\u202ec\u009bd";
    const text = printed((print) => {
      print.line(evil);
      print.line(styled(evil, "bold"));
      print.paragraph({}, evil);
      print.table({ columns: [{ header: "A" }], rows: [[evil]] });
    });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(printable(evil)).toBe("a\\u001b[31mred\\u0007\\u000d\\u000ab\\u202ec\\u009bd");
  });
});

describe("shorten", () => {
  for (const [text, width, expected] of [
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["abcd", 1, "…"],
    ["abcd", 0, ""],
    ["🥖🥐🥨🍞", 3, "🥖🥐…"],
  ] as const) {
    test(`${text} to ${width}`, () => expect(shorten(text, width)).toBe(expected));
  }
});
