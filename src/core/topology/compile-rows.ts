import type { KindFacts, LevelKind, LinkRow } from "../model/definition.ts";
import { findKind, GATEWAY_API } from "../model/kinds.ts";
import { type GroupKind, type KindId, kindId } from "../model/refs.ts";
import { ChildUses } from "./child-uses.ts";
import { type KeyPath, keyPath } from "./key-path.ts";
import { type SectionList, sectionLists } from "./section-lists.ts";

/** The link table, arranged for the object whose links are wanted. By kind; kinds of one name differ in their group. */
export type LinkRows = ReadonlyMap<string, readonly LinkPlan[]>;

/** Where objects of one kind name their parents and their children. */
export interface LinkPlan {
  readonly facts: KindFacts;
  readonly parentNames: readonly RefField[];
  readonly parentRefs: readonly RefField[];
  /** References to children in the object itself. */
  readonly childRefs: readonly RefField[];
  /** The lists of sections, and the references to children that an item of each holds. */
  readonly sections: readonly { readonly list: SectionList; readonly childRefs: readonly RefField[] }[];
  /** Whether any section holds references. */
  readonly inSections: boolean;
  /** What uses of children begin with: as long as these rows hold, objects that use theirs alike share the list. */
  readonly noUses: ChildUses;
}

/** A field that holds a reference, or a list of them. */
export interface RefField {
  readonly path: KeyPath;
  readonly targets: readonly RefTarget[];
  /** What a reference means that leaves its kind out. */
  readonly byDefault: RefTarget | undefined;
  /** Whether a reference that leaves its group out means the default's group, as in Gateway API, or whichever has the kind. */
  readonly groupByDefault: boolean;
}

/** A kind that a field may refer to, and the rows of the table that say so. */
export interface RefTarget {
  readonly id: KindId;
  readonly facts: KindFacts;
  readonly rows: readonly { readonly section: string | undefined; readonly attachment: LinkRow["attachment"] }[];
}

/** Rows about kinds without facts take these for namespaced kinds without sections. */
export function compileRows(rows: readonly LinkRow[], kinds: readonly KindFacts[]): LinkRows {
  const holders = new Map<KindId, { readonly facts: KindFacts; readonly rows: LinkRow[] }>();
  for (const row of rows) {
    const holder = factsOf(row.via === "ChildRefs" ? row.from : row.to, kinds);
    const entry = holders.get(kindId(holder)) ?? { facts: holder, rows: [] };
    entry.rows.push(row);
    holders.set(kindId(holder), entry);
  }
  const plans = new Map<string, LinkPlan[]>();
  for (const { facts, rows: own } of holders.values()) {
    const plan = planOf(facts, own, kinds);
    plans.set(facts.kind, [...(plans.get(facts.kind) ?? []), plan]);
  }
  return plans;
}

/** What objects of that kind name; none: nothing. */
export function findPlan(rows: LinkRows, { group, kind }: GroupKind): LinkPlan | undefined {
  const plans = rows.get(kind);
  if (plans === undefined) return undefined;
  for (const plan of plans) {
    if (plan.facts.group === group) return plan;
  }
  return undefined;
}

const factsOf = ({ group, kind }: GroupKind, kinds: readonly KindFacts[]): KindFacts =>
  findKind(kinds, kind, group) ?? { group, kind, scope: "Namespaced", sections: [] };

function planOf(facts: KindFacts, rows: readonly LinkRow[], kinds: readonly KindFacts[]): LinkPlan {
  const fields = (via: LinkRow["via"], section?: string): readonly RefField[] =>
    fieldsOf(
      rows.filter((row) => row.via === via && (via !== "ChildRefs" || row.from.section === section)),
      kinds,
    );
  const sections = sectionLists(facts).map((list) => ({ list, childRefs: fields("ChildRefs", list.section) }));
  return {
    facts,
    parentNames: fields("ParentName"),
    parentRefs: fields("ParentRefs"),
    childRefs: fields("ChildRefs"),
    sections,
    inSections: sections.some(({ childRefs }) => childRefs.length > 0),
    noUses: ChildUses.none(),
  };
}

function fieldsOf(rows: readonly LinkRow[], kinds: readonly KindFacts[]): readonly RefField[] {
  const byPath = new Map<string, LinkRow[]>();
  for (const row of rows) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  return [...byPath].map(([path, own]) => {
    const targets = targetsOf(own, kinds);
    const known = targets.find(({ id }) => id === (own[0]?.via === "ChildRefs" ? SERVICE : GATEWAY));
    const byDefault = known ?? (targets.length === 1 ? targets[0] : undefined);
    return { path: keyPath(path), targets, byDefault, groupByDefault: known !== undefined };
  });
}

// Gateway API's defaults: a ParentReference means a Gateway, a BackendRef a Service.
const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });
const SERVICE = kindId({ group: "", kind: "Service" });

function targetsOf(rows: readonly LinkRow[], kinds: readonly KindFacts[]): readonly RefTarget[] {
  const targets = new Map<KindId, { facts: KindFacts; levels: Map<string, LevelKind & Pick<LinkRow, "attachment">> }>();
  for (const { via, from, to, attachment } of rows) {
    const level = via === "ChildRefs" ? to : from;
    const facts = factsOf(level, kinds);
    const target = targets.get(kindId(facts)) ?? { facts, levels: new Map() };
    // Two definitions may add the same row.
    target.levels.set(
      JSON.stringify([level.section, attachment]),
      attachment === undefined ? level : { ...level, attachment },
    );
    targets.set(kindId(facts), target);
  }
  return [...targets].map(([id, { facts, levels }]) => ({
    id,
    facts,
    rows: [...levels.values()].map(({ section, attachment }) => ({ section, attachment })),
  }));
}
