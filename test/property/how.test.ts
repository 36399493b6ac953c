import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectChanges } from "../../src/core/effective/update/object-changes.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import { planChanges } from "../../src/core/explain/plan/plan-changes.ts";
import { keepsValue } from "../../src/core/explain/plan/value-changes.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual, ownValue } from "../../src/core/model/json.ts";
import { liesBelow, valueAtPointer } from "../../src/core/model/json-pointer.ts";
import { kindId, objectId } from "../../src/core/model/refs.ts";
import {
  apply,
  type Change,
  type EffectivePolicy,
  effectivePolicies,
  type How,
  type HowChange,
  how,
  type PathNode,
  type TargetRef,
  type WantedSetting,
} from "../../src/index.ts";
import { type Evaluation, evaluateDocuments, outputOf } from "./evaluate-cluster.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";

const CLUSTERS = 250;

interface Question {
  readonly cluster: RandomCluster;
  readonly path: number;
  readonly node: number;
  readonly setting: number;
  /** Undefined: the setting should not be set. */
  readonly value: Json | undefined;
}

const question: fc.Arbitrary<Question> = fc.record({
  cluster: randomCluster,
  path: fc.nat(99),
  node: fc.nat(9),
  setting: fc.nat(9),
  value: fc.constantFrom<(Json | undefined)[]>(1, 2, 7, "x", [500], { shade: 3 }, undefined),
});

interface Asked {
  readonly target: TargetRef;
  readonly wanted: WantedSetting;
  readonly pointer: string;
  readonly policyKind: EffectivePolicy["policyKind"];
  readonly answer: How;
}

/** Asks for another value of a setting that is on some path, at some node of that path. Undefined if there is no path. */
function ask(evaluation: Evaluation, { path, node, setting, value }: Question): Asked | undefined {
  const all = [...effectivePolicies(evaluation)].filter(({ sources }) => sources.length > 0);
  const effective = all[path % Math.max(all.length, 1)];
  const source = effective?.sources[setting % effective.sources.length];
  const target = effective?.path[node % effective.path.length];
  if (effective === undefined || source === undefined || target === undefined) return undefined;
  const wanted = { path: source.pointer, ...(value === undefined ? {} : { value }) };
  const { policyKind } = effective;
  const answer = how(evaluation, target, [wanted], { policyKind });
  return answer === undefined ? undefined : { target, wanted, pointer: source.pointer, policyKind, answer };
}

const changesOf = ({ objects }: HowChange): readonly Change[] =>
  objects.map(({ change, ref, manifest }) => (change === "deleted" ? { delete: ref } : { upsert: manifest }));

/** The documents after a change: as `kubectl apply` and `kubectl delete` would leave them. */
function documentsAfter(evaluation: Evaluation, documents: readonly JsonObject[], change: HowChange): JsonObject[] {
  const { objects } = worldOf(evaluation);
  const replaced = new Set(change.objects.map(({ id }) => objects.get(id)?.raw));
  const added = change.objects.filter((object) => object.change !== "deleted").map(({ manifest }) => manifest);
  return [...documents.filter((document) => !replaced.has(document)), ...added];
}

const leadsThrough = (nodes: readonly PathNode[], target: TargetRef): boolean =>
  nodes.some(
    (node) =>
      objectId(node) === objectId(target) &&
      (target.sectionName === undefined || node.sectionName === target.sectionName),
  );

/** The values of the setting on the paths through the target that have a policy, read without the code of `how`. */
function valuesAt(evaluation: Evaluation, { target, policyKind, pointer }: Asked): readonly (Json | undefined)[] {
  return [...effectivePolicies(evaluation, { policyKind })]
    .filter(({ path, fields }) => fields === undefined && leadsThrough(path, target))
    .map(({ spec }) => valueAtPointer(spec, pointer));
}

/** The values that a plan changes, without the wanted ones on paths of the target. */
function otherValues(evaluation: Evaluation, { target, policyKind, answer }: Asked, change: HowChange): number {
  // A map may stand for a setting for each of its keys.
  const wanted = answer.kinds.flatMap(({ now }) => now.map(({ pointer }) => pointer));
  const changes = changesOf(change);
  const { evaluation: next, delta } = apply(evaluation, changes);
  const [before, after] = [worldOf(evaluation), worldOf(next)];
  const findingsOf = (): readonly [] => [];
  const plan = planChanges({ before, after, delta, changes: objectChanges(before, changes).changes, findingsOf });
  const isWanted = (pointer: string): boolean =>
    wanted.some((one) => pointer === one || liesBelow(pointer, one) || liesBelow(one, pointer));
  let others = 0;
  for (const kind of plan.kinds) {
    for (const { nodes, values } of kind.changes) {
      const isTarget = kindId(kind.policyKind) === kindId(policyKind) && leadsThrough(nodes, target);
      others += values.filter((value) => !keepsValue(value) && !(isTarget && isWanted(value.pointer))).length;
    }
  }
  return others;
}

describe(`how (seed ${seed})`, () => {
  test("every change, applied to the documents, reaches the wanted value on every path, and changes as much else as it says", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    const ways = new Map<string, number>();
    let answers = 0;
    const property = fc.property(question, (asking) => {
      const { objects, definitions } = deepFreeze(asking.cluster);
      const evaluation = evaluateDocuments(objects, definitions);
      const before = outputOf(evaluation);
      const asked = ask(evaluation, asking);
      if (asked === undefined) return;
      expect(outputOf(evaluation)).toEqual(before);
      for (const { changes } of asked.answer.kinds) {
        if (changes.length > 0) answers++;
        for (const change of changes) {
          for (const { way } of change.steps) ways.set(way, (ways.get(way) ?? 0) + 1);
          const rebuilt = evaluateDocuments(documentsAfter(evaluation, objects, change), definitions);
          const again = how(rebuilt, asked.target, [asked.wanted], { policyKind: asked.policyKind });
          expect(
            again?.kinds.map(({ state }) => state),
            summaryOf(change),
          ).toEqual(["AlreadySo"]);
          for (const value of valuesAt(rebuilt, asked))
            expect(contains(value, asked.wanted.value), `${summaryOf(change)}: ${JSON.stringify(value)}`).toBe(true);
          expect(change.reach.others.values, summaryOf(change)).toBe(otherValues(evaluation, asked, change));
        }
        const reaches = changes.map(({ reach }) => reach.others.values);
        expect(reaches).toEqual(reaches.toSorted((a, b) => a - b));
      }
    });
    assertProperty(property, { numRuns: CLUSTERS, stream: 901 });
    expect(answers).toBeGreaterThan(CLUSTERS / 3);
    // Nine ways in all; a few are rare in small clusters.
    expect(ways.size).toBeGreaterThanOrEqual(7);
  });
});

/** A wanted map may stand for its keys alone. */
const contains = (value: Json | undefined, wanted: Json | undefined): boolean =>
  jsonEqual(value, wanted) ||
  (isJsonObject(value) &&
    isJsonObject(wanted) &&
    Object.keys(wanted).every((key) => jsonEqual(ownValue(value, key), ownValue(wanted, key))));

const summaryOf = ({ steps }: HowChange): string => steps.map(({ summary }) => summary).join(" + ");
