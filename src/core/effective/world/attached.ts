import type { Attachment } from "../../attachment/resolved-targets.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import { ObjectTable, TableDraft } from "../../model/collections/object-table.ts";
import type { MergeStrategy } from "../../model/definition.ts";
import { isJsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { Policy } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { NodeSets, PolicySet } from "./stack.ts";
import type { WorldObjects } from "./world.ts";

/** A policy on an object or one of its sections. */
export interface Attached {
  readonly policy: Policy;
  readonly sectionName: string | undefined;
  readonly consumer: string | undefined;
}

export function buildNodeSets(all: readonly Attached[], target: KubeObject | undefined, kind: CompiledKind): NodeSets {
  const annotated = annotatedStrategy(target, kind);
  const [only] = all;
  if (all.length === 1 && only !== undefined && only.sectionName === undefined && only.consumer === undefined) {
    return { own: setOf([only.policy], annotated, kind), sections: undefined, consumers: undefined };
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
    all.filter(({ consumer }) => consumer === undefined),
    annotated,
    kind,
  );
  return consumers.size === 0 ? everybody : { ...everybody, consumers };
}

function nodeSets(all: readonly Attached[], annotated: MergeStrategy | undefined, kind: CompiledKind): NodeSets {
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
  };
}

const setOf = (
  policies: readonly Policy[],
  annotated: MergeStrategy | undefined,
  { stacks, definition }: CompiledKind,
): PolicySet =>
  stacks.setOf(
    policies.length === 1 ? policies : [...policies].sort(comparePrecedence),
    annotated,
    definition.merge.none,
  );

/** `decidedBy: Annotation`: what the targeted object says about the strategy. */
function annotatedStrategy(target: KubeObject | undefined, { definition }: CompiledKind): MergeStrategy | undefined {
  const { decidedBy, annotation } = definition.merge;
  if (decidedBy !== "Annotation" || annotation === undefined || target === undefined) return undefined;
  const metadata = ownValue(target.raw, "metadata");
  const annotations = isJsonObject(metadata) ? ownValue(metadata, "annotations") : undefined;
  const value = isJsonObject(annotations) ? ownValue(annotations, annotation.key) : undefined;
  return typeof value === "string" && Object.hasOwn(annotation.values, value) ? annotation.values[value] : undefined;
}

/** Which policies of a kind are attached where, collected one by one. */
export class AttachedDraft {
  readonly #kind: CompiledKind;
  readonly #sets: TableDraft<ObjectId, NodeSets>;
  /** Most targets have one policy: the others are sorted out at the end. */
  readonly #crowds: Map<ObjectId, Crowd> = new Map();

  constructor(kind: CompiledKind, { byId }: WorldObjects) {
    this.#kind = kind;
    this.#sets = new TableDraft(byId.order);
  }

  /** `target`: undefined where it is implied, or virtual. */
  add(policy: Policy, target: KubeObject | undefined, attachment: Attachment): void {
    const first = target === undefined ? this.#sets.otherSoFar(attachment.object) : this.#sets.soFar(target);
    const { sectionName, consumer } = attachment;
    const one: Attached = { policy, sectionName, consumer };
    if (first === undefined) {
      this.#set(attachment, target, [one]);
      return;
    }
    const { object: id } = attachment;
    const crowd = this.#crowds.get(id);
    if (crowd === undefined) this.#crowds.set(id, { attachment, target, all: [...attachedIn(first), one] });
    else crowd.all.push(one);
  }

  /** Nothing may be added afterwards. */
  toTable(): ObjectTable<ObjectId, NodeSets> {
    for (const { attachment, target, all } of this.#crowds.values()) this.#set(attachment, target, all);
    return ObjectTable.from(this.#sets);
  }

  #set(attachment: Attachment, target: KubeObject | undefined, all: readonly Attached[]): void {
    const sets = buildNodeSets(all, target, this.#kind);
    if (target === undefined) this.#sets.setOther(attachment.object, sets);
    else this.#sets.set(target, sets);
  }
}

interface Crowd {
  /** One of them: all name the same object. */
  readonly attachment: Attachment;
  readonly target: KubeObject | undefined;
  readonly all: Attached[];
}

/** Every policy in the sets, with where it is. */
export function attachedIn(sets: NodeSets | undefined, consumer?: string): readonly Attached[] {
  if (sets === undefined) return [];
  const list = (set: PolicySet, sectionName: string | undefined): Attached[] =>
    [...set.policies, ...set.losers].map((policy) => ({ policy, sectionName, consumer }));
  return [
    ...(sets.own === undefined ? [] : list(sets.own, undefined)),
    ...[...(sets.sections ?? [])].flatMap(([name, set]) => list(set, name)),
    ...[...(sets.consumers ?? [])].flatMap(([namespace, inner]) => attachedIn(inner, namespace)),
  ];
}

/** All sets, for whoever must forget them. */
export function setsIn(sets: NodeSets): readonly PolicySet[] {
  return [
    ...(sets.own === undefined ? [] : [sets.own]),
    ...(sets.sections?.values() ?? []),
    ...[...(sets.consumers?.values() ?? [])].flatMap(setsIn),
  ];
}
