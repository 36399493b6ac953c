/** Walking paths to count how policies fare. */
import { LayeredMap } from "../model/layered-map.ts";
import type { Policy } from "../model/policy.ts";
import { kindId, type ObjectId, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { effectiveAt } from "./effective-at.ts";
import type { EffectiveCore } from "./effective-core.ts";
import { endOf, type Path, PathFinder } from "./path-finder.ts";
import { type PolicyTally, TallyChanges } from "./tally.ts";
import type { World } from "./world.ts";

/** Calls back for each object that paths of the kind may end at, in order. */
export function forEachEndObject(
  world: World,
  kind: CompiledKind,
  visit: (ref: ObjectRef, id: ObjectId) => void,
): void {
  const attached = world.attached[kind.index];
  if (attached === undefined || attached.size === 0) return;
  const isDirect = kind.definition.class === "Direct";
  if (isDirect || kind.definition.targeting.kinds.some(({ virtual }) => virtual)) {
    const ids: ObjectId[] = [];
    attached.forEach((_, id) => {
      if (isDirect || !world.objects.byId.has(id)) ids.push(id);
    });
    for (const id of ids.sort()) visit(parseObjectId(id), id);
    if (isDirect) return;
  }
  for (const end of kind.ends.keys()) {
    world.objects.byKind.get(end)?.forEach((id, object) => visit(object.ref, id));
  }
}

/** Whether `forEachEndObject` would visit it. */
export function isEndObject(world: World, kind: CompiledKind, id: ObjectId): boolean {
  const isThere = world.objects.byId.has(id);
  const isAttached = world.attached[kind.index]?.has(id) === true;
  if (kind.definition.class === "Direct") return isAttached;
  if (isThere) return kind.ends.has(kindId(parseObjectId(id)));
  return isAttached && kind.definition.targeting.kinds.some(({ virtual }) => virtual);
}

/** Calls back for each path that has a policy; `only`: of those that end at this object. */
export function forEachPath(
  world: World,
  kind: CompiledKind,
  visit: (path: Path, core: EffectiveCore) => void,
  only?: ObjectId,
): void {
  const finder = new PathFinder(world, kind);
  const forEach: typeof forEachEndObject =
    only === undefined ? forEachEndObject : (_world, _kind, one) => one(parseObjectId(only), only);
  forEach(world, kind, (ref, id) => {
    finder.forEachEnd(ref, id, (path) => {
      if (path.stack === kind.stacks.empty) return;
      const core = effectiveAt(path, kind);
      if (core.outcomes.length > 0) visit(path, core);
    });
  });
}

export function countAll(world: World): LayeredMap<PolicyId, PolicyTally> {
  const changes = new TallyChanges();
  for (const kind of world.rulebook.kinds) {
    forEachPath(world, kind, (path, core) => countPath(changes, world, kind, path, core, 1));
  }
  const tallies = new Map<PolicyId, PolicyTally>();
  for (const policy of changes.policies()) {
    const tally = changes.applyTo(policy, undefined);
    if (tally !== undefined) tallies.set(policy, tally);
  }
  return LayeredMap.from(tallies);
}

export function countPath(
  changes: TallyChanges,
  world: World,
  kind: CompiledKind,
  path: Path,
  core: EffectiveCore,
  count: number,
): void {
  const ancestorOf = targetsClusterScope(kind, world)
    ? (policy: Policy) => clusterTarget(path, policy, world, kind) ?? pathAncestor(path)
    : () => pathAncestor(path);
  changes.add(core, ancestorOf, () => endOf(path), count);
}

const pathAncestor = (path: Path): ObjectId => path.ancestor ?? path.node.id;

const targetsClusterScope = ({ definition }: CompiledKind, { rulebook }: World): boolean =>
  definition.targeting.kinds.some((target) => rulebook.factsOf(kindId(target))?.scope === "Cluster");

/** DESIGN: a policy on a GatewayClass or Namespace has that as its ancestor. */
function clusterTarget(path: Path, policy: Policy, world: World, kind: CompiledKind): ObjectId | undefined {
  let found: ObjectId | undefined;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    const { ref, id } = at.node;
    if (ref.namespace === "" && world.attached[kind.index]?.get(id)?.own?.policies.includes(policy)) found = id;
  }
  return found;
}
