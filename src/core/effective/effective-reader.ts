import { type ObjectId, parseObjectId, targetId } from "../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { coreBelow, endObjects, forEachPathTo } from "./count-paths.ts";
import { effectivePolicy, shownPolicy } from "./effective-at.ts";
import type { EffectivePolicy, PathNode } from "./effective-policy.ts";
import { type Path, shownPath, shownSection } from "./path.ts";
import { type EndObject, PathFinder, type PathsAlike } from "./path-finder.ts";
import type { World } from "./world.ts";

/**
 * Effective policies, read one object at a time: however many routes there are, no more paths are held
 * than one of them has. An iterator by hand, as a million of them are read and a generator costs more than a path.
 */
export class EffectiveReader implements IterableIterator<EffectivePolicy> {
  readonly #world: World;
  readonly #kinds: readonly CompiledKind[];
  readonly #only: ObjectId | undefined;
  #nextKind = 0;
  #search: Search | undefined;
  /** Of the object at hand. */
  #policies: readonly EffectivePolicy[] = NONE;
  #nextPolicy = 0;

  /** `only`: the paths that end at this object. */
  constructor(world: World, kinds: readonly CompiledKind[], only: ObjectId | undefined) {
    this.#world = world;
    this.#kinds = kinds;
    this.#only = only;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<EffectivePolicy, undefined> {
    while (this.#nextPolicy >= this.#policies.length) {
      if (!this.#toNextObject() && !this.#toNextKind()) return { done: true, value: undefined };
    }
    return { done: false, value: this.#policies[this.#nextPolicy++] as EffectivePolicy };
  }

  #toNextObject(): boolean {
    const search = this.#search;
    const end = search?.ends.next();
    if (search === undefined || end === undefined || end.done) return false;
    const { finder } = search;
    this.#nextPolicy = 0;
    const alike = finder.findAlike(end.value);
    this.#policies = alike === undefined ? policiesTo(end.value, search) : policiesAlike(alike, search);
    return true;
  }

  #toNextKind(): boolean {
    const kind = this.#kinds[this.#nextKind++];
    if (kind === undefined) return false;
    const only = this.#only;
    const ends = only === undefined ? endObjects(this.#world, kind) : [{ id: only, ref: parseObjectId(only) }];
    const finder = new PathFinder(this.#world, kind);
    this.#search = { kind, finder, ends: ends[Symbol.iterator](), shown: new ShownBases() };
    return true;
  }
}

/** For the paths of one policy kind. */
interface Search {
  readonly kind: CompiledKind;
  readonly finder: PathFinder;
  readonly ends: Iterator<EndObject>;
  readonly shown: ShownBases;
}

const NONE: readonly never[] = [];

function policiesTo(end: EndObject, { finder, kind }: Search): readonly EffectivePolicy[] {
  const found: EffectivePolicy[] = [];
  forEachPathTo(finder, kind, end, (path) => {
    found.push(effectivePolicy(path, kind));
  });
  return found;
}

/** Section by section, each by every path. */
function policiesAlike(alike: PathsAlike, { kind, shown }: Search): readonly EffectivePolicy[] {
  const { object, sections, bases } = alike;
  const { id, ref } = object;
  const above = shown.of(bases);
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length, or nearly: a million are read, and a list that grows is copied as it does
  const found = new Array<EffectivePolicy>(sections.length * bases.length);
  let count = 0;
  for (const section of sections) {
    const target = targetId(id, section);
    const end = shownSection(ref, section);
    for (let i = 0; i < bases.length; i++) {
      const path = bases[i] as Path;
      const core = coreBelow(path, alike, kind);
      if (core === undefined) continue;
      const nodes = withTwoMore(above[i] as readonly PathNode[], ref, end);
      found[count++] = shownPolicy(kind, target, nodes, path, core, core.sources);
    }
  }
  if (count < found.length) found.length = count;
  return found;
}

function withTwoMore(above: readonly PathNode[], object: PathNode, section: PathNode): readonly PathNode[] {
  const { length } = above;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a million are made, and a list that grows is three times as large
  const nodes = new Array<PathNode>(length + 2);
  for (let i = 0; i < length; i++) nodes[i] = above[i] as PathNode;
  nodes[length] = object;
  nodes[length + 1] = section;
  return nodes;
}

/** The nodes of paths that many objects share: those of the last object's are mostly those of the next. */
class ShownBases {
  #bases: readonly Path[] = NONE;
  #shown: readonly (readonly PathNode[])[] = NONE;

  of(bases: readonly Path[]): readonly (readonly PathNode[])[] {
    if (bases !== this.#bases) {
      this.#bases = bases;
      this.#shown = bases.map(shownPath);
    }
    return this.#shown;
  }
}
