/** The answers that links and targets are looked up in, from the tables at hand. */

import type { TargetContext } from "../../attachment/resolve-targets.ts";
import { forEachId } from "../../model/collections/id-set.ts";
import { ObjectFinder } from "../../model/collections/object-index.ts";
import { once } from "../../model/collections/once.ts";
import type { SortedMap } from "../../model/collections/sorted-map.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { namespaceLabelsOf } from "../../model/labels-of.ts";
import { compareText, idOf, type KindId, kindId, type ObjectId, type ObjectRef, objectId } from "../../model/refs.ts";
import type { NameLookup } from "../../model/words/near-miss.ts";
import type { LinkContext, UpLink } from "../../topology/links.ts";
import { SectionNames } from "../../topology/section-names.ts";
import { KindNames, objectsIn } from "./kind-names.ts";
import type { World } from "./world.ts";

type LinkTables = Pick<World, "rulebook" | "objects" | "grants" | "refused">;
type TargetTables = LinkTables & Pick<World, "parents">;

function upSharer(): Pick<LinkContext, "sharedUp" | "shareUp"> {
  let last: readonly UpLink[] = [];
  return {
    sharedUp: (up, count) => {
      if (count !== last.length) return undefined;
      for (let i = 0; i < count; i++) if (up[i]?.link !== last[i]) return undefined;
      return last;
    },
    shareUp: (up) => {
      last = up;
    },
  };
}

export function linkContext({ rulebook, objects, grants, refused }: LinkTables): LinkContext {
  const finder = new ObjectFinder(objects.byId);
  return {
    find: (kind, namespace, name) => finder.find(kind, namespace, name),
    ...upSharer(),
    sectionNames: new SectionNames(),
    namespaceLabels: (namespace) => namespaceLabels(objects, namespace),
    grantsIn: (namespace) => grants.get(namespace) ?? [],
    rows: rulebook.rows,
    isInvalid: (kind, namespace, name) => refused.has(idOf(kind, namespace, name)),
  };
}

/** `linkedBy`: who names an object in its links, asked for seldom. Whether policies are among them makes no difference. */
export function targetContext(tables: TargetTables, linkedBy: () => World["mentionedBy"]): TargetContext {
  const { rulebook, objects, grants, parents } = tables;
  const finder = new ObjectFinder(objects.byId);
  return {
    find: (kind, namespace, name) => finder.find(kind, namespace, name),
    kind: rulebook.findKind,
    grantsIn: (namespace) => grants.get(namespace) ?? [],
    objectsOf: (kind, namespace) => objectsOf(objects, kind, namespace),
    isImplied: (ref) => isImpliedBy(linkedBy, { objects, parents }, ref),
    impliedNamespaces: once(() => impliedNamespaces(objects)),
  };
}

/**
 * Namespaces that objects are in, and cluster-scoped parents that objects hang under by their bare name (GatewayClass),
 * exist without a document. What is named in vain does not.
 */
export const isImplied = (world: Pick<World, "objects" | "mentionedBy" | "parents">, ref: ObjectRef): boolean =>
  isImpliedBy(() => world.mentionedBy, world, ref);

function isImpliedBy(
  linkedBy: () => World["mentionedBy"],
  { objects, parents }: Pick<World, "objects" | "parents">,
  ref: ObjectRef,
): boolean {
  if (ref.namespace !== "") return false;
  if (ref.kind === "Namespace" && ref.group === "") return objects.namespaces.has(ref.name);
  const wanted = objectId(ref);
  let implied = false;
  forEachId(linkedBy().get(wanted), (id) => {
    implied ||= parents.get(id)?.impliedParents.some((parent) => objectId(parent) === wanted) === true;
  });
  return implied;
}

/** Those that objects are in and no document defines, in order. */
export function impliedNamespaces({ byId, namespaces }: World["objects"]): readonly string[] {
  const names: string[] = [];
  namespaces.forEach((_, name) => {
    if (byId.find(NAMESPACE, "", name) === undefined) names.push(name);
  });
  return names.sort(compareText);
}

function objectsOf({ byKind }: World["objects"], kind: KindId, namespace: string | undefined): Iterable<KubeObject> {
  const all = byKind.get(kind);
  if (all === undefined) return [];
  return namespace === undefined ? all.values() : objectsIn(all, kind, namespace);
}

export const NAMESPACE: KindId = kindId({ group: "", kind: "Namespace" });

const namespaceLabels = ({ byId }: World["objects"], namespace: string): JsonObject =>
  namespaceLabelsOf(byId.find(NAMESPACE, "", namespace), namespace);

/** For near misses, asked only where something was not found. */
export const nameLookup = (objects: World["objects"]): NameLookup => ({
  nearest: (kind, namespace, name) => namesOf(objects, kind)?.nearest(namespace, name),
  namespacesOf: (kind, name) => namesOf(objects, kind)?.namespacesOf(name) ?? [],
});

// Tables are immutable, so what is read off them can be kept as long as they live.
const namesKept = new WeakMap<SortedMap<ObjectId, KubeObject>, KindNames>();

function namesOf({ byKind }: World["objects"], kind: KindId): KindNames | undefined {
  const all = byKind.get(kind);
  if (all === undefined) return undefined;
  const known = namesKept.get(all) ?? new KindNames(kind, all);
  namesKept.set(all, known);
  return known;
}
