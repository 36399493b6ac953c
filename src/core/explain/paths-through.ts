/** The paths of one policy kind that pass through an object, or through a section of one. */

import type { EffectiveCore } from "../effective/fold/effective-core.ts";
import { forEachPath } from "../effective/paths/count-paths.ts";
import type { Path } from "../effective/paths/path.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import { forEachId } from "../model/collections/id-set.ts";
import { kindId, type ObjectId } from "../model/refs.ts";

/** An object, or a section of one. */
export interface Place {
  readonly id: ObjectId;
  readonly sectionName?: string;
}

/** Below so many objects it is cheaper to walk all paths once than to begin anew at each. */
const MANY = 32;

/** In defined order. Only paths that have a policy. */
export function forEachPathThrough(
  world: World,
  kind: CompiledKind,
  place: Place,
  visit: (path: Path, core: EffectiveCore) => void,
): void {
  const ends = endsBelow(world, kind, place.id);
  const visitThrough = (path: Path, core: EffectiveCore): void => {
    if (passes(path, place)) visit(path, core);
  };
  if (ends === "many") forEachPath(world, kind, visitThrough);
  else for (const end of ends) forEachPath(world, kind, visitThrough, end);
}

function passes(path: Path, { id, sectionName }: Place): boolean {
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    if (at.node.id === id && (sectionName === undefined || at.node.section?.name === sectionName)) return true;
  }
  return false;
}

/** The objects at or below it that paths of the kind can end at. */
function endsBelow(world: World, kind: CompiledKind, top: ObjectId): readonly ObjectId[] | "many" {
  const seen = new Set<ObjectId>([top]);
  for (const id of seen) {
    // A namespace is above whatever is in it: no link says so.
    if (id.startsWith(NAMESPACE)) return "many";
    for (const child of childrenOf(world, id)) seen.add(child);
    if (seen.size > MANY) return "many";
  }
  return [...seen].filter((id) => isEnd(kind, id)).sort();
}

const NAMESPACE = `${kindId({ group: "", kind: "Namespace" })}/`;

const isEnd = ({ ends }: CompiledKind, id: ObjectId): boolean => {
  for (const end of ends.keys()) if (id.startsWith(`${end}/`)) return true;
  return false;
};

/** Those that the object names as children, and those that name it as their parent. */
function childrenOf(world: World, id: ObjectId): readonly ObjectId[] {
  const children = (world.links.get(id)?.down ?? []).map(({ child }) => child);
  forEachId(world.mentionedBy.get(id), (other) => {
    if (world.parents.get(other)?.up.some(({ parent }) => parent === id)) children.push(other);
  });
  return children;
}
