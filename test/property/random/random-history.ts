/** Random sequences of changes to a cluster: objects are added, deleted and changed, PolicyDefinitions and CRDs too. */
import fc from "fast-check";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import type { ObjectRef } from "../../../src/core/model/refs.ts";
import { groupOf } from "../policies-on-path.ts";
import { gatewayGroup, policyGroup } from "./define-kind.ts";
import { clusterPair, type RandomCluster } from "./random-cluster.ts";
import { jsonOf } from "./random-topology.ts";

type Step = { readonly does: "upsert" | "delete" | "change"; readonly at: number; readonly how: number };

export interface RandomHistory {
  readonly start: RandomCluster;
  /** The objects that upserts add. */
  readonly pool: readonly JsonObject[];
  readonly batches: readonly (readonly Step[])[];
}

export type Change = { readonly upsert: JsonObject } | { readonly delete: ObjectRef };
export type State = ReadonlyMap<string, JsonObject>;

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom("upsert", "upsert", "delete", "change"),
  at: fc.nat(999),
  how: fc.nat(99),
});

export const randomBatches: fc.Arbitrary<RandomHistory["batches"]> = fc.array(
  fc.array(step, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 4 },
);

const definitionDocument = (granularity: "Atomic" | "Merge"): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "latepolicies.example.com" },
  spec: {
    policies: [{ group: policyGroup, kind: "LatePolicy" }],
    class: "Inherited",
    targeting: { kinds: [{ kind: "Gateway", sections: ["Listener"] }, { kind: "HTTPRoute" }] },
    hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
    merge: { granularity: { default: granularity, values: { atomic: "Atomic", merge: "Merge" } }, rules: ["limits"] },
  },
});

const crd = (label: string): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "inferredpolicies.example.com", labels: { "gateway.networking.k8s.io/policy": label } },
  spec: {
    group: policyGroup,
    scope: "Namespaced",
    names: { kind: "InferredPolicy", plural: "inferredpolicies" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

const extraPolicy = (kind: string, name: string, target: JsonObject, spec: JsonObject): JsonObject => ({
  apiVersion: `${policyGroup}/v1`,
  kind,
  metadata: { name, namespace: "a" },
  spec: { targetRef: { group: gatewayGroup, ...target }, ...spec },
});

const gateway = { kind: "Gateway", name: "g1" };
const route = { kind: "HTTPRoute", name: "r1" };
const extras: readonly JsonObject[] = [
  definitionDocument("Atomic"),
  definitionDocument("Merge"),
  crd("Inherited"),
  crd("direct"),
  extraPolicy("LatePolicy", "late1", gateway, { defaults: { limits: { a: 1, b: 1 } } }),
  extraPolicy("LatePolicy", "late2", route, { limits: { a: 2 } }),
  extraPolicy("InferredPolicy", "inferred1", gateway, { color: 1 }),
  extraPolicy("InferredPolicy", "inferred2", gateway, { color: 2 }),
];

export const randomHistory: fc.Arbitrary<RandomHistory> = historyWith(clusterPair);

/** A history that leads from one cluster of a pair towards the other. */
export function historyWith(pair: fc.Arbitrary<readonly [RandomCluster, RandomCluster]>): fc.Arbitrary<RandomHistory> {
  return fc
    .record({
      pair,
      extras: fc.subarray([...extras]),
      startsWith: fc.subarray([definitionDocument("Atomic"), crd("Inherited")]),
      batches: randomBatches,
    })
    .map(({ pair: [before, after], extras: added, startsWith, batches }) => ({
      start: { ...before, objects: [...before.objects, ...startsWith] },
      pool: [...after.objects, ...added],
      batches,
    }));
}

export function refOf(object: JsonObject): ObjectRef {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const namespace = metadata["namespace"];
  return {
    group: groupOf(object),
    kind: textOf(object["kind"]),
    namespace: textOf(namespace),
    name: textOf(metadata["name"]),
  };
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const keyOf = ({ group, kind, namespace, name }: ObjectRef): string => JSON.stringify([group, kind, namespace, name]);

export const startState = (objects: readonly JsonObject[]): State =>
  new Map(objects.map((object) => [keyOf(refOf(object)), object]));

/** The changes of one batch, and the state after them. */
export function playBatch(
  state: State,
  batch: readonly Step[],
  pool: readonly JsonObject[],
): { changes: Change[]; state: State } {
  const next = new Map(state);
  const changes = batch.flatMap((one): Change[] => {
    const present = [...next.values()];
    const current = present[one.at % Math.max(1, present.length)];
    if (one.does === "upsert" || current === undefined) {
      const added = pool[one.at % Math.max(1, pool.length)];
      return added === undefined ? [] : [put(next, added)];
    }
    if (one.does === "change") return [put(next, changed(current, one.how))];
    const ref = refOf(current);
    next.delete(keyOf(ref));
    return [{ delete: ref }];
  });
  return { changes, state: next };
}

function put(state: Map<string, JsonObject>, object: JsonObject): Change {
  state.set(keyOf(refOf(object)), object);
  return { upsert: object };
}

/** Another version of the object: changes its labels, its creation time, or one value in its spec. */
function changed(object: JsonObject, how: number): JsonObject {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  switch (how % 4) {
    case 0:
      return { ...object, metadata: { ...metadata, labels: { team: how % 8 < 4 ? "red" : "blue" } } };
    case 1:
      return {
        ...object,
        metadata: jsonOf({ ...metadata, creationTimestamp: how % 8 < 4 ? "2026-01-01T00:00:00Z" : undefined }),
      };
    default: {
      const spec = object["spec"];
      return spec === undefined ? object : { ...object, spec: changeWithin(spec, how) };
    }
  }
}

/** Changes one value, selected by `how`: increments a number, replaces the last digit of a name, or removes a list item. */
function changeWithin(value: Json, how: number): Json {
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return /\d$/.test(value) ? `${value.slice(0, -1)}${(how % 3) + 1}` : value;
  if (isJsonList(value)) {
    if (value.length === 0) return value;
    if (how % 5 === 0) return value.slice(1);
    return value.map((item, at) => (at === how % value.length ? changeWithin(item, how >> 1) : item));
  }
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  const key = keys[how % Math.max(1, keys.length)];
  return key === undefined ? value : { ...value, [key]: changeWithin(value[key] ?? null, how >> 1) };
}
