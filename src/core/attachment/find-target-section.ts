/** The section that a target names, or the reason why there is none. */
import type { KindFacts, Targeting, TargetKind } from "../model/definition.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { PolicyTarget } from "../model/policy.ts";
import { formatRef, type ObjectRef } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import { SortedNames } from "../model/words/sorted-names.ts";
import { type Section, sectionsOf } from "../topology/sections-of.ts";

/** A kind of targets, and the facts of its objects. */
interface SectionedKind {
  readonly allowed: TargetKind;
  readonly facts: KindFacts | undefined;
}

/** The sections of the objects that targets name, each object read once: thousands of targets may name its sections. */
export class SectionIndex {
  readonly #byObject: Map<KubeObject, IndexedSections> = new Map();

  of(object: KubeObject, facts: KindFacts): IndexedSections {
    const known = this.#byObject.get(object);
    if (known !== undefined) return known;
    const sections = sectionsOf(object, facts);
    const byName = new Map(sections.map((section) => [section.name, section]));
    const indexed: IndexedSections = { sections, byName, names: new Map() };
    this.#byObject.set(object, indexed);
    return indexed;
  }
}

interface IndexedSections {
  readonly sections: readonly Section[];
  readonly byName: ReadonlyMap<string, Section>;
  /** The declared names, by the kinds of sections that may be targeted. */
  readonly names: Map<string, TargetNames>;
}

interface TargetNames {
  readonly inOrder: readonly string[];
  readonly sorted: SortedNames;
}

/**
 * A target may name a section of an object
 *
 * `sectionName` matches names that the object declares, and only once. `rule-2` is how an unnamed rule is shown; a target may
 * use it only if the definition allows positional names, because reordering rules would move the policy.
 * GEP-713, "Narrowing the target to sections of an object"
 */
function findTargetSection(
  index: SectionIndex,
  { positionalRules }: Targeting,
  { allowed, facts }: SectionedKind,
  object: KubeObject,
  name: string,
): Section | undefined {
  const section = facts === undefined ? undefined : index.of(object, facts).byName.get(name);
  if (section === undefined || !allowed.sections.includes(section.section)) return undefined;
  const isUnnamedRule = section.section === "Rule" && (section.raw["name"] ?? "") === "" && positionalRules;
  return section.declared || isUnnamedRule ? section : undefined;
}

/**
 * Ports as sections
 *
 * Where the definition says so, a target names sections by their port: all listeners, or the port of a Service, with that number. A section of
 * that name comes first.
 * GEP-713, "Narrowing the target to sections of an object"
 */
export function findTargetSections(
  index: SectionIndex,
  targeting: Targeting,
  kind: SectionedKind,
  object: KubeObject,
  { sectionName, port }: Pick<PolicyTarget, "sectionName" | "port">,
): readonly Section[] {
  const named = sectionName === undefined ? undefined : findTargetSection(index, targeting, kind, object, sectionName);
  if (named !== undefined) return [named];
  const { allowed, facts } = kind;
  const number = port ?? (/^\d+$/.test(sectionName ?? "") ? Number(sectionName) : undefined);
  if (!allowed.byPort || facts === undefined || number === undefined) return [];
  return index
    .of(object, facts)
    .sections.filter(({ section, raw }) => allowed.sections.includes(section) && raw["port"] === number);
}

function targetNames({ sections, names }: IndexedSections, allowed: TargetKind): TargetNames {
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

/** Why the object has no such section. `suggest`: whether to look for a similar name. */
export function formatNoSection(
  index: SectionIndex,
  { allowed, facts }: SectionedKind,
  {
    object,
    ref,
    name,
    suggest,
  }: {
    readonly object: KubeObject | undefined;
    readonly ref: ObjectRef;
    readonly name: string;
    readonly suggest: boolean;
  },
): string {
  const indexed = object === undefined || facts === undefined ? undefined : index.of(object, facts);
  const shown = indexed?.byName.get(name);
  if (shown !== undefined && allowed.sections.includes(shown.section))
    return formatUndeclared(shown, indexed?.sections ?? [], ref);
  const names = indexed === undefined ? undefined : targetNames(indexed, allowed);
  const near = suggest ? names?.sorted.nearest(name) : undefined;
  const hint = near === undefined ? formatNames(names?.inOrder ?? []) : `; did you mean '${near}'?`;
  const nouns = allowed.sections.map((section) => section.toLowerCase()).join(" or ");
  return clipText(`${formatRef(ref)} has no ${nouns} named '${name}'${hint}`);
}

const MAX_NAMES = 10;

function formatNames(names: readonly string[]): string {
  if (names.length === 0) return "; it has no named ones";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `; it has: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

/** For a section that exists and that no target can name: it has no name, or several sections have its name. */
function formatUndeclared({ section, name, raw }: Section, sections: readonly Section[], ref: ObjectRef): string {
  const noun = section.toLowerCase();
  const own = raw["name"];
  if (typeof own !== "string" || own === "")
    return `'${name}' is only how an unnamed ${noun} of ${formatRef(ref)} is shown; give the ${noun} a name of its own and target that`;
  const alike = sections.filter((other) => other.section === section && other.raw["name"] === own).length;
  return `${alike} ${noun}s of ${formatRef(ref)} are named '${own}', and a target must mean one; give each a name of its own and target that`;
}
