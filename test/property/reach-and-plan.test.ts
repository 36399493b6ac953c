import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPlanned } from "../../src/core/apply.ts";
import { objectChanges } from "../../src/core/effective/update/object-changes.ts";
import type { World } from "../../src/core/effective/world/world.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import { planChanges } from "../../src/core/explain/plan/plan-changes.ts";
import type { EffectiveValue, Plan } from "../../src/core/explain/plan/result.ts";
import { reachPolicy } from "../../src/core/explain/reach/reach-policy.ts";
import type { Reach } from "../../src/core/explain/reach/result.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, jsonEqual } from "../../src/core/model/json.ts";
import { valueAtPointer } from "../../src/core/model/json-pointer.ts";
import { kindId, type ObjectRef } from "../../src/core/model/refs.ts";
import { parseObject } from "../../src/core/model/snapshot.ts";
import { type Change, type EffectivePolicy, effectivePolicies, verdicts } from "../../src/index.ts";
import { type Evaluation, evaluateDocuments } from "./evaluate-cluster.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { randomCluster } from "./random/random-cluster.ts";

const CLUSTERS = 150;

const reachesIn = (evaluation: Evaluation): readonly Reach[] => {
  const world = worldOf(evaluation);
  const reaches: Reach[] = [];
  world.policies.forEach((record, id) => {
    reaches.push(reachPolicy(world, id, record));
  });
  return reaches;
};

/** An incomplete path is counted, and not judged. */
const countFates = ({ paths: all }: Reach) => {
  const paths = all.filter((path) => path.incomplete !== true);
  return {
    paths: all.length,
    incomplete: all.length - paths.length,
    full: paths.filter(({ effect }) => effect === "full").length,
    partial: paths.filter(({ effect }) => effect === "partial").length,
    none: paths.filter(({ effect }) => effect === "none").length,
    met: paths.filter(({ effect }) => effect === "met").length,
    idle: paths.filter(({ effect }) => effect === "idle").length,
  };
};

describe(`reach (seed ${seed})`, () => {
  test("has the same counts as the verdict, and lists targets where a setting takes effect", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      for (const reach of reachesIn(evaluateDocuments(objects, definitions))) {
        if (reach.verdict.state !== "Accepted") {
          expect(reach.paths).toEqual([]);
          continue;
        }
        const { paths, incomplete, full, partial, none, met, idle } = reach.verdict.total;
        expect(countFates(reach)).toEqual({ paths, incomplete, full, partial, none, met, idle });
        for (const { inEffect, equal, overridden, gated, losses } of reach.values) {
          expect(Math.max(inEffect, equal, overridden, gated)).toBeLessThanOrEqual(paths);
          const lost = new Set(losses.flatMap((loss) => loss.paths));
          expect(lost.size).toBeLessThanOrEqual(equal + overridden);
        }
        const inEffect = reach.reachedNodes.filter((reached) => reached.isBelow && reached.inEffect > 0);
        for (const removal of reach.removals)
          expect(removal.inEffect + removal.overridden + removal.neutral + removal.gated).toBeLessThanOrEqual(paths);
        const isInEffect =
          (reach.values.length + reach.removals.length === 0 && reach.paths.some(({ effect }) => effect === "full")) ||
          reach.values.some((value) => value.inEffect + value.equal > 0) ||
          reach.removals.some((removal) => removal.inEffect > 0);
        expect(inEffect.length > 0).toBe(isInEffect);
      }
    });
    assertProperty(property, { numRuns: CLUSTERS, stream: 401 });
  });
});

function planFor(evaluation: Evaluation, changes: readonly Change[]): { plan: Plan; next: Evaluation } {
  const { evaluation: next, delta } = applyPlanned(evaluation, changes);
  const [before, after] = [worldOf(evaluation), worldOf(next)];
  const findingsOf = (): readonly [] => [];
  const plan = planChanges({ before, after, delta, changes: objectChanges(before, changes).changes, findingsOf });
  return { plan, next };
}

/** The values before and after, by kind, path, traffic and pointer. */
function differences({ kinds }: Plan): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  for (const { policyKind, changes } of kinds) {
    for (const { nodes, from, values } of changes) {
      for (const { pointer, before, after } of values) {
        const item = (before ?? after)?.field;
        const key = JSON.stringify([kindId(policyKind), nodes, from, item?.object, item?.pointer, pointer]);
        found.set(key, [shownSide(before), shownSide(after)]);
      }
    }
  }
  return found;
}

const shownSide = (held: EffectiveValue | undefined): unknown =>
  held === undefined ? null : [held.value, held.source.policy, held.source.block];

const isPolicy = ({ rulebook }: World, object: JsonObject): boolean => {
  const parsed = parseObject(object);
  return parsed.state === "object" && rulebook.byPolicyKind.has(kindId(parsed.object.ref));
};

const keyOf = ({ policyKind, path, from }: EffectivePolicy): string => JSON.stringify([policyKind, path, from]);

describe(`plan (seed ${seed})`, () => {
  const policyToDelete = fc.tuple(randomCluster, fc.nat(99));

  test("of a deletion is the reverse of the plan that undoes it", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const property = fc.property(policyToDelete, ([{ objects, definitions }, at]) => {
      const start = evaluateDocuments(objects, definitions);
      const policies = objects.filter((object) => isPolicy(worldOf(start), object));
      const chosen = policies[at % Math.max(policies.length, 1)];
      const parsed = chosen === undefined ? undefined : parseObject(chosen);
      if (chosen === undefined || parsed?.state !== "object") return;
      const there = planFor(start, [{ delete: parsed.object.ref }]);
      const back = planFor(there.next, [{ upsert: chosen }]);
      const mirrored = [...differences(back.plan)].map(([key, sides]) => [key, sides.toReversed()] as const);
      expect(new Map(mirrored)).toEqual(differences(there.plan));
      for (const { policy, nowInEffect, noLongerInEffect, before, after } of there.plan.policies) {
        const other = back.plan.policies.find((one) => one.policy === policy);
        expect({ nowInEffect: other?.noLongerInEffect, noLongerInEffect: other?.nowInEffect }).toEqual({
          nowInEffect,
          noLongerInEffect,
        });
        expect([other?.after, other?.before]).toEqual([before, after]);
      }
    });
    assertProperty(property, { numRuns: CLUSTERS, stream: 402 });
  });

  test("of a deleted Gateway equals an evaluation in which no route names it", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    let judged = 0;
    const property = fc.property(randomCluster, ({ objects, definitions }) => {
      const start = evaluateDocuments(objects, definitions);
      const found = objects.find(({ kind }) => kind === "Gateway");
      const parsed = found === undefined ? undefined : parseObject(found);
      if (parsed?.state !== "object") return;
      const { ref } = parsed.object;
      const { plan } = planFor(start, [{ delete: ref }]);
      const rest = objects.filter((object) => object !== found).map((object) => withoutParent(object, ref));
      if (rest.includes(undefined)) return;
      const unhung = evaluateDocuments(rest, definitions);
      for (const { policy, verdict } of verdicts(unhung)) {
        const planned = plan.policies.find((change) => change.policy === policy)?.after;
        if (planned?.state !== "Accepted" || verdict.state !== "Accepted") continue;
        expect({ policy, ...planned.total }).toEqual({ policy, ...verdict.total });
        judged++;
      }
      for (const { changes } of plan.kinds) expect(changes.filter(({ change }) => change === "added")).toEqual([]);
    });
    assertProperty(property, { numRuns: CLUSTERS, stream: 404 });
    expect(judged).toBeGreaterThan(CLUSTERS / 10);
  });

  test("lists exactly the values that differ between two evaluations", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    let changed = 0;
    const property = fc.property(policyToDelete, ([{ objects, definitions }, at]) => {
      const start = evaluateDocuments(objects, definitions);
      const policies = objects.filter((object) => isPolicy(worldOf(start), object));
      const chosen = policies[at % Math.max(policies.length, 1)];
      const parsed = chosen === undefined ? undefined : parseObject(chosen);
      if (parsed?.state !== "object") return;
      const { plan } = planFor(start, [{ delete: parsed.object.ref }]);
      const rebuilt = evaluateDocuments(
        objects.filter((object) => object !== chosen),
        definitions,
      );
      const after = new Map([...effectivePolicies(rebuilt)].map((one) => [keyOf(one), one]));
      const valuesByPath = new Map(
        plan.kinds.flatMap(({ policyKind, changes }) =>
          changes.map(({ nodes, from, values }) => [JSON.stringify([policyKind, nodes, from]), values] as const),
        ),
      );
      for (const old of effectivePolicies(start)) {
        const now = after.get(keyOf(old));
        if (now === undefined || (old.fields ?? now.fields) !== undefined) continue;
        const pointers = new Set([...old.sources, ...now.sources].map(({ pointer }) => pointer));
        const differ = [...pointers].filter((pointer) => !jsonEqual(heldAt(old, pointer), heldAt(now, pointer)));
        const values = valuesByPath.get(keyOf(old)) ?? [];
        const named = values.filter((value) => !jsonEqual(value.before?.value, value.after?.value));
        expect(named.map(({ pointer }) => pointer).sort()).toEqual(differ.sort());
        changed += differ.length;
      }
    });
    assertProperty(property, { numRuns: CLUSTERS, stream: 403 });
    expect(changed).toBeGreaterThan(CLUSTERS / 4);
  });
});

/** The object without parentRefs to this Gateway; undefined if it is a ListenerSet of this Gateway. */
function withoutParent(object: JsonObject, gateway: ObjectRef): JsonObject | undefined {
  const { spec, metadata } = object;
  if (!isJsonObject(spec) || !isJsonObject(metadata)) return object;
  const isGateway = (ref: Json): boolean =>
    isJsonObject(ref) &&
    (ref["kind"] ?? "Gateway") === "Gateway" &&
    ref["name"] === gateway.name &&
    (ref["namespace"] ?? metadata["namespace"]) === gateway.namespace;
  if (isGateway(spec["parentRef"] ?? null)) return undefined;
  const { parentRefs } = spec;
  if (!isJsonList(parentRefs)) return object;
  return { ...object, spec: { ...spec, parentRefs: parentRefs.filter((ref) => !isGateway(ref)) } };
}

const heldAt = ({ spec, sources }: EffectivePolicy, pointer: string): Json | undefined => {
  const source = sources.find((one) => one.pointer === pointer);
  return source === undefined || (source.policy === null && source.object === undefined)
    ? undefined
    : valueAtPointer(spec, pointer);
};
