import type { World } from "../../effective/world/world.ts";
import { isJsonObject, ownValue } from "../../model/json.ts";
import { isNamespace, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";

/** Adds the objects that are deleted with these: the objects in a namespace, and the objects of a CRD's kind. */
export function withCascades(world: World, refs: readonly ObjectRef[]): readonly ObjectRef[] {
  const all = new Map(refs.map((ref) => [objectId(ref), ref]));
  const takes = refs.map((ref) => takerOf(world, ref));
  const add = (ref: ObjectRef): void => {
    if (takes.some((isTaken) => isTaken(ref))) all.set(objectId(ref), ref);
  };
  world.objects.forEach(({ ref }) => {
    add(ref);
  });
  world.refused.forEach((_, id) => {
    add(parseObjectId(id));
  });
  return [...all.values()];
}

function takerOf(world: World, ref: ObjectRef): (other: ObjectRef) => boolean {
  if (isNamespace(ref)) return (other) => other.namespace === ref.name;
  if (ref.kind !== "CustomResourceDefinition" || ref.group !== "apiextensions.k8s.io") return () => false;
  const raw = world.objects.get(objectId(ref))?.raw;
  const spec = raw === undefined ? undefined : ownValue(raw, "spec");
  const names = isJsonObject(spec) ? ownValue(spec, "names") : undefined;
  if (!isJsonObject(spec) || !isJsonObject(names)) return () => false;
  return (other) => other.group === spec["group"] && other.kind === names["kind"];
}
