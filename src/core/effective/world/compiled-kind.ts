/** A PolicyDefinition, prepared for evaluation: its sets of kinds by id, and its tools for the fold. */

import type { CustomStrategies } from "../../merge/custom-strategy.ts";
import type { FoldTools } from "../../merge/fold.ts";
import { type CompiledParts, compileParts } from "../../merge/parts/compile-parts.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import type { KindFacts, LevelKind, LinkRow, PolicyDefinition } from "../../model/definition.ts";
import { attachableLevels, endGroups } from "../../model/levels.ts";
import { type CrdFacts, mapPathsIn } from "../../model/parse/definition/parse-crd.ts";
import { type GroupKind, type KindId, kindId } from "../../model/refs.ts";
import type { CompiledSchema } from "../../model/schema/schema.ts";
import { ownUnitRulesOf, type UnitRules, unitRulesOf } from "../../model/units.ts";
import { type CompiledMapping, compileMapping } from "./compile-mapping.ts";
import { Stacks } from "./stack.ts";

/** Where paths may end at objects of one kind: at the object, at some of its sections, or both (the lowest that exists). */
export interface EndLevel {
  readonly object: boolean;
  readonly sections: ReadonlySet<string>;
  /** True if another effective target may be below, by the link table. */
  readonly mayContinue: boolean;
}

export interface CompiledKind {
  readonly index: number;
  readonly definition: PolicyDefinition;
  readonly policyKind: GroupKind;
  readonly ends: ReadonlyMap<KindId, EndLevel>;
  /** Undefined: a path ends at the lowest of `ends`. Else it ends at the lowest one of each group: parts of the kind take effect at different levels. */
  readonly endGroups: readonly ReadonlyMap<KindId, EndLevel>[] | undefined;
  /** The kinds at which paths end, and all kinds above them. */
  readonly onPaths: ReadonlySet<KindId>;
  /** True if paths go on to objects that others name as their children: to backends. */
  readonly reachesChildren: boolean;
  readonly namespacesAbove: ReadonlySet<KindId>;
  /** Undefined: every root of the hierarchy. */
  readonly roots: ReadonlySet<KindId> | undefined;
  /** Undefined: every kind. */
  readonly through: ReadonlySet<KindId> | undefined;
  /** True if its policies may target cluster-scoped objects: GatewayClasses, Namespaces. */
  readonly targetsClusterScope: boolean;
  /** The levels that are more specific than others for some settings of the kind. */
  readonly ranked: readonly LevelKind[];
  readonly mappings: readonly CompiledMapping[];
  /** How values of objects' own fields split into units. */
  readonly ownUnitRules: UnitRules;
  readonly tools: FoldTools;
  /** Undefined: all settings have the same rules. */
  readonly parts: CompiledParts | undefined;
  readonly stacks: Stacks;
}

export interface CompileOptions {
  readonly evaluateCondition: EvaluateCondition;
  readonly strategies: CustomStrategies;
  readonly links: KindLinks;
  readonly crd: (kind: GroupKind) => CrdFacts | undefined;
  readonly facts: (kind: GroupKind) => KindFacts | undefined;
  /** The schema of the objects of a kind, in the version that is stored. */
  readonly schemaOf: (kind: GroupKind) => CompiledSchema;
}

export function compileKind(definition: PolicyDefinition, index: number, options: CompileOptions): CompiledKind {
  const [policyKind] = definition.policies;
  const { hierarchy } = definition;
  const { links } = options;
  const { effectiveTargets } = hierarchy;
  const groups = endGroups(effectiveTargets, definition.parts ?? []);
  const ends = endLevels(effectiveTargets, links);
  const tools: FoldTools = {
    evaluateCondition: options.evaluateCondition,
    strategies: options.strategies,
    unitRules: unitRulesOf(definition, options.crd(policyKind)),
  };
  const onPaths = kindsOnPaths(ends, links);
  const mappings = definition.mapsTo.map((mapping) =>
    compileMapping(
      mapping,
      options.facts(mapping.to.level),
      ends.get(kindId(mapping.to.level))?.object !== true,
      options.schemaOf(mapping.to.level),
    ),
  );
  return {
    index,
    definition,
    policyKind: { group: policyKind.group, kind: policyKind.kind },
    ends,
    endGroups: groups?.map((levels) => endLevels(levels, links)),
    onPaths,
    reachesChildren: links.byRef.some((kind) => onPaths.has(kind)),
    namespacesAbove: kindSet(hierarchy.namespacesAbove),
    roots: hierarchy.roots.length === 0 ? undefined : kindSet(hierarchy.roots),
    through: hierarchy.through.length === 0 ? undefined : kindSet(hierarchy.through),
    targetsClusterScope: attachableLevels(definition.targeting).some(
      (target) => options.facts(target)?.scope === "Cluster",
    ),
    ranked: rankedLevels(definition),
    mappings,
    ownUnitRules: ownUnitRulesOf(definition, options.crd(policyKind), mappings.flatMap(mappedMapPaths)),
    tools,
    parts: compileParts(definition, options.crd(policyKind), tools),
    stacks: new Stacks(),
  };
}

const rankedLevels = ({ merge, parts = [] }: PolicyDefinition): readonly LevelKind[] =>
  [merge, ...parts.map((part) => part.merge)].flatMap((rules) => rules?.mostSpecific ?? []);

/** The paths in the spec proper where the schema of the field that a setting is mapped onto has a map, also in sections and items of lists. */
const mappedMapPaths = ({ from, schema }: CompiledMapping): readonly string[] =>
  schema === undefined ? [] : mapPathsIn(schema, from.path);

const kindSet = (kinds: readonly GroupKind[]): ReadonlySet<KindId> => new Set(kinds.map(kindId));

function endLevels(levels: readonly LevelKind[], { children }: KindLinks): ReadonlyMap<KindId, EndLevel> {
  const ends = new Map<KindId, { object: boolean; sections: Set<string>; mayContinue: boolean }>();
  for (const level of levels) {
    const id = kindId(level);
    const end = ends.get(id) ?? { object: false, sections: new Set<string>(), mayContinue: false };
    if (level.section === undefined) end.object = true;
    else end.sections.add(level.section);
    ends.set(id, end);
  }
  const all = new Set(ends.keys());
  for (const [id, end] of ends) end.mayContinue = leadsTo(id, all, children, new Set());
  return ends;
}

function kindsOnPaths(ends: ReadonlyMap<KindId, EndLevel>, { parents }: KindLinks): ReadonlySet<KindId> {
  // The loop also visits the kinds that it adds.
  const found = new Set(ends.keys());
  for (const kind of found) for (const parent of parents.get(kind) ?? []) found.add(parent);
  return found;
}

type KindSets = ReadonlyMap<KindId, ReadonlySet<KindId>>;

/** The kinds directly below and above each kind, by the link table. */
export interface KindLinks {
  readonly children: KindSets;
  readonly parents: KindSets;
  /** Kinds that other objects name as their children. */
  readonly byRef: readonly KindId[];
}

export function kindLinks(rows: readonly LinkRow[]): KindLinks {
  const children = new Map<KindId, Set<KindId>>();
  const parents = new Map<KindId, Set<KindId>>();
  const byRef = [...new Set(rows.filter(({ via }) => via === "ChildRefs").map(({ to }) => kindId(to)))];
  for (const { from, to, attachment } of rows) {
    // A mesh Service above routes has another role than the Service at the end of a path.
    if (attachment === "RouteToService") continue;
    const [parent, child] = [kindId(from), kindId(to)];
    children.set(parent, (children.get(parent) ?? new Set()).add(child));
    parents.set(child, (parents.get(child) ?? new Set()).add(parent));
  }
  return { children, parents, byRef };
}

function leadsTo(from: KindId, ends: ReadonlySet<KindId>, below: KindSets, seen: Set<KindId>): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(below.get(from) ?? [])].some((child) => ends.has(child) || leadsTo(child, ends, below, seen));
}
