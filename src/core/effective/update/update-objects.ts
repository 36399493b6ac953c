/** Stage 1 of the next world: the objects, and what is read from them alone. */
import { isSameList } from "../../model/collections/is-same-list.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { kindId, type ObjectId } from "../../model/refs.ts";
import { grantOf } from "../../topology/reference-grants.ts";
import { REFERENCE_GRANT } from "../world/build-world.ts";
import type { Rulebook } from "../world/rulebook.ts";
import type { WithObjects } from "../world/world.ts";
import type { ObjectChange, ObjectChanges } from "./object-changes.ts";

export interface UpdatedObjects {
  readonly tables: WithObjects;
  /** Namespaces that have their first object now, or no object any more. */
  readonly namespaces: readonly string[];
}

export function updateObjects(
  before: WithObjects,
  { changes, documentFindings, deleted }: ObjectChanges,
): UpdatedObjects {
  let { objects, refused, unevaluated, duplicates, grants } = before;
  const grantNamespaces = new Set<string>();
  const namespaces = new Set<string>();
  for (const { id, ref, before: old, after, refusal, unevaluated: rules } of changes) {
    if (refusal !== undefined) refused = refused.with(id, refusal);
    else if (refused.has(id)) refused = refused.without(id);
    if (rules.length > 0) unevaluated = unevaluated.with(id, rules);
    else if (unevaluated.has(id)) unevaluated = unevaluated.without(id);
    // After a change of an object only the new document counts.
    if (duplicates.size > 0) duplicates = duplicates.without(id);
    if (old === after) continue;
    objects = after === undefined ? objects.without(ref) : objects.with(after);
    if (kindId(ref) === REFERENCE_GRANT) grantNamespaces.add(ref.namespace);
    if (ref.namespace !== "") namespaces.add(ref.namespace);
  }
  for (const namespace of grantNamespaces) {
    const list = objects.inNamespace(REFERENCE_GRANT, namespace).map(({ raw }) => grantOf(raw));
    grants = list.length === 0 ? grants.without(namespace) : grants.with(namespace, list);
  }
  const rulebook = relocatedRules(before.rulebook, changes);
  return {
    tables: {
      rulebook,
      objects,
      refused,
      unevaluated,
      judging: before.judging,
      documentFindings,
      duplicates,
      grants,
      completeness: before.completeness,
      deleted,
    },
    namespaces: [...namespaces].filter((name) => before.objects.hasNamespace(name) !== objects.hasNamespace(name)),
  };
}

/** A definition that only moved within its file means the same; the findings about it get its new position. */
function relocatedRules(rulebook: Rulebook, changes: readonly ObjectChange[]): Rulebook {
  if (rulebook.findings.length === 0) return rulebook;
  const moved = new Map<ObjectId, KubeObject["source"]>(changes.map(({ id, after }) => [id, after?.source]));
  const findings = rulebook.findings.map((finding) => {
    const source = finding.object === undefined ? undefined : moved.get(finding.object);
    return source === undefined ? finding : { ...finding, source };
  });
  // The status is computed anew for other rules, which are recognized by this object.
  return isSameList(rulebook.findings, findings) ? rulebook : { ...rulebook, findings };
}
