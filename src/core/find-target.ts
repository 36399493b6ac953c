import { isImplied, isVirtual } from "./effective/world/implied-objects.ts";
import type { World } from "./effective/world/world.ts";
import { type Evaluation, worldOf } from "./evaluation.ts";
import { findObjects, parseTargetText, sectionNames } from "./explain/find-objects.ts";
import { findKinds, kindWords } from "./explain/kind-words.ts";
import type { ObjectOrSection } from "./explain/paths-through.ts";
import type { KubeObject } from "./model/kube-object.ts";
import { type ObjectRef, objectId } from "./model/refs.ts";

/**
 * An object, or a section of one: a listener, a route rule, a service port.
 *
 * @example
 * ```ts
 * const rule: TargetRef = {
 *   group: "gateway.networking.k8s.io",
 *   kind: "HTTPRoute",
 *   namespace: "bakery",
 *   name: "baker",
 *   sectionName: "order",
 * };
 * console.log(explain(evaluation, rule)?.kinds.length);
 * ```
 */
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
  const parsed = parseTargetText(text);
  if (parsed === undefined) return [];
  const { kind, namespace, name, sectionName } = parsed;
  const isWanted = ({ ref }: Pick<KubeObject, "ref">): boolean =>
    namespace === undefined || ref.namespace === namespace;
  // An id of an object without a group ends its kind with a dot.
  return findKinds(kindWords(world), kind.replace(/\.$/, ""))
    .flatMap((one) => findObjects(world, one, name, isWanted))
    .map(({ ref }) => ({ ...ref, ...(sectionName === undefined ? {} : { sectionName }) }));
}

const hasObject = (world: World, ref: ObjectRef): boolean =>
  world.objects.has(objectId(ref)) || isImplied(world, ref) || isVirtual(world, ref);

const hasSection = (world: World, { sectionName, ...ref }: TargetRef): boolean =>
  sectionName === undefined || sectionNames(world, ref).includes(sectionName);
