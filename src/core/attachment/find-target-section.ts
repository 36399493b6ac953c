/** The section that a target names, or why it has none of that name. */

import { SortedNames } from "../model/collections/sorted-names.ts";
import type { KindFacts, Targeting, TargetKind } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { displayRef, type ObjectRef } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import { type Section, sectionsOf } from "../topology/sections-of.ts";

/** A kind of targets, and what is known of its objects. */
interface Sectioned {
  readonly allowed: TargetKind;
  readonly facts: KindFacts | undefined;
}

/** Declared, unique names only: `rule-2` is how an unnamed rule is shown, and reordering rules would move the policy. */
export function findTargetSection(
  { positionalRules }: Targeting,
  { allowed, facts }: Sectioned,
  object: KubeObject,
  name: string,
): Section | undefined {
  if (facts === undefined) return undefined;
  const section = findSection(object, facts, name);
  if (section === undefined || !allowed.sections.includes(section.section)) return undefined;
  const isUnnamedRule = section.section === "Rule" && (section.raw["name"] ?? "") === "" && positionalRules;
  return section.declared || isUnnamedRule ? section : undefined;
}

/** Sections of one object have names of their own. */
function findSection(object: KubeObject, facts: KindFacts, name: string): Section | undefined {
  const known = indexed.get(object.raw);
  if (known?.facts === facts) return known.byName.get(name);
  const sections = sectionsOf(object, facts);
  if (sections.length <= FEW) return sections.find((section) => section.name === name);
  return indexOf(object, facts, sections).byName.get(name);
}

/** What sections an object with many of them has: thousands of targets may name one each. */
interface SectionIndex {
  readonly facts: KindFacts;
  readonly sections: readonly Section[];
  readonly byName: ReadonlyMap<string, Section>;
  /** Declared names, by the kinds of sections that may be targeted. */
  readonly names: Map<string, TargetNames>;
}

interface TargetNames {
  readonly inOrder: readonly string[];
  readonly sorted: SortedNames;
}

const FEW = 16;

// Objects are immutable, so what is read off them can be kept as long as they live.
const indexed = new WeakMap<JsonObject, SectionIndex>();

function indexOf({ raw }: KubeObject, facts: KindFacts, sections: readonly Section[]): SectionIndex {
  const byName = new Map(sections.map((section) => [section.name, section]));
  const index: SectionIndex = { facts, sections, byName, names: new Map() };
  if (sections.length > FEW) indexed.set(raw, index);
  return index;
}

function sectionIndex(object: KubeObject, facts: KindFacts): SectionIndex {
  const known = indexed.get(object.raw);
  return known?.facts === facts ? known : indexOf(object, facts, sectionsOf(object, facts));
}

function targetNames({ sections, names }: SectionIndex, allowed: TargetKind): TargetNames {
  const key = allowed.sections.join();
  let found = names.get(key);
  if (found === undefined) {
    const inOrder = sections.flatMap(({ section, declared, name }) =>
      declared && allowed.sections.includes(section) ? [name] : [],
    );
    found = { inOrder, sorted: new SortedNames(inOrder) };
    names.set(key, found);
  }
  return found;
}

export function describeNoSection(
  { allowed, facts }: Sectioned,
  object: KubeObject | undefined,
  ref: ObjectRef,
  name: string,
  { guess }: { readonly guess: boolean },
): string {
  const index = object === undefined || facts === undefined ? undefined : sectionIndex(object, facts);
  const shown = index?.byName.get(name);
  if (shown !== undefined && allowed.sections.includes(shown.section))
    return describeUndeclared(shown, index?.sections ?? [], ref);
  const names = index === undefined ? undefined : targetNames(index, allowed);
  const near = guess ? names?.sorted.nearest(name) : undefined;
  const hint = near === undefined ? listNames(names?.inOrder ?? []) : `; did you mean '${near}'?`;
  const nouns = allowed.sections.map((section) => section.toLowerCase()).join(" or ");
  return clipText(`${displayRef(ref)} has no ${nouns} named '${name}'${hint}`);
}

const SHOWN = 10;

function listNames(names: readonly string[]): string {
  if (names.length === 0) return "; it has no named ones";
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  return `; it has: ${names.slice(0, SHOWN).join(", ")}${more}`;
}

/** A section that is there, and that no target can name: it has no name, or one that others have, too. */
function describeUndeclared({ section, name, raw }: Section, sections: readonly Section[], ref: ObjectRef): string {
  const noun = section.toLowerCase();
  const own = raw["name"];
  if (typeof own !== "string" || own === "")
    return `'${name}' is only how an unnamed ${noun} of ${displayRef(ref)} is shown; give the ${noun} a name of its own and target that`;
  const alike = sections.filter((other) => other.section === section && other.raw["name"] === own).length;
  return `${alike} ${noun}s of ${displayRef(ref)} are named '${own}', and a target must mean one; give each a name of its own and target that`;
}
