import type { Attachment } from "../../attachment/resolved-targets.ts";
import { annotatedStrategy } from "../../merge/annotated-strategy.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import type { ObjectIndex } from "../../model/collections/object-index.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { LevelKind } from "../../model/definition.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { Policy } from "../../model/policy.ts";
import { kindId, type ObjectId, parseObjectId } from "../../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { type NodeSets, PLAIN_TARGET, type PolicySet, type TargetFacts } from "./stack.ts";

/** A policy on an object or one of its sections. */
export interface AttachedPolicy {
  readonly policy: Policy;
  readonly sectionName: string | undefined;
  readonly consumer: string | undefined;
  /** True if the object or section names the policy. */
  readonly isNamed: boolean;
  /** The index of the policy among the names of the object or section, if their order counts. */
  readonly nameIndex: number | undefined;
  /** True if the policy is attached to every Namespace. */
  readonly isMeshWide: boolean;
}

/** `id`: the object that the policies are attached to; `findTarget`: undefined if it is implied or virtual. */
export function buildNodeSets(
  all: readonly AttachedPolicy[],
  id: ObjectId,
  findTarget: () => KubeObject | undefined,
  kind: CompiledKind,
): NodeSets {
  const factsOf = targetFacts(id, findTarget, kind);
  const [only] = all;
  if (
    all.length === 1 &&
    only !== undefined &&
    only.sectionName === undefined &&
    only.consumer === undefined &&
    !only.isNamed &&
    !only.isMeshWide
  ) {
    return {
      own: setOf([only], factsOf("Object"), kind),
      sections: undefined,
      consumers: undefined,
      named: undefined,
      meshWide: undefined,
    };
  }
  const consumers = new Map<string, NodeSets>();
  const namespaces = new Set(all.flatMap(({ consumer }) => (consumer === undefined ? [] : [consumer])));
  for (const namespace of [...namespaces].sort()) {
    consumers.set(
      namespace,
      nodeSets(
        all.filter(({ consumer }) => consumer === namespace),
        factsOf,
        kind,
      ),
    );
  }
  const everybody = nodeSets(
    all.filter(({ consumer, isNamed, isMeshWide }) => consumer === undefined && !isNamed && !isMeshWide),
    factsOf,
    kind,
  );
  const named = all.filter(({ isNamed }) => isNamed);
  const meshWide = all.filter(({ isMeshWide }) => isMeshWide);
  return {
    ...everybody,
    consumers: consumers.size === 0 ? undefined : consumers,
    named: named.length === 0 ? undefined : nodeSets(named, factsOf, kind),
    meshWide: meshWide.length === 0 ? undefined : nodeSets(meshWide, factsOf, kind),
  };
}

type FactsOf = (target: "Object" | "Section") => TargetFacts;

function nodeSets(all: readonly AttachedPolicy[], factsOf: FactsOf, kind: CompiledKind): NodeSets {
  const own = all.filter(({ sectionName }) => sectionName === undefined);
  const sections = new Map<string, PolicySet>();
  for (const name of new Set(all.map(({ sectionName }) => sectionName))) {
    if (name === undefined) continue;
    sections.set(
      name,
      setOf(
        all.filter(({ sectionName }) => sectionName === name),
        factsOf("Section"),
        kind,
      ),
    );
  }
  return {
    own: own.length === 0 ? undefined : setOf(own, factsOf("Object"), kind),
    sections: sections.size === 0 ? undefined : sections,
    consumers: undefined,
    named: undefined,
    meshWide: undefined,
  };
}

function setOf(
  attached: readonly AttachedPolicy[],
  facts: TargetFacts,
  { stacks, definition }: CompiledKind,
): PolicySet {
  const { merge } = definition;
  if (attached.every(({ nameIndex }) => nameIndex === undefined)) {
    const policies = attached.map(({ policy }) => policy);
    return stacks.setOf(policies.length === 1 ? policies : policies.sort(comparePrecedence(merge)), facts, merge);
  }
  const inOrder = [...attached].sort((a, b) => (a.nameIndex ?? 0) - (b.nameIndex ?? 0));
  const nameIndexes = inOrder.map(({ nameIndex = 0 }) => nameIndex);
  return stacks.setOf(
    inOrder.map(({ policy }) => policy),
    { ...facts, nameIndexes },
    merge,
  );
}

/** The facts about an object and its sections that the fold needs. */
function targetFacts(
  id: ObjectId,
  findTarget: () => KubeObject | undefined,
  { definition, ranked }: CompiledKind,
): FactsOf {
  const { decidedBy, annotation, skip } = definition.merge;
  if (decidedBy !== "Annotation" && skip === undefined && ranked.length === 0) return () => PLAIN_TARGET;
  const annotated =
    decidedBy === "Annotation" && annotation !== undefined
      ? annotatedStrategy(annotation, parseObjectId(id), findTarget())
      : undefined;
  const kind = kindId(parseObjectId(id));
  return (target) => {
    const isHere = (level: LevelKind): boolean =>
      kindId(level) === kind && (level.section === undefined) === (target === "Object");
    const isSkipped = skip?.some(isHere);
    const isRanked = ranked.some(isHere);
    if (annotated === undefined && isSkipped !== true && !isRanked && annotation?.between !== "Objects")
      return PLAIN_TARGET;
    return {
      annotated,
      ...(annotation?.between === "Objects" ? { object: id } : {}),
      ...(isSkipped === true ? { isSkipped } : {}),
      ...(isRanked ? { level: { kind, isSection: target !== "Object" } } : {}),
    };
  };
}

/** Collects which policies of a kind are attached to which objects. */
export class AttachedDraft {
  readonly #kind: CompiledKind;
  readonly #objects: ObjectIndex;
  readonly #byTarget: Map<ObjectId, AttachedPolicy[]> = new Map();

  constructor(kind: CompiledKind, objects: ObjectIndex) {
    this.#kind = kind;
    this.#objects = objects;
  }

  add(policy: Policy, attachments: readonly Attachment[]): void {
    for (const { object, sectionName, consumer, isNamed = false, nameIndex, isMeshWide = false } of attachments) {
      const one: AttachedPolicy = { policy, sectionName, consumer, isNamed, nameIndex, isMeshWide };
      const known = this.#byTarget.get(object);
      if (known === undefined) this.#byTarget.set(object, [one]);
      else known.push(one);
    }
  }

  build(): PersistentMap<ObjectId, NodeSets> {
    const sets = new Map<ObjectId, NodeSets>();
    for (const [id, all] of this.#byTarget)
      sets.set(
        id,
        buildNodeSets(all, id, () => this.#objects.get(id), this.#kind),
      );
    return PersistentMap.from(sets);
  }
}

/** Every policy in the sets, with its section and consumer. */
export function attachedIn(sets: NodeSets | undefined, how: Partial<AttachedPolicy> = {}): readonly AttachedPolicy[] {
  if (sets === undefined) return [];
  const { consumer, isNamed = false, isMeshWide = false } = how;
  const list = (set: PolicySet, sectionName: string | undefined): AttachedPolicy[] =>
    [...set.policies, ...set.conflicted].map((policy, i) => ({
      policy,
      sectionName,
      consumer,
      isNamed,
      nameIndex: set.nameIndexes?.[i],
      isMeshWide,
    }));
  return [
    ...(sets.own === undefined ? [] : list(sets.own, undefined)),
    ...[...(sets.sections ?? [])].flatMap(([name, set]) => list(set, name)),
    ...[...(sets.consumers ?? [])].flatMap(([namespace, inner]) => attachedIn(inner, { consumer: namespace })),
    ...attachedIn(sets.named, { isNamed: true }),
    ...attachedIn(sets.meshWide, { isMeshWide: true }),
  ];
}

/** All sets of an object and its sections. */
export function setsIn(sets: NodeSets): readonly PolicySet[] {
  const found: PolicySet[] = [];
  addSets(found, sets);
  return found;
}

function addSets(found: PolicySet[], { own, sections, consumers, named, meshWide }: NodeSets): void {
  if (own !== undefined) found.push(own);
  sections?.forEach((set) => void found.push(set));
  consumers?.forEach((inner) => addSets(found, inner));
  if (named !== undefined) addSets(found, named);
  if (meshWide !== undefined) addSets(found, meshWide);
}
