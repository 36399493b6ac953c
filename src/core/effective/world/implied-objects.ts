/**
 * Objects that exist without a document: the Namespaces that objects are in, and cluster-scoped parents that objects name by
 * their bare name (GatewayClass); and virtual objects, which policies target (GEP-713, "Targeting virtual types").
 */
import { NAMESPACE } from "../../model/kinds.ts";
import {
  compareText,
  isNamespace,
  type KindId,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  parseObjectId,
} from "../../model/refs.ts";
import { referrersToParent } from "./link-indexes.ts";
import type { WithLinks, WithPolicies } from "./world.ts";

export function isImplied(tables: Pick<WithLinks, "objects" | "links" | "indexLinks">, ref: ObjectRef): boolean {
  if (ref.namespace !== "") return false;
  if (isNamespace(ref)) return tables.objects.hasNamespace(ref.name);
  const wanted = objectId(ref);
  for (const id of referrersToParent(tables, wanted)) {
    if (tables.links.get(id)?.impliedParents.some((parent) => objectId(parent) === wanted) === true) return true;
  }
  return false;
}

/** The Namespaces that objects are in and no document defines, in order. */
export const impliedNamespaces = (objects: WithLinks["objects"]): readonly string[] =>
  objects
    .namespaces()
    .filter((name) => objects.find(NAMESPACE, "", name) === undefined)
    .sort(compareText);

type Tables = Pick<WithPolicies, "rulebook" | "objects" | "attached">;

/** The kinds whose objects need not exist to be targeted. */
export const virtualKinds = ({ rulebook }: Pick<WithPolicies, "rulebook">): ReadonlySet<KindId> =>
  new Set(
    rulebook.kinds.flatMap(({ definition }) =>
      definition.targeting.kinds.filter(({ virtual }) => virtual).map((kind) => kindId(kind)),
    ),
  );

/** The virtual objects that policies target, in order. An object that a document defines is not virtual. */
export function virtualObjects({ rulebook, objects, attached }: Tables): readonly ObjectRef[] {
  const kinds = virtualKinds({ rulebook });
  if (kinds.size === 0) return [];
  const found = new Set<ObjectId>();
  for (const table of attached)
    table.forEach((_, id) => {
      if (!objects.has(id) && kinds.has(kindId(parseObjectId(id)))) found.add(id);
    });
  return [...found].sort(compareText).map((id) => parseObjectId(id));
}

/** True for a virtual object that a policy targets. */
export function isVirtual(tables: Tables, ref: ObjectRef): boolean {
  return virtualObjects(tables).some(
    ({ group, kind, namespace, name }) =>
      kind === ref.kind && name === ref.name && namespace === ref.namespace && group === ref.group,
  );
}
