import fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../src/core/effective/paths/path-node.ts";
import type { Source } from "../../src/core/merge/provenance.ts";
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
  isAtEnd,
  policiesOnPath,
  type RawPolicy,
  readPolicies,
  type Setting,
  settingsOf,
} from "./policies-on-path.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { type RandomCluster, randomCluster } from "./random/random-cluster.ts";

/** An effective policy of a random cluster, with the settings on its path as read from the raw objects. */
interface EvaluatedPath {
  readonly effective: EffectivePolicy;
  readonly settings: readonly Setting[];
  readonly destinationOf: (setting: Setting) => ReturnType<typeof destinationOf>;
}

function evaluatePaths({ objects, definitions }: RandomCluster, features: FeatureCount): readonly EvaluatedPath[] {
  const evaluation = evaluateDocuments(objects, definitions);
  features.add(evaluation, { objects, definitions });
  const out = new Set<PolicyId>(
    [...verdicts(evaluation)].flatMap(({ policy, verdict }) =>
      verdict.state === "NotAccepted" && verdict.reason !== "Conflicted" ? [policy] : [],
    ),
  );
  const policies = readPolicies(objects, definitions);
  const clusterObjects = readObjects(objects, definitions);
  return [...effectivePolicies(evaluation)].flatMap((effective): readonly EvaluatedPath[] => {
    const { policyKind, path } = effective;
    const definition = definitions.find(({ policies: [first] }) => first.kind === policyKind.kind);
    if (definition === undefined) throw new Error(`no definition of ${policyKind.kind}`);
    if (!isTargetedByName(definition)) return [];
    const nodes = path.flatMap((node) => targetNodes(node, clusterObjects, definition));
    const found = policiesOnPath(effective, policies, objects, (id) => out.has(id));
    return [
      {
        effective,
        settings: found.flatMap(({ policy, level }) => settingsOnPath(policy, level, effective)),
        destinationOf: ({ pointer }) => destinationOf({ path: stepsOf(pointer) }, nodes, definition),
      },
    ];
  });
}

/** Kinds whose policies name their targets, or select them by label in their own namespace. The oracle knows how others are attached. */
const isTargetedByName = ({ targeting }: PolicyDefinition): boolean =>
  !["namedBy", "selectorNamespaces", "absent"].some((field) => Object.hasOwn(targeting, field)) &&
  targeting.kinds.every(({ byPort }) => byPort !== true);

/** The nodes of a path. Virtual objects have no node. */
function targetNodes(
  { sectionName, ...ref }: PathNode,
  objects: ReturnType<typeof readObjects>,
  definition: PolicyDefinition,
): readonly TargetNode[] {
  const object = findObject(objects, ref);
  if (object === undefined) return [];
  if (sectionName === undefined) return [objectNode(object)];
  return sectionNodes(object, definition).filter(({ section }) => section?.name === sectionName);
}

/** The settings of a policy on a path. A Direct policy (without defaults and overrides) has settings only where the path ends. */
function settingsOnPath(policy: RawPolicy, level: number, effective: EffectivePolicy): readonly Setting[] {
  const settings = settingsOf(policy);
  if (policy.definition.merge.bare !== "Direct" || isAtEnd(level, effective)) return settings;
  const isBlock = ({ name, removals }: BlockOfPolicy): boolean =>
    removals.length > 0 || settings.some(({ block }) => block === name);
  return blocksOf(policy).some((block) => block.name !== "bare" && isBlock(block)) ? settings : [];
}

const named = (policy: PolicyId, block: BlockName | null | undefined, pointer: string): string =>
  `${policy} ${block} ${pointer}`;

/** Every setting that the sources contain, as the value in effect or as lost. Computed values belong to no policy. */
const appearances = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap(({ pointer, policy, block, computed, lost }) => [
    ...(policy !== null && computed === undefined ? [named(policy, block, pointer)] : []),
    ...lost.flatMap((loss) => (loss.policy === undefined ? [] : [named(loss.policy, loss.block, pointer)])),
  ]);

function checkSettings(cluster: RandomCluster, features: FeatureCount): void {
  for (const evaluated of evaluatePaths(cluster, features)) {
    const { effective, settings } = evaluated;
    const fields = effective.fields ?? [];
    const all = namesOf(settings);
    const shown = settings.filter((one) => evaluated.destinationOf(one) === "Spec");
    expect([...appearances(effective.sources)].sort(), formatPath(effective)).toEqual(namesOf(shown));
    // Each item has the settings of one mapping; a policy may be attached at several levels.
    const inItems = namesOf(settings.filter((one) => evaluated.destinationOf(one) === "Items"));
    const found = fields.map(({ sources }) => appearances(sources));
    for (const names of found) expect(names.filter((name) => times(names, name) !== times(all, name))).toEqual([]);
    for (const name of inItems) expect(found.flat(), formatPath(effective)).toContain(name);
    for (const sources of [effective.sources, ...fields.map((field) => field.sources)]) {
      for (const { pointer, lost } of sources) {
        for (const { policy, block, value } of lost) {
          if (policy === undefined) continue;
          const written = settings.find(
            (one) => one.policy === policy && one.block === block && one.pointer === pointer,
          );
          expect(value, named(policy, block, pointer)).toEqual(written?.value);
        }
      }
    }
  }
}

const times = (names: readonly string[], name: string): number => names.filter((one) => one === name).length;

const namesOf = (settings: readonly Setting[]): readonly string[] =>
  settings.map(({ policy, block, pointer }) => named(policy, block, pointer)).sort();

const formatPath = ({ policyKind, path, from }: EffectivePolicy): string =>
  `${policyKind.kind} on ${path.map((node) => `${node.kind}/${node.name}${node.sectionName === undefined ? "" : `#${node.sectionName}`}`).join(" > ")} from ${from}`;

test(`every setting of the stack appears exactly once, in effect or lost (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const features = new FeatureCount();
  const property = fc.property(randomCluster, (cluster) => checkSettings(cluster, features));
  assertProperty(property, { numRuns: 300, stream: 21 });
  expect(features.missing(0.05)).toEqual([]);
});

/** The value of a source, read from the policy. An object's own value and a computed value are read from the result. */
function settingValue(source: Source, { effective, settings }: EvaluatedPath, spec: JsonObject): Json | undefined {
  if (source.policy === null || source.computed) {
    return source.computed || source.object !== undefined ? valueAt(spec, source.pointer) : undefined;
  }
  const setting = settings.find(
    (one) => one.policy === source.policy && one.block === source.block && one.pointer === source.pointer,
  );
  expect(setting, `${formatPath(effective)}: ${named(source.policy, source.block, source.pointer)}`).toBeDefined();
  return setting?.value;
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

/** Builds a spec from the sources: each value at its pointer. Of a tombstone only the map above it is left. */
function rebuild(evaluated: EvaluatedPath, sources: readonly Source[], spec: JsonObject): JsonObject {
  const built: { [key: string]: Json } = {};
  for (const source of sources) {
    const value = settingValue(source, evaluated, spec);
    if (value === undefined) continue;
    const steps = stepsOf(source.pointer);
    if (value !== null) put(built, steps, value);
    else if (steps.length > 1) put(built, steps.slice(0, -1), {});
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
    for (const evaluated of evaluatePaths(cluster, features)) {
      const { effective } = evaluated;
      for (const { spec, sources } of [effective, ...(effective.fields ?? [])]) {
        expect(canonicalJson(rebuild(evaluated, sources, spec)), formatPath(effective)).toBe(canonicalJson(spec));
      }
    }
  });
  assertProperty(property, { numRuns: 300, stream: 22 });
  expect(features.missing(0.05)).toEqual([]);
});

test(`sources are sorted by pointer, one for each (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const property = fc.property(randomCluster, (cluster) => {
    for (const { sources } of effectivePolicies(evaluateDocuments(cluster.objects, cluster.definitions))) {
      const pointers = sources.map(({ pointer }) => pointer);
      expect(pointers).toEqual([...new Set(pointers)].sort((a, b) => (a < b ? -1 : 1)));
    }
  });
  assertProperty(property, { numRuns: 100, stream: 23 });
});
