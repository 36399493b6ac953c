import { pointerStatesAt } from "../../effective/fold/fold-path.ts";
import { forEachEffective } from "../../effective/fold/for-each-effective.ts";
import type { Path } from "../../effective/paths/path.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { PointerState } from "../../merge/fold-result.ts";

/** One effective spec of a policy kind, shared by some number of paths. */
export interface DistinctFold {
  readonly effective: EffectiveSpec;
  readonly first: Path;
  paths: number;
  /** The state of every pointer: of the spec, then of each item of an object's field that policies set. */
  readonly states: () => readonly (readonly PointerState[])[];
}

/** Every distinct effective spec of the kind, in the order of its first path. Paths with the same policies share one. */
export function distinctFolds(world: World, kind: CompiledKind): readonly DistinctFold[] {
  const folds = new Map<EffectiveSpec, DistinctFold>();
  forEachEffective(world, kind, (path, effective) => {
    const fold = folds.get(effective);
    if (fold !== undefined) fold.paths++;
    else folds.set(effective, { effective, first: path, paths: 1, states: () => pointerStatesAt(path, kind) });
  });
  return [...folds.values()];
}
