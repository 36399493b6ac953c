/** Where policies lost something, counted by the object and section that paths end at. */
import { isSameList } from "../../model/collections/is-same-list.ts";
import { SortedMap } from "../../model/collections/sorted-map.ts";
import { compareText, type ObjectId, type TargetId, targetId } from "../../model/refs.ts";

/** Paths that end at an object, or at one of its sections. */
export interface Ends {
  readonly object: { readonly id: ObjectId };
  /** The names of the sections; undefined: the object itself. */
  readonly sections: readonly (string | undefined)[];
}

/** How many paths to each section of an object; the sections in order, none without a path. Objects that count alike share it. */
export interface EndCounts {
  readonly sections: readonly (string | undefined)[];
  readonly paths: readonly number[];
}

export interface OverriddenAt {
  readonly byObject: SortedMap<ObjectId, EndCounts>;
  /** How many sections and objects there are in it. */
  readonly targets: number;
}

export const OVERRIDDEN_NOWHERE: OverriddenAt = { byObject: SortedMap.empty(), targets: 0 };

/** From one in so many objects on, a map is made anew rather than changed object by object: each change copies a part of it. */
const MANY = 32;

/** The first of them, in order. */
export function firstTargets(
  { byObject, targets }: OverriddenAt,
  count: number,
): readonly { readonly target: TargetId; readonly paths: number }[] {
  if (byObject.size === 0) return NOWHERE;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: every policy that lost something has one
  const found = new Array<{ readonly target: TargetId; readonly paths: number }>(Math.min(count, targets));
  let at = 0;
  // Each object has a section at least.
  byObject.first(count, (object, { sections, paths }) => {
    for (let i = 0; i < sections.length && at < found.length; i++)
      found[at++] = { target: targetId(object, sections[i]), paths: paths[i] ?? 0 };
  });
  return found;
}

const NOWHERE: readonly never[] = [];

/** Adds up several. */
export function sumOfOverridden(all: readonly OverriddenAt[]): OverriddenAt {
  let changes: OverriddenChanges | undefined;
  for (const { byObject } of all) {
    byObject.forEach((object, { sections, paths }) => {
      sections.forEach((section, i) => {
        const ends = { object: { id: object }, sections: [section] };
        if (changes === undefined) changes = new OverriddenChanges(ends, paths[i] ?? 0);
        else changes.add(ends, paths[i] ?? 0);
      });
    });
  }
  return changes?.addTo(OVERRIDDEN_NOWHERE, new SharedCounts()) ?? OVERRIDDEN_NOWHERE;
}

/** So many paths at each of these, and nowhere else. */
export function overriddenOnlyAt(ends: Ends, paths: number, shared: SharedCounts): OverriddenAt {
  const { object, sections } = ends;
  if (paths === 0 || !isInOrder(sections)) return new OverriddenChanges(ends, paths).addTo(OVERRIDDEN_NOWHERE, shared);
  return { byObject: SortedMap.single(object.id, shared.of(sections, paths)), targets: sections.length };
}

/** Changes, collected while paths are walked. */
export class OverriddenChanges {
  readonly #ends: Ends[];
  readonly #paths: number[];

  constructor(ends: Ends, paths: number) {
    // Mostly the only one: a list of one has no room to spare, as one that grows has.
    this.#ends = [ends];
    this.#paths = [paths];
  }

  /** At each of the ends so many paths come, or go. */
  add(ends: Ends, paths: number): void {
    const last = this.#ends.length - 1;
    if (this.#ends[last] === ends) {
      this.#paths[last] = (this.#paths[last] ?? 0) + paths;
      return;
    }
    this.#ends.push(ends);
    this.#paths.push(paths);
  }

  /** As many came as went, everywhere. */
  get isLevel(): boolean {
    for (const sections of this.#bySection().values()) {
      for (const paths of sections.values()) if (paths !== 0) return false;
    }
    return true;
  }

  addTo(before: OverriddenAt, shared: SharedCounts): OverriddenAt {
    if (before.targets === 0 && this.#isSimple()) return this.#simply(shared);
    const changes = this.#bySection();
    const isMany = changes.size * MANY > before.byObject.size;
    const anew = isMany ? new Map(before.byObject) : undefined;
    let { byObject, targets } = before;
    for (const [object, sections] of changes) {
      const old = before.byObject.get(object);
      const counts = addedUp(old, sections);
      targets += (counts?.sections.length ?? 0) - (old?.sections.length ?? 0);
      if (anew !== undefined) {
        if (counts === undefined) anew.delete(object);
        else anew.set(object, counts);
      } else byObject = counts === undefined ? byObject.without(object) : byObject.with(object, counts);
    }
    return { byObject: anew === undefined ? byObject : SortedMap.from(anew), targets };
  }

  /** Each object once, as when everything is counted for the first time. */
  #isSimple(): boolean {
    const ends = this.#ends;
    for (let i = 1; i < ends.length; i++)
      if ((ends[i - 1] as Ends).object.id >= (ends[i] as Ends).object.id) return false;
    // Objects that name their sections alike share the list.
    const areInOrder = ({ sections }: Ends, i: number): boolean =>
      sections === ends[i - 1]?.sections || isInOrder(sections);
    return !this.#paths.includes(0) && ends.every(areInOrder);
  }

  #simply(shared: SharedCounts): OverriddenAt {
    const [only] = this.#ends;
    if (only !== undefined && this.#ends.length === 1) return overriddenOnlyAt(only, this.#paths[0] ?? 0, shared);
    let targets = 0;
    for (const { sections } of this.#ends) targets += sections.length;
    const counts = this.#ends.map(({ sections }, i) => shared.of(sections, this.#paths[i] ?? 0));
    return { byObject: SortedMap.of(this.#ends.map(idOf), counts), targets };
  }

  #bySection(): ReadonlyMap<ObjectId, ReadonlyMap<string | undefined, number>> {
    const byObject = new Map<ObjectId, Map<string | undefined, number>>();
    this.#ends.forEach(({ object: { id: object }, sections }, i) => {
      const own = byObject.get(object) ?? new Map<string | undefined, number>();
      byObject.set(object, own);
      for (const section of sections) own.set(section, (own.get(section) ?? 0) + (this.#paths[i] ?? 0));
    });
    return byObject;
  }
}

const idOf = ({ object }: Ends): ObjectId => object.id;

/** Undefined: none is left. */
function addedUp(
  before: EndCounts | undefined,
  changes: ReadonlyMap<string | undefined, number>,
): EndCounts | undefined {
  const sums = new Map(changes);
  before?.sections.forEach((section, i) => sums.set(section, (sums.get(section) ?? 0) + (before.paths[i] ?? 0)));
  const left = [...sums].filter(([, paths]) => paths !== 0).sort(([a], [b]) => compareSections(a, b));
  if (left.length === 0) return undefined;
  return { sections: left.map(([section]) => section), paths: left.map(([, paths]) => paths) };
}

/** The object itself comes before its sections. */
const compareSections = (a: string | undefined, b: string | undefined): number => compareText(a ?? "", b ?? "");

function isInOrder(sections: readonly (string | undefined)[]): boolean {
  for (let i = 1; i < sections.length; i++) if (compareSections(sections[i - 1], sections[i]) >= 0) return false;
  return true;
}

/** Thousands of policies lose on as many paths to each rule of a route, and routes name them alike: these share what was made last. */
export class SharedCounts {
  #last: EndCounts = { sections: [], paths: [] };

  of(sections: readonly (string | undefined)[], paths: number): EndCounts {
    if (this.#last.paths[0] !== paths || !isSameList(this.#last.sections, sections))
      this.#last = { sections, paths: sections.map(() => paths) };
    return this.#last;
  }
}
