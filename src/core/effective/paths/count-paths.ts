/** Walking paths to count how policies fare. */

import type { Policy } from "../../model/policy.ts";
import { type ObjectId, parseObjectId, splitId } from "../../model/refs.ts";
import { effectiveAt, foldOf } from "../fold/effective-at.ts";
import type { EffectiveCore } from "../fold/effective-core.ts";
import type { Ends } from "../verdicts/overridden-ends.ts";
import type { TallyChanges } from "../verdicts/tally.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import type { Node, Path } from "./path.ts";
import { type EndObject, PathFinder, type PathsAlike } from "./path-finder.ts";

/** Each object that paths of the kind may end at, in order. */
export function endObjects(world: World, kind: CompiledKind): Iterable<EndObject> {
  const attached = world.attached[kind.index];
  const [only] = kind.ends.keys();
  const { class: direct, targeting } = kind.definition;
  if (attached === undefined || attached.size === 0) return NO_OBJECTS;
  // Most kinds have one kind of ends: no generator stands between, as there may be a hundred thousand.
  if (
    only !== undefined &&
    kind.ends.size === 1 &&
    direct !== "Direct" &&
    !targeting.kinds.some(({ virtual }) => virtual)
  )
    return world.objects.byKind.inOrder(only);
  return allEndObjects(world, kind, attached);
}

const NO_OBJECTS: readonly EndObject[] = [];

function* allEndObjects(world: World, kind: CompiledKind, attached: World["attached"][number]): Iterable<EndObject> {
  const isDirect = kind.definition.class === "Direct";
  if (isDirect || kind.definition.targeting.kinds.some(({ virtual }) => virtual)) {
    const ids: ObjectId[] = [];
    attached.forEach((_, id) => {
      if (isDirect || !world.objects.byId.has(id)) ids.push(id);
    });
    for (const id of ids.sort()) yield { id, ref: parseObjectId(id) };
    if (isDirect) return;
  }
  for (const end of kind.ends.keys()) yield* world.objects.byKind.inOrder(end);
}

/** Whether it is among `endObjects`. */
export function isEndObject(world: World, kind: CompiledKind, id: ObjectId): boolean {
  const isAttached = (): boolean => world.attached[kind.index]?.has(id) === true;
  if (kind.definition.class === "Direct") return isAttached();
  const isEnd = kind.ends.has(splitId(id).kind);
  const mayBeVirtual = kind.definition.targeting.kinds.some(({ virtual }) => virtual);
  // A change reaches many backends, and few kinds have their paths end there.
  if (!isEnd && !mayBeVirtual) return false;
  return world.objects.byId.has(id) ? isEnd : mayBeVirtual && isAttached();
}

/** Calls back for each path that has a policy; `only`: of those that end at this object. */
export function forEachPath(
  world: World,
  kind: CompiledKind,
  visit: (path: Path, core: EffectiveCore) => void,
  only?: ObjectId,
): void {
  const finder = new PathFinder(world, kind);
  const ends = only === undefined ? endObjects(world, kind) : [{ id: only, ref: parseObjectId(only) }];
  for (const end of ends) forEachPathTo(finder, kind, end, visit);
}

/** Of one finder, the paths to one object that have a policy. */
export function forEachPathTo(
  finder: PathFinder,
  kind: CompiledKind,
  { ref, id, raw }: EndObject,
  visit: (path: Path, core: EffectiveCore) => void,
): void {
  const visitIfAny = (path: Path): void => {
    if (path.stack === kind.stacks.empty) return;
    const core = effectiveAt(path, kind);
    if (!core.isEmpty) visit(path, core);
  };
  finder.forEachEnd(ref, id, visitIfAny, raw);
}

/** What the paths to an object by one of its bases fold into; undefined: nothing there has a policy. */
export function coreBelow(base: Path, { own }: PathsAlike, kind: CompiledKind): EffectiveCore | undefined {
  const { stacks } = kind;
  const stack = own === undefined ? base.stack : stacks.push(base.stack, own);
  const core = stack === stacks.empty ? undefined : foldOf(stack, kind);
  return core?.isEmpty === true ? undefined : core;
}

/** Paths that come, or go. Those that fold into the same for the same ancestor are counted together. `lone`: a policy to leave out. */
export function countAlike(
  changes: TallyChanges,
  kind: CompiledKind,
  alike: PathsAlike,
  ancestors: KnownAncestors,
  how: "Come" | "Go",
  lone?: Policy,
): void {
  const { bases, object, sections } = alike;
  if (sections.length === 0) return;
  for (let start = 0, end = 0; start < bases.length; start = end) {
    const base = bases[start] as Path;
    let { count } = base;
    for (end = start + 1; end < bases.length && areCountedAlike(base, bases[end] as Path, kind); end++)
      count += (bases[end] as Path).count;
    const core = coreBelow(base, alike, kind);
    if (core !== undefined) changes.add(core, ancestors.of(base, object), alike, how === "Go" ? -count : count, lone);
  }
}

const areCountedAlike = (a: Path, b: Path, { targetsClusterScope }: CompiledKind): boolean =>
  a.stack === b.stack && a.ancestor === b.ancestor && !targetsClusterScope;

export function countPath(
  changes: TallyChanges,
  kind: CompiledKind,
  path: Path,
  core: EffectiveCore,
  count: number,
): void {
  const { node } = path;
  changes.add(core, ancestorsOf(path, kind, node), { object: node, sections: [node.section?.name] }, count);
}

/** Whose paths they are: of each policy on them. */
type AncestorOf = (policy: Policy) => ObjectId;

/** DESIGN: a policy on a GatewayClass or Namespace has that as its ancestor. `end`: the object, where no other has a namespace. */
export function ancestorsOf(path: Path, { targetsClusterScope }: CompiledKind, end: Ends["object"]): AncestorOf {
  const ancestor = path.ancestor ?? end.id;
  const targets = targetsClusterScope ? clusterTargets(path) : NO_NODES;
  if (targets.length === 0) return () => ancestor;
  return (policy) => targets.find(({ sets }) => sets?.own?.policies.includes(policy))?.id ?? ancestor;
}

/** The cluster-scoped objects on a path that have policies, the root first: mostly none. */
function clusterTargets(path: Path): readonly Node[] {
  let found: Node[] | undefined;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    const { ref, sets } = at.node;
    if (ref.namespace === "" && sets?.own !== undefined) found = [at.node, ...(found ?? NO_NODES)];
  }
  return found ?? NO_NODES;
}

const NO_NODES: readonly Node[] = [];
const MAX_REMEMBERED = 4096;

/** Of the paths that many objects hang under. */
export class KnownAncestors {
  readonly #kind: CompiledKind;
  readonly #known: Map<Path, AncestorOf> = new Map();

  constructor(kind: CompiledKind) {
    this.#kind = kind;
  }

  of(path: Path, end: Ends["object"]): AncestorOf {
    if (path.ancestor === undefined) return ancestorsOf(path, this.#kind, end);
    let ancestors = this.#known.get(path);
    if (ancestors === undefined) {
      if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
      ancestors = ancestorsOf(path, this.#kind, end);
      this.#known.set(path, ancestors);
    }
    return ancestors;
  }
}
