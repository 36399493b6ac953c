/**
 * A second, naive implementation of the whole engine, for comparison. It follows RFC 9's flowcharts and GEP-713's text
 * literally, evaluates one path after the other and keeps no state between them. It imports only types of the engine.
 */
import type { EffectivePolicy, MappedField } from "../../src/core/effective/fold/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { CustomStrategies } from "../../src/core/merge/custom-strategy.ts";
import type { EvaluateCondition } from "../../src/core/model/cel.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { PolicyId, TargetId } from "../../src/core/model/refs.ts";
import { type ClusterObject, readObjects, withVirtual } from "./cluster-objects.ts";
import { findPaths, isForeign } from "./find-paths.ts";
import { outcomesOf, outcomesOfEmpty, outcomesOfRemovals, sourcesOf } from "./fold-outcomes.ts";
import { foldParts } from "./fold-parts.ts";
import { evaluationOrder, foldStack, type StackEntry } from "./fold-stack.ts";
import { specOf } from "./fold-state.ts";
import { compareText } from "./json-value.ts";
import { isSameKind } from "./kind-table.ts";
import { destinationOf, isAbout, ownItems, ownValues } from "./own-fields.ts";
import { groupOf } from "./policy-order.ts";
import { type OracleStatus, statusOf } from "./policy-status.ts";
import { type FoldedPath, verdictOf } from "./policy-verdicts.ts";
import { type OraclePolicy, readPolicy } from "./read-policy.ts";
import { removalOutcomes } from "./removal-entries.ts";
import { resolveTargets } from "./resolve-targets.ts";
import type { OracleUnit } from "./spec-units.ts";
import { isAtEnd, type StackedPath, stackPaths } from "./stack-paths.ts";
import { pathNode, type TargetNode } from "./target-node.ts";

export interface OracleOptions {
  readonly definitions: readonly PolicyDefinition[];
  readonly cel?: EvaluateCondition;
  readonly strategies?: CustomStrategies;
}

export interface OracleResult {
  readonly effective: readonly EffectivePolicy[];
  readonly verdicts: ReadonlyMap<PolicyId, Verdict>;
  readonly statuses: ReadonlyMap<PolicyId, OracleStatus>;
  /** By complete paths. */
  readonly affected: ReadonlyMap<TargetId, ReadonlySet<PolicyId>>;
  /** By incomplete paths alone. */
  readonly possiblyAffected: ReadonlyMap<TargetId, ReadonlySet<PolicyId>>;
}

export function oracle(documents: readonly JsonObject[], options: OracleOptions): OracleResult {
  const objects = readObjects(documents, options.definitions);
  const results = options.definitions.map((definition) => evaluateKind(objects, definition, options));
  const paths = results.flatMap((result) => result.paths);
  const affected = affectedBy(paths.filter(({ incomplete }) => !incomplete));
  const onIncomplete = affectedBy(paths.filter(({ incomplete }) => incomplete));
  return {
    effective: results.flatMap(({ effective }) => effective),
    verdicts: new Map(results.flatMap(({ verdicts }) => [...verdicts])),
    statuses: new Map(results.flatMap(({ statuses }) => [...statuses])),
    affected,
    possiblyAffected: new Map(
      [...onIncomplete].map(([target, policies]) => [
        target,
        new Set([...policies].filter((policy) => affected.get(target)?.has(policy) !== true)),
      ]),
    ),
  };
}

interface KindResult extends Pick<OracleResult, "effective" | "verdicts" | "statuses"> {
  readonly paths: readonly FoldedPath[];
}

function evaluateKind(
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
  options: OracleOptions,
): KindResult {
  const written = definition.policies.flatMap((kind, kindIndex) =>
    objects
      .filter(({ ref }) => isSameKind(ref, kind))
      .map((object) => ({
        id: object.id as PolicyId,
        object,
        policy: readPolicy(object, kindIndex, { definition, strategies: options.strategies ?? {} }),
      })),
  );
  const policies = written.flatMap(({ policy }): OraclePolicy[] => (policy === undefined ? [] : [policy]));
  const attached = policies.flatMap((policy) => resolveTargets(policy, objects, definition));
  const targets = attached.map(({ target }) => target.object);
  const all = withVirtual(objects, targets);
  const folded = stackPaths(findPaths(all, definition), attached, definition, all).map((path) =>
    foldPath(path, definition, options),
  );
  const paths = folded.map(({ path }) => path);
  const invalid: Verdict = { state: "NotAccepted", reason: "Invalid", message: "", by: [] };
  const everywhere = findPaths(all, { ...definition, controllers: [] });
  const foreign = everywhere.filter(({ nodes }) => nodes.some(({ object }) => isForeign(object, all, definition)));
  const elsewhere = stackPaths(foreign, attached, definition, all).flatMap(({ entries }) => entries);
  const judged = written.map((one) => ({
    ...one,
    verdict: one.policy === undefined ? invalid : verdictOf(one.policy, attached, paths, definition, all),
  }));
  return {
    effective: folded.map(({ effective }) => effective),
    verdicts: new Map(judged.map(({ id, verdict }) => [id, verdict])),
    statuses: new Map(
      judged.map(({ id, object, policy, verdict }) => [
        id,
        statusOf(object, policy, {
          verdict,
          attached,
          paths,
          elsewhere,
          definition,
          definitions: options.definitions,
          objects: all,
        }),
      ]),
    ),
    paths,
  };
}

function foldPath(
  path: StackedPath,
  definition: PolicyDefinition,
  { cel, strategies = {} }: OracleOptions,
): { readonly path: FoldedPath; readonly effective: EffectivePolicy } {
  const { nodes, levels, from, incomplete } = path;
  const end = nodes.at(-1) as TargetNode;
  const options = { definition, cel, strategies, isAtEnd: (entry: StackEntry) => isAtEnd(entry, path) };
  const ofObjects = ownValues(nodes, definition);
  const [whole, ...others] = foldParts(path, ofObjects, options);
  const { state } = whole;
  const isInSpec = (unit: OracleUnit): boolean =>
    whole.isHere(unit) && destinationOf(unit, nodes, definition) === "Spec";
  const items = ownItems(nodes, definition).map(({ object, pointer, mapping, own }) => ({
    object,
    pointer,
    fold: foldStack(levels, [...own, ...ofObjects], options),
    isInItem: (unit: OracleUnit): boolean => isAbout(unit, mapping),
  }));
  const fields: readonly MappedField[] = items.map(({ object, pointer, fold, isInItem }) => ({
    object,
    pointer,
    spec: fold.state.specOf(isInItem),
    sources: sourcesOf(fold.state, isInItem),
  }));
  const removals = removalOutcomes([
    { ...whole, counts: isInSpec },
    ...items.map(({ fold, isInItem }) => ({ ...fold, counts: isInItem })),
  ]);
  const [{ group, kind }] = definition.policies;
  return {
    // Where a policy sets fields of list items, each item decides whether the policy takes effect.
    path: {
      ...path,
      outcomes: [
        ...outcomesOf(state, isInSpec),
        ...others.flatMap((fold) => outcomesOf(fold.state, fold.isHere)),
        ...others.flatMap((fold) => outcomesOfEmpty(fold.state)),
        ...items.flatMap(({ fold, isInItem }) => outcomesOf(fold.state, isInItem)),
        ...outcomesOfRemovals(removals),
        ...outcomesOfEmpty(state),
      ],
    },
    effective: {
      policyKind: { group, kind },
      target: end.id,
      path: nodes.map(pathNode),
      ...(from === undefined ? {} : { from }),
      ...(incomplete === undefined ? {} : { incomplete }),
      spec: specOf([
        ...state.current.filter(({ unit }) => isInSpec(unit)),
        ...others.flatMap((fold) => fold.state.current.filter(({ unit }) => fold.isHere(unit))),
      ]),
      sources: [
        ...sourcesOf(state, isInSpec),
        ...others.flatMap((fold) => sourcesOf(fold.state, fold.isHere)),
      ].toSorted((a, b) => compareText(a.pointer, b.pointer)),
      ...(fields.length === 0 ? {} : { fields }),
      ...(removals.length === 0 ? {} : { removals }),
      ...orderOf(path, definition),
    },
  };
}

/** The order of evaluation, where all policies take effect. */
function orderOf({ levels }: StackedPath, definition: PolicyDefinition): Pick<EffectivePolicy, "order"> {
  const { accumulate } = definition.merge;
  if (accumulate === undefined) return {};
  const { groupBy } = accumulate;
  return {
    order: evaluationOrder(levels, definition).map((policy) => ({
      policy: policy.id,
      ...(groupBy === undefined ? {} : { group: groupOf(groupBy, policy) }),
    })),
  };
}

/** A target is affected by the policies that take effect at or below their declared target on a path through it (GEP-713, Example 2, item 6). */
function affectedBy(paths: readonly FoldedPath[]): ReadonlyMap<TargetId, ReadonlySet<PolicyId>> {
  const affected = new Map<TargetId, Set<PolicyId>>();
  for (const { nodes, entries, outcomes } of paths) {
    for (const { policy, level } of entries) {
      if (!outcomes.some((outcome) => outcome.policy === policy.id && outcome.state === "inEffect")) continue;
      for (const { id } of nodes.slice(Math.round(level)))
        affected.set(id, (affected.get(id) ?? new Set()).add(policy.id));
    }
  }
  return affected;
}
