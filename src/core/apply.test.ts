import { describe, expect, test } from "vitest";
import { evaluateDocuments } from "../../test/property/evaluate-cluster.ts";
import { capture, expectEqualsRebuild } from "../../test/property/expect-equals-rebuild.ts";
import {
  fruit,
  gateway,
  gatewayClass,
  listener,
  namespace,
  policy,
  referenceGrant,
  route,
  routeTo,
  service,
} from "../../test/support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../test/support/cluster/policy-kind.ts";
import { apply, type Change, findings } from "../index.ts";
import type { PolicyDefinition } from "./model/definition.ts";
import type { JsonObject } from "./model/json.ts";
import type { ObjectRef } from "./model/refs.ts";
import { parseObject } from "./model/snapshot.ts";

/** A change that rests on something farther away than the object that changed. */
interface Case {
  readonly name: string;
  readonly definition: PolicyDefinition;
  readonly objects: readonly JsonObject[];
  readonly upserts?: readonly JsonObject[];
  /** Names of objects that go, as `Kind/name`. */
  readonly deletes?: readonly string[];
  /** How many effective policies and verdicts the change must touch: a case that touches nothing proves nothing. */
  readonly touches: { readonly effective: number; readonly verdicts: number };
}

const field = { granularity: { default: "Field", field: "strategy", values: {} } } as const;
const retry = policyKind("Color", {
  targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service", "Namespace", "GatewayClass"],
  ends: ["HTTPRoute/Rule"],
  namespacesAbove: ["Gateway", "HTTPRoute"],
  merge: field,
});
const clusterWide: PolicyDefinition = {
  ...retry,
  policies: [{ group: "example.com", kind: "Color", scope: "Cluster" }],
};
const endsOpen = policyKind("Color", { targets: ["Gateway"], ends: ["Gateway", "HTTPRoute/Rule"], merge: field });
const toBackends = policyKind("Color", {
  targets: ["Gateway", "HTTPRoute"],
  ends: ["HTTPRoute/Rule", "Service/Port"],
  merge: field,
});
const mesh = policyKind("Color", {
  targets: ["Service", "HTTPRoute"],
  ends: ["HTTPRoute/Rule"],
  targeting: { crossNamespace: "Consumer" },
  merge: field,
});
const annotated = policyKind("Color", {
  targets: ["Gateway", "HTTPRoute"],
  ends: ["HTTPRoute/Rule"],
  merge: {
    ...field,
    decidedBy: "Annotation",
    annotation: { key: "example.com/strategy", values: { parent: { base: "Overrides", granularity: "Field" } } },
  },
});
const orchard = chainOfKinds(["Orchard", "Tree", "Tree", "Apple"]);
const fruits = policyKind("Color", { targets: ["Orchard", "Tree"], ends: ["Apple"], ...orchard, merge: field });
const direct = policyKind("Color", { class: "Direct", targets: ["Service/Port"], ends: ["Service", "Service/Port"] });

/** Policies that refer to ConfigMaps with CA certificates. */
const referring: PolicyDefinition = {
  ...direct,
  references: [
    {
      path: "ca",
      kinds: [{ group: "", kind: "ConfigMap" }],
      keys: ["ca.crt"],
      format: "Any",
      reason: "InvalidReference",
      noneValid: "Invalid",
    },
  ],
};
const authorities = (data: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "ca", namespace: "default" },
  data,
});

const children = (...names: readonly string[]): JsonObject => ({
  children: names.map((name) => ({
    group: "fruit.example.com",
    kind: name.split("/")[0] ?? "",
    name: name.split("/")[1] ?? "",
  })),
});

const cases: readonly Case[] = [
  {
    name: "a Gateway is an effective target until a route is attached to it",
    definition: endsOpen,
    objects: [gateway("g1"), policy("Color", "p", "Gateway/g1", { a: 1 })],
    upserts: [routeTo("r1", "Gateway/g1")],
    touches: { effective: 2, verdicts: 0 },
  },
  {
    name: "a rule is an end again when its backend loses its ports",
    definition: toBackends,
    objects: [
      gateway("g1"),
      routeTo("r1", "Gateway/g1", "b1"),
      service("b1"),
      policy("Color", "p", "Gateway/g1", { a: 1 }),
    ],
    upserts: [service("b1", { ports: {} })],
    touches: { effective: 2, verdicts: 0 },
  },
  {
    name: "a consumer route takes its namespace's traffic from the producer's policy",
    definition: mesh,
    objects: [
      service("b1"),
      route("producer", "Service/b1"),
      namespace("client"),
      policy("Color", "p", "Service/default/b1", { a: 1 }, { namespace: "client" }),
      policy("Color", "q", "HTTPRoute/producer", { a: 2 }),
    ],
    upserts: [route("consumer", "Service/default/b1", { namespace: "client" })],
    touches: { effective: 2, verdicts: 2 },
  },
  {
    name: "a mesh route attaches when the Service gets the port it asks for",
    definition: mesh,
    objects: [
      service("b1"),
      route("r1", [{ group: "", kind: "Service", name: "b1", port: 8080 }]),
      policy("Color", "p", "Service/b1", { a: 1 }),
    ],
    upserts: [service("b1", { ports: { http: 80, alt: 8080 } })],
    touches: { effective: 1, verdicts: 1 },
  },
  {
    name: "an annotation on the target changes which policy takes effect",
    definition: annotated,
    objects: [
      gateway("g1"),
      routeTo("r1", "Gateway/g1"),
      policy("Color", "p", "Gateway/g1", { a: 1 }),
      policy("Color", "q", "HTTPRoute/r1", { a: 2 }),
    ],
    upserts: [gateway("g1", { annotations: { "example.com/strategy": "parent" } })],
    touches: { effective: 1, verdicts: 2 },
  },
  {
    name: "closing a cycle takes away the paths through all of it",
    definition: fruits,
    objects: [
      fruit("Orchard/o1", children("Tree/t1")),
      fruit("Tree/t1", children("Tree/t2")),
      fruit("Tree/t2", children("Tree/t3", "Apple/a2")),
      fruit("Tree/t3", children("Apple/a3")),
      fruit("Apple/a2"),
      fruit("Apple/a3"),
      policy("Color", "p", "Orchard/o1", { a: 1 }),
    ],
    upserts: [fruit("Tree/t3", children("Apple/a3", "Tree/t1"))],
    touches: { effective: 2, verdicts: 1 },
  },
  {
    name: "a GatewayClass that no Gateway names any more cannot be targeted",
    definition: clusterWide,
    objects: [
      gateway("g1"),
      routeTo("r1", "Gateway/g1"),
      policy("Color", "p", "GatewayClass/class", { a: 1 }, { namespace: "" }),
    ],
    upserts: [gateway("g1", { class: "other" })],
    touches: { effective: 1, verdicts: 1 },
  },
  {
    name: "a namespace's labels decide whether a listener takes its routes",
    definition: retry,
    objects: [
      gateway("g1", { listeners: [listener("http", { from: { team: "a" } })] }),
      namespace("apps", { team: "b" }),
      route("r1", "Gateway/default/g1", { namespace: "apps" }),
      policy("Color", "p", "Gateway/g1", { a: 1 }),
    ],
    upserts: [namespace("apps", { team: "a" })],
    touches: { effective: 1, verdicts: 1 },
  },
  {
    name: "the last object of an implied namespace takes the namespace along",
    definition: clusterWide,
    objects: [
      gateway("g1", { namespace: "infra" }),
      policy("Color", "p", "Namespace/infra", { a: 1 }, { namespace: "" }),
    ],
    deletes: ["Gateway/infra/g1"],
    touches: { effective: 0, verdicts: 1 },
  },
  {
    name: "a ReferenceGrant opens the way to a backend",
    definition: policyKind("Color", { targets: ["Gateway"], ends: ["Service"], merge: field }),
    objects: [
      gateway("g1"),
      route("r1", "Gateway/g1", { rules: [{ backends: ["Service/other/b1"] }] }),
      service("b1", { namespace: "other" }),
      policy("Color", "p", "Gateway/g1", { a: 1 }),
    ],
    upserts: [
      referenceGrant("g", "other", { from: { kind: "HTTPRoute", namespace: "default" }, to: { kind: "Service" } }),
    ],
    touches: { effective: 1, verdicts: 1 },
  },
  {
    name: "a new object changes what a message suggests",
    definition: retry,
    objects: [gateway("g1"), policy("Color", "p", "HTTPRoute/bakr", { a: 1 })],
    upserts: [routeTo("baker", "Gateway/g1")],
    touches: { effective: 0, verdicts: 1 },
  },
  {
    name: "if a Direct policy is deleted, the next one takes effect",
    definition: direct,
    objects: [
      service("b1"),
      policy("Color", "old", "Service/b1", { a: 1 }, { created: 1 }),
      policy("Color", "new", "Service/b1", { a: 2 }, { created: 2 }),
    ],
    deletes: ["Color/old"],
    touches: { effective: 1, verdicts: 2 },
  },
  {
    name: "an object that a policy refers to gets what it must contain",
    definition: referring,
    objects: [service("b1"), policy("Color", "p", "Service/b1", { ca: { name: "ca" } }), authorities({})],
    upserts: [authorities({ "ca.crt": "x" })],
    touches: { effective: 0, verdicts: 1 },
  },
  {
    name: "an object that a policy refers to comes, and lacks what it must contain",
    definition: referring,
    objects: [service("b1"), policy("Color", "p", "Service/b1", { ca: { name: "ca" } })],
    upserts: [authorities({})],
    touches: { effective: 0, verdicts: 1 },
  },
  {
    name: "a GatewayClass's policy, the class being defined later",
    definition: clusterWide,
    objects: [
      gateway("g1"),
      routeTo("r1", "Gateway/g1"),
      policy("Color", "p", "GatewayClass/class", { a: 1 }, { namespace: "" }),
    ],
    upserts: [gatewayClass("class")],
    touches: { effective: 0, verdicts: 0 },
  },
];

function refOf(value: JsonObject): ObjectRef {
  const parsed = parseObject(value);
  if (parsed.state === "unidentified") throw new Error(parsed.finding.message);
  return parsed.object.ref;
}

/** `Gateway/g1`, or outside of the namespace `default` `Gateway/infra/g1`. */
function keyOf(value: JsonObject): string {
  const { kind, namespace: home, name } = refOf(value);
  return home === "" || home === "default" ? `${kind}/${name}` : `${kind}/${home}/${name}`;
}

function changesOf({ upserts = [], deletes = [], objects }: Case): readonly Change[] {
  const gone = objects.filter((object) => deletes.includes(keyOf(object)));
  expect(gone.length, "every deleted object is there").toBe(deletes.length);
  return [
    ...upserts.map((value): Change => ({ upsert: value })),
    ...gone.map((object): Change => ({ delete: refOf(object) })),
  ];
}

describe("a change reaches what rests on it", () => {
  test.each(cases)("$name", (one) => {
    const before = capture(evaluateDocuments(one.objects, [one.definition]));
    const applied = apply(before.evaluation, changesOf(one));
    const upserts = one.upserts ?? [];
    const after = [
      ...one.objects.filter(
        (object) =>
          !upserts.some((next) => keyOf(next) === keyOf(object)) && one.deletes?.includes(keyOf(object)) !== true,
      ),
      ...upserts,
    ];
    expectEqualsRebuild(before, applied, evaluateDocuments(after, [one.definition]));
    expect({
      effective: applied.delta.effective.length,
      verdicts: applied.delta.verdicts.length,
    }).toEqual(one.touches);
  });
});

test("a document without an identity is reported, and changes nothing else", () => {
  const before = evaluateDocuments([gateway("g1")], [retry]);
  const { evaluation, delta } = apply(before, [{ upsert: { kind: "Gateway" } }]);
  expect(delta).toEqual({ effective: [], verdicts: [] });
  expect(findings(evaluation).map(({ code }) => code)).toContain("NotAnObject");
});

test("naming an object anew settles which of its documents counts", () => {
  const before = evaluateDocuments([gateway("g1"), gateway("g1", { class: "other" })], [retry]);
  const codes = (evaluation: typeof before): readonly string[] => findings(evaluation).map(({ code }) => code);
  expect(codes(before)).toContain("DuplicateObject");
  const { evaluation } = apply(before, [{ upsert: gateway("g1") }]);
  expect(codes(evaluation)).not.toContain("DuplicateObject");
});
