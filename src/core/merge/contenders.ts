import { liesBelow, pointersAbove } from "../model/json-pointer.ts";
import type { Policy, Unit } from "../model/policy.ts";
import { type Candidate, policiesOf } from "./fold-result.ts";

/** True if two units cannot both be in one spec. */
const overlap = ({ pointer }: Unit, { pointer: other }: Unit): boolean =>
  pointer === other || liesBelow(pointer, other) || liesBelow(other, pointer);

/** Candidates of one block, looked up by the units that they conflict with. Many are indexed. */
export class Contenders {
  readonly #all: readonly Candidate[];
  #policies: readonly Policy[] | undefined;
  #at: ReadonlyMap<string, readonly Candidate[]> | undefined;
  #below: Map<string, Candidate[]> | undefined;

  constructor(all: readonly Candidate[]) {
    this.#all = all;
  }

  /** The policies of all candidates, each once, by name. */
  policies(): readonly Policy[] {
    this.#policies ??= policiesOf(this.#all);
    return this.#policies;
  }

  overlapping({ unit }: Candidate): readonly Candidate[] {
    if (this.#all.length <= FEW) return this.#all.filter((one) => overlap(one.unit, unit));
    if (this.#at === undefined || this.#below === undefined) {
      this.#at = byPointer(this.#all);
      this.#below = new Map();
      for (const one of this.#all) for (const above of pointersAbove(one.unit.pointer)) addTo(this.#below, above, one);
    }
    const found = [...(this.#at.get(unit.pointer) ?? NOBODY), ...(this.#below.get(unit.pointer) ?? NOBODY)];
    for (const above of pointersAbove(unit.pointer)) found.push(...(this.#at.get(above) ?? NOBODY));
    return found;
  }
}

export function byPointer(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const candidate of candidates) addTo(found, candidate.unit.pointer, candidate);
  return found;
}

function addTo(lists: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [candidate]);
  else list.push(candidate);
}

const NOBODY: readonly Candidate[] = [];
/** Up to so many are looked through rather than indexed. */
const FEW = 32;
