/** The objects that have a view, in the order of their lists. */
import { virtualObjects } from "../effective/world/implied-objects.ts";
import type { World } from "../effective/world/world.ts";
import { NAMESPACE } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { attachableLevels } from "../model/levels.ts";
import {
  compareText,
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseKindId,
} from "../model/refs.ts";
import type { ViewContext } from "./view-context.ts";
import { viewName, viewPrefix } from "./view-name.ts";
import type { ViewResource } from "./view-resources.ts";

/** An object that may have a view: whether a policy reaches it is known when its view is built. */
export interface ViewedObject {
  readonly id: ObjectId;
  readonly namespace: string;
  /** The name of its view. */
  readonly name: string;
  /** Undefined for a virtual object. */
  readonly object: KubeObject | undefined;
}

export interface ViewedScope {
  /** Undefined: all namespaces, or objects without one. */
  readonly namespace?: string | undefined;
  /** Only the object whose view has this name. */
  readonly name?: string | undefined;
}

/** Sorted by namespace, then by name. */
export function viewedObjects(
  context: ViewContext,
  { about, isNamespaced }: Pick<ViewResource, "about" | "isNamespaced">,
  scope: ViewedScope,
): readonly ViewedObject[] {
  const { world, pluralOf } = context;
  const found: ViewedObject[] = [];
  for (const kind of about === "Targets" ? targetKinds(world) : world.rulebook.byPolicyKind.keys()) {
    const prefix = `${viewPrefix(parseKindId(kind), pluralOf)}.`;
    if (scope.name !== undefined && !scope.name.startsWith(prefix)) continue;
    const own = scope.name?.slice(prefix.length);
    for (const object of objectsOf(world, kind, isNamespaced ? scope.namespace : "", own)) {
      const { namespace } = object.family;
      if ((namespace !== "") !== isNamespaced || !isViewed(world, about, object)) continue;
      found.push({ id: object.id, namespace, name: `${prefix}${object.name}`, object });
    }
  }
  if (about === "Targets") found.push(...virtualTargets(context, isNamespaced, scope));
  return found.sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name));
}

/** The kinds that may be on a path, and those that policies may target. */
function targetKinds({ rulebook }: World): ReadonlySet<KindId> {
  const found = new Set<KindId>();
  for (const { onPaths, ends, definition } of rulebook.kinds) {
    for (const kind of onPaths) found.add(kind);
    for (const kind of ends.keys()) found.add(kind);
    for (const kind of [...attachableLevels(definition.targeting), ...definition.hierarchy.namespacesAbove])
      found.add(kindId(kind));
    found.add(NAMESPACE);
  }
  return found;
}

function objectsOf(
  { objects }: World,
  kind: KindId,
  namespace: string | undefined,
  name: string | undefined,
): readonly KubeObject[] {
  if (namespace === undefined) {
    const all = objects.ofKind(kind);
    return name === undefined ? all : all.filter((object) => object.name === name);
  }
  if (name === undefined) return objects.inNamespace(kind, namespace);
  const only = objects.find(kind, namespace, name);
  return only === undefined ? [] : [only];
}

const isViewed = ({ policies }: World, about: ViewResource["about"], { id }: KubeObject): boolean =>
  about === "Targets" || policies.get(id as PolicyId) !== undefined;

function virtualTargets(
  { world, pluralOf }: ViewContext,
  isNamespaced: boolean,
  scope: ViewedScope,
): readonly ViewedObject[] {
  return virtualObjects(world)
    .filter(({ namespace }) => (namespace !== "") === isNamespaced)
    .filter(({ namespace }) => scope.namespace === undefined || namespace === scope.namespace)
    .map((ref) => ({
      id: objectId(ref),
      namespace: ref.namespace,
      name: viewName(ref, pluralOf),
      object: undefined,
    }))
    .filter(({ name }) => scope.name === undefined || name === scope.name);
}
