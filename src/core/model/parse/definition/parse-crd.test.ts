import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import type { Json, JsonObject } from "../../json.ts";
import { fillDefaults } from "../../schema/fill-defaults.ts";
import { type CrdFacts, parseCrd } from "./parse-crd.ts";

const crd = (spec: JsonObject, more: JsonObject = {}) =>
  kubeObject({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "colors.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "ColorPolicy" },
      scope: "Cluster",
      versions: [
        { name: "v1alpha1", served: true, storage: false, schema: { openAPIV3Schema: {} } },
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
      ...more,
    },
  });

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

const schema = object({
  color: { type: "string", default: "blue" },
  retry: object({ attempts: { type: "integer", default: 1 } }),
  budget: object(
    { percent: { type: "integer", default: 20 }, interval: { type: "string" } },
    { default: { interval: "10s" } },
  ),
  items: { type: "array", items: object({ weight: { type: "integer", default: 1 } }) },
  entries: { type: "object", additionalProperties: object({ weight: { type: "integer", default: 1 } }) },
  maybe: { type: "string", nullable: true, default: "x" },
  plain: { type: "string" },
});

const fillBy = (facts: CrdFacts | undefined, spec: JsonObject): Json | undefined =>
  facts === undefined ? undefined : fillDefaults(facts.spec, spec);

describe("defaults of the schema", () => {
  const fill = (spec: JsonObject) => fillBy(parseCrd(crd(schema)), spec);
  const whole = { color: "red", budget: { percent: 5 }, maybe: "y" };

  test("the same object if nothing is missing", () => {
    expect(fill(whole)).toBe(whole);
  });

  for (const [name, spec, expected] of [
    [
      "missing fields, and defaults inside defaults",
      {},
      { color: "blue", budget: { interval: "10s", percent: 20 }, maybe: "x" },
    ],
    ["only inside objects that are there", { ...whole, retry: {} }, { ...whole, retry: { attempts: 1 } }],
    ["items of lists", { ...whole, items: [{}, { weight: 2 }] }, { ...whole, items: [{ weight: 1 }, { weight: 2 }] }],
    ["values of maps", { ...whole, entries: { a: {} } }, { ...whole, entries: { a: { weight: 1 } } }],
    [
      "null where none is allowed counts as absent",
      { ...whole, color: null, plain: null },
      { ...whole, color: "blue" },
    ],
    ["null where one is allowed stays", { ...whole, maybe: null }, { ...whole, maybe: null }],
    ["fields that the schema does not know stay", { ...whole, other: { a: null } }, { ...whole, other: { a: null } }],
    ["values of another type stay", { ...whole, retry: "often", items: 3 }, { ...whole, retry: "often", items: 3 }],
  ] as const) {
    test(name, () => {
      const before = JSON.stringify(spec);
      expect(fill(spec)).toEqual(expected);
      expect(JSON.stringify(spec)).toBe(before);
    });
  }

  test("keys that JavaScript has too", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "color": null}') as JsonObject;
    expect(JSON.stringify(fill(hostile))).toBe(
      '{"__proto__":{"polluted":1},"color":"blue","budget":{"interval":"10s","percent":20},"maybe":"x"}',
    );
  });
});

test("mapPaths: maps of the spec proper, those in blocks named from the block", () => {
  const map = { type: "object", additionalProperties: { type: "string" } };
  const proper = {
    labels: map,
    rules: object({ authentication: { type: "object", additionalProperties: object({ headers: map }) } }),
  };
  const facts = parseCrd(
    crd(
      object({
        ...proper,
        free: { additionalProperties: true },
        closed: { additionalProperties: false },
        defaults: object({ ...proper, only: map }),
        override: object(proper),
      }),
    ),
  );
  expect(facts?.mapPaths).toEqual(["free", "labels", "only", "rules.authentication", "rules.authentication.*.headers"]);
});

test("group, kind and scope", () => {
  expect(parseCrd(crd(schema))).toMatchObject({ group: "example.com", kind: "ColorPolicy", scope: "Cluster" });
});

describe("an invalid schema gives no facts, or empty ones", () => {
  for (const [name, more, expected] of [
    ["no names", { names: 1 }, undefined],
    ["no versions", { versions: "v1" }, []],
    ["a version without schema", { versions: [{ name: "v1", served: true }] }, []],
  ] as const) {
    test(name, () => {
      expect(parseCrd(crd(schema, more))?.mapPaths).toEqual(expected);
    });
  }

  test("a schema of any depth is read up to a bound", () => {
    let deep: JsonObject = { type: "string", default: "x" };
    for (let i = 0; i < 20_000; i++) deep = { type: "object", properties: { a: deep } };
    const facts = parseCrd(crd(deep));
    const spec = { a: { a: {} } };
    expect(fillBy(facts, spec)).toBe(spec);
  });

  test("a schema that shares its parts is read up to a bound", () => {
    let shared: JsonObject = { type: "string" };
    for (let i = 0; i < 40; i++) shared = object({ a: shared, b: shared });
    expect(parseCrd(crd(shared))?.mapPaths).toEqual([]);
  });
});
