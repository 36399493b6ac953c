import fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectivePolicy, PathNode, Source } from "../../src/core/effective/fold/effective-policy.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject, setOwn } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { findObject, readObjects } from "../oracle/cluster-objects.ts";
import { destinationOf } from "../oracle/own-fields.ts";
import { objectNode, sectionNodes, type TargetNode } from "../oracle/target-node.ts";
import { FeatureCount } from "./cluster-features.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import {
  type BlockOfPolicy,
  blocksOf,
  type Candidate,
  candidatesOf,
  isAtEnd,
  type RawPolicy,
  readPolicies,
  standingsOf,
} from "./policy-candidates.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";

/** An effective policy of a random cluster, with what the raw objects say about its path. */
interface Judged {
  readonly effective: EffectivePolicy;
  readonly candidates: readonly Candidate[];
  readonly destinationOf: (candidate: Candidate) => ReturnType<typeof destinationOf>;
}

function judge({ objects, definitions }: RandomCluster, features: FeatureCount): readonly Judged[] {
  const evaluation = evaluateDocuments(objects, definitions);
  features.add(evaluation, { objects, definitions });
  const out = new Set<PolicyId>(
    [...verdicts(evaluation)].flatMap(({ policy, verdict }) =>
      verdict.state === "NotAccepted" && verdict.reason !== "Conflicted" ? [policy] : [],
    ),
  );
  const policies = readPolicies(objects, definitions);
  const world = readObjects(objects, definitions);
  return [...effectivePolicies(evaluation)].map((effective) => {
    const { policyKind, path } = effective;
    const definition = definitions.find(({ policies: [first] }) => first.kind === policyKind.kind);
    if (definition === undefined) throw new Error(`nobody defines ${policyKind.kind}`);
    const nodes = path.flatMap((node) => targetNodes(node, world, definition));
    const standings = standingsOf(effective, policies, objects, (id) => out.has(id));
    return {
      effective,
      candidates: standings.flatMap(({ policy, level }) => actingOn(policy, level, effective)),
      destinationOf: ({ pointer }) => destinationOf({ path: stepsOf(pointer) }, nodes, definition),
    };
  });
}

/** Virtual objects have none. */
function targetNodes(
  { sectionName, ...ref }: PathNode,
  world: ReturnType<typeof readObjects>,
  definition: PolicyDefinition,
): readonly TargetNode[] {
  const object = findObject(world, ref);
  if (object === undefined) return [];
  if (sectionName === undefined) return [objectNode(object)];
  return sectionNodes(object, definition).filter(({ section }) => section?.name === sectionName);
}

/** A Direct policy, one that has neither block, is a candidate only where the path ends. */
function actingOn(policy: RawPolicy, level: number, effective: EffectivePolicy): readonly Candidate[] {
  const candidates = candidatesOf(policy);
  if (policy.definition.merge.bare !== "Direct" || isAtEnd(level, effective)) return candidates;
  const isBlock = ({ name, removals }: BlockOfPolicy): boolean =>
    removals.length > 0 || candidates.some(({ block }) => block === name);
  return blocksOf(policy).some((block) => block.name !== "bare" && isBlock(block)) ? candidates : [];
}

const named = (policy: PolicyId, block: BlockName | null | undefined, pointer: string): string =>
  `${policy} ${block} ${pointer}`;

/** Who appears in the sources, as holder or as loser; what a custom strategy computed is nobody's candidate. */
const appearances = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap(({ pointer, policy, block, computed, lost }) => [
    ...(policy !== null && computed === undefined ? [named(policy, block, pointer)] : []),
    ...lost.flatMap((loss) => (loss.policy === undefined ? [] : [named(loss.policy, loss.block, pointer)])),
  ]);

function checkCandidates(cluster: RandomCluster, features: FeatureCount): void {
  for (const judged of judge(cluster, features)) {
    const { effective, candidates } = judged;
    const fields = effective.fields ?? [];
    const all = namesOf(candidates);
    const shown = candidates.filter((one) => judged.destinationOf(one) === "Spec");
    expect([...appearances(effective.sources)].sort(), describePath(effective)).toEqual(namesOf(shown));
    // Each item has those of one setting; a policy may stand at several levels.
    const inItems = namesOf(candidates.filter((one) => judged.destinationOf(one) === "Items"));
    const told = fields.map(({ sources }) => appearances(sources));
    for (const names of told) expect(names.filter((name) => times(names, name) !== times(all, name))).toEqual([]);
    for (const name of inItems) expect(told.flat(), describePath(effective)).toContain(name);
    for (const sources of [effective.sources, ...fields.map((field) => field.sources)]) {
      for (const { pointer, lost } of sources) {
        for (const { policy, block, value } of lost) {
          if (policy === undefined) continue;
          const said = candidates.find(
            (one) => one.policy === policy && one.block === block && one.pointer === pointer,
          );
          expect(value, named(policy, block, pointer)).toEqual(said?.value);
        }
      }
    }
  }
}

const times = (names: readonly string[], name: string): number => names.filter((one) => one === name).length;

const namesOf = (candidates: readonly Candidate[]): readonly string[] =>
  candidates.map(({ policy, block, pointer }) => named(policy, block, pointer)).sort();

const describePath = ({ policyKind, path, from }: EffectivePolicy): string =>
  `${policyKind.kind} on ${path.map((node) => `${node.kind}/${node.name}${node.sectionName === undefined ? "" : `#${node.sectionName}`}`).join(" > ")} from ${from}`;

test(`every candidate of the stack appears exactly once, as holder or loser (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const features = new FeatureCount();
  const property = fc.property(randomCluster, (cluster) => checkCandidates(cluster, features));
  assertProperty(property, { numRuns: 300, stream: 21 });
  expect(features.missing(0.05)).toEqual([]);
});

/** What the holder of a place says there. An own or computed value is nowhere but in the result itself. */
function heldValue(source: Source, { effective, candidates }: Judged, spec: JsonObject): Json | undefined {
  if (source.policy === null || source.computed) {
    return source.computed || source.object !== undefined ? valueAt(spec, source.pointer) : undefined;
  }
  const held = candidates.find(
    (one) => one.policy === source.policy && one.block === source.block && one.pointer === source.pointer,
  );
  expect(held, `${describePath(effective)}: ${named(source.policy, source.block, source.pointer)}`).toBeDefined();
  return held?.value;
}

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

function valueAt(spec: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = spec;
  for (const step of stepsOf(pointer)) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}

/** The decisions, carried out: each held value at its place; a tombstone leaves nothing. */
function rebuild(judged: Judged, sources: readonly Source[], spec: JsonObject): JsonObject {
  const built: { [key: string]: Json } = {};
  for (const source of sources) {
    const value = heldValue(source, judged, spec);
    if (value === undefined || value === null) continue;
    put(built, stepsOf(source.pointer), value);
  }
  return built;
}

function put(object: { [key: string]: Json }, [head = "", ...rest]: readonly string[], value: Json): void {
  const below = Object.hasOwn(object, head) ? object[head] : undefined;
  if (rest.length === 0) {
    if (below === undefined || !isJsonObject(value) || Object.keys(value).length > 0) setOwn(object, head, value);
    return;
  }
  const copy: { [key: string]: Json } = isJsonObject(below) ? { ...below } : {};
  put(copy, rest, value);
  setOwn(object, head, copy);
}

test(`applying the recorded decisions rebuilds the spec (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const features = new FeatureCount();
  const property = fc.property(randomCluster, (cluster) => {
    for (const judged of judge(cluster, features)) {
      const { effective } = judged;
      for (const { spec, sources } of [effective, ...(effective.fields ?? [])]) {
        expect(canonicalJson(rebuild(judged, sources, spec)), describePath(effective)).toBe(canonicalJson(spec));
      }
    }
  });
  assertProperty(property, { numRuns: 300, stream: 22 });
  expect(features.missing(0.05)).toEqual([]);
});

test(`sources are sorted, one per place (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    for (const { sources } of effectivePolicies(evaluateDocuments(cluster.objects, cluster.definitions))) {
      const pointers = sources.map(({ pointer }) => pointer);
      expect(pointers).toEqual([...new Set(pointers)].sort((a, b) => (a < b ? -1 : 1)));
    }
  });
  assertProperty(property, { numRuns: 100, stream: 23 });
});
