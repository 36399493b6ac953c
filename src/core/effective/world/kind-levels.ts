import type { KindFacts } from "../../model/definition.ts";
import { type GroupKind, type KindId, kindId } from "../../model/refs.ts";
import { type ReadSections, sectionReader } from "../../topology/sections-of.ts";
import type { CompiledKind, EndLevel } from "./compiled-kind.ts";

/** The level of one kind of objects in the hierarchy of a policy kind. */
export interface KindLevel extends GroupKind {
  /** Undefined: nothing is known of the kind, so that its objects have no sections. */
  readonly readSections: ReadSections | undefined;
  /** Where paths end at such objects; undefined: they do not. */
  readonly end: EndLevel | undefined;
  /** True if paths may visit such objects. */
  readonly isPassed: boolean;
  readonly isRoot: boolean;
  /** True if other objects name such objects as their children. */
  readonly isChildByRef: boolean;
  /** True if such objects have paths of their own, for the requests that no route carries. */
  readonly isMeshTarget: boolean;
  /** True if their Namespace is a level directly above them. */
  readonly isBelowNamespace: boolean;
  /** True if all paths to such an object go on to each of its sections, end there, and differ only by policies on a section. */
  readonly endsAtAllSections: boolean;
}

/** Facts about kinds that do not depend on policy kinds. */
export interface HierarchyFacts {
  readonly factsOf: (kind: KindId) => KindFacts | undefined;
  /** True for kinds that no row of the link table leads to: their objects are roots. */
  readonly isRoot: (kind: KindId) => boolean;
  /** True for kinds that other objects name as children (`backendRefs`). */
  readonly isChildByRef: (kind: KindId) => boolean;
  /** True for kinds whose objects are parents of mesh routes: Services. */
  readonly isFrontend: (kind: KindId) => boolean;
}

/** The levels of one policy kind, each computed once: paths pass a handful of kinds many times. */
export class KindLevels {
  readonly #known: Map<KindId, KindLevel> = new Map();
  /** The level that was found last: it is mostly looked up again. */
  #last: KindLevel | undefined;
  readonly #kind: CompiledKind;
  readonly #facts: HierarchyFacts;

  constructor(kind: CompiledKind, facts: HierarchyFacts) {
    this.#kind = kind;
    this.#facts = facts;
  }

  of(kind: GroupKind): KindLevel {
    if (this.#last?.kind === kind.kind && this.#last.group === kind.group) return this.#last;
    const id = kindId(kind);
    const known = this.#known.get(id) ?? this.#levelOf(kind, id);
    this.#known.set(id, known);
    this.#last = known;
    return known;
  }

  #levelOf({ group, kind }: GroupKind, id: KindId): KindLevel {
    const { definition, ends, through, roots, namespacesAbove } = this.#kind;
    const { factsOf, isRoot, isChildByRef, isFrontend } = this.#facts;
    const facts = factsOf(id);
    const isPassed = through === undefined || through.has(id);
    const isAtRoot = roots === undefined ? isRoot(id) : roots.has(id);
    const end = ends.get(id);
    const hasOnlyParentRefs =
      facts?.scope === "Namespaced" && !isAtRoot && !isChildByRef(id) && !namespacesAbove.has(id) && isPassed;
    return {
      group,
      kind,
      readSections: facts && sectionReader(facts),
      end,
      isPassed,
      isRoot: isAtRoot,
      isChildByRef: isChildByRef(id),
      isMeshTarget: definition.hierarchy.mesh && isFrontend(id) && (roots === undefined || isAtRoot),
      isBelowNamespace: namespacesAbove.has(id),
      endsAtAllSections: hasOnlyParentRefs && end !== undefined && endsAtAllSections(this.#kind, end, facts),
    };
  }
}

function endsAtAllSections(
  { definition, mappings, parts }: CompiledKind,
  end: EndLevel,
  { sections }: KindFacts,
): boolean {
  // Parts, Direct policies, mapped fields of the object and the ports of a backend make the paths to its sections differ.
  if (parts !== undefined || definition.class === "Direct" || definition.merge.bare === "Direct" || mappings.length > 0)
    return false;
  return (
    !end.object && !end.mayContinue && sections.every(({ section }) => section !== "Port" && end.sections.has(section))
  );
}
