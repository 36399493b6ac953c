/**
 * Kubernetes, "Validation rules"
 * Kubernetes, "Validation"
 * Kubernetes, "Merge strategy"
 * Kubernetes, "Specifying a structural schema"
 * Kubernetes, "Defaulting"
 * RFC 9110, "Field Values"
 * What the API server would refuse counts as absent, and is reported at its field.
 */
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import { apply, buildSnapshot, evaluate, findings } from "../../../src/index.ts";
import { gateway, listener, route } from "../../support/cluster/gateway-objects.ts";
import { customResource, customResourceDefinition } from "../../support/crd/custom-resource.ts";

type Evaluation = ReturnType<typeof evaluate>;

const refusals = (evaluation: Evaluation): readonly string[] =>
  findings(evaluation).flatMap(({ code, field, message }) =>
    message.includes("as the API server would refuse it") ? [`${code} ${field}`] : [],
  );
const unevaluated = (evaluation: Evaluation): readonly string[] =>
  findings(evaluation).flatMap(({ code, message }) => (code === "SchemaRuleNotEvaluated" ? [message] : []));

describe("Gateway API's own rules", () => {
  const rule = (fields: JsonObject): JsonObject => {
    const made = route("r", "Gateway/g");
    return { ...made, spec: { parentRefs: [{ name: "g" }], rules: [fields] } };
  };
  const path = (type: string, value: string): JsonObject => rule({ matches: [{ path: { type, value } }] });
  const backend = (fields: JsonObject): JsonObject => rule({ backendRefs: [{ name: "b", ...fields }] });
  const filters = (...all: readonly JsonObject[]): JsonObject => rule({ filters: all });
  const redirect = { type: "RequestRedirect", requestRedirect: { scheme: "https" } };
  const listeners = (...all: readonly JsonObject[]): JsonObject => gateway("g", { listeners: all });
  const tls = (fields: JsonObject): JsonObject => ({ ...listener("l", { protocol: "HTTPS", port: 443 }), tls: fields });
  const parents = (...all: readonly JsonObject[]): JsonObject => ({
    ...rule({}),
    spec: { parentRefs: all },
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ["a Service as backend needs a port", backend({}), ["InvalidField spec.rules[0].backendRefs[0]"]],
    ["another backend needs none", backend({ group: "example.com", kind: "Store" }), []],
    ["a path begins with a slash", path("Exact", "cake"), ["InvalidField spec.rules[0].matches[0].path"]],
    ["a path has no dots for parents", path("PathPrefix", "/a/../b"), ["InvalidField spec.rules[0].matches[0].path"]],
    ["a path has no angle brackets", path("PathPrefix", "/<a>"), ["InvalidField spec.rules[0].matches[0].path"]],
    ["a regular expression may have them", path("RegularExpression", "/<a>"), []],
    [
      "a redirect and backends",
      rule({ filters: [redirect], backendRefs: [{ name: "b", port: 80 }] }),
      ["InvalidField spec.rules[0]"],
    ],
    ["a redirect alone", filters(redirect), []],
    ["a redirect twice", filters(redirect, redirect), ["InvalidField spec.rules[0].filters"]],
    ["a filter without its settings", filters({ type: "RequestMirror" }), ["InvalidField spec.rules[0].filters[0]"]],
    [
      "a timeout of a backend longer than that of the request",
      rule({ timeouts: { request: "1s", backendRequest: "1m" } }),
      ["InvalidField spec.rules[0].timeouts"],
    ],
    ["no timeout of the request", rule({ timeouts: { request: "0s", backendRequest: "1m" } }), []],
    [
      "the same header twice",
      rule({
        matches: [
          {
            headers: [
              { name: "a", value: "1" },
              { name: "a", value: "2" },
            ],
          },
        ],
      }),
      ["InvalidField spec.rules[0].matches[0].headers[1]"],
    ],
    [
      "a line break in a header value, in both channels",
      filters({ type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "a", value: "1\n2" }] } }),
      ["InvalidField spec.rules[0].filters[0].requestHeaderModifier.set[0].value"],
    ],
    [
      "a filter of the experimental channel without its settings",
      filters({ type: "ExternalAuth" }),
      ["InvalidField spec.rules[0].filters[0]"],
    ],
    ["the same parent twice", parents({ name: "g" }, { name: "g" }), ["InvalidField spec.parentRefs"]],
    ["two sections of one parent", parents({ name: "g", sectionName: "a" }, { name: "g", sectionName: "b" }), []],
    [
      "two listeners of one name",
      listeners(listener("l"), listener("l", { port: 81 })),
      ["InvalidField spec.listeners", "InvalidField spec.listeners[1]"],
    ],
    ["two listeners alike", listeners(listener("a"), listener("b")), ["InvalidField spec.listeners"]],
    [
      "a hostname of a TCP listener",
      listeners(listener("l", { protocol: "TCP", hostname: "a.example" })),
      ["InvalidField spec.listeners"],
    ],
    ["HTTPS that passes through", listeners(tls({ mode: "Passthrough" })), ["InvalidField spec.listeners"]],
    ["HTTPS without a certificate", listeners(tls({ mode: "Terminate" })), ["InvalidField spec.listeners[0].tls"]],
    [
      "an address that is not an IP address",
      {
        ...gateway("g"),
        spec: { gatewayClassName: "c", listeners: [listener("l")], addresses: [{ type: "IPAddress", value: "1.2.3" }] },
      },
      ["InvalidField spec.addresses[0]"],
    ],
  ])("%s", (_, object, expected) => {
    expect(refusals(evaluate(buildSnapshot([object])))).toEqual(expected);
  });

  test("the message has the rule's own words, and says what was found", () => {
    const [found] = findings(evaluate(buildSnapshot([path("Exact", "cake")])));
    expect(found?.message).toMatch(
      /^HTTPRoute default\/r: spec\.rules\[0\]\.matches\[0\]\.path is an object; the CRD has a rule for it: value must be an absolute path .*; the object is left out/,
    );
  });

  test("objects that an API server has accepted are not judged again", () => {
    expect(refusals(evaluate(buildSnapshot([backend({})], { validated: true })))).toEqual([]);
  });
});

describe("CRDs of the input", () => {
  const judged = (schema: JsonObject, spec: Json): readonly string[] => {
    const objects = [customResourceDefinition({ spec: schema }), customResource(spec)];
    const evaluation = evaluate(buildSnapshot(objects));
    return [...refusals(evaluation), ...unevaluated(evaluation)];
  };
  const text = { type: "string" };
  const withRule = (rule: JsonObject, properties: JsonObject = { a: text }): JsonObject => ({
    type: "object",
    properties,
    "x-kubernetes-validations": [rule],
  });

  test.each<[string, JsonObject, Json, readonly string[]]>([
    ["a rule that is true", withRule({ rule: "self.a == 'x'" }), { a: "x" }, []],
    ["a rule that is false", withRule({ rule: "self.a == 'x'" }), { a: "y" }, ["InvalidField spec"]],
    ["a rule that ends in an error", withRule({ rule: "self.a == 'x'" }), {}, ["InvalidField spec"]],
    ["fieldPath", withRule({ rule: "self.a == 'x'", fieldPath: ".a" }), { a: "y" }, ["InvalidField spec.a"]],
    [
      "self at items",
      { type: "object", properties: { list: { type: "array", items: withRule({ rule: "has(self.a)" }) } } },
      { list: [{ a: "x" }, {}] },
      ["InvalidField spec.list[1]"],
    ],
    [
      "self at values of a map",
      {
        type: "object",
        properties: { map: { type: "object", additionalProperties: withRule({ rule: "has(self.a)" }) } },
      },
      { map: { one: {}, two: { a: "" } } },
      ["InvalidField spec.map.one"],
    ],
    ["defaults come first", withRule({ rule: "self.a == 'x'" }, { a: { ...text, default: "x" } }), {}, []],
    [
      "escaped names",
      withRule({ rule: "self.__namespace__ == self.x__dash__y" }, { namespace: text, "x-y": text }),
      { namespace: "a", "x-y": "a" },
      [],
    ],
    ["a rule about oldSelf is left out", withRule({ rule: "self.a == oldSelf.a" }), { a: "x" }, []],
    [
      "optionalOldSelf: there is none",
      withRule({ rule: "!oldSelf.hasValue()", optionalOldSelf: true }),
      { a: "x" },
      [],
    ],
    [
      "a pattern",
      { type: "object", properties: { a: { ...text, pattern: "^x+$" } } },
      { a: "xy" },
      ["InvalidField spec.a"],
    ],
    [
      "a format",
      { type: "object", properties: { a: { ...text, format: "ipv4" } } },
      { a: "1.2.3" },
      ["InvalidField spec.a"],
    ],
    ["an unknown format", { type: "object", properties: { a: { ...text, format: "colour" } } }, { a: "1" }, []],
    ["an enum", { type: "object", properties: { a: { ...text, enum: ["x"] } } }, { a: "y" }, ["InvalidField spec.a"]],
    [
      "maxItems",
      { type: "object", properties: { a: { type: "array", items: text, maxItems: 1 } } },
      { a: ["1", "2"] },
      ["InvalidField spec.a"],
    ],
    [
      "rules do not see unknown fields",
      {
        type: "object",
        properties: {
          a: { type: "object", properties: { k: text } },
          b: { type: "object", properties: { k: text } },
        },
        "x-kubernetes-validations": [{ rule: "self.a == self.b" }],
      },
      { a: { k: "1", typo: 1 }, b: { k: "1" } },
      [],
    ],
    [
      "minProperties, unknown fields do not count",
      {
        type: "object",
        properties: { a: text },
        minProperties: 1,
        "x-kubernetes-validations": [{ rule: "has(self.a)" }],
      },
      { typo: 1 },
      ["InvalidField spec"],
    ],
    [
      "a set",
      { type: "object", properties: { a: { type: "array", items: text, "x-kubernetes-list-type": "set" } } },
      { a: ["1", "1"] },
      ["InvalidField spec.a[1]"],
    ],
    [
      "a map of several keys",
      {
        type: "object",
        properties: {
          a: {
            type: "array",
            items: { type: "object", properties: { x: text, y: text } },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["x", "y"],
          },
        },
      },
      {
        a: [
          { x: "1", y: "1" },
          { x: "1", y: "2" },
          { x: "1", y: "1" },
        ],
      },
      ["InvalidField spec.a[2]"],
    ],
    [
      "oneOf",
      { type: "object", properties: { a: text, b: text }, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: "1", b: "2" },
      ["InvalidField spec"],
    ],
    [
      "anyOf",
      { type: "object", properties: { a: text, b: text }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { b: "2" },
      [],
    ],
    ["not", { type: "object", properties: { a: text }, not: { required: ["a"] } }, { a: "1" }, ["InvalidField spec"]],
    [
      "int-or-string",
      { type: "object", properties: { a: { "x-kubernetes-int-or-string": true } } },
      { a: true },
      ["InvalidField spec.a"],
    ],
    ["nullable", { type: "object", properties: { a: { ...text, nullable: true } } }, { a: null }, []],
  ])("%s", (_, schema, spec, expected) => {
    expect(judged(schema, spec)).toEqual(expected);
  });

  test("messageExpression", () => {
    const schema = withRule({ rule: "self.a == 'x'", message: "fixed", messageExpression: "'a is ' + self.a" });
    const [found] = findings(
      evaluate(buildSnapshot([customResourceDefinition({ spec: schema }), customResource({ a: "y" })])),
    );
    expect(found?.message).toContain("the CRD has a rule for it: a is y");
  });

  test.each([
    ["an unknown function", "self.a.mystery()"],
    ["no CEL", "self.a =="],
    [
      "too much",
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0))))))",
    ],
    ["a pattern that RE2 does not know", "self.a.matches('(?=x)')"],
  ])("a rule that cannot be evaluated neither passes nor refuses: %s", (_, rule) => {
    expect(judged(withRule({ rule }), { a: "x" })).toEqual([expect.stringContaining("was not evaluated")]);
  });

  test("the CRD of the input counts before the built-in one, in the version of the object", () => {
    const group = "gateway.networking.k8s.io";
    const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const crd = customResourceDefinition({ spec, group, kind: "HTTPRoute", version: "v1" });
    const twice = { ...route("r", "Gateway/g"), spec: { parentRefs: [{ name: "g" }, { name: "g" }] } };
    expect(refusals(evaluate(buildSnapshot([twice])))).toEqual(["InvalidField spec.parentRefs"]);
    expect(refusals(evaluate(buildSnapshot([twice, crd])))).toEqual([]);
    expect(refusals(evaluate(buildSnapshot([{ ...twice, spec: { parentRefs: 5 } }, crd])))).toEqual([
      "InvalidField spec.parentRefs",
    ]);
  });
});

describe("changes", () => {
  const schema = { type: "object", properties: { a: { type: "string", enum: ["x"] } } };
  const crd = customResourceDefinition({ spec: schema });
  const wider = customResourceDefinition({ spec: { ...schema, properties: { a: { type: "string" } } } });
  const [good, bad] = [customResource({ a: "x" }), customResource({ a: "y" })];
  const broken = { ...route("r", "Gateway/g"), spec: { parentRefs: [{ name: "g" }, { name: "g" }] } };
  const fine = route("r", "Gateway/g");

  test.each<[string, readonly JsonObject[], JsonObject, readonly JsonObject[]]>([
    ["an object becomes invalid", [crd, good, gateway("g"), fine], broken, [crd, good, gateway("g"), broken]],
    ["an object becomes valid", [crd, bad, gateway("g"), broken], fine, [crd, bad, gateway("g"), fine]],
    ["a CRD becomes narrower", [wider, bad, fine], crd, [crd, bad, fine]],
    ["a CRD becomes wider: what was refused is back", [crd, bad, fine], wider, [wider, bad, fine]],
  ])("%s: apply gives the same as a new evaluation", (_, before, change, after) => {
    const { evaluation } = apply(evaluate(buildSnapshot(before)), [{ upsert: change }]);
    const anew = evaluate(buildSnapshot(after));
    expect(findings(evaluation)).toEqual(findings(anew));
    expect(refusals(evaluation)).toEqual(refusals(anew));
  });
});
