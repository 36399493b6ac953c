/** The tables of objects after a change. */

import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { kindId, type ObjectId } from "../../model/refs.ts";
import { type Grant, grantOf } from "../../topology/reference-grants.ts";
import { REFERENCE_GRANT } from "../world/build-world.ts";
import type { World, WorldObjects } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

export interface UpdatedObjects {
  readonly objects: WorldObjects;
  readonly refused: World["refused"];
  readonly doubles: World["doubles"];
  readonly grants: World["grants"];
  /** Namespaces that have their first object now, or no object any more. */
  readonly namespaces: readonly string[];
}

export function updateObjects(world: World, changes: readonly ObjectChange[]): UpdatedObjects {
  let { byId, byKind } = world.objects;
  let { refused, doubles } = world;
  const population = new Map<string, number>();
  const grantNamespaces = new Set<string>();
  for (const { id, ref, before, after, refusal } of changes) {
    if (refusal !== undefined) refused = refused.with(id, refusal);
    else if (refused.has(id)) refused = refused.without(id);
    // Whoever names an object anew says which of its documents counts.
    if (doubles.size > 0) doubles = doubles.without(id);
    if (before === after) continue;
    const kind = kindId(ref);
    byId = after === undefined ? byId.without(ref) : byId.with(after);
    const all = changedKind(byKind.get(kind), id, after);
    byKind = all.size === 0 ? byKind.without(kind) : byKind.with(kind, all);
    if (kind === REFERENCE_GRANT) grantNamespaces.add(ref.namespace);
    const growth = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    if (growth !== 0 && ref.namespace !== "") {
      population.set(ref.namespace, (population.get(ref.namespace) ?? 0) + growth);
    }
  }
  let { grants } = world;
  for (const namespace of grantNamespaces) {
    const list = grantsIn(byKind.get(REFERENCE_GRANT), namespace);
    grants = list.length === 0 ? grants.without(namespace) : grants.with(namespace, list);
  }
  const { objects, namespaces } = populated({ byId, byKind, namespaces: world.objects.namespaces }, population);
  return { objects, namespaces, refused, doubles, grants };
}

function changedKind(
  all: SortedMap<ObjectId, KubeObject> | undefined,
  id: ObjectId,
  after: KubeObject | undefined,
): SortedMap<ObjectId, KubeObject> {
  const before = all ?? SortedMap.empty<ObjectId, KubeObject>();
  return after === undefined ? before.without(id) : before.with(id, after);
}

function populated(
  objects: WorldObjects,
  growth: ReadonlyMap<string, number>,
): Pick<UpdatedObjects, "objects" | "namespaces"> {
  const changed: string[] = [];
  let { namespaces } = objects;
  for (const [namespace, more] of growth) {
    const before = namespaces.get(namespace) ?? 0;
    if (more === 0) continue;
    namespaces = before + more === 0 ? namespaces.without(namespace) : namespaces.with(namespace, before + more);
    if (before === 0 || before + more === 0) changed.push(namespace);
  }
  const { byId, byKind } = objects;
  return { objects: { byId, byKind, namespaces }, namespaces: changed };
}

function grantsIn(all: SortedMap<ObjectId, KubeObject> | undefined, namespace: string): readonly Grant[] {
  const grants: Grant[] = [];
  const prefix = `${REFERENCE_GRANT}/${namespace}/` as ObjectId;
  for (const [id, { raw }] of all?.startingAt(prefix) ?? []) {
    if (!id.startsWith(prefix)) break;
    grants.push(grantOf(raw));
  }
  return grants;
}
