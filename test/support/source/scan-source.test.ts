import { expect, test } from "vitest";
import { scanSource } from "./scan-source.ts";

const specifiers = (source: string) => scanSource(source).imports.map((site) => site.specifier);

for (const [name, source, expected] of [
  ["a named import", 'import { a } from "./a.ts";', ["./a.ts"]],
  ["a type-only import", "import type { A } from './a.ts';", ["./a.ts"]],
  ["an import over several lines", 'import {\n  a,\n  type B,\n} from\n  "./a.ts";', ["./a.ts"]],
  ["a namespace and a default import", 'import * as a from "a";import b from "b";', ["a", "b"]],
  ["a side-effect import", 'import "./a.ts";', ["./a.ts"]],
  ["a re-export", 'export { a } from "./a.ts"; export type { B } from "./b.ts";', ["./a.ts", "./b.ts"]],
  ["a star re-export", 'export * from "./a.ts";', ["./a.ts"]],
  ["a dynamic import", 'const a = await import("./a.ts");', ["./a.ts"]],
  ["a computed dynamic import", "const a = await import(name);", [undefined]],
  ["an import type", 'type A = import("./a.ts").A;', ["./a.ts"]],
  ["import.meta", 'new URL("./a.yaml", import.meta.url)', []],
  ["a line comment", '// import { a } from "./a.ts";', []],
  ["a block comment", '/* import { a }\n from "./a.ts"; */', []],
  ["a string", "const text = 'import { a } from \"./a.ts\"';", []],
  ["a template", 'const text = `import { a } from "./a.ts"`;', []],
  ["code inside a template", 'const text = `x ${await import("./a.ts")} from "./b.ts"`;', ["./a.ts"]],
  ["braces inside a template", 'const text = `${f({ a: { b } })} from "./b.ts"`; import "./c.ts";', ["./c.ts"]],
  ["a nested template", 'const text = `${`from "./a.ts"`} from "./b.ts"`; import "./c.ts";', ["./c.ts"]],
  ["a quote in a regular expression", 'const re = /["\'`]/g; import "./a.ts";', ["./a.ts"]],
  ["a division", 'const half = size / 2; import "./a.ts"; const third = (size) / 3;', ["./a.ts"]],
  ["a slash in a class of a regular expression", 'x.replace(/[/"]/, ""); import "./a.ts";', ["./a.ts"]],
  ["an escaped quote", 'const q = "\\""; import "./a.ts";', ["./a.ts"]],
  ["a property named from", 'const link = { from: "Gateway" }; Array.from("abc");', []],
] as const) {
  test(name, () => {
    expect(specifiers(source)).toEqual(expected);
  });
}

test("lines are those of the source", () => {
  const source = '/* one\n two */\nimport "./a.ts";\nconst t = `\n\n`;\nimport "./b.ts";\n';
  expect(scanSource(source).imports.map((site) => site.line)).toEqual([3, 7]);
});
