/**
 * CRDs with the shapes that policy kinds of vendors have: which fields name targets, what restricts their kinds, blocks, strategies and status. The groups and kinds
 * are made up.
 */
import type { Json, JsonObject } from "../../../src/core/model/json.ts";

export interface VendorCrd {
  readonly kind: string;
  readonly label?: string;
  readonly spec: JsonObject;
  readonly status?: readonly string[];
}

const STRING: JsonObject = { type: "string" };
const fields = (...names: readonly string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, STRING])),
});
const rules = (...texts: readonly string[]): JsonObject => ({
  "x-kubernetes-validations": texts.map((rule) => ({ rule })),
});
const object = (properties: { readonly [name: string]: Json }, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const map = (value: JsonObject): JsonObject => ({ type: "object", additionalProperties: value });
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });

const limits = { limits: map(object({ rate: STRING })), strategy: { type: "string", enum: ["atomic", "merge"] } };

export const vendorCrds: readonly VendorCrd[] = [
  // One target, by a rule on the reference; blocks that exclude each other; strategies; named rules.
  {
    kind: "LimitPolicy",
    label: "inherited",
    spec: object(
      {
        targetRef: {
          ...fields("group", "kind", "name", "sectionName"),
          ...rules("self.kind == 'HTTPRoute' || self.kind == 'Gateway'"),
        },
        defaults: object(limits),
        overrides: object(limits),
        limits: limits.limits,
      },
      rules("!(has(self.defaults) && has(self.limits))", "!(has(self.defaults) && has(self.overrides))"),
    ),
    status: ["conditions"],
  },
  // Three target fields, rules on the spec, and the child's merge type, without a label.
  {
    kind: "TrafficPolicy",
    spec: object(
      {
        targetRef: fields("group", "kind", "name", "sectionName"),
        targetRefs: list(fields("group", "kind", "name", "sectionName")),
        targetSelectors: list(fields("group", "kind", "matchLabels")),
        mergeType: STRING,
        timeout: STRING,
      },
      rules(
        "has(self.targetRef) ? self.targetRef.kind in ['Gateway', 'ListenerSet', 'HTTPRoute'] : true",
        "has(self.timeout) ? self.timeout != 'kind == \"Secret\"' : true",
      ),
    ),
    status: ["ancestors"],
  },
  // Rules on the list; a label; no blocks.
  {
    kind: "ProxyPolicy",
    label: "inherited",
    spec: object({
      targetRefs: list(fields("group", "kind", "name"), {
        maxItems: 16,
        ...rules("self.all(t, t.kind=='Gateway' || t.kind=='GRPCRoute')", "self.all(t, t.kind != 'Service')"),
      }),
      buffers: object({ size: STRING }),
    }),
    status: ["ancestors"],
  },
  // Settings below `default` of a Direct kind; a namespace in the reference; nothing restricts the kind, but its name.
  {
    kind: "BackendSettings",
    label: "Direct",
    spec: object({ targetRef: fields("group", "kind", "name", "namespace"), default: object({ timeoutSec: STRING }) }),
    status: ["ancestors", "conditions"],
  },
  // The blocks of the policy attachment reference.
  {
    kind: "RoutePolicy",
    label: "true",
    spec: object({
      targetRef: fields("kind", "name"),
      default: object({ a: STRING }),
      override: object({ a: STRING }),
    }),
  },
  // Another name of the target field, with a default.
  {
    kind: "GroupConfiguration",
    spec: object({ targetReference: object({ group: STRING, kind: { ...STRING, default: "Service" }, name: STRING }) }),
  },
  // A kind that is not built in, in an enumeration.
  {
    kind: "SecretPolicy",
    label: "direct",
    spec: object({
      targetRefs: list(object({ kind: { ...STRING, enum: ["ModelBackend", "Service"] }, name: STRING }), {
        maxItems: 1,
      }),
    }),
  },
  // Services and Namespaces, with ports.
  {
    kind: "ClientPolicy",
    spec: object(
      { targetRefs: list(fields("group", "kind", "name", "sectionName")) },
      rules("self.targetRefs.all(t, t.kind == 'Service' || t.kind == 'Namespace')"),
    ),
  },
  // Descriptions only.
  {
    kind: "EdgePolicy",
    spec: object({
      targetRefs: list(fields("kind", "name"), {
        description: "The Gateways that the policy is attached to, as Gateway API has them.",
      }),
    }),
  },
  // A schema that lists nothing.
  { kind: "OpenPolicy", label: "Inherited", spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  // A cluster-scoped kind whose strategy has words of its own.
  {
    kind: "ClusterDefaults",
    label: "inherited",
    spec: object({
      targetRef: fields("kind", "name"),
      defaults: object({ mergeStrategy: { type: "string", enum: ["shallow", "patch"] }, a: STRING }),
    }),
  },
];

/** Attached by an annotation: no field names a target. */
export const annotatedCrd: VendorCrd = { kind: "PluginPolicy", label: "direct", spec: object({ algorithm: STRING }) };

/** The CustomResourceDefinition. */
export function vendorCrd({ kind, label, spec, status = [] }: VendorCrd): JsonObject {
  const plural = kind.endsWith("y") ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`;
  const properties = { spec, ...(status.length === 0 ? {} : { status: fields(...status) }) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.vendor.example.com`,
      ...(label === undefined ? {} : { labels: { "gateway.networking.k8s.io/policy": label } }),
    },
    spec: {
      group: "vendor.example.com",
      scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
      ],
    },
  };
}
