import type { KindFacts } from "../../model/definition.ts";
import { type GroupKind, type KindId, kindId } from "../../model/refs.ts";
import type { CompiledKind, EndLevel } from "./compiled-kind.ts";

/** The place of one kind of objects in the hierarchy of a policy kind. */
export interface KindPlace extends GroupKind {
  readonly facts: KindFacts | undefined;
  /** Where paths end at such objects. */
  readonly end: EndLevel | undefined;
  /** Whether paths may pass such objects at all. */
  readonly isPassed: boolean;
  readonly isRoot: boolean;
  /** Others name such objects as their children. */
  readonly isChildByRef: boolean;
  /** Their Namespace is a level directly above them. */
  readonly isBelowNamespace: boolean;
  /** Paths come from above, end at all of their sections, and only there; and only a policy on a section can tell it from the others. */
  readonly endsAtAllSections: boolean;
}

/** What is known of kinds, whichever policies flow through their objects. */
export interface HierarchyFacts {
  readonly factsOf: (kind: KindId) => KindFacts | undefined;
  /** Kinds that no row leads to: their objects are roots. */
  readonly isRoot: (kind: KindId) => boolean;
  /** Kinds that other objects name as children (`backendRefs`). */
  readonly isChildByRef: (kind: KindId) => boolean;
}

/** Looked up once for each kind: paths are asked for by the hundred thousand, and pass a handful of kinds. */
export class KindPlaces {
  readonly #known: Map<string, KindPlace[]> = new Map();
  /** What is asked for is mostly what was asked for before. */
  #last: KindPlace | undefined;
  readonly #kind: CompiledKind;
  readonly #facts: HierarchyFacts;

  constructor(kind: CompiledKind, facts: HierarchyFacts) {
    this.#kind = kind;
    this.#facts = facts;
  }

  of(ref: GroupKind): KindPlace {
    const last = this.#last;
    if (last !== undefined && last.kind === ref.kind && last.group === ref.group) return last;
    this.#last = this.#find(ref);
    return this.#last;
  }

  #find(ref: GroupKind): KindPlace {
    let sameName = this.#known.get(ref.kind);
    if (sameName === undefined) {
      sameName = [];
      this.#known.set(ref.kind, sameName);
    }
    for (const place of sameName) if (place.group === ref.group) return place;
    const place = this.#placeOf(ref);
    sameName.push(place);
    return place;
  }

  #placeOf({ group, kind }: GroupKind): KindPlace {
    const id = kindId({ group, kind });
    const { ends, through, roots, namespacesAbove } = this.#kind;
    const { factsOf, isRoot, isChildByRef } = this.#facts;
    const facts = factsOf(id);
    const isPassed = through === undefined || through.has(id);
    const isAtRoot = roots === undefined ? isRoot(id) : roots.has(id);
    const end = ends.get(id);
    const hangsPlainly =
      facts?.scope === "Namespaced" && !isAtRoot && !isChildByRef(id) && !namespacesAbove.has(id) && isPassed;
    return {
      group,
      kind,
      facts,
      end,
      isPassed,
      isRoot: isAtRoot,
      isChildByRef: isChildByRef(id),
      isBelowNamespace: namespacesAbove.has(id),
      endsAtAllSections: hangsPlainly && end !== undefined && endsAtAllSections(this.#kind, end, facts),
    };
  }
}

function endsAtAllSections({ definition, mappings }: CompiledKind, end: EndLevel, { sections }: KindFacts): boolean {
  // Bare rules as Direct, fields of the object and the ports of a backend tell sections apart, too.
  if (definition.class === "Direct" || definition.merge.bare === "Direct" || mappings.length > 0) return false;
  return (
    !end.object && !end.mayContinue && sections.every(({ section }) => section !== "Port" && end.sections.has(section))
  );
}
