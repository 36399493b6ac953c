import { describe, expect, test } from "vitest";
import { caveatsFor, type JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { statedCases, vendorCases, vendorCluster } from "./vendor-cases.ts";

const group = "tyk.tyk.io";
const kind = "TykOasApiDefinition";
const document = (name: string): JsonObject => ({ tykOAS: { configmapRef: { name, keyName: `${name}.json` } } });
const attached = (name: string, on: string, created = 0, namespace = "default") =>
  policy(kind, name, [on], document(name), { group, created, namespace });
const alone = (name: string): JsonObject => ({
  apiVersion: `${group}/v1alpha1`,
  kind,
  metadata: { name, namespace: "default" },
  spec: document(name),
});
const shared = [
  gatewayClass("class", "example.com/tyk"),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })] }),
  route("r", "Gateway/g#a", { rules: [{ name: "one", backends: ["s"] }] }),
  route("other", "Gateway/g#b", { rules: [{ name: "one", backends: ["s"] }] }),
  service("s"),
];
const accepted = (target: string) => `${target}: Accepted=True/Accepted Enforced=True/Enforced`;

describe("Tyk: a TykOasApiDefinition of a Gateway or a route", () => {
  vendorCases(shared, [
    {
      what: "a Gateway's takes effect on all routes",
      objects: [attached("p", "Gateway/g")],
      effective: { "HTTPRoute/r": document("p"), "HTTPRoute/other": document("p") },
      outcomes: { p: "Enforced" },
      conditions: { p: [accepted("Gateway/g")] },
    },
    {
      what: "a route's replaces the Gateway's, and nothing is merged",
      objects: [attached("p", "Gateway/g"), attached("q", "HTTPRoute/r", 1)],
      effective: { "HTTPRoute/r": document("q"), "HTTPRoute/other": document("p") },
      outcomes: { p: "PartiallyEnforced by q", q: "Enforced" },
      conditions: { q: [accepted("HTTPRoute/r")] },
    },
    {
      what: "of two on one route the oldest is used",
      objects: [attached("new", "HTTPRoute/r", 1), attached("old", "HTTPRoute/r")],
      effective: { "HTTPRoute/r": document("old") },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
    },
    {
      what: "of two on one Gateway the oldest is used",
      objects: [attached("new", "Gateway/g", 1), attached("old", "Gateway/g")],
      effective: { "HTTPRoute/r": document("old") },
      outcomes: { old: "Enforced", new: "Conflicted by old" },
    },
    {
      what: "of two of one age the first by name",
      objects: [attached("b", "HTTPRoute/r"), attached("a", "HTTPRoute/r")],
      effective: { "HTTPRoute/r": document("a") },
      outcomes: { a: "Enforced", b: "Conflicted by a" },
    },
    {
      what: "one without a target is an API of its own, and no mistake",
      objects: [alone("p")],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "NoPath" },
    },
    {
      what: "definitions for every route leave nothing to the Gateway's",
      objects: [attached("p", "Gateway/g"), attached("q", "HTTPRoute/r", 1), attached("o", "HTTPRoute/other", 1)],
      effective: {
        "HTTPRoute/other": { tykOAS: { configmapRef: { name: "o", keyName: "o.json" } } },
        "HTTPRoute/r": { tykOAS: { configmapRef: { name: "q", keyName: "q.json" } } },
      },
      outcomes: { p: "Overridden by o, q" },
    },
    {
      what: "a listener is no target",
      objects: [attached("p", "Gateway/g#a")],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a Service is no target",
      objects: [attached("p", "Service/s")],
      effective: { "HTTPRoute/r": {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: "a target in another namespace is refused",
      objects: [attached("p", "HTTPRoute/default/r", 0, "team")],
      effective: { "HTTPRoute/r": {} },
      outcomes: { "team/p": "TargetNotFound" },
    },
  ]);

  test("a caveat says that every Gateway counts as Tyk's", () => {
    const { evaluation } = vendorCluster([...shared, attached("p", "Gateway/g")]);
    const [caveat] = caveatsFor(evaluation, { about: "Input" });
    expect(caveat?.message).toContain("every Gateway counts as Tyk's");
  });
});

statedCases("tyk");
