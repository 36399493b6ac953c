/** kubectl's template language: https://kubernetes.io/docs/reference/kubectl/jsonpath/ */
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/model/json.ts";
import { fillTemplate } from "./evaluate-template.ts";
import { parsePath } from "./parse-steps.ts";
import { parseTemplate } from "./parse-template.ts";
import { sortBy } from "./sort-by.ts";

const bakery: Json = {
  kind: "List",
  items: [
    {
      kind: "Oven",
      metadata: { name: "stone", labels: { "bakery.example/heat": "wood", "k8s-app": "oven" } },
      spec: { slots: 4, lit: true, racks: [{ name: "upper", loaves: 12 }], size: { width: 2 } },
    },
    {
      kind: "Oven",
      metadata: { name: "deck", labels: { "bakery.example/heat": "gas" } },
      spec: {
        slots: 8,
        lit: false,
        racks: [
          { name: "left", loaves: 20 },
          { name: "right", loaves: 4 },
        ],
        size: { width: 3 },
      },
    },
  ],
  staff: [
    { name: "ana", shift: "night" },
    { name: "noah", shift: "day", pin: null },
  ],
  empty: [],
};

function fill(template: string, value: Json = bakery): string {
  const parsed = parseTemplate(template);
  if (!parsed.ok) return `mistake: ${parsed.message}`;
  const filled = fillTemplate(parsed.value, value);
  return filled.ok ? filled.text : `failure: ${filled.message}`;
}

describe("JSONPath support, functions of kubectl's documentation", () => {
  for (const [name, template, expected] of [
    ["text: the plain text", "kind is {.kind}", "kind is List"],
    ["@: the current object", "{@}", JSON.stringify(bakery)],
    [". or []: child operator", "{.kind}, {['kind']} and {$.kind}", "List, List and List"],
    ["[]: a key with a dot is escaped", String.raw`{.items[0].metadata.labels['bakery\.example/heat']}`, "wood"],
    ["..: recursive descent", "{..name}", "stone upper deck left right ana noah"],
    ["*: wildcard, all objects of a list", "{.items[*].metadata.name}", "stone deck"],
    ["*: wildcard, all values of an object", "{.items[0].spec.size.*}", "2"],
    ["[start:end:step]: subscript operator", "{.staff[0].name}", "ana"],
    ["[start:end:step]: from the end", "{.staff[-1].name}", "noah"],
    ["[start:end:step]: a slice", "{.items[1].spec.racks[0:1].name}", "left"],
    ["[,]: union operator", "{.items[*]['metadata.name', 'spec.size']}", 'stone deck {"width":2} {"width":3}'],
    ["?(): filter", '{.staff[?(@.name=="noah")].shift}', "day"],
    [
      "range, end: iterate list",
      "{range .items[*]}[{.metadata.name}, {.spec.size}] {end}",
      '[stone, {"width":2}] [deck, {"width":3}] ',
    ],
    ["'': quote interpreted string", String.raw`{range .items[*]}{.metadata.name}{'\t'}{end}`, "stone\tdeck\t"],
    ["\\: escape termination character", String.raw`{.items[0].metadata.labels.bakery\.example/heat}`, "wood"],
    ["a missing key is no mistake", "before-{.none.at.all}after", "before-after"],
  ] as const) {
    test(`${name}: ${template}`, () => expect(fill(template)).toBe(expected));
  }
});

describe("values", () => {
  for (const [template, expected] of [
    ["{.items[0].spec.lit} {.items[0].spec.slots}", "true 4"],
    ["{.items[0].spec.racks}", '[{"name":"upper","loaves":12}]'],
    ["{.staff[1].pin}", "<nil>"],
    ["{.items[0].metadata.labels.k8s-app}", "oven"],
    ['{"{"}{"}"}', "{}"],
    [String.raw`{"a\n\"b\"\x41é"}`, 'a\n"b"Aé'],
    [String.raw`{'it\'s'}`, "it's"],
    ["{ .kind }", "List"],
    ["{.}", JSON.stringify(bakery)],
    ["no braces", "no braces"],
    ["", ""],
  ] as const) {
    test(template, () => expect(fill(template)).toBe(expected));
  }

  test("control characters of a value are escaped; lines and tabs are kept", () => {
    expect(fill("{.a}", { a: "x\u001b[2J\ny\t" })).toBe("x\\u001b[2J\ny\t");
  });
});

describe("lists", () => {
  const list: Json = [0, 1, 2, 3, 4];
  for (const [template, expected] of [
    ["{[*]}", "0 1 2 3 4"],
    ["{[:]}", "0 1 2 3 4"],
    ["{[1]}", "1"],
    ["{[-1]}", "4"],
    ["{[-2:]}", "3 4"],
    ["{[:2]}", "0 1"],
    ["{[1:3]}", "1 2"],
    ["{[1:-1]}", "1 2 3"],
    ["{[::2]}", "0 2 4"],
    ["{[1:5:3]}", "1 4"],
    ["{[2:2]}", ""],
    ["{[1,3,4]}", "1 3 4"],
    ["{[0:2,4]}", "0 1 4"],
    ["{[?(@<2)]}", "0 1"],
    ["{[?(@>=3)]}", "3 4"],
    ["{[?(@!=2)]}", "0 1 3 4"],
    ["{[?(2<@)]}", "3 4"],
    ["{[5]}", "failure: there is no [5] in a list of 5"],
    ["{[0:9]}", "failure: there is no [0:9] in a list of 5"],
    ["{[3:1]}", "failure: there is no [3:1] in a list of 5"],
  ] as const) {
    test(template, () => expect(fill(template, list)).toBe(expected));
  }
});

describe("filters", () => {
  for (const [template, expected] of [
    ["{.staff[?(@.pin)].name}", "noah"],
    ["{.items[?(@.spec.lit==true)].metadata.name}", "stone"],
    ["{.items[?(@.spec.slots>4)].metadata.name}", "deck"],
    ["{.items[?(@.spec.slots<=4)].metadata.name}", "stone"],
    ["{.items[?( @.metadata.name != 'deck' )].metadata.name}", "stone"],
    [String.raw`{.items[?(@.metadata.labels.bakery\.example/heat=="gas")].metadata.name}`, "deck"],
    ['{.items[?(@.spec.racks[?(@.name=="left")])].metadata.name}', "deck"],
    ["{.items[?(@..loaves==12)].metadata.name}", "failure: a filter compares one value with another, but there are 2"],
    ['{.staff[?(@.name=="a]b}c)")].name}', ""],
    ['{.empty[?(@.name=="x")].name}', ""],
    ["{.none[?(@.name)].name}", ""],
    [
      "{.items[?(@.spec.slots=='4')].metadata.name}",
      'failure: the number 4 and the string "4" cannot be compared with ==',
    ],
    ["{.items[?(@.spec.lit<true)]}", "failure: the boolean true and the boolean true cannot be compared with <"],
    ["{.kind[?(@.a)]}", 'failure: the string "List" is not a list'],
    ["{.items[0].spec[0]}", "failure: an object is not a list"],
  ] as const) {
    test(template, () => expect(fill(template)).toBe(expected));
  }
});

describe("ranges", () => {
  for (const [template, expected] of [
    ["{range .items[*]}{.metadata.name}, {end}{.kind}", "stone, deck, List"],
    ["{range .items[*]}{range .spec.racks[*]}{.name} {end}{end}", "upper left right "],
    ["{range .items[*]}{.metadata.name}:{range .spec.racks[*]} {.loaves}{end};{end}", "stone: 12;deck: 20 4;"],
    ['{range .empty[*]}{.name}{"\\n"}{end}end', "end"],
    ["{range .none[*]}x{end}", ""],
    ['{range .staff[*]}{@.name}={.shift}{"\\n"}{end}', "ana=night\nnoah=day\n"],
    ["{range .items[*]['metadata.name','kind']}<{@}>{end}", "<stone><deck><Oven><Oven>"],
  ] as const) {
    test(template, () => expect(fill(template)).toBe(expected));
  }
});

describe("mistakes say what is wrong", () => {
  for (const [template, message] of [
    ["{.kind", "'{.kind' has no closing brace"],
    ["{hello}", "'hello' is not known; a path begins with a dot, such as .hello, and text is quoted"],
    ["{.items[}", "'{.items[}' has no closing brace"],
    ["{.items[a]}", "[a] is not an index, a slice, a quoted key or a filter"],
    ["{.items[]}", "[] is not an index, a slice, a quoted key or a filter"],
    ["{.items[::0]}", "[::0] has the step 0; a step is at least 1"],
    ["{range .items[*]}{.kind}", "{range …} has no {end}"],
    ["{.kind}{end}", "{end} is not in a {range …}"],
    ['{"abc}', "'{\"abc}' has no closing brace"],
    [String.raw`{"\q"}`, String.raw`"\q" has an unknown escape`],
    ["{....name}", "'....name' has two recursive descents (..) in a row"],
    ["{.items[?(@.a=~'x')]}", "the filter '@.a=~'x'' has '=~'; a filter has one of == != < <= > >="],
    ["{.items[?(@.a==1 && @.b==2)]}", "the filter '@.a==1 && @.b==2' has more than one comparison"],
    ["{.items[?(@.a<>1)]}", "the filter '@.a<>1' has '<>'; a filter has one of == != < <= > >="],
    ["{&}", "'&' is not the beginning of a path, a number or a quoted text"],
  ] as const) {
    test(template, () => expect(fill(template)).toBe(`mistake: ${message}`));
  }
});

describe("a path alone, as --sort-by and custom columns take it", () => {
  for (const text of ["metadata.name", ".metadata.name", "{.metadata.name}", "{metadata.name}", " .metadata.name "])
    test(text, () => {
      expect(parsePath(text)).toEqual({
        ok: true,
        value: [
          { type: "field", name: "metadata" },
          { type: "field", name: "name" },
        ],
      });
    });
  test("not several", () => expect(parsePath("{.a}{.b}").ok).toBe(false));
});

describe("--sort-by", () => {
  const order = (items: readonly Json[], path = ".a") => sortBy(items, path, (item) => item);
  for (const [name, items, expected] of [
    ["numbers by value", [{ a: 10 }, { a: 9 }, { a: -1 }], [{ a: -1 }, { a: 9 }, { a: 10 }]],
    ["numbers in text by value", [{ a: "v10" }, { a: "v9" }, { a: "v" }], [{ a: "v" }, { a: "v9" }, { a: "v10" }]],
    ["text", [{ a: "b" }, { a: "a" }], [{ a: "a" }, { a: "b" }]],
    ["items without the value first", [{ a: 1 }, { b: 1 }], [{ b: 1 }, { a: 1 }]],
    [
      "equal values keep their order",
      [
        { a: 1, b: 2 },
        { a: 1, b: 1 },
      ],
      [
        { a: 1, b: 2 },
        { a: 1, b: 1 },
      ],
    ],
    ["no items", [], []],
  ] as const) {
    test(name, () => expect(order(items)).toEqual({ ok: true, value: expected }));
  }

  test("mistakes", () => {
    expect(order([{ b: 1 }])).toEqual({
      ok: false,
      message: "--sort-by .a: no item has that; -o json shows what they have",
    });
    expect(order([{ a: 1 }], "{.a")).toMatchObject({ ok: false });
    expect(order([{ a: 1 }], ".a[0]")).toMatchObject({
      ok: false,
      message: "--sort-by .a[0]: the number 1 is not a list",
    });
  });
});
