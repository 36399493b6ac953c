import type { ObjectId } from "../../model/refs.ts";
import type { PathScope } from "../paths/path-scope.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { WithPolicies } from "../world/world.ts";
import { scopeOf, structurallyDirty, type Worlds } from "./dirty-objects.ts";
import type { ObjectChanges } from "./object-changes.ts";
import { updateLinks } from "./update-links.ts";
import { updateObjects } from "./update-objects.ts";
import { namespaceIds, type UpdatedPolicies, updatePolicies } from "./update-policies.ts";

export interface UpdatedTables extends Worlds, Omit<UpdatedPolicies, "tables" | "edited"> {
  /** Objects whose links or sections differ. */
  readonly structural: ReadonlySet<ObjectId>;
  /** The relinked objects, plus objects whose refusal reasons changed. */
  readonly linked: ReadonlySet<ObjectId>;
  /** The objects whose policies of a kind changed. */
  readonly editedTargets: (kind: CompiledKind) => ReadonlySet<ObjectId>;
  /** The paths of a kind that the change can affect. */
  readonly scopeOf: (kind: CompiledKind) => PathScope;
}

/** The tables after a change, and where paths may differ. No path is visited: `updateWorld` compares them. */
export function updateTables(before: WithPolicies, objectChanges: ObjectChanges): UpdatedTables {
  const { changes } = objectChanges;
  const { tables: withObjects, namespaces } = updateObjects(before, objectChanges);
  const { tables: withLinks, relinked, changed, named } = updateLinks(before, withObjects, changes);
  const implied = new Set([...named, ...namespaceIds(namespaces)]);
  const { tables: after, judgedAnew, edited } = updatePolicies(before, withLinks, changes, implied);
  const structural = structurallyDirty({ before, after }, changes, relinked);
  const editedTargets = ({ index }: CompiledKind): ReadonlySet<ObjectId> => edited[index]?.targets ?? NO_TARGETS;
  const scopes = new Map<CompiledKind, PathScope>();
  const scopeOfKind = (kind: CompiledKind): PathScope => {
    let scope = scopes.get(kind);
    if (scope === undefined) {
      scope = scopeOf({ before, after }, kind, structural, changes, editedTargets(kind));
      scopes.set(kind, scope);
    }
    return scope;
  };
  return { before, after, judgedAnew, structural, linked: changed, editedTargets, scopeOf: scopeOfKind };
}

const NO_TARGETS: ReadonlySet<ObjectId> = new Set();
