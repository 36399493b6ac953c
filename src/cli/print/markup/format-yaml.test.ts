import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../../adapters/files/parse-documents.ts";
import { formatYaml } from "./format-yaml.ts";

const readBack = (text: string): unknown => parseDocuments(text, "a.yaml").documents[0]?.value;

describe("formatYaml", () => {
  test("is what people write", () => {
    const value = {
      kind: "List",
      items: [{ name: "a", codes: [502, 503], empty: {}, none: [], on: "on", n: "1e3", t: null }, [["x"]], "b: c"],
    };
    expect(formatYaml(value)).toBe(
      [
        "kind: List",
        "items:",
        "- name: a",
        "  codes:",
        "  - 502",
        "  - 503",
        "  empty: {}",
        "  none: []",
        '  "on": "on"',
        '  "n": "1e3"',
        "  t: null",
        "- - - x",
        '- "b: c"',
        "",
      ].join("\n"),
    );
  });

  test("leaves out what is undefined", () => {
    expect(formatYaml({ a: undefined, b: 1 })).toBe("b: 1\n");
    expect(formatYaml({})).toBe("{}\n");
  });

  test("comes back as the same data", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "",
        " a",
        "a ",
        "yes",
        "No",
        "~",
        "null",
        "0x1f",
        "1_000",
        "-",
        "- a",
        "#",
        "a #b",
        "a: b",
        "? a",
        "|",
        ">",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`",
        "2026-01-01",
        "12:30",
        ".inf",
        "+1",
        "0o7",
        "a\nb",
        "\t",
        "\u2028",
        "\u0085",
        "<<",
        "=",
        "---",
        "...",
        "é",
        "null ",
        "1.",
        ".5",
        "[",
        "{",
        "'",
        '"',
      ),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(word, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true }), (value) => {
        expect(readBack(formatYaml({ apiVersion: "v1", kind: "X", data: value }))).toEqual({
          apiVersion: "v1",
          kind: "X",
          data: value,
        });
      }),
      { numRuns: 500 },
    );
  });
});
