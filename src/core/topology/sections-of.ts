import type { KindFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";
import { type SectionList, sectionLists, shownName } from "./section-lists.ts";

/** A part of an object that is a node of its own: a listener, a route rule, a service port. */
export interface Section {
  /** `Listener`, `Rule`, `Port`. */
  readonly section: string;
  /** Unique within the object. Where none is declared it is `rule-2`, for display only. */
  readonly name: string;
  /** Whether the object itself declares that name, and only once: then a target may name it. */
  readonly declared: boolean;
  /** Its place in its list. */
  readonly index: number;
  readonly raw: JsonObject;
}

const NONE: readonly Section[] = [];
const FEW = 8;

/** The sections of an object, in the order of the lists that its kind has. Items that are no objects are no sections. */
export function sectionsOf(object: Pick<KubeObject, "raw">, facts: KindFacts): readonly Section[] {
  if (facts.sections.length === 0) return NONE;
  const lists = sectionLists(facts);
  const [only] = lists;
  const sections =
    only !== undefined && lists.length === 1
      ? sectionsIn(only, object.raw)
      : lists.flatMap((list) => sectionsIn(list, object.raw));
  const distinct = (lists.length === 1 && !sections.some(({ declared }) => declared)) || haveDistinctNames(sections);
  return distinct ? sections : nameDistinctly(sections);
}

function sectionsIn(list: SectionList, object: JsonObject): readonly Section[] {
  const items = list.path.read(object);
  if (!isJsonList(items)) return NONE;
  if (items.every(isJsonObject)) return items.map((raw, index) => sectionOf(list, raw, index));
  return items.flatMap((raw, index) => (isJsonObject(raw) ? [sectionOf(list, raw, index)] : NONE));
}

function sectionOf(list: SectionList, raw: JsonObject, index: number): Section {
  const name = declaredName(raw);
  return {
    section: list.section,
    name: name ?? shownName(list, index),
    declared: name !== undefined,
    index,
    raw,
  };
}

function declaredName(raw: JsonObject): string | undefined {
  const name = raw["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

function haveDistinctNames(sections: readonly Section[]): boolean {
  if (sections.length > FEW) return new Set(sections.map((section) => section.name)).size === sections.length;
  for (let later = 1; later < sections.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      if (sections[later]?.name === sections[earlier]?.name) return false;
    }
  }
  return true;
}

/**
 * Declared names stand, but for repeats (`a`, `a~2`): none of those is declared, as a target could mean either. A shown
 * name that somebody declares gives way (`rule-1~`).
 */
function nameDistinctly(sections: readonly Section[]): readonly Section[] {
  const times = new Map<string, number>();
  for (const { raw } of sections) {
    const name = declaredName(raw);
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1);
  }
  const met = new Map<string, number>();
  const used = new Set<string>();
  return sections.map((section) => {
    const own = declaredName(section.raw);
    if (own !== undefined && times.get(own) === 1) return section;
    const nth = own === undefined ? 1 : (met.get(own) ?? 0) + 1;
    if (own !== undefined) met.set(own, nth);
    if (own !== undefined && nth === 1) return { ...section, declared: false };
    let name = nth === 1 ? section.name : `${section.name}~${nth}`;
    while (times.has(name) || used.has(name)) name += "~";
    used.add(name);
    return { ...section, name, declared: false };
  });
}

/** Names that two or more sections declare, sorted; no target can name those. */
export function duplicateNames(sections: readonly Section[]): readonly string[] {
  const names = new Set<string>();
  for (const { declared, raw } of sections) {
    const name = declared ? undefined : declaredName(raw);
    if (name !== undefined) names.add(name);
  }
  return names.size === 0 ? NO_NAMES : [...names].sort(compareText);
}

const NO_NAMES: readonly string[] = [];
