import type { KindFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { type SectionList, sectionLists, shownName } from "./section-lists.ts";
import { sectionsOf } from "./sections-of.ts";

const NONE: readonly string[] = [];
const MAX_SHARED = 64;

/** The names of objects' sections. Many objects name theirs alike, or not at all: those share one list. */
export class SectionNames {
  /** The last list of each length. */
  readonly #last: Map<number, readonly string[]> = new Map();

  /** In the order of `sectionsOf`. */
  of(object: KubeObject, facts: KindFacts): readonly string[] {
    const lists = sectionLists(facts);
    const [list] = lists;
    if (list === undefined) return NONE;
    const items = lists.length === 1 ? list.path.read(object.raw) : undefined;
    const known = isJsonList(items) ? this.#last.get(items.length) : undefined;
    if (isJsonList(items) && known !== undefined && areNamed(items, list, known)) return known;
    const names = sectionsOf(object, facts).map(({ name }) => name);
    if (names.length <= MAX_SHARED) this.#last.set(names.length, names);
    return names;
  }
}

/** Whether the items, as they name themselves, have these names: no two of them are equal, so none has to give way. */
function areNamed(items: readonly unknown[], list: SectionList, names: readonly string[]): boolean {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (!isJsonObject(item)) return false;
    const { name } = item;
    const own = typeof name === "string" && name !== "" ? name : shownName(list, i);
    if (own !== names[i]) return false;
  }
  return true;
}
