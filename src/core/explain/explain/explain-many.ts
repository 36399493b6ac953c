import { foldPath } from "../../effective/fold/fold-path.ts";
import { type EndObject, endObjects, hasPolicies } from "../../effective/paths/end-objects.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import type { ObjectId } from "../../model/refs.ts";
import { endsWithOwnValues } from "../paths-through.ts";
import { KindGroups } from "./kind-groups.ts";
import type { KindExplanation } from "./result.ts";

/**
 * Computes the result of `explainKinds` for each of many objects, in one walk over all paths instead of one for each object. It pauses after each
 * object that paths end at, so that a server can give other requests their turn.
 */
export function* explainMany(
  world: World,
  targets: ReadonlySet<ObjectId>,
): Generator<undefined, ReadonlyMap<ObjectId, readonly KindExplanation[]>> {
  const found = new Map<ObjectId, KindExplanation[]>();
  for (const kind of world.rulebook.kinds) {
    const groups = yield* groupsOf(world, kind, targets);
    for (const [target, own] of groups) {
      const explanation = own.explanation();
      if (explanation !== undefined) found.set(target, [...(found.get(target) ?? []), explanation]);
    }
  }
  return found;
}

function* groupsOf(
  world: World,
  kind: CompiledKind,
  targets: ReadonlySet<ObjectId>,
): Generator<undefined, ReadonlyMap<ObjectId, KindGroups>> {
  const groups = new Map<ObjectId, KindGroups>();
  /** Paths without a policy come after those with one. */
  const own: (readonly [ObjectId, Path])[] = [];
  const groupOf = (target: ObjectId): KindGroups => {
    const known = groups.get(target) ?? new KindGroups(world, kind);
    groups.set(target, known);
    return known;
  };
  const finder = new PathFinder(world, kind);
  for (const end of endsOf(world, kind)) {
    finder.forEachPathTo(end, (path) => {
      const core = foldPath(path, kind);
      for (const target of new Set(nodesOf(path).map(({ id }) => id))) {
        if (!targets.has(target)) continue;
        if (core.outcomes.length > 0) groupOf(target).add(path, core);
        else if (endsWithOwnValues(path, kind, target)) own.push([target, path]);
      }
    });
    yield;
  }
  for (const [target, path] of own) groupOf(target).add(path, foldPath(path, kind));
  return groups;
}

/** Also where no policy of the kind is attached: objects may set its fields themselves. */
function* endsOf(world: World, kind: CompiledKind): Iterable<EndObject> {
  const isAttached = hasPolicies(world, kind);
  if (isAttached || kind.mappings.length === 0) yield* endObjects(world, kind);
  else for (const end of kind.ends.keys()) yield* world.objects.ofKind(end);
}
