import { placesAt } from "../effective/fold/effective-at.ts";
import type { EffectiveCore } from "../effective/fold/effective-core.ts";
import { endObjects, forEachPathTo } from "../effective/paths/count-paths.ts";
import type { Path } from "../effective/paths/path.ts";
import { PathFinder } from "../effective/paths/path-finder.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Place } from "../merge/fold-result.ts";

/** One fold of a policy kind, shared by some number of paths. */
export interface SurveyedFold {
  readonly core: EffectiveCore;
  readonly first: Path;
  paths: number;
  /** Who holds each place, and who lost it; item by item where a policy sets fields so. */
  readonly places: () => readonly (readonly Place[])[];
}

/** Every fold of the kind that has a policy, in the order of its first path. There are few, however many paths there are. */
export function surveyFolds(world: World, kind: CompiledKind): readonly SurveyedFold[] {
  const folds = new Map<EffectiveCore, SurveyedFold>();
  const finder = new PathFinder(world, kind, undefined, "Together");
  const visit = (path: Path, core: EffectiveCore): void => {
    const fold = folds.get(core);
    if (fold !== undefined) fold.paths += path.count;
    else folds.set(core, { core, first: path, paths: path.count, places: () => placesAt(path, kind) });
  };
  for (const end of endObjects(world, kind)) forEachPathTo(finder, kind, end, visit);
  return [...folds.values()];
}
