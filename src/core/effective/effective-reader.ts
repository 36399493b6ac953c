import { type ObjectId, parseObjectId } from "../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { type EndObject, endObjects, forEachPathTo } from "./count-paths.ts";
import { effectivePolicy } from "./effective-at.ts";
import type { EffectivePolicy } from "./effective-policy.ts";
import { type Path, PathFinder } from "./path-finder.ts";
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
  /** Of the object at hand; the list is used again for the next one. */
  readonly #paths: Path[] = [];
  #found = 0;
  #nextPath = 0;

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
    while (this.#nextPath >= this.#found) {
      if (!this.#toNextObject() && !this.#toNextKind()) return { done: true, value: undefined };
    }
    const path = this.#paths[this.#nextPath++] as Path;
    return { done: false, value: effectivePolicy(path, (this.#search as Search).kind) };
  }

  #toNextObject(): boolean {
    const search = this.#search;
    const end = search?.ends.next();
    if (search === undefined || end === undefined || end.done) return false;
    this.#found = 0;
    this.#nextPath = 0;
    forEachPathTo(search.finder, search.kind, end.value, search.collect);
    return true;
  }

  #toNextKind(): boolean {
    const kind = this.#kinds[this.#nextKind++];
    if (kind === undefined) return false;
    const only = this.#only;
    const ends = only === undefined ? endObjects(this.#world, kind) : [{ id: only, ref: parseObjectId(only) }];
    this.#search = {
      kind,
      finder: new PathFinder(this.#world, kind),
      ends: ends[Symbol.iterator](),
      collect: (path) => {
        this.#paths[this.#found++] = path;
      },
    };
    return true;
  }
}

/** For the paths of one policy kind. */
interface Search {
  readonly kind: CompiledKind;
  readonly finder: PathFinder;
  readonly ends: Iterator<EndObject>;
  readonly collect: (path: Path) => void;
}
