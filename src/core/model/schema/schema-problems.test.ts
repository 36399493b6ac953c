import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "./compile-schema.ts";
import { fitsSchema } from "./fits-schema.ts";
import { type SchemaProblem, schemaProblems } from "./schema-problems.ts";

const schema: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    count: { type: "integer", minimum: 1, maximum: 9 },
    least: { type: "number", minimum: 0.5 },
    most: { type: "number", maximum: 0.5 },
    on: { type: "boolean" },
    word: { type: "string", enum: ["a", "b"] },
    list: { type: "array", items: { type: "object", required: ["x"], properties: { x: { type: "integer" } } } },
    map: { type: "object", additionalProperties: { type: "string" } },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    odd: { type: "widget", properties: 7, items: "x", required: [1], enum: "no" },
    __proto__x: { type: "string" },
  },
};
const compiled = compileSchema(schema);

/** The problems; the quick check must say the same. */
function check(value: Json, field: string) {
  const problems = schemaProblems(compiled, value, field);
  expect(fitsSchema(compiled, value)).toBe(problems.length === 0);
  return problems;
}

const right: readonly Json[] = [
  { name: "x" },
  { name: "", count: 1, least: 0.5, most: 0.5, on: false, word: "b", list: [{ x: 1 }], map: { k: "v" } },
  { name: "x", list: [], map: {}, any: [1, { a: null }], odd: { whatever: 1 }, unknown: { a: 1 } },
  { name: "x", port: 80 },
  { name: "x", port: "http" },
  { name: "x", count: null, list: null },
];

const wrong: readonly (readonly [value: Json, problem: SchemaProblem["problem"], field: string, message: string])[] = [
  [7, "type", "spec", "spec is 7; allowed: an object"],
  [[], "type", "spec", "spec is a list; allowed: an object"],
  [{}, "missing", "spec.name", "spec.name is missing; give a string"],
  [{ name: null }, "missing", "spec.name", "spec.name is missing; give a string"],
  [{ name: 7 }, "type", "spec.name", "spec.name is 7; allowed: a string"],
  [{ name: "x", count: "7" }, "type", "spec.count", 'spec.count is "7"; allowed: a whole number from 1 to 9'],
  [{ name: "x", count: 1.5 }, "value", "spec.count", "spec.count is 1.5; allowed: a whole number from 1 to 9"],
  [{ name: "x", count: 0 }, "value", "spec.count", "spec.count is 0; allowed: a whole number from 1 to 9"],
  [{ name: "x", least: 0 }, "value", "spec.least", "spec.least is 0; allowed: a number of at least 0.5"],
  [{ name: "x", most: 1 }, "value", "spec.most", "spec.most is 1; allowed: a number of at most 0.5"],
  [{ name: "x", on: "true" }, "type", "spec.on", 'spec.on is "true"; allowed: true or false'],
  [{ name: "x", word: "c" }, "value", "spec.word", "spec.word is \"c\"; allowed: a, b; did you mean 'a'?"],
  [{ name: "x", list: {} }, "type", "spec.list", "spec.list is an object; allowed: a list"],
  [{ name: "x", list: [{ x: 1 }, 2] }, "type", "spec.list[1]", "spec.list[1] is 2; allowed: an object"],
  [{ name: "x", list: [{}] }, "missing", "spec.list[0].x", "spec.list[0].x is missing; give a whole number"],
  [{ name: "x", map: { k: 1 } }, "type", "spec.map.k", "spec.map.k is 1; allowed: a string"],
  [{ name: "x", port: true }, "type", "spec.port", "spec.port is true; allowed: a string or a whole number"],
];

describe("a value is checked by the schema of its CRD", () => {
  test.each(right)("%j is right", (value) => expect(check(value, "spec")).toEqual([]));
  test.each(wrong)("%j: %s %s", (value, problem, field, message) =>
    expect(check(value, "spec")).toEqual([{ problem, field, message }]),
  );
});

test("keys that JavaScript gives a meaning are keys", () => {
  const own = compileSchema(
    JSON.parse('{"properties": {"__proto__": {"type": "string"}}, "required": ["constructor"]}'),
  );
  expect(schemaProblems(own, JSON.parse('{"__proto__": 7}'), "spec").map(({ field }) => field)).toEqual([
    "spec.__proto__",
    "spec.constructor",
  ]);
});

test("at most fifty problems are reported", () => {
  expect(check({ name: "x", list: Array(1000).fill(7) }, "spec")).toHaveLength(50);
});

test("a schema without end is read up to a bound", () => {
  let deep: JsonObject = { type: "string" };
  for (let level = 0; level < 10_000; level++) deep = { type: "array", items: deep };
  let value: Json = 7;
  for (let level = 0; level < 60; level++) value = [value];
  expect(schemaProblems(compileSchema(deep), value, "spec")).toEqual([]);
  expect(schemaProblems(compileSchema(deep), [[7]], "spec")).toEqual([
    { problem: "type", field: "spec[0][0]", message: "spec[0][0] is 7; allowed: a list" },
  ]);
});
