import type { CompiledKind } from "../effective/compiled-kind.ts";
import { endObjects, forEachPathTo } from "../effective/count-paths.ts";
import type { EffectiveCore, FoldedSpec } from "../effective/effective-core.ts";
import { type Path, PathFinder } from "../effective/path-finder.ts";
import type { World } from "../effective/world.ts";

/** One fold of a policy kind, shared by some number of paths. */
export interface SurveyedFold {
  readonly core: EffectiveCore;
  readonly first: Path;
  paths: number;
}

/** Every fold of the kind that has a policy, in the order of its first path. There are few, however many paths there are. */
export function surveyFolds(world: World, kind: CompiledKind): readonly SurveyedFold[] {
  const folds = new Map<EffectiveCore, SurveyedFold>();
  const finder = new PathFinder(world, kind, undefined, "Together");
  const visit = (path: Path, core: EffectiveCore): void => {
    const fold = folds.get(core);
    if (fold === undefined) folds.set(core, { core, first: path, paths: path.count });
    else fold.paths += path.count;
  };
  for (const end of endObjects(world, kind)) forEachPathTo(finder, kind, end, visit);
  return [...folds.values()];
}

/** Where a policy sets fields item by item, the items are where it prevails or not. */
export const countedSpecs = (core: EffectiveCore): readonly FoldedSpec[] =>
  core.fields.length === 0 ? [core] : core.fields;
