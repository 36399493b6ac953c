import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { problemsOf } from "../../effective/world/gateway-problems.ts";
import { refusalsOf } from "../../effective/world/link-indexes.ts";
import type { NodeSets } from "../../effective/world/stack.ts";
import type { World } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { RemovalOutcome, Source } from "../../merge/provenance.ts";
import { formatRef, type ObjectRef, objectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { forEachOwnPathThrough, forEachPathThrough, type ObjectOrSection } from "../paths-through.ts";
import { connectionsOf } from "./connections.ts";
import { ineffectivePolicies } from "./ineffective-policies.ts";
import { ReachedSections } from "./reached-sections.ts";
import { reportedConditions } from "./reported-conditions.ts";
import type { ExplainedPath, Explanation, KindExplanation, PathOutcome, PolicyPart } from "./result.ts";

export interface ExplainOptions {
  /** `false`: every path is an outcome of its own, even if it equals another. */
  readonly group: boolean;
}

/** For each policy kind: what takes effect on the paths through a target; and which policies name the target without effect. */
export function explainTarget(world: World, target: ObjectOrSection, options: ExplainOptions): Explanation {
  const { group: apiGroup, kind, namespace, name } = parseObjectId(target.id);
  const section = target.sectionName === undefined ? {} : { sectionName: target.sectionName };
  const reached = new ReachedSections(target);
  const { kinds, absentParents } = explainKinds(world, target, options, (compiled, path) =>
    reached.add(compiled, path),
  );
  return {
    target: { group: apiGroup, kind, namespace, name, ...section },
    kinds,
    failures: ineffectivePolicies(world, target, reached),
    refusals: refusalsOf(world, target.id)
      .filter(({ code }) => code !== "ParentNotFound")
      .map(({ field, code, reason }) => ({ field, code, reason })),
    problems: problemsAt(world, target),
    connections: connectionsOf(world, target),
    absentParents,
    conditions: reportedConditions(world.objects.get(target.id), target.sectionName),
  };
}

/** The part of an explanation that is about effective policies. `onPath` is called for each path that has a policy. */
export function explainKinds(
  world: World,
  target: ObjectOrSection,
  { group }: ExplainOptions,
  onPath?: (kind: CompiledKind, path: Path) => void,
): Pick<Explanation, "kinds" | "absentParents"> {
  const kinds: KindExplanation[] = [];
  const absent = new Map<string, ObjectRef>();
  for (const compiled of world.rulebook.kinds) {
    const grouping = new Map<string, Grouped>();
    let paths = 0;
    const add = (path: Path, core: EffectiveSpec): void => {
      addPath(world, compiled, path, core, group ? undefined : String(paths), grouping);
      paths++;
      if (path.incomplete) for (const ref of absentParentsAbove(world, path)) absent.set(objectId(ref), ref);
    };
    forEachPathThrough(world, compiled, target, (path, core) => {
      add(path, core);
      onPath?.(compiled, path);
    });
    forEachOwnPathThrough(world, compiled, target, add);
    const outcomes = [...grouping.values()].map(({ outcome }) => outcome);
    if (paths > 0) kinds.push({ policyKind: compiled.policyKind, paths, outcomes });
  }
  for (const ref of world.links.get(target.id)?.absentParents ?? []) absent.set(objectId(ref), ref);
  return { kinds, absentParents: [...absent.values()].sort((a, b) => (formatRef(a) < formatRef(b) ? -1 : 1)) };
}

/** For a section only the problems of that section. */
function problemsAt(world: World, { id, sectionName }: ObjectOrSection): readonly ConditionProblem[] {
  const object = world.objects.get(id);
  if (object === undefined) return [];
  const problems = problemsOf(world, object);
  if (sectionName === undefined || problems.length === 0) return problems;
  const facts = world.rulebook.factsOf(object.family.kindId);
  const section = facts === undefined ? undefined : sectionsOf(object, facts).find(({ name }) => name === sectionName);
  const list = facts?.sections.find((one) => one.section === section?.section);
  return problems.filter(({ field }) => `${field}.`.startsWith(`${list?.path}[${section?.index}].`));
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
  const { spec, sources, fields = [], removals = [] } = effective;
  const key = ownKey ?? JSON.stringify([spec, sources, fields, removals]);
  let grouped = grouping.get(key);
  if (grouped === undefined) {
    const paths: ExplainedPath[] = [];
    const removed = removedBy([...sources, ...fields.flatMap((field) => field.sources)], removals);
    const policies = partsOf(world, kind, path, core, removed);
    grouped = { paths, outcome: { paths, spec, sources, fields, removals, policies } };
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
  const order = [...attachedTo.keys()];
  return parts.sort((a, b) => order.indexOf(a.policy) - order.indexOf(b.policy));
}

/** The policies attached to one node, highest first. */
function policiesAt(
  sets: NodeSets | undefined,
  section: string | undefined,
  from: string | undefined,
): readonly PolicyId[] {
  const own = section === undefined ? sets?.own : sets?.sections?.get(section);
  const consumer = from === undefined ? undefined : sets?.consumers?.get(from);
  return [
    ...(own?.policies ?? []).map(({ id }) => id),
    ...(consumer === undefined ? [] : policiesAt(consumer, section, undefined)),
  ];
}

function absentParentsAbove(world: World, path: Path): readonly ObjectRef[] {
  return nodesOf(path).flatMap(({ id }) => world.links.get(id)?.absentParents ?? []);
}
