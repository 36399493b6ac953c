import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import type { JsonObject } from "../../json.ts";
import { inferDefinition } from "./infer-definition.ts";

const crd = (label: string | undefined, properties: JsonObject = {}, scope = "Namespaced") =>
  kubeObject({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "colorpolicies.example.com",
      labels: label === undefined ? {} : { "gateway.networking.k8s.io/policy": label },
    },
    spec: {
      group: "example.com",
      names: { kind: "ColorPolicy" },
      scope,
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { properties: { spec: { properties } } } },
        },
      ],
    },
  });

const block = { type: "object", properties: { color: { type: "string" } } };

describe("GEP-713's label", () => {
  for (const [label, properties, expected] of [
    ["Direct", {}, "Direct"],
    ["direct", {}, "Direct"],
    ["INHERITED", {}, "Inherited"],
    ["true", { color: { type: "string" }, targetRef: {} }, "Direct"],
    ["True", { defaults: block, targetRefs: {} }, "Inherited"],
    ["true", { override: block, targetRef: {} }, "Inherited"],
    ["true", { default: { type: "string" }, targetSelectors: {} }, "Direct"],
  ] as const) {
    test(`${label} with ${Object.keys(properties).join(", ") || "nothing"}: ${expected}`, () => {
      const { definition, findings } = inferDefinition(crd(label, properties));
      expect(definition).toMatchObject({ name: "colorpolicies.example.com", class: expected, inferred: true });
      expect(definition?.merge.none).toBe(expected === "Direct");
      expect(findings).toMatchObject([{ severity: "info", code: "DefinitionInferred" }]);
    });
  }

  test("another value is reported", () => {
    const { definition, findings } = inferDefinition(crd("maybe"));
    expect(definition).toBeUndefined();
    expect(findings).toMatchObject([
      { severity: "warning", code: "DefinitionNotInferred", message: expect.stringContaining('"maybe"') },
    ]);
  });

  test("a kind whose schema has no field for a target is refused", () => {
    const { definition, findings } = inferDefinition(crd("Inherited", { defaults: block }));
    expect(definition).toBeUndefined();
    expect(findings).toMatchObject([
      {
        severity: "warning",
        code: "DefinitionNotInferred",
        message: expect.stringContaining("its schema has none of targetRef, targetRefs, targetSelectors"),
      },
    ]);
  });

  test("a CRD without the label is not a policy kind", () => {
    expect(inferDefinition(crd(undefined, { defaults: block }))).toEqual({ findings: [] });
  });
});

describe("Inherited", () => {
  test("without blocks: atomic defaults, down to Services and their ports", () => {
    const { definition } = inferDefinition(crd("Inherited", {}, "Cluster"));
    expect(definition?.merge).toMatchObject({
      none: false,
      granularity: { default: "Atomic", values: {} },
      bare: "AtomicDefaults",
    });
    expect(definition?.hierarchy.effectiveTargets.map(({ kind, section }) => `${kind}${section ?? ""}`)).toEqual([
      "HTTPRouteRule",
      "GRPCRouteRule",
      "TLSRouteRule",
      "TCPRouteRule",
      "UDPRouteRule",
      "Service",
      "ServicePort",
    ]);
    expect(definition?.policies).toEqual([{ group: "example.com", kind: "ColorPolicy", scope: "Cluster" }]);
  });

  test("with a strategy: what the schema offers; the outermost maps have the named rules", () => {
    const limits = {
      type: "object",
      additionalProperties: { type: "object", properties: { labels: { additionalProperties: true } } },
    };
    const strategy = { type: "string", enum: ["atomic", "merge", "Patch", "other"] };
    const { definition } = inferDefinition(
      crd("Inherited", { targetRef: {}, limits, defaults: { properties: { limits, strategy } } }),
    );
    expect(definition?.merge.granularity.values).toEqual({ atomic: "Atomic", merge: "Merge", Patch: "Patch" });
    expect(definition?.merge.rules).toEqual(["limits"]);
  });

  test("merge without maps to merge is not offered", () => {
    const strategy = { enum: ["atomic", "merge"] };
    const { definition } = inferDefinition(crd("Inherited", { targetRef: {}, defaults: { properties: { strategy } } }));
    expect(definition?.merge.granularity.values).toEqual({ atomic: "Atomic" });
  });
});

describe("targeting, from the schema", () => {
  const ref = (properties: JsonObject) => ({
    targetRef: { properties: { group: {}, kind: {}, name: {}, ...properties } },
  });
  for (const [name, properties, expected] of [
    ["targetRef only", ref({}), { refs: "One", selectors: false, crossNamespace: "Forbidden" }],
    ["targetRefs", { targetRefs: { items: ref({}).targetRef } }, { refs: "Many" }],
    ["both", { ...ref({}), targetRefs: { items: ref({}).targetRef } }, { refs: "Many" }],
    ["an empty schema", {}, { refs: "Many" }],
    ["selectors", { targetRefs: {}, targetSelectors: {} }, { selectors: true }],
    ["a selector in the reference", ref({ selector: {} }), { selectors: true }],
    ["a namespace in the reference", ref({ namespace: {} }), { crossNamespace: "ReferenceGrant" }],
  ] as const) {
    test(name, () => {
      expect(inferDefinition(crd("Direct", properties)).definition?.targeting).toMatchObject(expected);
    });
  }

  const targets = (properties: JsonObject) =>
    inferDefinition(crd("Direct", properties)).definition?.targeting.kinds.map(
      ({ kind, sections }) => `${kind}${sections.map((s) => `+${s}`).join("")}`,
    );

  test("any kind of the Gateway API hierarchy", () => {
    expect(targets({})).toEqual([
      "GatewayClass",
      "Gateway+Listener",
      "ListenerSet+Listener",
      "HTTPRoute+Rule",
      "GRPCRoute+Rule",
      "TLSRoute+Rule",
      "TCPRoute+Rule",
      "UDPRoute+Rule",
      "Service+Port",
      "Namespace",
    ]);
  });

  test("no sections where references have no sectionName", () => {
    expect(targets(ref({}))).toContain("Gateway");
    expect(targets(ref({ sectionName: {} }))).toContain("Gateway+Listener");
  });

  test("only the kinds that the schema lists", () => {
    expect(targets(ref({ kind: { enum: ["Gateway", "HTTPRoute", "Deployment"] } }))).toEqual(["Gateway", "HTTPRoute"]);
  });
});
