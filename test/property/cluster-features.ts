/** Counts which features the random clusters of a run exercise, so that a test fails if a feature becomes too rare. */
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { Evaluation } from "../../src/core/evaluate.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { effectivePolicies, verdicts } from "../../src/index.ts";
import { blocksOf, type PolicyOnPath, policiesOnPath, type RawPolicy, readPolicies } from "./policies-on-path.ts";

const clusterFeatures = [
  "three levels on one path",
  "tie on one target",
  "mixed granularity",
  "remove",
  "when",
  "null",
  "both blocks",
  "namespace as level",
  "across namespaces",
  "sameTarget Established",
  "sameTarget OldestWins",
  "an object's own value",
] as const;
type ClusterFeature = (typeof clusterFeatures)[number];

interface Cluster {
  readonly objects: readonly JsonObject[];
  readonly definitions: readonly PolicyDefinition[];
}

/** The features that occur on at least one path of the cluster. A policy without a path does not count. */
function featuresOf(evaluation: Evaluation, { objects, definitions }: Cluster): ReadonlySet<ClusterFeature> {
  const policies = readPolicies(objects, definitions);
  const out = new Set<PolicyId>();
  for (const { policy, verdict } of verdicts(evaluation)) if (verdict.state !== "Accepted") out.add(policy);
  const found = new Set<ClusterFeature>();
  for (const one of effectivePolicies(evaluation)) {
    const stack = policiesOnPath(one, policies, objects, (policy) => out.has(policy));
    for (const feature of clusterFeatures) if (!found.has(feature) && has[feature](stack, one)) found.add(feature);
  }
  return found;
}

type Test = (stack: readonly PolicyOnPath[], effective: EffectivePolicy) => boolean;

const pairs = (stack: readonly PolicyOnPath[]): readonly (readonly [PolicyOnPath, PolicyOnPath])[] =>
  stack.flatMap((one, at) => stack.slice(at + 1).map((other) => [one, other] as const));
const onOneTarget = ([one, other]: readonly [PolicyOnPath, PolicyOnPath]): boolean => one.level === other.level;
const blocks = (stack: readonly PolicyOnPath[]): ReturnType<typeof blocksOf> =>
  stack.flatMap(({ policy }) => blocksOf(policy));
const sameTarget = (stack: readonly PolicyOnPath[], rule: PolicyDefinition["merge"]["sameTarget"]): boolean =>
  pairs(stack).some((pair) => onOneTarget(pair) && pair[0].policy.definition.merge.sameTarget === rule);

const has: Readonly<Record<ClusterFeature, Test>> = {
  "three levels on one path": (stack) => new Set(stack.map(({ level }) => level)).size >= 3,
  "tie on one target": (stack) =>
    pairs(stack).some((pair) => onOneTarget(pair) && pair[0].policy.created === pair[1].policy.created),
  "mixed granularity": (stack) => new Set(stack.flatMap(({ policy }) => granularities(policy))).size >= 2,
  remove: (stack) => stack.length >= 2 && blocks(stack).some(({ removals }) => removals.length > 0),
  when: (stack) => stack.length >= 2 && blocks(stack).some(({ hasWhen }) => hasWhen),
  null: (stack) => stack.length >= 2 && blocks(stack).some(({ spec }) => hasNull(spec)),
  "both blocks": (stack) => stack.some(({ policy }) => new Set(blocksOf(policy).map(({ name }) => name)).size >= 3),
  "namespace as level": (stack, { path }) => stack.some(({ level }) => path[level]?.kind === "Namespace"),
  "across namespaces": (stack, { path }) =>
    stack.some(({ policy, level }) => {
      const namespace = path[level]?.namespace ?? "";
      return namespace !== "" && policy.namespace !== "" && policy.namespace !== namespace;
    }),
  "sameTarget Established": (stack) => sameTarget(stack, "Established"),
  "sameTarget OldestWins": (stack) => sameTarget(stack, "OldestWins"),
  "an object's own value": (_, { sources, fields = [] }) =>
    [...sources, ...fields.flatMap((field) => field.sources)].some(
      ({ object, lost }) => object !== undefined || lost.some(({ policy }) => policy === undefined),
    ),
};

const granularities = (policy: RawPolicy): readonly string[] =>
  blocksOf(policy)
    .filter(({ spec }) => Object.keys(spec).length > 0)
    .map(({ strategy }) => JSON.stringify(findGranularity(policy, strategy)));

function findGranularity({ definition }: RawPolicy, strategy: string | undefined): unknown {
  const { values, default: byDefault } = definition.merge.granularity;
  return strategy === undefined ? byDefault : (values[strategy] ?? byDefault);
}

const hasNull = (value: Json): boolean => value === null || (isJsonObject(value) && Object.values(value).some(hasNull));

/** Counts over one run. `missing` lists the features that less than the given share of the clusters exercises. */
export class FeatureCount {
  #clusters = 0;
  readonly #counts: Map<ClusterFeature, number> = new Map();

  add(evaluation: Evaluation, cluster: Cluster): void {
    this.#clusters++;
    for (const feature of featuresOf(evaluation, cluster))
      this.#counts.set(feature, (this.#counts.get(feature) ?? 0) + 1);
  }

  /** Prints the shares if PREVAIL_SEED is set. */
  print(): void {
    if (process.env["PREVAIL_SEED"] === undefined) return;
    for (const [feature, share] of this.shares) console.info(`${(100 * share).toFixed(1).padStart(5)} % ${feature}`);
  }

  get shares(): ReadonlyMap<ClusterFeature, number> {
    return new Map(
      clusterFeatures.map((feature) => [feature, (this.#counts.get(feature) ?? 0) / Math.max(1, this.#clusters)]),
    );
  }

  missing(share: number): readonly string[] {
    return [...this.shares]
      .filter(([, found]) => found < share)
      .map(([feature, found]) => `${feature}: ${(100 * found).toFixed(1)} %`);
  }
}
