import type { Attachment } from "../../attachment/resolved-targets.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import type { ObjectIndex } from "../../model/collections/object-index.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { MergeStrategy } from "../../model/definition.ts";
import { annotationOf, type KubeObject } from "../../model/kube-object.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { NodeSets, PolicySet } from "./stack.ts";

/** A policy on an object or one of its sections. */
export interface AttachedPolicy {
  readonly policy: Policy;
  readonly sectionName: string | undefined;
  readonly consumer: string | undefined;
  /** True if the object or section names the policy. */
  readonly isNamed: boolean;
  /** True if the policy is attached to every Namespace. */
  readonly isMeshWide: boolean;
}

/** `findTarget`: the object that the policies are attached to; undefined if it is implied or virtual. */
export function buildNodeSets(
  all: readonly AttachedPolicy[],
  findTarget: () => KubeObject | undefined,
  kind: CompiledKind,
): NodeSets {
  const annotated = annotatedStrategy(findTarget, kind);
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
      own: setOf([only.policy], annotated, kind),
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
        annotated,
        kind,
      ),
    );
  }
  const everybody = nodeSets(
    all.filter(({ consumer, isNamed, isMeshWide }) => consumer === undefined && !isNamed && !isMeshWide),
    annotated,
    kind,
  );
  const named = all.filter(({ isNamed }) => isNamed);
  const meshWide = all.filter(({ isMeshWide }) => isMeshWide);
  return {
    ...everybody,
    consumers: consumers.size === 0 ? undefined : consumers,
    named: named.length === 0 ? undefined : nodeSets(named, annotated, kind),
    meshWide: meshWide.length === 0 ? undefined : nodeSets(meshWide, annotated, kind),
  };
}

function nodeSets(all: readonly AttachedPolicy[], annotated: MergeStrategy | undefined, kind: CompiledKind): NodeSets {
  const own = all.filter(({ sectionName }) => sectionName === undefined).map(({ policy }) => policy);
  const sections = new Map<string, PolicySet>();
  for (const name of new Set(all.map(({ sectionName }) => sectionName))) {
    if (name === undefined) continue;
    sections.set(
      name,
      setOf(
        all.filter(({ sectionName }) => sectionName === name).map(({ policy }) => policy),
        annotated,
        kind,
      ),
    );
  }
  return {
    own: own.length === 0 ? undefined : setOf(own, annotated, kind),
    sections: sections.size === 0 ? undefined : sections,
    consumers: undefined,
    named: undefined,
    meshWide: undefined,
  };
}

const setOf = (
  policies: readonly Policy[],
  annotated: MergeStrategy | undefined,
  { stacks, definition }: CompiledKind,
): PolicySet =>
  stacks.setOf(
    policies.length === 1 ? policies : [...policies].sort(comparePrecedence(definition.merge)),
    annotated,
    definition.merge,
  );

/** The strategy that an annotation of the target selects, for definitions with `decidedBy: Annotation`. */
function annotatedStrategy(
  findTarget: () => KubeObject | undefined,
  { definition }: CompiledKind,
): MergeStrategy | undefined {
  const { decidedBy, annotation } = definition.merge;
  if (decidedBy !== "Annotation" || annotation === undefined) return undefined;
  const target = findTarget();
  if (target === undefined) return undefined;
  const value = annotationOf(target, annotation.key);
  return value !== undefined && Object.hasOwn(annotation.values, value) ? annotation.values[value] : undefined;
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
    for (const { object, sectionName, consumer, isNamed = false, isMeshWide = false } of attachments) {
      const one: AttachedPolicy = { policy, sectionName, consumer, isNamed, isMeshWide };
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
        buildNodeSets(all, () => this.#objects.get(id), this.#kind),
      );
    return PersistentMap.from(sets);
  }
}

/** Every policy in the sets, with its section and consumer. */
export function attachedIn(sets: NodeSets | undefined, how: Partial<AttachedPolicy> = {}): readonly AttachedPolicy[] {
  if (sets === undefined) return [];
  const { consumer, isNamed = false, isMeshWide = false } = how;
  const list = (set: PolicySet, sectionName: string | undefined): AttachedPolicy[] =>
    [...set.policies, ...set.conflicted].map((policy) => ({ policy, sectionName, consumer, isNamed, isMeshWide }));
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
  return [
    ...(sets.own === undefined ? [] : [sets.own]),
    ...(sets.sections?.values() ?? []),
    ...[...(sets.consumers?.values() ?? [])].flatMap(setsIn),
    ...(sets.named === undefined ? [] : setsIn(sets.named)),
    ...(sets.meshWide === undefined ? [] : setsIn(sets.meshWide)),
  ];
}
