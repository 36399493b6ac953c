import { idsAt, moveId } from "../../model/collections/id-index.ts";
import { MapDraft } from "../../model/collections/map-draft.ts";
import type { ObjectId, PolicyId } from "../../model/refs.ts";
import { namedIds } from "../world/policy-indexes.ts";
import type { WithLinks, WithPolicies } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

export interface UpdatedNamers {
  readonly namers: WithPolicies["namers"];
  /** The policies that an object names that changed, or that another policy of the same name now hides or no longer hides. */
  readonly renamed: ReadonlySet<PolicyId>;
}

const NO_POLICIES: ReadonlySet<PolicyId> = new Set();

/** Updates the table of the objects that name policies, after a change. */
export function updateNamers(
  before: WithPolicies,
  { rulebook, objects }: WithLinks,
  changes: readonly ObjectChange[],
): UpdatedNamers {
  if (rulebook.kinds.every(({ definition }) => definition.targeting.namedBy === undefined))
    return { namers: before.namers, renamed: NO_POLICIES };
  const draft = new MapDraft(before.namers);
  const affected = new Set<ObjectId>();
  for (const { id, before: old, after, isQuiet } of changes) {
    if (isQuiet) continue;
    const [was, is] = [namedIds(rulebook, old), namedIds(rulebook, after)];
    moveId(draft, id, was, is);
    for (const policy of [...was, ...is]) affected.add(policy);
  }
  const namers = draft.build();
  // A name that several policies can have means the first one that exists.
  for (const { id, isPresence } of changes) {
    if (!isPresence) continue;
    for (const namer of idsAt(namers, id))
      for (const other of namedIds(rulebook, objects.get(namer))) affected.add(other);
  }
  const isPolicy = (id: ObjectId): boolean => objects.has(id) || before.policies.has(id as PolicyId);
  return { namers, renamed: new Set([...affected].filter(isPolicy).map((id) => id as PolicyId)) };
}
