/** Virtual objects (GEP-713, "Targeting virtual types"): they exist because policies target them, and no document defines them. */
import { compareText, type KindId, kindId, type ObjectId, type ObjectRef, parseObjectId } from "../../model/refs.ts";
import type { WithPolicies } from "./world.ts";

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
