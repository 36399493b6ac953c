/**
 * Objects where they belong. Of built-in kinds the snapshot knows; of the others the rulebook says whether they are in a
 * namespace, and only then it may turn out that two documents describe one object.
 */

import { LayeredMap } from "../../model/collections/layered-map.ts";
import { ObjectIndex, ObjectIndexDraft } from "../../model/collections/object-index.ts";
import type { Finding } from "../../model/finding.ts";
import { KubeObject, objectFamily } from "../../model/kube-object.ts";
import { compareText, kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import {
  compareDocuments,
  comparePositions,
  duplicate,
  namespaceFor,
  type SnapshotTables,
} from "../../model/snapshot.ts";
import type { Double } from "./double.ts";
import type { Rulebook, World } from "./world.ts";

interface HomedObjects extends Pick<World, "refused" | "doubles"> {
  readonly byId: ObjectIndex;
}

type Candidate = Pick<Double, "object" | "refusal">;

export const homedId = (ref: ObjectRef, { factsOf }: Pick<Rulebook, "factsOf">): ObjectId =>
  objectId({ ...ref, namespace: namespaceFor(factsOf(kindId(ref))?.scope, ref.namespace) });

export function homed(object: KubeObject, rulebook: Pick<Rulebook, "factsOf">): KubeObject {
  const { family, name, raw, source } = object;
  const namespace = namespaceFor(rulebook.factsOf(family.kindId)?.scope, family.namespace);
  if (namespace === family.namespace) return object;
  return new KubeObject(objectFamily(family.apiVersion, family.kind, namespace), name, raw, source, object.place);
}

export function homeObjects({ objects, refused }: SnapshotTables, rulebook: Rulebook): HomedObjects {
  const alone = areHome(objects, rulebook) ? refusedAlone(objects, refused, rulebook) : undefined;
  if (alone !== undefined) return { byId: objects, refused: LayeredMap.from(alone), doubles: LayeredMap.empty() };
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
    const own = homed(object, rulebook);
    if (own !== object) came.set(own, object);
    const known = draft.find(own);
    if (known === undefined) draft.add(own);
    else meet(own.id, { object: came.get(known) ?? known, refusal: undefined }, { object, refusal: undefined });
  });
  for (const [id, refusal] of refused) {
    const candidate: Candidate = { object: refusedObject(parseObjectId(id), refusal), refusal };
    const own = homedId(parseObjectId(id), rulebook);
    const usable = draft.find(homed(candidate.object, rulebook));
    const first: Candidate | undefined =
      usable === undefined ? refusals.get(own) : { object: came.get(usable) ?? usable, refusal: undefined };
    if (first === undefined) refusals.set(own, candidate);
    else meet(own, first, candidate);
  }
  const kept = new Map<ObjectId, readonly Finding[]>();
  for (const [id, { refusal }] of refusals) if (refusal !== undefined) kept.set(id, refusal);
  const doubles = settleClashes(clashes, draft, kept, rulebook);
  return { byId: ObjectIndex.from(draft), refused: LayeredMap.from(kept), doubles: LayeredMap.from(doubles) };
}

function areHome(objects: ObjectIndex, { factsOf }: Rulebook): boolean {
  let areAll = true;
  objects.forEachNamespace((kind, namespace) => {
    areAll &&= namespaceFor(factsOf(kind)?.scope, namespace) === namespace;
  });
  return areAll;
}

/** Those that were refused, by where they belong; undefined if one of them meets another object there. */
function refusedAlone(
  objects: ObjectIndex,
  refused: SnapshotTables["refused"],
  rulebook: Rulebook,
): ReadonlyMap<ObjectId, readonly Finding[]> | undefined {
  const alone = new Map<ObjectId, readonly Finding[]>();
  for (const [id, findings] of refused) {
    const own = homedId(parseObjectId(id), rulebook);
    if (alone.has(own) || objects.has(own)) return undefined;
    alone.set(own, findings);
  }
  return alone;
}

/** What is known of an object that was refused: its identity, and its place if it had one. */
function refusedObject({ group, kind, namespace, name }: ObjectRef, refusal: readonly Finding[]): KubeObject {
  const family = objectFamily(group === "" ? "" : `${group}/`, kind, namespace);
  return new KubeObject(family, name, {}, refusal[0]?.source);
}

/** As for documents that name one object outright: the first in place counts, whatever the order they came in. */
function settleClashes(
  clashes: ReadonlyMap<ObjectId, readonly Candidate[]>,
  draft: ObjectIndexDraft,
  refused: Map<ObjectId, readonly Finding[]>,
  rulebook: Rulebook,
): ReadonlyMap<ObjectId, readonly Double[]> {
  const doubles = new Map<ObjectId, readonly Double[]>();
  for (const [id, all] of clashes) {
    const [kept, ...dropped] = [...all].sort(byPlace);
    if (kept === undefined) continue;
    draft.remove(id);
    refused.delete(id);
    const object = homed(kept.object, rulebook);
    if (kept.refusal === undefined) draft.add(object);
    else refused.set(id, kept.refusal);
    doubles.set(
      id,
      dropped.map((one) => ({ ...one, finding: duplicate(object, one.object) })),
    );
  }
  return doubles;
}

/** Where nothing tells places apart, what can be used comes first. */
function byPlace(a: Candidate, b: Candidate): number {
  if (a.refusal === undefined && b.refusal === undefined) return compareDocuments(a.object, b.object);
  return (
    comparePositions(a.object.source, b.object.source) ||
    Number(a.refusal !== undefined) - Number(b.refusal !== undefined) ||
    compareText(a.object.id, b.object.id)
  );
}
