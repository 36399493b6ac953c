import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import { type EndObject, endObjects } from "../paths/end-objects.ts";
import type { Path } from "../paths/path.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import { foldPath } from "./fold-path.ts";

/** A path that has a policy of a kind, and the effective spec at its end. */
export interface EffectivePath {
  readonly kind: CompiledKind;
  readonly path: Path;
  readonly effective: EffectiveSpec;
}

/** Visits every path of a policy kind that has a policy, in a defined order. `only`: those that end at this object. */
export function forEachEffective(
  world: World,
  kind: CompiledKind,
  visit: (path: Path, effective: EffectiveSpec) => void,
  only?: ObjectId,
): void {
  const finder = new PathFinder(world, kind);
  const ends = only === undefined ? endObjects(world, kind) : [{ id: only, ref: parseObjectId(only) }];
  for (const end of ends) for (const { path, effective } of effectivePathsTo(finder, kind, end)) visit(path, effective);
}

/** The paths that end at one object or at one of its sections, of those that have a policy. */
export function effectivePathsTo(finder: PathFinder, kind: CompiledKind, end: EndObject): readonly EffectivePath[] {
  const found: EffectivePath[] = [];
  finder.forEachPathTo(end, (path) => {
    if (path.stack === kind.stacks.empty) return;
    const effective = foldPath(path, kind);
    if (effective.outcomes.length > 0) found.push({ kind, path, effective });
  });
  return found;
}
