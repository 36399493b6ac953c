import fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectivePolicy, Source } from "../../src/core/effective/effective-policy.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject, setOwn } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import {
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
}

function judge({ objects, definitions }: RandomCluster): readonly Judged[] {
  const evaluation = evaluateDocuments(objects, definitions);
  const out = new Set<PolicyId>(
    [...verdicts(evaluation)].flatMap(({ policy, verdict }) =>
      verdict.state === "NotAccepted" && verdict.reason !== "Conflicted" ? [policy] : [],
    ),
  );
  const policies = readPolicies(objects, definitions);
  return [...effectivePolicies(evaluation)].map((effective) => ({
    effective,
    candidates: standingsOf(effective, policies, objects, (id) => out.has(id)).flatMap(({ policy, level }) =>
      actingOn(policy, level, effective),
    ),
  }));
}

/** Bare rules as Direct are candidates only where the path ends. */
function actingOn(policy: RawPolicy, level: number, effective: EffectivePolicy): readonly Candidate[] {
  const isDirect = policy.definition.merge.bare === "Direct" && !isAtEnd(level, effective);
  return candidatesOf(policy).filter(({ block }) => !(isDirect && block === "bare"));
}

const named = (policy: PolicyId, block: BlockName | null | undefined, pointer: string): string =>
  `${policy} ${block} ${pointer}`;

/** Who appears in the sources, as holder or as loser; what a custom strategy computed is nobody's candidate. */
const appearances = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap(({ pointer, policy, block, computed, lost }) => [
    ...(policy !== null && computed === undefined ? [named(policy, block, pointer)] : []),
    ...lost.flatMap((loss) => (loss.policy === undefined ? [] : [named(loss.policy, loss.block, pointer)])),
  ]);

function checkCandidates(cluster: RandomCluster): void {
  for (const { effective, candidates } of judge(cluster)) {
    const expected = candidates.map(({ policy, block, pointer }) => named(policy, block, pointer)).sort();
    for (const sources of [effective.sources, ...(effective.fields ?? []).map((field) => field.sources)]) {
      expect([...appearances(sources)].sort(), describePath(effective)).toEqual(expected);
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

const describePath = ({ policyKind, path, from }: EffectivePolicy): string =>
  `${policyKind.kind} on ${path.map((node) => `${node.kind}/${node.name}${node.sectionName === undefined ? "" : `#${node.sectionName}`}`).join(" > ")} from ${from}`;

test(`every candidate of the stack appears exactly once, as holder or loser (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  assertProperty(fc.property(randomCluster, checkCandidates), { numRuns: 300, stream: 21 });
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
  const property = fc.property(randomCluster, (cluster) => {
    for (const judged of judge(cluster)) {
      const { effective } = judged;
      for (const { spec, sources } of [effective, ...(effective.fields ?? [])]) {
        expect(canonicalJson(rebuild(judged, sources, spec)), describePath(effective)).toBe(canonicalJson(spec));
      }
    }
  });
  assertProperty(property, { numRuns: 300, stream: 22 });
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
