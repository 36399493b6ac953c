/** The tables, as the computation of links and the resolution of targets read them. */
import { SectionIndex } from "../../attachment/find-target-section.ts";
import type { TargetContext } from "../../attachment/resolution.ts";
import type { ReferenceContext } from "../../attachment/resolve-references.ts";
import { idsAt } from "../../model/collections/id-index.ts";
import { once } from "../../model/collections/once.ts";
import { isKnownAbsent } from "../../model/completeness.ts";
import type { JsonObject } from "../../model/json.ts";
import { NAMESPACE } from "../../model/kinds.ts";
import { namespaceLabelsOf } from "../../model/kube-object.ts";
import { idOf } from "../../model/refs.ts";
import type { LinkContext } from "../../topology/links.ts";
import { impliedNamespaces, isImplied } from "./implied-objects.ts";
import type { WithLinks, WithObjects, WithPolicies } from "./world.ts";

export function linkContext(
  tables: Pick<WithObjects, "rulebook" | "objects" | "grants" | "refused" | "completeness" | "deleted">,
): LinkContext {
  const { rulebook, objects, grants, refused } = tables;
  return {
    find: (kind, namespace, name) => objects.find(kind, namespace, name),
    objectsOf: (kind, namespace) =>
      namespace === undefined ? objects.ofKind(kind) : objects.inNamespace(kind, namespace),
    namespaceLabels: (namespace) => namespaceLabels(objects, namespace),
    grantsIn: (namespace) => grants.get(namespace) ?? [],
    rows: rulebook.rows,
    isKnownAbsent: (ref) => isKnownAbsent(tables, ref),
    isInvalid: (kind, namespace, name) => refused.has(idOf(kind, namespace, name)),
  };
}

/** The labels of a namespace, also of one that no document defines. */
export const namespaceLabels = (objects: WithObjects["objects"], namespace: string): JsonObject =>
  namespaceLabelsOf(objects.find(NAMESPACE, "", namespace), namespace);

export function targetContext(tables: WithLinks, namers: WithPolicies["namers"]): TargetContext & ReferenceContext {
  const { rulebook, objects, grants } = tables;
  return {
    isKnownAbsent: (ref) => isKnownAbsent(tables, ref),
    find: (kind, namespace, name) => objects.find(kind, namespace, name),
    kind: rulebook.findKind,
    grantsIn: (namespace) => grants.get(namespace) ?? [],
    objectsOf: (kind, namespace) =>
      namespace === undefined ? objects.ofKind(kind) : objects.inNamespace(kind, namespace),
    isImplied: (ref) => isImplied(tables, ref),
    impliedNamespaces: once(() => impliedNamespaces(objects)),
    namersOf: (policy) =>
      [...idsAt(namers, policy)].flatMap((id) => {
        const object = objects.get(id);
        return object === undefined ? [] : [object];
      }),
    sections: new SectionIndex(),
  };
}
