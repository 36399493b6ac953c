import { describe, expect, test } from "vitest";
import { explainSyntax } from "./explain-syntax.ts";
import { parseYamlEvents } from "./parse-yaml-events.ts";

const rows: readonly (readonly [name: string, source: string, message: string])[] = [
  ["a tab before a key", "\ta: 1\n", "a tab in the indentation: YAML allows only spaces there"],
  ["a tab below a key", "a:\n\tb: 1\n", "a tab in the indentation: YAML allows only spaces there"],
  ["a tab behind spaces", "a:\n  \tb: 1\n", "a tab in the indentation: YAML allows only spaces there"],
  ["an open list", "a: [1, 2\n", "the document ends inside a bracket or a quoted text: close it"],
  ["an open mapping", "a: {b: 1\n", "the document ends inside a bracket or a quoted text: close it"],
  ["an open single quote", "a: 'b\n", "the document ends inside a bracket or a quoted text: close it"],
  ["an open double quote", 'a: "b\n', "the document ends inside a bracket or a quoted text: close it"],
  ["an at sign", "a: @b\n", 'a value cannot begin with "@": quote it'],
  ["a backtick", "a: `b`\n", 'a value cannot begin with "`": quote it'],
  ["a percent sign", "a: %b\n", 'a value cannot begin with "%": quote it'],
  [
    "two colons in a line",
    "a: b: c\n",
    "a `: ` where none can be: quote the text that contains it, or fix the indentation",
  ],
  [
    "a key indented too far",
    "a: b\n  c: d\n",
    "a `: ` where none can be: quote the text that contains it, or fix the indentation",
  ],
  ["anything else", 'a: "\\q"\n', "unknown escape sequence: this document is left out until it is fixed"],
];

describe("the commonest mistakes have a message of their own", () => {
  test.each(rows)("%s", (_, source, message) => {
    const result = parseYamlEvents(source, 256);
    expect(result.ok ? "no failure" : explainSyntax(source, result)).toBe(message);
  });
});
