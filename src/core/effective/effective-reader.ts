import { type ObjectId, parseObjectId, type TargetId, targetId } from "../model/refs.ts";
import { sectionsOf } from "../topology/sections-of.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { endObjects, forEachPathTo, hasPolicies } from "./count-paths.ts";
import { effectivePolicy } from "./effective-at.ts";
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
  #paths: readonly Path[] = NONE;
  #nextPath = 0;
  /** The sections that each of the paths goes on to; none: the paths end where they end. */
  #ends: readonly PathEnd[] = NONE;
  #nextEnd = 0;

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
    while (this.#nextPath >= this.#paths.length) {
      if (!this.#toNextEnd() && !this.#toNextObject() && !this.#toNextKind()) return { done: true, value: undefined };
    }
    const path = this.#paths[this.#nextPath++] as Path;
    const { kind } = this.#search as Search;
    const end = this.#ends[this.#nextEnd];
    const value =
      end === undefined
        ? effectivePolicy(path, kind)
        : effectivePolicy(path, kind, end.target, shownPath(path, end.node));
    return { done: false, value };
  }

  #toNextEnd(): boolean {
    if (this.#nextEnd + 1 >= this.#ends.length) return false;
    this.#nextEnd++;
    this.#nextPath = 0;
    return true;
  }

  #toNextObject(): boolean {
    const search = this.#search;
    const end = search?.ends.next();
    if (search === undefined || end === undefined || end.done) return false;
    const alike = search.finder.findAlike(end.value);
    this.#nextPath = 0;
    this.#nextEnd = 0;
    if (alike === undefined) this.#takePaths(search, end.value);
    else this.#takeAlike(search, alike);
    return true;
  }

  #takePaths({ finder, kind }: Search, end: EndObject): void {
    const found: Path[] = [];
    forEachPathTo(finder, kind, end, (path) => {
      found.push(path);
    });
    this.#paths = found;
    this.#ends = NONE;
  }

  #takeAlike({ kind }: Search, alike: PathsAlike): void {
    const { id, ref, facts, paths } = alike;
    const withPolicies = paths.every((path) => hasPolicies(path, kind))
      ? paths
      : paths.filter((path) => hasPolicies(path, kind));
    this.#paths = withPolicies;
    this.#ends = NONE;
    if (withPolicies.length === 0) return;
    this.#ends = sectionsOf(alike, facts).map((section) => ({
      target: targetId(id, section.name),
      node: shownSection(ref, section),
    }));
    if (this.#ends.length === 0) this.#paths = NONE;
  }

  #toNextKind(): boolean {
    const kind = this.#kinds[this.#nextKind++];
    if (kind === undefined) return false;
    const only = this.#only;
    const ends = only === undefined ? endObjects(this.#world, kind) : [{ id: only, ref: parseObjectId(only) }];
    this.#search = { kind, finder: new PathFinder(this.#world, kind), ends: ends[Symbol.iterator]() };
    return true;
  }
}

const NONE: readonly never[] = [];

/** A section at the end of a path, where nothing but its name tells it from the others. */
interface PathEnd {
  readonly target: TargetId;
  readonly node: PathNode;
}

/** For the paths of one policy kind. */
interface Search {
  readonly kind: CompiledKind;
  readonly finder: PathFinder;
  readonly ends: Iterator<EndObject>;
}
