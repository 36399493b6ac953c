import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import { type ObjectId, parseObjectId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import { type EndObject, endObjects, hasPolicies } from "../paths/end-objects.ts";
import type { Path } from "../paths/path.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { PathScope } from "../paths/path-scope.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { WithPolicies } from "../world/world.ts";
import { foldPath, ownValuesOn } from "./fold-path.ts";
import type { OwnValues } from "./own-values.ts";

/** A path that has a policy of a kind, and the effective spec at its end. */
export interface EffectivePath {
  readonly kind: CompiledKind;
  readonly path: Path;
  /** The own values of the objects on the path. */
  readonly own: OwnValues;
  readonly effective: EffectiveSpec;
}

/** Visits every path of a policy kind that has a policy, in a defined order. `only`: those that end at one of these objects. `scope`: those through some objects. */
export function forEachEffective(
  world: WithPolicies,
  kind: CompiledKind,
  visit: (path: Path, effective: EffectiveSpec) => void,
  { only, scope }: { readonly only?: readonly ObjectId[] | undefined; readonly scope?: PathScope } = {},
): void {
  if (!hasPolicies(world, kind)) return;
  const finder = new PathFinder(world, kind, scope === undefined ? {} : { scope });
  const ends = only === undefined ? endObjects(world, kind) : only.map((id) => ({ id, ref: parseObjectId(id) }));
  for (const end of ends) forEachEffectiveTo(finder, kind, end, visit);
}

/**
 * Visits the same paths in the same order, but paths that differ only in their last section once: `path` leads to an object, and
 * goes on to each of `sections`. Without `sections`, `path` is a whole path.
 */
export function forEachEffectiveGroup(
  world: WithPolicies,
  kind: CompiledKind,
  visit: (path: Path, effective: EffectiveSpec, sections: readonly Section[] | undefined) => void,
): void {
  const finder = new PathFinder(world, kind);
  const visitWhole = (path: Path, effective: EffectiveSpec): void => visit(path, effective, undefined);
  for (const end of endObjects(world, kind)) {
    const group = finder.findGroupTo(end);
    if (group === undefined) forEachEffectiveTo(finder, kind, end, visitWhole);
    else
      for (const path of group.paths) {
        const effective = effectiveOn(path, kind);
        if (effective !== undefined) visit(path, effective, group.sections);
      }
  }
}

/** Visits the paths that end at one object or at one of its sections, of those that have a policy. */
export function forEachEffectiveTo(
  finder: PathFinder,
  kind: CompiledKind,
  end: EndObject,
  visit: (path: Path, effective: EffectiveSpec) => void,
): void {
  finder.forEachPathTo(end, (path) => {
    const effective = effectiveOn(path, kind);
    if (effective !== undefined) visit(path, effective);
  });
}

/** The paths that have a policy with a part in the fold, each with its effective spec. */
export function foldPaths(paths: readonly Path[], kind: CompiledKind): readonly EffectivePath[] {
  const found: EffectivePath[] = [];
  for (const path of paths) addEffective(found, path, kind);
  return found;
}

/** The paths that `forEachEffectiveTo` visits, as a list. */
export function effectivePathsTo(finder: PathFinder, kind: CompiledKind, end: EndObject): readonly EffectivePath[] {
  const found: EffectivePath[] = [];
  finder.forEachPathTo(end, (path) => void addEffective(found, path, kind));
  return found;
}

/**
 * Adds a path with its effective spec, if it has a policy with a part in the fold. `known`: the own values on the path, if they are known. Returns
 * them, if they had to be known.
 */
export function addEffective(
  found: EffectivePath[],
  path: Path,
  kind: CompiledKind,
  known?: OwnValues,
): OwnValues | undefined {
  if (path.stack === kind.stacks.empty) return known;
  const own = known ?? ownValuesOn(path, kind);
  const effective = foldPath(path, kind, own);
  if (effective.outcomes.length > 0) found.push({ kind, path, own, effective });
  return own;
}

/** The effective spec at the end of a path. Undefined: no policy has a part in it. */
function effectiveOn(path: Path, kind: CompiledKind): EffectiveSpec | undefined {
  if (path.stack === kind.stacks.empty) return undefined;
  const effective = foldPath(path, kind);
  return effective.outcomes.length === 0 ? undefined : effective;
}
