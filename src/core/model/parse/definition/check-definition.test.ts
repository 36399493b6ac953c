import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import type { JsonObject } from "../../json.ts";
import { parseDefinition } from "./parse-definition.ts";

const findingsOf = (spec: JsonObject) => {
  const raw = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "colors.example.com" },
    spec: { policies: [{ group: "example.com", kind: "ColorPolicy" }], class: "Inherited", ...spec },
  };
  const { definition, findings } = parseDefinition(kubeObject(raw));
  const isUsed = definition !== undefined;
  expect(isUsed).toBe(findings.every(({ severity }) => severity !== "error"));
  return findings.map(({ severity, code, field }) => `${severity} ${code} ${field}`);
};

const routes = { kinds: ["Gateway", { kind: "HTTPRoute", sections: ["Rule"] }] };

describe("accepts", () => {
  for (const [name, spec] of [
    ["a Direct kind with one target kind", { class: "Direct", targeting: { kinds: ["Service"] } }],
    [
      "its own target kind as effective target",
      { class: "Direct", targeting: { kinds: ["Service"] }, hierarchy: { effectiveTargets: ["Service"] } },
    ],
    ["an Inherited kind that never merges", { targeting: routes, merge: { strategy: "None" } }],
    ["an effective target below all targets", { targeting: routes, hierarchy: { effectiveTargets: ["Service"] } }],
    [
      "Service above routes, in a mesh",
      { targeting: { kinds: ["Service"] }, hierarchy: { effectiveTargets: ["HTTPRouteRule"], roots: ["Service"] } },
    ],
    [
      "listeners of Gateways and of ListenerSets",
      {
        targeting: {
          kinds: [
            { kind: "Gateway", sections: ["Listener"] },
            { kind: "ListenerSet", sections: ["Listener"] },
          ],
        },
      },
    ],
    [
      "a hierarchy of its own",
      {
        targeting: {
          kinds: [
            { group: "f.example.com", kind: "Tree" },
            { group: "f.example.com", kind: "Apple" },
          ],
        },
        hierarchy: {
          effectiveTargets: ["Apple"],
          kinds: ["Tree", "Branch", "Apple"].map((kind) => ({ group: "f.example.com", kind })),
          links: [
            { from: "Branch", to: "Apple", via: "ChildRefs", path: "spec.children" },
            { from: "Tree", to: "Branch", via: "ChildRefs", path: "spec.children" },
          ],
        },
      },
    ],
    [
      "a route kind of its own, below Gateways and above Services",
      {
        targeting: { kinds: ["GatewayClass", "Gateway", "AppleRoute"] },
        hierarchy: {
          effectiveTargets: ["Service"],
          kinds: [
            {
              group: "f.example.com",
              kind: "AppleRoute",
              sections: [{ section: "Rule", path: "spec.rules" }],
              route: { protocols: ["HTTP"] },
            },
          ],
          links: [
            {
              from: "GatewayListener",
              to: "AppleRoute",
              via: "ParentRefs",
              path: "spec.parentRefs",
              attachment: "RouteToListener",
            },
            { from: "AppleRouteRule", to: "Service", via: "ChildRefs", path: "backendRefs" },
          ],
        },
      },
    ],
  ] as const) {
    test(name, () => {
      expect(findingsOf(spec)).toEqual([]);
    });
  }
});

describe("reports", () => {
  for (const [name, spec, ...expected] of [
    [
      "GEP-713 Direct: a single kind supported in spec.targetRefs.kind",
      { class: "Direct", targeting: { kinds: ["Service", "Gateway"] } },
      "info DefinitionDirectSeveralKinds spec.targeting.kinds",
    ],
    [
      "GEP-713 Direct: the declared target kind is the effective target kind",
      { class: "Direct", targeting: { kinds: ["Gateway"] }, hierarchy: { effectiveTargets: ["HTTPRoute"] } },
      "error DefinitionDirectSpans spec.hierarchy.effectiveTargets",
    ],
    [
      "GEP-713 Direct: None is the only merge strategy supported",
      { class: "Direct", targeting: { kinds: ["Gateway"] }, merge: { strategy: "DefaultsAndOverrides" } },
      "error DefinitionDirectMerges spec.merge",
    ],
    [
      "something targetable below the effective target",
      { targeting: routes, hierarchy: { effectiveTargets: ["HTTPRoute"] } },
      "error DefinitionTargetBelowEffective spec.hierarchy.effectiveTargets",
    ],
    [
      "a Service as target of a kind that ends at routes",
      { targeting: { kinds: ["HTTPRoute", "Service"] }, hierarchy: { effectiveTargets: ["HTTPRoute"] } },
      "error DefinitionTargetBelowEffective spec.hierarchy.effectiveTargets",
    ],
    [
      "a route kind that is not among the effective targets",
      { targeting: { kinds: ["HTTPRoute", "GRPCRoute"] }, hierarchy: { effectiveTargets: ["HTTPRouteRule"] } },
      "error DefinitionTargetBelowEffective spec.hierarchy.effectiveTargets",
    ],
    [
      "a list that is merged in a map that is one value",
      {
        targeting: routes,
        merge: { granularity: { default: "Field" }, atomicPaths: ["a.b"], lists: [{ path: "a.b.c", join: "Append" }] },
      },
      "error DefinitionMisplaced spec.merge.lists[0].path",
    ],
    [
      "a list that is merged in a named rule that is one value",
      {
        targeting: routes,
        merge: {
          granularity: { default: "Merge" },
          rules: ["limits"],
          lists: [{ path: "limits.*.rates", by: "unit" }],
        },
      },
      "error DefinitionMisplaced spec.merge.lists[0].path",
    ],
    [
      "lists that are merged in a kind that compares specs as a whole",
      { targeting: routes, merge: { lists: [{ path: "rates", by: "unit" }] } },
      "warning DefinitionUnusedField spec.merge.lists",
    ],
    [
      "workloads that are not in the hierarchy",
      {
        targeting: {
          kinds: ["Gateway"],
          absent: { means: "OwnNamespace", workloadSelector: "selector", workloads: ["Service"] },
        },
        hierarchy: { effectiveTargets: ["Gateway"], namespaces: { above: ["Gateway"] } },
      },
      "error DefinitionTargetBelowEffective spec.hierarchy.effectiveTargets",
    ],
    [
      "a Namespace above nothing",
      { targeting: { kinds: ["Namespace", "Gateway"] } },
      "error DefinitionNamespaceReachesNothing spec.hierarchy.namespaces.above",
    ],
    [
      "a hierarchy that leaves out a target kind",
      { targeting: routes, hierarchy: { through: ["Gateway"] } },
      "error DefinitionOutsideHierarchy spec.hierarchy.through",
    ],
    [
      "a mapping onto an object that is on no path",
      { targeting: { kinds: ["Gateway"] }, mapsTo: [{ to: "HTTPRoute spec.retry" }] },
      "error DefinitionMappingOffPath spec.mapsTo[0].to",
    ],
    [
      "Merge without named rules",
      { targeting: routes, merge: { granularity: { values: { merge: "Merge" } } } },
      "error DefinitionNoRules spec.merge.rules",
    ],
    [
      "fields without effect",
      {
        targeting: routes,
        merge: { rules: ["limits"], atomicPaths: ["labels"], annotation: { key: "k", values: {} } },
      },
      "warning DefinitionUnusedField spec.merge.rules",
      "warning DefinitionUnusedField spec.merge.atomicPaths",
      "warning DefinitionUnusedField spec.merge.annotation",
    ],
    [
      "decidedBy Annotation without an annotation",
      { targeting: routes, merge: { decidedBy: "Annotation" } },
      "error DefinitionNoAnnotation spec.merge.annotation",
    ],
    [
      "kinds listed twice",
      {
        policies: [
          { group: "g", kind: "K" },
          { group: "g", kind: "K" },
        ],
        targeting: { kinds: ["Gateway", "gateway"] },
      },
      "error DefinitionDuplicate spec.policies[1]",
      "error DefinitionDuplicate spec.targeting.kinds[1]",
    ],
    [
      "one field for two ways of targeting",
      { targeting: { kinds: ["Gateway"], fields: { ref: "target", refs: "target" } } },
      "error DefinitionDuplicate spec.targeting.fields",
    ],
  ] as const) {
    test(name, () => {
      expect(findingsOf(spec)).toEqual(expected);
    });
  }
});
