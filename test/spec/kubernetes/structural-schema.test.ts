/**
 * Kubernetes, "Specifying a structural schema"
 * A CRD that the API server would refuse is reported at its field, and what depends on it is a caveat.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { buildSnapshot, caveatsFor, check, evaluate, findings } from "../../../src/index.ts";
import { gateway, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";

const crd = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "cakepolicies.example.com", labels: { "gateway.networking.k8s.io/policy": "Inherited" } },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "CakePolicy", plural: "cakepolicies" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } }, ...more } },
      },
    ],
  },
});

const evaluationOf = (...objects: readonly JsonObject[]) => evaluate(buildSnapshot(objects), { definitions: [] });

const SPEC = "spec.versions[0].schema.openAPIV3Schema.properties.spec";
const targetRefs = { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const fields = (properties: JsonObject): JsonObject => ({ properties: { targetRefs, ...properties } });
const text = { type: "string" };

describe("Specifying a structural schema", () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ["a type that does not exist", fields({ layers: { type: "int" } }), [`${SPEC}.properties.layers.type`]],
    ["no type", fields({ layers: { description: "How many." } }), [`${SPEC}.properties.layers.type`]],
    ["a type that is no text", fields({ layers: { type: ["integer", "string"] } }), [`${SPEC}.properties.layers.type`]],
    ["no type where any value is preserved", fields({ any: { "x-kubernetes-preserve-unknown-fields": true } }), []],
    ["no type where an integer or a string is allowed", fields({ port: { "x-kubernetes-int-or-string": true } }), []],
    ["a list without items", fields({ tags: { type: "array" } }), [`${SPEC}.properties.tags.items`]],
    [
      "a list whose items have no type",
      fields({ tags: { type: "array", items: { pattern: "a" } } }),
      [`${SPEC}.properties.tags.items.type`],
    ],
    [
      "a map whose values have no type",
      fields({ tags: { type: "object", additionalProperties: {} } }),
      [`${SPEC}.properties.tags.additionalProperties.type`],
    ],
    [
      "fields and values of a map at once",
      fields({ tags: { type: "object", properties: { a: text }, additionalProperties: text } }),
      [`${SPEC}.properties.tags.additionalProperties`],
    ],
    ["a map of anything", fields({ tags: { type: "object", additionalProperties: true } }), []],
    [
      "a list of type map without keys",
      fields({
        tags: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object", properties: { a: text } } },
      }),
      [`${SPEC}.properties.tags.x-kubernetes-list-map-keys`],
    ],
    [
      "an unknown list type",
      fields({ tags: { type: "array", "x-kubernetes-list-type": "bag", items: text } }),
      [`${SPEC}.properties.tags.x-kubernetes-list-type`],
    ],
    ["a bound that is no number", fields({ name: { ...text, maxLength: "9" } }), [`${SPEC}.properties.name.maxLength`]],
    ["a pattern that is no text", fields({ name: { ...text, pattern: 7 } }), [`${SPEC}.properties.name.pattern`]],
    ["an enum that is no list", fields({ name: { ...text, enum: "a" } }), [`${SPEC}.properties.name.enum`]],
    ["names of fields that are no list", { ...fields({ name: text }), required: "name" }, [`${SPEC}.required`]],
    ["a reference", fields({ name: { ...text, $ref: "#/x" } }), [`${SPEC}.properties.name.$ref`]],
    ["a property that is no schema", fields({ name: true }), [`${SPEC}.properties.name`]],
    [
      "alternatives add conditions and have no types",
      { ...fields({ a: text, b: text }), oneOf: [{ required: ["a"] }, { properties: { b: { minLength: 2 } } }] },
      [],
    ],
    [
      "an alternative with a mistake",
      { ...fields({ a: text }), oneOf: [{ required: "a" }] },
      [`${SPEC}.oneOf[0].required`],
    ],
    [
      "a rule that is no text",
      { ...fields({}), "x-kubernetes-validations": [{ rule: 7 }] },
      [`${SPEC}.x-kubernetes-validations[0].rule`],
    ],
    [
      "a rule without an expression",
      { ...fields({}), "x-kubernetes-validations": [{ message: "never" }] },
      [`${SPEC}.x-kubernetes-validations[0].rule`],
    ],
    [
      "a rule that is no object",
      { ...fields({}), "x-kubernetes-validations": ["true"] },
      [`${SPEC}.x-kubernetes-validations[0]`],
    ],
  ])("%s", (_, spec, expected) => {
    const found = findings(evaluationOf(crd(spec))).filter(({ severity }) => severity === "error");
    expect(found.map(({ field }) => field)).toEqual(expected);
  });

  test("the root is an object", () => {
    const [found] = findings(evaluationOf(crd(fields({}), { type: "array" })));
    expect(found?.message).toContain('openAPIV3Schema.type is "array"; allowed: object');
  });

  test("a near miss is named", () => {
    const [found] = findings(evaluationOf(crd(fields({ layers: { type: "bolean" } }))));
    expect(found?.message).toContain('is "bolean"; allowed: array, boolean, integer, number, object, string');
    expect(found?.message).toContain("did you mean 'boolean'?");
  });

  test("objects that an API server has accepted are not judged again", () => {
    const snapshot = buildSnapshot([crd(fields({ layers: { type: "int" } }))], { validated: true });
    expect(findings(evaluate(snapshot, { definitions: [] })).filter(({ severity }) => severity === "error")).toEqual(
      [],
    );
  });

  describe("what depends on a refused CRD is a caveat", () => {
    const world = [gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];
    const broken = crd(fields({ layers: { type: "int" } }));
    const caveatsOf = (...more: readonly JsonObject[]) =>
      caveatsFor(evaluationOf(...world, broken, ...more), { about: "Input" })
        .filter(({ severity }) => severity === "broken")
        .map(({ code, message, summary }) => ({ code, message, summary }));

    test("policies of the kind are ignored, and counted once", () => {
      const own = caveatsOf(policy("CakePolicy", "p", "Gateway/g", { layers: 3 }));
      expect(own).toEqual([
        {
          code: "BrokenDefinition",
          message: expect.stringMatching(
            /^CustomResourceDefinition [a-z.]+: spec.*layers\.type is "int"; .* 1 CakePolicy is ignored until this is fixed$/,
          ),
          summary: "1 CakePolicy is ignored",
        },
      ]);
    });

    test("other objects of the kind are not checked", () => {
      const cake = { apiVersion: "example.com/v1", kind: "CakePolicy", metadata: { name: "c", namespace: "default" } };
      expect(caveatsOf(cake).map(({ summary }) => summary)).toEqual(["1 CakePolicy is not checked against its schema"]);
    });

    test("without objects of the kind the definition is not used", () => {
      expect(caveatsOf().map(({ code, summary }) => `${code}: ${summary}`)).toEqual([
        "BrokenDefinition: the definition of CakePolicy has an error",
      ]);
    });
  });
});

describe("Validation rules that are not CEL", () => {
  const rules = (...expressions: readonly string[]) =>
    check(
      evaluationOf(crd({ ...fields({}), "x-kubernetes-validations": expressions.map((rule) => ({ rule })) })),
    ).filter(({ code }) => code === "SchemaRuleNotEvaluated");

  test("a syntax error is a warning at the field of the CRD", () => {
    expect(rules("true", "self.layers ===").map(({ severity, field }) => `${severity} ${field}`)).toEqual([
      `warning ${SPEC}.x-kubernetes-validations[1].rule`,
    ]);
  });

  test("a function that is not known is a note", () => {
    expect(rules("self.bake()").map(({ severity }) => severity)).toEqual(["info"]);
  });

  test("rules that are evaluated are not reported", () => {
    expect(rules("has(self.targetRefs)", "self.targetRefs.all(t, t.name != '')")).toEqual([]);
  });
});
