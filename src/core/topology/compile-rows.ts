import type { ChildSelection, KindFacts, LevelKind, LinkRow } from "../model/definition.ts";
import { findKind, GATEWAY, SERVICE } from "../model/kinds.ts";
import { type GroupKind, type KindId, kindId } from "../model/refs.ts";
import { type KeyPath, keyPath } from "./key-path.ts";
import { itemReader } from "./sections-of.ts";

/** The link table, by the kind whose objects have the references. */
export type LinkRows = ReadonlyMap<KindId, LinkPlan>;

/** The fields in which objects of one kind name their parents and their children. */
export interface LinkPlan {
  readonly facts: KindFacts;
  readonly parentNames: readonly RefField[];
  readonly parentRefs: readonly RefField[];
  /** References to children in the object itself. */
  readonly childRefs: readonly RefField[];
  /** The lists of sections, and the references to children that an item of each has. */
  readonly sections: readonly SectionPlan[];
}

interface SectionPlan {
  /** The path of the list. */
  readonly path: string;
  readonly itemsOf: ReturnType<typeof itemReader>;
  readonly childRefs: readonly RefField[];
}

/** A field with a reference, or with a list of references. */
export interface RefField {
  readonly path: KeyPath;
  readonly targets: readonly RefTarget[];
  /** The target of a reference that leaves its kind out. */
  readonly byDefault: RefTarget | undefined;
  /** True if a reference without a group means the default's group, as in Gateway API; false if any group that has the kind is meant. */
  readonly groupByDefault: boolean;
  /** True if a reference may stand for several children. */
  readonly selects: boolean;
}

/** A kind that a field may refer to, and its rows of the table. */
export interface RefTarget extends ChildSelection {
  readonly id: KindId;
  readonly facts: KindFacts;
  readonly rows: readonly { readonly section: string | undefined; readonly attachment: LinkRow["attachment"] }[];
}

/** A kind without facts counts as a namespaced kind without sections. */
export function compileRows(rows: readonly LinkRow[], kinds: readonly KindFacts[]): LinkRows {
  const referrers = new Map<KindId, { readonly facts: KindFacts; readonly rows: LinkRow[] }>();
  for (const row of rows) {
    const referrer = factsOf(row.via === "ChildRefs" ? row.from : row.to, kinds);
    const entry = referrers.get(kindId(referrer)) ?? { facts: referrer, rows: [] };
    entry.rows.push(row);
    referrers.set(kindId(referrer), entry);
  }
  return new Map([...referrers].map(([id, { facts, rows: own }]) => [id, planOf(facts, own, kinds)]));
}

const factsOf = ({ group, kind }: GroupKind, kinds: readonly KindFacts[]): KindFacts =>
  findKind(kinds, kind, group) ?? { group, kind, scope: "Namespaced", sections: [] };

function planOf(facts: KindFacts, rows: readonly LinkRow[], kinds: readonly KindFacts[]): LinkPlan {
  const fields = (via: LinkRow["via"], section?: string): readonly RefField[] =>
    fieldsOf(
      rows.filter((row) => row.via === via && (via !== "ChildRefs" || row.from.section === section)),
      kinds,
    );
  const sections = facts.sections.map((list) => ({
    path: list.path,
    itemsOf: itemReader(list),
    childRefs: fields("ChildRefs", list.section),
  }));
  return {
    facts,
    parentNames: fields("ParentName"),
    parentRefs: fields("ParentRefs"),
    childRefs: fields("ChildRefs"),
    sections,
  };
}

function fieldsOf(rows: readonly LinkRow[], kinds: readonly KindFacts[]): readonly RefField[] {
  const byPath = new Map<string, LinkRow[]>();
  for (const row of rows) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  return [...byPath].map(([path, own]) => {
    const targets = targetsOf(own, kinds);
    const known = targets.find(({ id }) => id === (own[0]?.via === "ChildRefs" ? SERVICE : GATEWAY));
    const byDefault = known ?? (targets.length === 1 ? targets[0] : undefined);
    const selects = targets.some(({ anyName, byLabel }) => anyName !== undefined || byLabel !== undefined);
    return { path: keyPath(path), targets, byDefault, groupByDefault: known !== undefined, selects };
  });
}

// Gateway API's defaults: a ParentReference means a Gateway, a BackendRef a Service.

function targetsOf(rows: readonly LinkRow[], kinds: readonly KindFacts[]): readonly RefTarget[] {
  const targets = new Map<
    KindId,
    {
      readonly facts: KindFacts;
      readonly levels: Map<string, LevelKind & Pick<LinkRow, "attachment">>;
      selection: ChildSelection;
    }
  >();
  for (const { via, from, to, attachment, grants, anyName, byLabel } of rows) {
    const level = via === "ChildRefs" ? to : from;
    const facts = factsOf(level, kinds);
    const target = targets.get(kindId(facts)) ?? { facts, levels: new Map(), selection: {} };
    target.selection = {
      ...target.selection,
      ...(grants && { grants }),
      ...(anyName !== undefined && { anyName }),
      ...(byLabel && { byLabel }),
    };
    // Two definitions may add the same row.
    target.levels.set(
      JSON.stringify([level.section, attachment]),
      attachment === undefined ? level : { ...level, attachment },
    );
    targets.set(kindId(facts), target);
  }
  return [...targets].map(([id, { facts, levels, selection }]) => ({
    id,
    facts,
    rows: [...levels.values()].map(({ section, attachment }) => ({ section, attachment })),
    ...selection,
  }));
}
