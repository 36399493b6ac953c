/**
 * Puts objects into the namespace that the scope of their kind requires. The snapshot knows the scope of built-in kinds; the
 * rulebook knows the scope of the others. Two documents may turn out to describe one object only then.
 */

import { ObjectIndex, ObjectIndexDraft } from "../../model/collections/object-index.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import { KubeObject, objectFamily } from "../../model/kube-object.ts";
import { compareText, kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import {
  compareDocuments,
  comparePositions,
  duplicate,
  namespaceFor,
  type RefusedObject,
  type SnapshotTables,
} from "../../model/snapshot.ts";
import type { DuplicateDocument } from "./duplicate-document.ts";
import type { Rulebook } from "./rulebook.ts";
import type { WithObjects } from "./world.ts";

type ScopedObjects = Pick<WithObjects, "objects" | "refused" | "unevaluated" | "duplicates">;

type Candidate = Pick<DuplicateDocument, "object" | "refusal">;

export const idInScope = (ref: ObjectRef, { factsOf }: Pick<Rulebook, "factsOf">): ObjectId =>
  objectId({ ...ref, namespace: namespaceFor(factsOf(kindId(ref))?.scope, ref.namespace) });

export function putInScope(object: KubeObject, rulebook: Pick<Rulebook, "factsOf">): KubeObject {
  const { family, name, raw, source } = object;
  const namespace = namespaceFor(rulebook.factsOf(family.kindId)?.scope, family.namespace);
  if (namespace === family.namespace) return object;
  return new KubeObject(objectFamily(family.apiVersion, family.kind, namespace), name, raw, source);
}

export function scopeObjects(
  { objects, refused, unevaluated: asWritten }: SnapshotTables,
  rulebook: Rulebook,
): ScopedObjects {
  const unevaluated = PersistentMap.from(
    new Map([...asWritten].map(([id, rules]) => [idInScope(parseObjectId(id), rulebook), rules])),
  );
  const alone = areScoped(objects, rulebook) ? refusedAlone(objects, refused, rulebook) : undefined;
  if (alone !== undefined)
    return { objects, refused: PersistentMap.from(alone), unevaluated, duplicates: PersistentMap.empty() };
  const draft = new ObjectIndexDraft();
  const clashes = new Map<ObjectId, Candidate[]>();
  const refusals = new Map<ObjectId, Candidate>();
  const meet = (id: ObjectId, first: Candidate, second: Candidate): void => {
    const all = clashes.get(id) ?? [first];
    all.push(second);
    clashes.set(id, all);
  };
  const came = new Map<KubeObject, KubeObject>();
  objects.forEach((object) => {
    const own = putInScope(object, rulebook);
    if (own !== object) came.set(own, object);
    const known = draft.find(own);
    if (known === undefined) draft.add(own);
    else meet(own.id, { object: came.get(known) ?? known, refusal: undefined }, { object, refusal: undefined });
  });
  for (const { object, findings } of refused.values()) {
    const candidate: Candidate = { object, refusal: findings };
    const scoped = putInScope(object, rulebook);
    const own = scoped.id;
    const usable = draft.find(scoped);
    const first: Candidate | undefined =
      usable === undefined ? refusals.get(own) : { object: came.get(usable) ?? usable, refusal: undefined };
    if (first === undefined) refusals.set(own, candidate);
    else meet(own, first, candidate);
  }
  const kept = new Map<ObjectId, RefusedObject>();
  for (const [id, { object, refusal }] of refusals)
    if (refusal !== undefined) kept.set(id, { object, findings: refusal });
  const duplicates = settleClashes(clashes, draft, kept, rulebook);
  return {
    objects: ObjectIndex.from(draft),
    refused: PersistentMap.from(kept),
    unevaluated,
    duplicates: PersistentMap.from(duplicates),
  };
}

function areScoped(objects: ObjectIndex, { factsOf }: Rulebook): boolean {
  return objects.kinds().every((kind) => {
    const scope = factsOf(kind)?.scope;
    return scope === undefined || objects.namespacesOfKind(kind).every((own) => namespaceFor(scope, own) === own);
  });
}

/** The refused objects by their id in scope; undefined if another object has that id. */
function refusedAlone(
  objects: ObjectIndex,
  refused: SnapshotTables["refused"],
  rulebook: Rulebook,
): ReadonlyMap<ObjectId, RefusedObject> | undefined {
  const alone = new Map<ObjectId, RefusedObject>();
  for (const [id, refusal] of refused) {
    const own = idInScope(parseObjectId(id), rulebook);
    if (alone.has(own) || objects.has(own)) return undefined;
    alone.set(own, refusal);
  }
  return alone;
}

/** The first of several documents for one object by position is used, independent of the order of the input. */
function settleClashes(
  clashes: ReadonlyMap<ObjectId, readonly Candidate[]>,
  draft: ObjectIndexDraft,
  refused: Map<ObjectId, RefusedObject>,
  rulebook: Rulebook,
): ReadonlyMap<ObjectId, readonly DuplicateDocument[]> {
  const duplicates = new Map<ObjectId, readonly DuplicateDocument[]>();
  for (const [id, all] of clashes) {
    const [kept, ...dropped] = [...all].sort(byPosition);
    if (kept === undefined) continue;
    draft.remove(id);
    refused.delete(id);
    const object = putInScope(kept.object, rulebook);
    if (kept.refusal === undefined) draft.add(object);
    else refused.set(id, { object: kept.object, findings: kept.refusal });
    duplicates.set(
      id,
      dropped.map((one) => ({ ...one, finding: duplicate(object, one.object) })),
    );
  }
  return duplicates;
}

/** By position; without positions a usable object comes before a refused one. */
function byPosition(a: Candidate, b: Candidate): number {
  if (a.refusal === undefined && b.refusal === undefined) return compareDocuments(a.object, b.object);
  return (
    comparePositions(a.object.source, b.object.source) ||
    Number(a.refusal !== undefined) - Number(b.refusal !== undefined) ||
    compareText(a.object.id, b.object.id)
  );
}
