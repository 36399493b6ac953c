import type { PathScope } from "../effective/paths/path-scope.ts";
import type { Touched } from "../effective/update/delta.ts";
import { scopeOf, structurallyDirty } from "../effective/update/dirty-objects.ts";
import type { ObjectChanges } from "../effective/update/object-changes.ts";
import { updateLinks } from "../effective/update/update-links.ts";
import { updateObjects } from "../effective/update/update-objects.ts";
import { namespaceIds, updatePolicies } from "../effective/update/update-policies.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { WithPolicies } from "../effective/world/world.ts";

/** The tables after a change, and the paths that it can affect. No path is visited: `updateWorld` compares them. */
export function tablesAfter(
  before: WithPolicies,
  objectChanges: ObjectChanges,
): { readonly after: WithPolicies; readonly touched: Pick<Touched, "scopeOf"> } {
  const { changes } = objectChanges;
  const { tables: withObjects, namespaces } = updateObjects(before, objectChanges);
  const { tables: withLinks, relinked, named } = updateLinks(before, withObjects, changes);
  const implied = new Set([...named, ...namespaceIds(namespaces)]);
  const { tables: after, edited } = updatePolicies(before, withLinks, changes, implied);
  const worlds = { before, after };
  const structural = structurallyDirty(worlds, changes, relinked);
  const scopes = new Map<CompiledKind, PathScope>();
  const find = (kind: CompiledKind): PathScope => {
    const scope =
      scopes.get(kind) ?? scopeOf(worlds, kind, structural, changes, edited[kind.index]?.targets ?? new Set());
    scopes.set(kind, scope);
    return scope;
  };
  return { after, touched: { scopeOf: find } };
}
