/**
 * Objects that exist without a document: the Namespaces that objects are in, and cluster-scoped parents that objects name by
 * their bare name (GatewayClass).
 */
import { compareText, type KindId, kindId, type ObjectRef, objectId } from "../../model/refs.ts";
import { referrersToParent } from "./link-indexes.ts";
import type { WithLinks } from "./world.ts";

export const NAMESPACE: KindId = kindId({ group: "", kind: "Namespace" });

export function isImplied(tables: Pick<WithLinks, "objects" | "links" | "indexLinks">, ref: ObjectRef): boolean {
  if (ref.namespace !== "") return false;
  if (ref.kind === "Namespace" && ref.group === "") return tables.objects.hasNamespace(ref.name);
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
