/** Finds objects and sections by the names that people write: the library and the command line share this. */
import { isImplied, virtualObjects } from "../effective/world/implied-objects.ts";
import type { World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { type GroupKind, kindId, type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";
import { sectionsOf } from "../topology/sections-of.ts";

/** A name in its parts: `KIND/NAME` or `KIND/NAMESPACE/NAME`, both optionally with `#SECTION`. */
export interface TargetText {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** Undefined if the text has another form. */
export function parseTargetText(text: string): TargetText | undefined {
  const hash = text.indexOf("#");
  const [kind = "", ...names] = (hash === -1 ? text : text.slice(0, hash)).split("/");
  const [name, namespace, ...others] = names.toReversed();
  if (kind === "" || name === undefined || name === "" || others.length > 0) return undefined;
  return {
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(hash === -1 ? {} : { sectionName: text.slice(hash + 1) }),
  };
}

export interface FoundObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  /** Absent if no document defines it: a GatewayClass that a Gateway references, or a virtual object. */
  readonly object?: KubeObject;
}

/** The objects of a kind that are wanted, virtual ones too; with a name those of that name, or else the implied object of that name. */
export function findObjects(
  world: World,
  { group, kind }: GroupKind,
  name: string | undefined,
  isWanted: (object: Pick<KubeObject, "ref" | "raw">) => boolean,
): readonly FoundObject[] {
  const found: FoundObject[] = [];
  for (const object of world.objects.ofKind(kindId({ group, kind }))) {
    if ((name === undefined || object.ref.name === name) && isWanted(object))
      found.push({ id: object.id, ref: object.ref, object });
  }
  for (const ref of virtualObjects(world)) {
    if (ref.kind !== kind || ref.group !== group || (name !== undefined && ref.name !== name)) continue;
    if (isWanted({ ref, raw: {} })) found.push({ id: objectId(ref), ref });
  }
  if (name === undefined || found.length > 0) return found;
  const ref: ObjectRef = { group, kind, namespace: "", name };
  const isCluster = world.rulebook.factsOf(kindId(ref))?.scope === "Cluster";
  return isCluster && isImplied(world, ref) ? [{ id: objectId(ref), ref }] : [];
}

/** The names of the sections of an object. Empty: it has none, or no document defines it. */
export function sectionNames(world: World, ref: ObjectRef): readonly string[] {
  const object = world.objects.get(objectId(ref));
  const facts = world.rulebook.factsOf(kindId(ref));
  return object === undefined || facts === undefined ? [] : sectionsOf(object, facts).map(({ name }) => name);
}
