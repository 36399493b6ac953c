import { isImplied } from "./effective/world/implied-objects.ts";
import type { World } from "./effective/world/world.ts";
import { type Evaluation, worldOf } from "./evaluation.ts";
import { findKinds, type KindWords, kindWords } from "./explain/kind-words.ts";
import type { ObjectOrSection } from "./explain/paths-through.ts";
import { kindId, type ObjectRef, objectId } from "./model/refs.ts";
import { sectionsOf } from "./topology/sections-of.ts";

/** An object, or a section of one: a listener, a route rule, a service port. */
export interface TargetRef extends ObjectRef {
  readonly sectionName?: string;
}

/**
 * A target as text or as a reference. Text is `KIND/NAME` or `KIND/NAMESPACE/NAME`, with `#SECTION` for a section: `httproute/baker#order`.
 * A kind is written as for kubectl (`httproute`, `httproutes`, `HTTPRoute`), with `.GROUP` if its name alone is ambiguous. Without a
 * namespace all namespaces are searched. The ids in results (`ObjectId`, `TargetId`) are such texts.
 */
export type TargetName = string | TargetRef;

/**
 * Finds the objects or sections that a name refers to. None: the name is unknown. Several: objects of that name are in more than one
 * namespace.
 *
 * @example
 * ```ts
 * const [route] = findTargets(evaluation, "httproute/baker#order");
 * console.log(route?.namespace, route?.sectionName);
 * ```
 */
export const findTargets = (evaluation: Evaluation, name: TargetName): readonly TargetRef[] =>
  targetsNamed(worldOf(evaluation), name);

/** Undefined unless the name refers to exactly one object or section. */
export function targetNamed(world: World, name: TargetName): ObjectOrSection | undefined {
  const [target, ...others] = targetsNamed(world, name);
  if (target === undefined || others.length > 0) return undefined;
  const { sectionName } = target;
  return { id: objectId(target), ...(sectionName === undefined ? {} : { sectionName }) };
}

function targetsNamed(world: World, name: TargetName): readonly TargetRef[] {
  const found = typeof name === "string" ? refsNamed(world, name) : hasObject(world, name) ? [name] : [];
  return found.filter((target) => hasSection(world, target));
}

function refsNamed(world: World, text: string): readonly TargetRef[] {
  const [path = "", sectionName] = text.split("#", 2);
  const [word = "", ...names] = path.split("/");
  const name = names.at(-1);
  if (name === undefined || names.length > 2) return [];
  const namespace = names.length === 2 ? names[0] : undefined;
  const section = sectionName === undefined ? {} : { sectionName };
  // An id of an object without a group ends its kind with a dot.
  return findKinds(kindWords(world), word.replace(/\.$/, ""))
    .flatMap((kind) => objectsNamed(world, kind, namespace, name))
    .map((ref) => ({ ...ref, ...section }));
}

function objectsNamed(
  world: World,
  { group, kind }: KindWords,
  namespace: string | undefined,
  name: string,
): readonly ObjectRef[] {
  const found = world.objects
    .ofKind(kindId({ group, kind }))
    .map(({ ref }) => ref)
    .filter((ref) => ref.name === name && (namespace === undefined || ref.namespace === namespace));
  const implied: ObjectRef = { group, kind, namespace: "", name };
  const isCluster = world.rulebook.factsOf(kindId(implied))?.scope === "Cluster";
  return found.length === 0 && isCluster && isImplied(world, implied) ? [implied] : found;
}

const hasObject = (world: World, ref: ObjectRef): boolean => world.objects.has(objectId(ref)) || isImplied(world, ref);

function hasSection(world: World, target: TargetRef): boolean {
  if (target.sectionName === undefined) return true;
  const object = world.objects.get(objectId(target));
  const facts = world.rulebook.factsOf(kindId(target));
  if (object === undefined || facts === undefined) return false;
  return sectionsOf(object, facts).some(({ name }) => name === target.sectionName);
}
