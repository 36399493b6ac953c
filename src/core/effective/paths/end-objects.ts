import type { KubeObject } from "../../model/kube-object.ts";
import { type ObjectId, parseObjectId, splitId } from "../../model/refs.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { WithPolicies } from "../world/world.ts";

/** An object that paths may end at. A virtual object is in no table. */
export type EndObject = Pick<KubeObject, "id" | "ref"> & Partial<Pick<KubeObject, "raw">>;

/** True if a policy of the kind is attached to any object: otherwise no path has one. */
export const hasPolicies = ({ attached }: WithPolicies, { index }: CompiledKind): boolean =>
  (attached[index]?.size ?? 0) > 0;

/** Each object that paths of the kind may end at, at the object or at one of its sections, in order. */
export function* endObjects(world: WithPolicies, kind: CompiledKind): Iterable<EndObject> {
  const attached = world.attached[kind.index];
  if (attached === undefined || !hasPolicies(world, kind)) return;
  const isDirect = kind.definition.class === "Direct";
  if (isDirect || mayBeVirtual(kind)) {
    const ids: ObjectId[] = [];
    attached.forEach((_, id) => {
      if (isDirect || !world.objects.has(id)) ids.push(id);
    });
    for (const id of ids.sort()) yield { id, ref: parseObjectId(id) };
    if (isDirect) return;
  }
  for (const end of kind.ends.keys()) yield* world.objects.ofKind(end);
}

/** True if the object is among `endObjects`. */
export function isEndObject(world: WithPolicies, kind: CompiledKind, id: ObjectId): boolean {
  const isAttached = (): boolean => world.attached[kind.index]?.has(id) === true;
  if (kind.definition.class === "Direct") return isAttached();
  const isEnd = kind.ends.has(splitId(id).kind);
  // A change reaches many backends, and few kinds have paths that end there.
  if (!isEnd && !mayBeVirtual(kind)) return false;
  return world.objects.has(id) ? isEnd : isAttached();
}

const mayBeVirtual = ({ definition }: CompiledKind): boolean =>
  definition.targeting.kinds.some(({ virtual }) => virtual);
