import { liesBelow, pointersAbove } from "../model/json-pointer.ts";
import type { Policy, Unit } from "../model/policy.ts";
import { policiesOf, type Setting } from "./fold-result.ts";

/** True if two units cannot both be in one spec. */
const overlap = ({ pointer }: Unit, { pointer: other }: Unit): boolean =>
  pointer === other || liesBelow(pointer, other) || liesBelow(other, pointer);

/** The settings of one block, looked up by the units that they conflict with. Many are indexed. */
export class Contenders {
  readonly #all: readonly Setting[];
  #policies: readonly Policy[] | undefined;
  #at: ReadonlyMap<string, readonly Setting[]> | undefined;
  #below: Map<string, Setting[]> | undefined;

  constructor(all: readonly Setting[]) {
    this.#all = all;
  }

  /** The policies of all settings, each once, by name. */
  policies(): readonly Policy[] {
    this.#policies ??= policiesOf(this.#all);
    return this.#policies;
  }

  overlapping({ unit }: Setting): readonly Setting[] {
    if (this.#all.length <= FEW) return this.#all.filter((one) => overlap(one.unit, unit));
    if (this.#at === undefined || this.#below === undefined) {
      this.#at = byPointer(this.#all);
      this.#below = new Map();
      for (const one of this.#all) for (const above of pointersAbove(one.unit.pointer)) addTo(this.#below, above, one);
    }
    const found = [...(this.#at.get(unit.pointer) ?? NO_SETTINGS), ...(this.#below.get(unit.pointer) ?? NO_SETTINGS)];
    for (const above of pointersAbove(unit.pointer)) found.push(...(this.#at.get(above) ?? NO_SETTINGS));
    return found;
  }
}

export function byPointer(settings: readonly Setting[]): ReadonlyMap<string, readonly Setting[]> {
  const found = new Map<string, Setting[]>();
  for (const setting of settings) addTo(found, setting.unit.pointer, setting);
  return found;
}

function addTo(lists: Map<string, Setting[]>, key: string, setting: Setting): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [setting]);
  else list.push(setting);
}

const NO_SETTINGS: readonly Setting[] = [];
/** Up to this number, settings are searched one by one instead of indexed. */
const FEW = 32;
