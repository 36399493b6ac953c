import { effectivePolicyOf } from "../effective/fold/effective-policy-at.ts";
import type { EffectivePath } from "../effective/fold/for-each-effective.ts";
import { hasPolicies } from "../effective/paths/end-objects.ts";
import { pathData } from "../effective/paths/path.ts";
import { PathFinder } from "../effective/paths/path-finder.ts";
import type { PathScope } from "../effective/paths/path-scope.ts";
import { scopeOf } from "../effective/update/dirty-objects.ts";
import { pathsTo } from "../effective/update/update-world.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import { valueChanges } from "../explain/plan/value-changes.ts";
import type { EffectiveSpec } from "../merge/effective-spec.ts";
import type { ObjectId } from "../model/refs.ts";

interface Losing {
  readonly kinds: readonly CompiledKind[];
  /** Only paths through one of these objects. */
  readonly through: ReadonlySet<ObjectId>;
  /** Only values of this policy. Undefined: values of any policy. */
  readonly policy?: ObjectId;
}

/** True if values of policies take effect on more paths than this. No more paths are visited than it takes to know. */
export function losesMoreThan(world: World, { kinds, through, policy }: Losing, limit: number): boolean {
  let lost = 0;
  const known = new Map<EffectiveSpec, boolean>();
  const counts = (found: EffectivePath): boolean => {
    const has = known.get(found.effective) ?? hasValueOf(found, policy);
    known.set(found.effective, has);
    return has;
  };
  for (const kind of kinds) {
    if (!hasPolicies(world, kind)) continue;
    const scope = pathsThrough(world, kind, through);
    const finder = new PathFinder(world, kind, { scope });
    for (const end of scope.touched)
      for (const found of pathsTo(world, kind, finder, end)) if (counts(found) && ++lost > limit) return true;
  }
  return false;
}

/** Paths with the same policies share their specs, so that this is asked once for each of these. */
const hasValueOf = (found: EffectivePath, policy: ObjectId | undefined): boolean =>
  valueChanges(effectivePolicyOf(found, pathData(found.path)), undefined).some(({ before }) =>
    policy === undefined ? before !== undefined && before.source.policy !== null : before?.source.policy === policy,
  );

/** The paths of a kind through one of the objects, and of a Namespace those through what is in it. */
export const pathsThrough = (world: World, kind: CompiledKind, objects: ReadonlySet<ObjectId>): PathScope =>
  scopeOf({ before: world, after: world }, kind, new Set(), [], objects);
