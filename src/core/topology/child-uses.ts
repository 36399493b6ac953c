export interface ChildUse {
  /** Position in `sectionsOf` the object; -1: the object itself. */
  readonly sectionIndex: number;
  /** The child's ports that are used, sorted; empty where none was named. */
  readonly ports: readonly number[];
}

const MAX_SHARED = 20_000;
/** A port and a section make one number, to look the next use up by. */
const PORTS = 65_536;
const MAX_SECTIONS = 4096;

const NO_PORTS: readonly number[] = [];

/** Bounded, so that nobody can fill memory by inventing ways; beyond the bound lists are just not shared. */
interface Room {
  free: number;
}

/**
 * How an object uses one of its children, section by section. Routes use their backends in a handful of ways (by every
 * rule, on one port), so what comes next is found rather than made, and equal lists are one list.
 */
export class ChildUses {
  readonly #room: Room;
  readonly #before: ChildUses | undefined;
  readonly #last: ChildUse | undefined;
  #list: readonly ChildUse[] | undefined;
  #next: Map<number, ChildUses> | undefined;
  /** The next one that was asked for last: mostly the same again. */
  #lastKey: number | undefined;
  #lastNext: ChildUses | undefined;

  private constructor(room: Room, before?: ChildUses, last?: ChildUse) {
    this.#room = room;
    this.#before = before;
    this.#last = last;
  }

  /** None yet: what all others begin with. Those that begin with the same one share their lists. */
  static none(): ChildUses {
    return new ChildUses({ free: MAX_SHARED });
  }

  /** Sections come in order; a section may name the child several times, with a port or without. */
  with(sectionIndex: number, port: number | undefined): ChildUses {
    if (this.#last?.sectionIndex === sectionIndex) return this.#withPort(this.#last, port);
    const key = keyOf(sectionIndex, port);
    if (key !== undefined && key === this.#lastKey && this.#lastNext !== undefined) return this.#lastNext;
    const known = key === undefined ? undefined : this.#next?.get(key);
    if (known !== undefined) {
      this.#lastKey = key;
      this.#lastNext = known;
      return known;
    }
    const made = new ChildUses(this.#room, this, {
      sectionIndex,
      ports: port === undefined ? NO_PORTS : [port],
    });
    if (key !== undefined && this.#room.free > 0) {
      this.#room.free--;
      this.#next ??= new Map();
      this.#next.set(key, made);
    }
    return made;
  }

  get list(): readonly ChildUse[] {
    if (this.#list === undefined) {
      const uses = this.#last === undefined ? [] : [this.#last];
      for (let at = this.#before; at !== undefined; at = at.#before) {
        if (at.#last !== undefined) uses.push(at.#last);
      }
      this.#list = uses.reverse();
    }
    return this.#list;
  }

  #withPort({ sectionIndex, ports }: ChildUse, port: number | undefined): ChildUses {
    if (port === undefined || ports.includes(port)) return this;
    return new ChildUses(this.#room, this.#before, { sectionIndex, ports: [...ports, port].sort((a, b) => a - b) });
  }
}

function keyOf(sectionIndex: number, port: number | undefined): number | undefined {
  if (sectionIndex >= MAX_SECTIONS) return undefined;
  if (port === undefined) return (sectionIndex + 1) * PORTS;
  return Number.isInteger(port) && port > 0 && port < PORTS ? (sectionIndex + 1) * PORTS + port : undefined;
}

/** Two lists of uses of one child. */
export function mergedUses(a: readonly ChildUse[], b: readonly ChildUse[]): readonly ChildUse[] {
  const bySection = new Map<number, ReadonlySet<number>>();
  for (const { sectionIndex, ports } of [...a, ...b])
    bySection.set(sectionIndex, new Set([...(bySection.get(sectionIndex) ?? []), ...ports]));
  return [...bySection]
    .sort(([one], [other]) => one - other)
    .map(([sectionIndex, ports]) => ({ sectionIndex, ports: [...ports].sort((one, other) => one - other) }));
}
