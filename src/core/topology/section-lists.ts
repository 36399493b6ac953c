import type { KindFacts } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import { type KeyPath, keyPath } from "./key-path.ts";

/** A list of sections inside the objects of a kind, ready to read. */
export interface SectionList {
  readonly section: string;
  readonly path: KeyPath;
  /** Names for the first unnamed items: `rule-1`, `rule-2` … */
  readonly shown: readonly string[];
}

const SHOWN = 16;

// Facts are immutable, so what is read off them can be kept as long as they live.
const kept = new WeakMap<KindFacts, readonly SectionList[]>();

export function sectionLists(facts: KindFacts): readonly SectionList[] {
  let lists = kept.get(facts);
  if (lists === undefined) {
    lists = facts.sections.map(({ section, path, byDefault }) => ({
      section,
      path: byDefault === undefined ? keyPath(path) : orByDefault(keyPath(path), byDefault),
      shown: Array.from({ length: SHOWN }, (_, index) => numberedName(section, index)),
    }));
    kept.set(facts, lists);
  }
  return lists;
}

const orByDefault = ({ text, read }: KeyPath, byDefault: readonly Json[]): KeyPath => ({
  text,
  read: (object) => read(object) ?? byDefault,
});

export function shownName(list: SectionList, index: number): string {
  return list.shown[index] ?? numberedName(list.section, index);
}

const numberedName = (section: string, index: number): string => `${section.toLowerCase()}-${index + 1}`;
