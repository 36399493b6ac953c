/** The paths of one policy kind that pass through an object, or through a section of one. */

import { foldPath, ownValuesOn } from "../effective/fold/fold-path.ts";
import { forEachEffective } from "../effective/fold/for-each-effective.ts";
import type { EndObject } from "../effective/paths/end-objects.ts";
import type { Path } from "../effective/paths/path.ts";
import { PathFinder } from "../effective/paths/path-finder.ts";
import type { PathScope } from "../effective/paths/path-scope.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import { virtualObjects } from "../effective/world/implied-objects.ts";
import { referrersToParent } from "../effective/world/link-indexes.ts";
import type { World } from "../effective/world/world.ts";
import type { EffectiveSpec } from "../merge/effective-spec.ts";
import { NAMESPACE } from "../model/kinds.ts";
import { compareText, kindId, type ObjectId, objectId, parseObjectId, splitId } from "../model/refs.ts";

/** An object, or a section of one. */
export interface ObjectOrSection {
  readonly id: ObjectId;
  readonly sectionName?: string;
}

/** Up to this number of objects below the target, only these are visited. */
const MANY = 32;
/** With more of them, one walk over all paths is cheaper, unless they are a small part of all. */
const SMALL_PART = 1 / 4;

/** Visits the paths that have a policy, in a defined order. */
export function forEachPathThrough(
  world: World,
  kind: CompiledKind,
  target: ObjectOrSection,
  visit: (path: Path, core: EffectiveSpec) => void,
): void {
  forEachEffectiveBelow(world, kind, endsBelow(world, kind, target.id), (path, core) => {
    if (leadsThrough(path, target)) visit(path, core);
  });
}

/** Visits the paths that have a policy and lead through one of the objects, perhaps with others, in the order of `forEachEffective`. */
export function forEachPathThroughAny(
  world: World,
  kind: CompiledKind,
  objects: ReadonlySet<ObjectId>,
  visit: (path: Path, core: EffectiveSpec) => void,
): void {
  forEachEffectiveBelow(world, kind, endsBelowAny(world, kind, objects), visit);
}

/** Visits the paths that have a policy and lead through the scope, perhaps with others. */
function forEachEffectiveBelow(
  world: World,
  kind: CompiledKind,
  below: ScopedEnds | "many",
  visit: (path: Path, core: EffectiveSpec) => void,
): void {
  forEachEffective(world, kind, visit, below === "many" ? {} : { only: below.ends, scope: below.scope });
}

function endsBelowAny(world: World, kind: CompiledKind, objects: ReadonlySet<ObjectId>): ScopedEnds | "many" {
  const { targeting } = kind.definition;
  // Virtual objects come before all others, whatever their kind is.
  if (objects.size > MANY || targeting.kinds.some(({ virtual }) => virtual)) return "many";
  const ends = new Set<ObjectId>();
  const touched = new Set<ObjectId>();
  for (const object of objects) {
    const below = endsBelow(world, kind, object);
    if (below === "many") return "many";
    for (const end of below.ends) ends.add(end);
    for (const id of below.scope.touched) touched.add(id);
  }
  return { ends: inEndOrder(kind, [...ends]), scope: { dirty: objects, touched } };
}

/** In the order of `endObjects`. */
function inEndOrder({ definition, ends }: CompiledKind, ids: readonly ObjectId[]): readonly ObjectId[] {
  const kinds = definition.class === "Direct" ? [] : [...ends.keys()];
  const rank = (id: ObjectId): number => kinds.indexOf(splitId(id).kind);
  return ids.toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

/** Visits every path through the target, with or without policies, in a defined order. A Direct kind has no path without a policy. */
export function forEachAnyPathThrough(
  world: World,
  kind: CompiledKind,
  target: ObjectOrSection,
  visit: (path: Path) => void,
): void {
  const below = endsBelow(world, kind, target.id);
  const finder = new PathFinder(world, kind, below === "many" ? {} : { scope: below.scope });
  const visitTo = (end: EndObject): void =>
    finder.forEachPathTo(end, (path) => {
      if (leadsThrough(path, target)) visit(path);
    });
  if (below !== "many") {
    for (const id of below.ends) visitTo({ id, ref: parseObjectId(id) });
    return;
  }
  for (const ref of virtualObjects(world)) if (kind.ends.has(kindId(ref))) visitTo({ id: objectId(ref), ref });
  for (const end of kind.ends.keys()) for (const object of world.objects.ofKind(end)) visitTo(object);
}

/**
 * Visits the paths without a policy on which an object at or above the target sets fields itself that the kind maps onto, in a defined
 * order. Own values of objects below the target are theirs, not the target's.
 */
export function forEachOwnPathThrough(
  world: World,
  kind: CompiledKind,
  target: ObjectOrSection,
  visit: (path: Path, core: EffectiveSpec) => void,
): void {
  if (kind.mappings.length === 0) return;
  const isMapped = kind.mappings.some(({ level }) => target.id.startsWith(`${kindId(level)}/`));
  const below = endsBelow(world, kind, target.id, () => (isMapped ? Number.POSITIVE_INFINITY : MANY));
  if (below === "many") return;
  const finder = new PathFinder(world, kind, { scope: below.scope });
  for (const id of below.ends) {
    finder.forEachPathTo({ id, ref: parseObjectId(id) }, (path) => {
      if (!leadsThrough(path, target) || !endsWithOwnValues(path, kind, target.id)) return;
      const core = foldPath(path, kind);
      if (core.outcomes.length === 0) visit(path, core);
    });
  }
}

/** True if an object at or above the target sets fields itself that the kind maps onto. */
export function endsWithOwnValues(path: Path, kind: CompiledKind, id: ObjectId): boolean {
  if (kind.mappings.length === 0) return false;
  const { units, objects, items } = ownValuesOn(path, kind);
  if (units.length + items.length === 0) return false;
  const owners = new Set<ObjectId>([
    ...objects,
    ...items.filter((item) => item.units.length > 0).map((item) => item.object),
  ]);
  let isAbove = false;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    isAbove ||= at.node.id === id;
    if (isAbove && owners.has(at.node.id)) return true;
  }
  return false;
}

/** True if a path leads through the object, or through the section of it. */
export function leadsThrough(path: Path, { id, sectionName }: ObjectOrSection): boolean {
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    if (at.node.id === id && (sectionName === undefined || at.node.section?.name === sectionName)) return true;
  }
  return false;
}

/** The objects at or below an object that are effective targets of a kind, and the paths through the object as the scope of a search. */
interface ScopedEnds {
  readonly ends: readonly ObjectId[];
  readonly scope: PathScope;
}

function endsBelow(
  world: World,
  kind: CompiledKind,
  top: ObjectId,
  most: () => number = () => countEnds(world, kind) * SMALL_PART,
): ScopedEnds | "many" {
  let many = MANY;
  const seen = new Set<ObjectId>([top]);
  for (const id of seen) {
    // A Namespace is above the objects in it. No link records that.
    if (id.startsWith(NAMESPACES)) return "many";
    for (const child of childrenOf(world, id)) seen.add(child);
    if (seen.size <= many) continue;
    if (many === MANY) many = Math.max(MANY, most());
    if (seen.size > many) return "many";
  }
  const ends = [...seen].filter((id) => isEnd(kind, id));
  return { ends: inEndOrder(kind, ends), scope: { dirty: new Set([top]), touched: seen } };
}

function countEnds(world: World, kind: CompiledKind): number {
  if (kind.definition.class === "Direct") return world.attached[kind.index]?.size ?? 0;
  let count = 0;
  for (const end of kind.ends.keys()) count += world.objects.ofKind(end).length;
  return count;
}

const NAMESPACES = `${NAMESPACE}/`;

const isEnd = ({ ends }: CompiledKind, id: ObjectId): boolean => {
  for (const end of ends.keys()) if (id.startsWith(`${end}/`)) return true;
  return false;
};

/** The objects that the object names as children, and the objects that name it as their parent. */
function childrenOf(world: World, id: ObjectId): readonly ObjectId[] {
  const children = (world.childLinksOf(id)?.down ?? []).map(({ child }) => child);
  for (const other of referrersToParent(world, id)) {
    if (world.links.get(other)?.up.some(({ parent }) => parent === id)) children.push(other);
  }
  return children;
}
