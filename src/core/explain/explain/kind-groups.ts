import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { type NodeSets, setsAt } from "../../effective/world/stack.ts";
import type { World } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { RemovalOutcome, Source } from "../../merge/provenance.ts";
import type { PolicyId } from "../../model/refs.ts";
import type { ExplainedPath, KindExplanation, PathOutcome, PolicyPart } from "./result.ts";

/** Collects the paths of one policy kind through one target, equal ones in groups. */
export class KindGroups {
  readonly #world: World;
  readonly #kind: CompiledKind;
  readonly #isGrouped: boolean;
  readonly #grouping = new Map<string, Grouped>();
  #paths = 0;

  /** `group: false`: every path is an outcome of its own, even if it equals another. */
  constructor(world: World, kind: CompiledKind, { group }: { readonly group: boolean } = { group: true }) {
    this.#world = world;
    this.#kind = kind;
    this.#isGrouped = group;
  }

  add(path: Path, core: EffectiveSpec): void {
    addPath(this.#world, this.#kind, path, core, this.#isGrouped ? undefined : String(this.#paths), this.#grouping);
    this.#paths++;
  }

  /** Undefined if there is no path. */
  explanation(): KindExplanation | undefined {
    if (this.#paths === 0) return undefined;
    const outcomes = [...this.#grouping.values()].map(({ outcome }) => outcome);
    return { policyKind: this.#kind.policyKind, paths: this.#paths, outcomes };
  }
}

interface Grouped {
  readonly outcome: PathOutcome;
  readonly paths: ExplainedPath[];
}

/** Paths share an outcome if all values, their sources and all overridden values are equal. */
function addPath(
  world: World,
  kind: CompiledKind,
  path: Path,
  core: EffectiveSpec,
  ownKey: string | undefined,
  grouping: Map<string, Grouped>,
): void {
  const effective = effectivePolicyAt(path, kind);
  const { spec, sources, fields = [], removals = [], order } = effective;
  const key = ownKey ?? JSON.stringify([spec, sources, fields, removals, order]);
  let grouped = grouping.get(key);
  if (grouped === undefined) {
    const paths: ExplainedPath[] = [];
    const removed = removedBy([...sources, ...fields.flatMap((field) => field.sources)], removals);
    const policies = partsOf(world, kind, path, core, removed);
    grouped = { paths, outcome: { paths, spec, sources, fields, removals, policies, ...(order && { order }) } };
    grouping.set(key, grouped);
  }
  grouped.paths.push(explainedPath(effective));
}

const explainedPath = ({ path, from, incomplete }: EffectivePolicy): ExplainedPath => ({
  nodes: path,
  ...(from === undefined ? {} : { from }),
  ...(incomplete ? { incomplete } : {}),
});

/** Pointers of the values that each policy removes or deletes. */
function removedBy(
  sources: readonly Source[],
  removals: readonly RemovalOutcome[],
): ReadonlyMap<PolicyId, readonly string[]> {
  const removed = new Map<PolicyId, Set<string>>();
  const add = (policy: PolicyId, pointer: string): void => {
    removed.set(policy, (removed.get(policy) ?? new Set()).add(pointer));
  };
  for (const { policy, removes } of removals) for (const pointer of removes) add(policy, pointer);
  for (const { pointer, lost } of sources)
    for (const { reason, by } of lost) if (reason === "deleted") for (const policy of by) add(policy, pointer);
  return new Map([...removed].map(([policy, pointers]) => [policy, [...pointers].sort()]));
}

function partsOf(
  world: World,
  kind: CompiledKind,
  path: Path,
  core: EffectiveSpec,
  removed: ReadonlyMap<PolicyId, readonly string[]>,
): readonly PolicyPart[] {
  const attachedTo = new Map<PolicyId, PathNode>();
  for (const { id, ref, section } of nodesOf(path)) {
    const { group, kind: name, namespace, name: own } = ref;
    const node: PathNode = {
      group,
      kind: name,
      namespace,
      name: own,
      ...(section === undefined ? {} : { sectionName: section.name }),
    };
    for (const policy of policiesAt(world.attached[kind.index]?.get(id), section?.name, path.from))
      if (!attachedTo.has(policy)) attachedTo.set(policy, node);
  }
  const parts = core.outcomes.flatMap(({ policy, inEffect, values, overridden, gated, by }): PolicyPart[] => {
    const at = attachedTo.get(policy.id);
    if (at === undefined) return [];
    const removes = removed.get(policy.id) ?? [];
    const removals = core.removals.filter((one) => one.policy === policy.id && one.state === "inEffect").length;
    const winners = by.map(({ id }) => id);
    const keepsOut = inEffect > values + removals;
    return [{ policy: policy.id, at, inEffect: values, overridden, gated, removes, keepsOut, by: winners }];
  });
  const order = core.order?.map(({ policy }) => policy) ?? [...attachedTo.keys()];
  return parts.sort((a, b) => order.indexOf(a.policy) - order.indexOf(b.policy));
}

/** The policies attached to one node, highest first. */
function policiesAt(
  sets: NodeSets | undefined,
  section: string | undefined,
  from: string | undefined,
): readonly PolicyId[] {
  const consumer = from === undefined ? undefined : sets?.consumers?.get(from);
  return [
    ...setsAt(sets, section).flatMap(({ policies }) => policies.map(({ id }) => id)),
    ...(consumer === undefined ? [] : policiesAt(consumer, section, undefined)),
  ];
}
