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

export type ReadSections = (object: Pick<KubeObject, "raw">) => readonly Section[];

/**
 * Returns a function that reads the sections of the objects of a kind, list by list in the order of the kind. An item that is not an object is
 * not a section. The function is used for many objects, so that positional names are made once.
 */
export function sectionReader({ sections: lists }: KindFacts): ReadSections {
  const readers = lists.map(listReader);
  const [only] = readers;
  if (only === undefined) return () => NO_SECTIONS;
  if (readers.length > 1) return ({ raw }) => named(readers.flatMap((read) => read(raw)));
  return ({ raw }) => {
    const sections = only(raw);
    // The positional names of one list are distinct.
    return sections.some(({ declared }) => declared) ? named(sections) : sections;
  };
}

/** The sections of one object. */
export const sectionsOf = (object: Pick<KubeObject, "raw">, facts: KindFacts): readonly Section[] =>
  sectionReader(facts)(object);

const named = (sections: readonly Section[]): readonly Section[] =>
  haveDistinctNames(sections) ? sections : nameDistinctly(sections);

/** Up to so many names are compared with each other. */
const FEW = 8;

function haveDistinctNames(sections: readonly Section[]): boolean {
  if (sections.length > FEW) return new Set(sections.map(({ name }) => name)).size === sections.length;
  for (let i = 1; i < sections.length; i++) {
    for (let j = 0; j < i; j++) if (sections[i]?.name === sections[j]?.name) return false;
  }
  return true;
}

/** Returns a function that reads the items of a list of sections, with the default that the CRD declares for the list. */
export function itemReader({ path, byDefault }: SectionFacts): (object: JsonObject) => readonly Json[] {
  const keys = path.split(".");
  return (object) => {
    const items = valueAtKeys(object, keys) ?? byDefault;
    return isJsonList(items) ? items : NO_ITEMS;
  };
}

const NO_ITEMS: readonly Json[] = [];

function listReader(list: SectionFacts): (object: JsonObject) => readonly Section[] {
  const { section } = list;
  const itemsOf = itemReader(list);
  const positional: string[] = [];
  const nameAt = (index: number): string => (positional[index] ??= positionalName(section, index));
  return (object) => {
    const items = itemsOf(object);
    const sections: Section[] = [];
    for (let index = 0; index < items.length; index++) {
      const raw = items[index];
      if (!isJsonObject(raw)) continue;
      const name = declaredName(raw);
      sections.push({ section, name: name ?? nameAt(index), declared: name !== undefined, index, raw });
    }
    return sections;
  };
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
