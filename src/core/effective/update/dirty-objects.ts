/** Finds the paths that a change can affect: the paths through a dirty object. No other path is new, gone or different. */
import { jsonEqual } from "../../model/json.ts";
import { kindId, type ObjectId, parseObjectId } from "../../model/refs.ts";
import { trafficFrom } from "../../model/traffic.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { PathScope } from "../paths/path-scope.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { controllerOf, isGatewayClass } from "../world/gateway-controllers.ts";
import { referrersOf, referrersToChild, referrersToParent } from "../world/link-indexes.ts";
import type { WithPolicies } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

/** The tables before and after a change. */
export interface Worlds {
  readonly before: WithPolicies;
  readonly after: WithPolicies;
}

/** Objects whose links or sections differ. They do not depend on the policy kind. */
export function structurallyDirty(
  worlds: Worlds,
  changes: readonly ObjectChange[],
  relinked: ReadonlySet<ObjectId>,
): ReadonlySet<ObjectId> {
  const dirty = new Set(relinked);
  for (const change of changes) {
    if (!change.isQuiet && (change.isPresence || hasOtherSections(worlds.after, change))) dirty.add(change.id);
  }
  for (const id of gatewaysOfOtherControllers(worlds, changes)) dirty.add(id);
  for (const id of unfollowedOtherwise(worlds)) dirty.add(id);
  for (const id of relinked) {
    // A consumer route takes traffic from the producer's routes (GEP-1294), so it affects all routes of the Service.
    for (const world of [worlds.before, worlds.after]) {
      for (const { parent, frontend } of world.links.get(id)?.up ?? []) if (frontend) dirty.add(parent);
    }
  }
  return dirty;
}

/** The Gateways of GatewayClasses whose controller changed: other policies may take effect behind them. */
function gatewaysOfOtherControllers(
  { before, after }: Worlds,
  changes: readonly ObjectChange[],
): ReadonlySet<ObjectId> {
  const gateways = new Set<ObjectId>();
  for (const { id, ref, before: old, after: now } of changes) {
    if (!isGatewayClass(ref) || controllerOf(old?.raw) === controllerOf(now?.raw)) continue;
    for (const world of [before, after]) for (const gateway of referrersOf(world, id)) gateways.add(gateway);
  }
  return gateways;
}

function hasOtherSections({ rulebook }: WithPolicies, { ref, before, after }: ObjectChange): boolean {
  const facts = rulebook.factsOf(kindId(ref));
  if (facts === undefined || facts.sections.length === 0 || before === undefined || after === undefined) return false;
  const was = sectionsOf(before, facts);
  const is = sectionsOf(after, facts);
  return (
    was.length !== is.length ||
    was.some(({ name, section, index, raw }, i) => {
      const other = is[i];
      return (
        name !== other?.name || section !== other.section || index !== other.index || raw["port"] !== other.raw["port"]
      );
    })
  );
}

function unfollowedOtherwise({ before, after }: Worlds): readonly ObjectId[] {
  if (before.unfollowed === after.unfollowed) return [];
  const ids = new Set([...before.unfollowed.keys(), ...after.unfollowed.keys()]);
  return [...ids].filter((id) => !jsonEqual(plain(before, id), plain(after, id)));
}

const plain = ({ unfollowed }: WithPolicies, id: ObjectId): readonly string[] => {
  const links = unfollowed.get(id);
  if (links === undefined) return [];
  return links.reason === "Cycle" ? [...links.members] : [links.reason];
};

/** The scope of one policy kind. It is the same before and after, so that a path that exists in both is found in both, or in neither. */
export function scopeOf(
  worlds: Worlds,
  kind: CompiledKind,
  structural: ReadonlySet<ObjectId>,
  changes: readonly ObjectChange[],
  edited: ReadonlySet<ObjectId>,
): PathScope {
  const dirty = new Set(structural);
  for (const id of edited) addWithNamespaced(dirty, id, worlds, kind);
  for (const { id, ref, isQuiet } of changes) {
    if (isQuiet) continue;
    if (kind.mappings.some(({ level }) => level.kind === ref.kind && level.group === ref.group)) {
      addWithNamespaced(dirty, id, worlds, kind);
    }
  }
  addOpenEnds(dirty, worlds, kind);
  const touched = new Set<ObjectId>();
  addBelow(touched, dirty, worlds.before, kind);
  if (!areLinkedAlike(worlds)) addBelow(touched, dirty, worlds.after, kind);
  return { dirty, touched };
}

/** True for most changes of policies. */
const areLinkedAlike = ({ before, after }: Worlds): boolean => before.links === after.links;

/** A Namespace is on the paths of the objects that it contains. */
function addWithNamespaced(
  dirty: Set<ObjectId>,
  id: ObjectId,
  worlds: Worlds,
  { namespacesAbove, definition, index }: CompiledKind,
): void {
  dirty.add(id);
  const { kind, group, name } = parseObjectId(id);
  if (kind !== "Namespace" || group !== "") return;
  if (namespacesAbove.size > 0)
    for (const world of [worlds.before, worlds.after]) addConsumed(dirty, name, world, index);
  for (const above of namespacesAbove) {
    const prefix = `${above}/${name}/` as ObjectId;
    for (const { objects } of [worlds.before, worlds.after]) {
      for (const member of objects.inNamespace(above, name)) dirty.add(member.id);
    }
    if (!definition.targeting.kinds.some((target) => target.virtual && kindId(target) === above)) continue;
    // Virtual objects are only in the table of attached policies.
    for (const { attached } of [worlds.before, worlds.after]) {
      attached[index]?.forEach((_, member) => {
        if (member.startsWith(prefix)) dirty.add(member);
      });
    }
  }
}

/** A Namespace is on the paths of the requests from it: by way of its mesh routes, and of the targets of its consumer policies. */
function addConsumed(dirty: Set<ObjectId>, name: string, world: WithPolicies, index: number): void {
  const from = trafficFrom(name);
  world.attached[index]?.forEach((sets, target) => {
    if (sets.consumers?.has(from) === true) dirty.add(target);
  });
  for (const kind of world.objects.kinds())
    for (const { id } of world.objects.inNamespace(kind, name))
      for (const { parent, frontend } of world.links.get(id)?.up ?? []) if (frontend) dirty.add(parent);
}

/** If paths end at an object only without an effective target below it, a change below can start or stop paths ending there. */
function addOpenEnds(dirty: Set<ObjectId>, worlds: Worlds, kind: CompiledKind): void {
  if (![...kind.ends.values()].some(({ mayContinue }) => mayContinue)) return;
  const above = [worlds.before, worlds.after].map((world) => ancestorsOf(dirty, world));
  for (const ids of above) {
    for (const id of ids) if (kind.ends.get(kindId(parseObjectId(id)))?.mayContinue) dirty.add(id);
  }
}

/** The objects above some objects. */
export function ancestorsOf(starts: ReadonlySet<ObjectId>, world: WithPolicies): ReadonlySet<ObjectId> {
  const above = new Set<ObjectId>();
  const open = [...starts];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const add = (parent: ObjectId): void => {
      if (above.has(parent)) return;
      above.add(parent);
      open.push(parent);
    };
    for (const { parent, frontend } of world.links.get(id)?.up ?? []) if (!frontend) add(parent);
    const child = id;
    for (const parent of referrersToChild(world, id))
      if (world.childLinksOf(parent)?.down.some((link) => link.child === child)) add(parent);
  }
  return above;
}

/** Adds the dirty objects and all objects below them on paths of the kind. */
function addBelow(touched: Set<ObjectId>, dirty: ReadonlySet<ObjectId>, world: WithPolicies, kind: CompiledKind): void {
  const { onPaths, reachesChildren } = kind;
  const seen = new Set<ObjectId>(dirty);
  const open = [...dirty];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    touched.add(id);
    const add = (child: ObjectId): void => {
      if (seen.has(child)) return;
      seen.add(child);
      open.push(child);
    };
    for (const link of reachesChildren ? (world.childLinksOf(id)?.down ?? []) : [])
      if (onPaths.has(link.childKind)) add(link.child);
    const parent = id;
    // As the frontend of a mesh a Service is a root: only its own change affects the routes below it.
    const isFrontend = dirty.has(id);
    if (!isFrontend && !world.rulebook.isParentByRef(kindId(parseObjectId(id)))) continue;
    for (const child of referrersToParent(world, id))
      if (world.links.get(child)?.up.some((up) => up.parent === parent && (isFrontend || !up.frontend))) add(child);
  }
}
