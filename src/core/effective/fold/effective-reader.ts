import { KubeObject, objectFamily } from "../../model/kube-object.ts";
import { type ObjectId, type ObjectRef, parseObjectId, sectionTarget, type TargetId } from "../../model/refs.ts";
import { coreBelow, endObjects, forEachPathTo } from "../paths/count-paths.ts";
import { type Path, shownSection } from "../paths/path.ts";
import { type EndObject, PathFinder, type PathsAlike } from "../paths/path-finder.ts";
import { ShownBases, withTwoMore } from "../paths/shown-bases.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";
import { effectivePolicy, shownPolicy } from "./effective-at.ts";
import type { EffectiveCore } from "./effective-core.ts";
import type { EffectivePolicy, PathNode, Source } from "./effective-policy.ts";
import type { Stack } from "./stack.ts";

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
  /** Of the object at hand: alike, or one by one. */
  #alike: AlikePolicies | undefined;
  #policies: readonly EffectivePolicy[] = NONE;
  #nextOfPolicies = 0;

  /** `only`: the paths that end at this object. */
  constructor(world: World, kinds: readonly CompiledKind[], only: ObjectId | undefined) {
    this.#world = world;
    this.#kinds = kinds;
    this.#only = only;
  }

  [Symbol.iterator](): this {
    return this;
  }

  /** Short, so that it becomes a part of the loop that calls it, and no result is made. */
  next(): IteratorResult<EffectivePolicy, undefined> {
    const value = this.#nextPolicy();
    return { done: value === undefined, value } as IteratorResult<EffectivePolicy, undefined>;
  }

  #nextPolicy(): EffectivePolicy | undefined {
    for (;;) {
      const policy = this.#alike === undefined ? this.#policies[this.#nextOfPolicies++] : this.#alike.next();
      if (policy !== undefined) return policy;
      if (!this.#toNextObject() && !this.#toNextKind()) return undefined;
    }
  }

  #toNextObject(): boolean {
    const search = this.#search;
    const end = search?.ends.next();
    if (search === undefined || end === undefined || end.done) return false;
    const { finder, alike, shown } = search;
    const paths = finder.findAlike(end.value);
    if (paths === undefined) {
      this.#alike = undefined;
      this.#policies = policiesTo(end.value, search);
      this.#nextOfPolicies = 0;
    } else {
      this.#alike = alike;
      alike.begin(paths, shown.of(paths.bases));
    }
    return true;
  }

  #toNextKind(): boolean {
    const kind = this.#kinds[this.#nextKind++];
    if (kind === undefined) return false;
    const only = this.#only;
    const ends = only === undefined ? endObjects(this.#world, kind) : [{ id: only, ref: parseObjectId(only) }];
    const finder = new PathFinder(this.#world, kind);
    const shown = new ShownBases();
    this.#search = { kind, finder, ends: ends[Symbol.iterator](), shown, alike: new AlikePolicies(kind) };
    return true;
  }
}

/** For the paths of one policy kind. */
interface Search {
  readonly kind: CompiledKind;
  readonly finder: PathFinder;
  readonly ends: Iterator<EndObject>;
  readonly shown: ShownBases;
  readonly alike: AlikePolicies;
}

const NONE: readonly never[] = [];
const NOBODY = new KubeObject(objectFamily("", "", ""), "", {});
const NO_PATHS: PathsAlike = {
  object: NOBODY,
  sections: NONE,
  up: NONE,
  bases: NONE,
  own: undefined,
};

function policiesTo(end: EndObject, { finder, kind }: Search): readonly EffectivePolicy[] {
  const found: EffectivePolicy[] = [];
  forEachPathTo(finder, kind, end, (path) => {
    found.push(effectivePolicy(path, kind));
  });
  return found;
}

/**
 * The effective policies of paths that go on to each section of an object alike: section by section, each by every path.
 * One for all objects, one after the other.
 */
class AlikePolicies {
  readonly #kind: CompiledKind;
  #paths: PathsAlike = NO_PATHS;
  #above: readonly (readonly PathNode[])[] = NONE;
  #ref: ObjectRef = NOBODY.ref;
  #prefix = "";
  #nextSection = 0;
  #nextBase = 0;
  /** The section at hand; none yet. */
  #target: TargetId = sectionTarget(NOBODY.sectionPrefix, "");
  #end: PathNode = NOBODY.ref;
  /** Of the last path: the next one mostly has the same policies. */
  #stack: Stack | undefined = undefined;
  #core: EffectiveCore | undefined = undefined;
  #sources: readonly Source[] = NONE;
  /** Of the stacks before that, where there are several. */
  #told: Map<Stack, { readonly core: EffectiveCore | undefined; readonly sources: readonly Source[] }> | undefined =
    undefined;

  constructor(kind: CompiledKind) {
    this.#kind = kind;
  }

  /** Of the next object. `above`: how the paths to what it hangs under are shown. */
  begin(paths: PathsAlike, above: readonly (readonly PathNode[])[]): void {
    this.#paths = paths;
    this.#above = above;
    this.#ref = paths.object.ref;
    this.#prefix = paths.object.sectionPrefix;
    this.#nextSection = 0;
    this.#nextBase = paths.bases.length;
    this.#stack = undefined;
    this.#told = undefined;
  }

  next(): EffectivePolicy | undefined {
    const { bases } = this.#paths;
    for (;;) {
      if (this.#nextBase >= bases.length && !this.#toNextSection()) return undefined;
      const at = this.#nextBase++;
      const base = bases[at] as Path;
      if (base.stack !== this.#stack) this.#follow(base);
      const core = this.#core;
      if (core === undefined) continue;
      const nodes = withTwoMore(this.#above[at] as readonly PathNode[], this.#ref, this.#end);
      return shownPolicy(this.#kind, this.#target, nodes, base, core, this.#sources);
    }
  }

  #follow(base: Path): void {
    // Every section is reached by the same stacks: what the first was told of is told of the others.
    if (this.#stack !== undefined) {
      this.#told ??= new Map();
      this.#told.set(this.#stack, { core: this.#core, sources: this.#sources });
    }
    const told = this.#told?.get(base.stack);
    this.#stack = base.stack;
    this.#core = told === undefined ? coreBelow(base, this.#paths, this.#kind) : told.core;
    this.#sources = told?.sources ?? this.#core?.sources ?? NONE;
  }

  #toNextSection(): boolean {
    const { sections, bases } = this.#paths;
    const section = sections[this.#nextSection++];
    if (section === undefined || bases.length === 0) return false;
    this.#target = sectionTarget(this.#prefix, section);
    this.#end = shownSection(this.#ref, section);
    this.#nextBase = 0;
    return true;
  }
}
