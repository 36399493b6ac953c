import type { KindFacts, SectionFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { valueAtKeys } from "../model/json-pointer.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";

/** A part of an object that is a node of its own: a listener, a route rule, a service port. */
export interface Section {
  /** `Listener`, `Rule`, `Port`. */
  readonly section: string;
  /** Unique within the object. A section that declares no name is shown as `rule-2`; no target can use that name. */
  readonly name: string;
  /** True if the object itself declares the name, and only once: then a target may use it. */
  readonly declared: boolean;
  /** The index of the section in its list. */
  readonly index: number;
  readonly raw: JsonObject;
}

const NO_SECTIONS: readonly Section[] = [];

/** The sections of an object, list by list in the order of its kind. An item that is not an object is not a section. */
export function sectionsOf({ raw }: Pick<KubeObject, "raw">, { sections: lists }: KindFacts): readonly Section[] {
  if (lists.length === 0) return NO_SECTIONS;
  const [only] = lists;
  const sections =
    lists.length === 1 && only !== undefined ? sectionsIn(only, raw) : lists.flatMap((list) => sectionsIn(list, raw));
  // The positional names of one list are distinct.
  if (lists.length === 1 && !sections.some(({ declared }) => declared)) return sections;
  return haveDistinctNames(sections) ? sections : nameDistinctly(sections);
}

/** Up to so many names are compared with each other. */
const FEW = 8;

function haveDistinctNames(sections: readonly Section[]): boolean {
  if (sections.length > FEW) return new Set(sections.map(({ name }) => name)).size === sections.length;
  for (let i = 1; i < sections.length; i++) {
    for (let j = 0; j < i; j++) if (sections[i]?.name === sections[j]?.name) return false;
  }
  return true;
}

/** The items of a list of sections, with the default that the CRD declares for the list. */
export function sectionItems({ path, byDefault }: SectionFacts, raw: JsonObject): readonly Json[] {
  const items = valueAtKeys(raw, path.split(".")) ?? byDefault;
  return isJsonList(items) ? items : [];
}

function sectionsIn(list: SectionFacts, object: JsonObject): readonly Section[] {
  const items = sectionItems(list, object);
  const sections: Section[] = [];
  for (let index = 0; index < items.length; index++) {
    const raw = items[index];
    if (isJsonObject(raw)) sections.push(sectionAt(list.section, raw, index));
  }
  return sections;
}

function sectionAt(section: string, raw: JsonObject, index: number): Section {
  const name = declaredName(raw);
  return { section, name: name ?? positionalName(section, index), declared: name !== undefined, index, raw };
}

/** How an unnamed section is shown: `rule-1` for the first rule. */
const positionalName = (section: string, index: number): string => `${section.toLowerCase()}-${index + 1}`;

function declaredName(raw: JsonObject): string | undefined {
  const name = raw["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * Gives each section a name of its own. A name that is declared once stays. Of a name that is declared several times the
 * first stays and the others are numbered (`a`, `a~2`); none of them counts as declared, because a target could mean any of
 * them. A positional name that another section declares is changed (`rule-1~`).
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

/** Names that two or more sections declare, sorted. No target can use one of them. */
export function duplicateNames(sections: readonly Section[]): readonly string[] {
  const names = new Set<string>();
  for (const { declared, raw } of sections) {
    const name = declared ? undefined : declaredName(raw);
    if (name !== undefined) names.add(name);
  }
  return [...names].sort(compareText);
}
