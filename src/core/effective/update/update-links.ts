/** Stage 2 of the next world: the links of objects that changed, and of objects whose links depend on them. */
import { idsAt, moveId } from "../../model/collections/id-index.ts";
import { isSameList } from "../../model/collections/is-same-list.ts";
import { MapDraft } from "../../model/collections/map-draft.ts";
import { made, once } from "../../model/collections/once.ts";
import { jsonEqual } from "../../model/json.ts";
import { NAMESPACE } from "../../model/kinds.ts";
import { labelsOf } from "../../model/kube-object.ts";
import { kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import { linkParents } from "../../topology/link-parents.ts";
import type { ChildLinks, ChildUse, DownLink, LinkRefusal, ParentLinks, UpLink } from "../../topology/links.ts";
import { anyObjectIn } from "../../topology/select-children.ts";
import { buildChildTables, childLinksIn, REFERENCE_GRANT } from "../world/build-world.ts";
import { linkContext } from "../world/contexts.ts";
import { findUnfollowedLinks } from "../world/find-unfollowed-links.ts";
import {
  buildChildIndexes,
  childrenNamedIn,
  joinRefusals,
  parentsNamedIn,
  referrersOf,
} from "../world/link-indexes.ts";
import { nameLookup } from "../world/name-lookup.ts";
import type { LinkIndexes, WithLinks, WithObjects } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";

const NONE: readonly never[] = [];

export interface UpdatedLinks {
  readonly tables: WithLinks;
  /** Objects whose parents or children changed. */
  readonly relinked: ReadonlySet<ObjectId>;
  /** The relinked objects, plus objects whose refusal reasons changed. */
  readonly changed: ReadonlySet<ObjectId>;
  /** Cluster-scoped objects that a link names now, or no longer names: whether they are implied may have changed. */
  readonly named: ReadonlySet<ObjectId>;
}

export function updateLinks(before: WithLinks, tables: WithObjects, changes: readonly ObjectChange[]): UpdatedLinks {
  const { rulebook, objects } = tables;
  const parents = new MapDraft(before.links);
  const parentsOf = linkParents(linkContext(tables));
  const ids: ObjectId[] = [];
  for (const id of objectsToLink(before, changes)) {
    const object = objects.get(id);
    const now = object !== undefined && rulebook.rows.has(object.family.kindId) ? parentsOf(object) : undefined;
    if (now === undefined && !before.links.has(id)) continue;
    parents.set(id, now);
    ids.push(id);
  }
  const links = parents.build();
  // The new keys come first, here and below. Node 20 makes a hidden class for each object of the other order: it and what it refers to live until the
  // next full collection, and every change leaves some kilobytes.
  const withParents = { links, ...tables };
  const relinks = relinksOf(before, withParents, ids);
  const children = updateChildTables(before, withParents, relinks);
  const relinked = new Set<ObjectId>();
  const changed = new Set<ObjectId>();
  const named = new Set<ObjectId>();
  for (const { id, was, is } of relinks) {
    addDifference(named, [was, is].map(clusterScopedIn));
    addDifference(named, [idsOf(was.parents?.impliedParents), idsOf(is.parents?.impliedParents)]);
    if (!hasSameLinks(was, is)) relinked.add(id);
    if (relinked.has(id) || !hasSameRefusals(refusalsIn(was), refusalsIn(is))) changed.add(id);
  }
  const linked = { rulebook, objects, links, ...children };
  const hasForeign = [...relinked].some((id) => rulebook.isForeign(kindId(parseObjectId(id))));
  const withLinks: WithLinks = {
    unfollowed: hasForeign ? findUnfollowedLinks(linked) : before.unfollowed,
    indexLinks: made(updateIndexes(before.indexLinks(), relinks)),
    names: nameLookup(linked),
    links,
    linkChildren: children.linkChildren,
    childLinksOf: children.childLinksOf,
    indexChildren: children.indexChildren,
    ...tables,
  };
  return { tables: withLinks, relinked, changed, named };
}

/** All links of one object. */
interface OwnLinks {
  readonly parents: ParentLinks | undefined;
  readonly children: ChildLinks | undefined;
}

/** The links of one object before and after the change. */
interface Relink {
  readonly id: ObjectId;
  readonly was: OwnLinks;
  readonly is: OwnLinks;
}

function relinksOf(
  before: WithLinks,
  after: WithObjects & Pick<WithLinks, "links">,
  ids: readonly ObjectId[],
): readonly Relink[] {
  const newChildren = childLinksIn(after);
  return ids.map((id) => ({
    id,
    was: { parents: before.links.get(id), children: before.childLinksOf(id) },
    is: { parents: after.links.get(id), children: newChildren(id) },
  }));
}

/** The tables of links to children after the change. A table that was not used before the change is computed when it is first used. */
function updateChildTables(
  before: WithLinks,
  after: WithObjects & Pick<WithLinks, "links">,
  relinks: readonly Relink[],
): Pick<WithLinks, "linkChildren" | "childLinksOf" | "indexChildren"> {
  if (!before.linkChildren.isMade()) return buildChildTables(after);
  const draft = new MapDraft(before.linkChildren());
  for (const { id, is } of relinks) draft.set(id, is.children);
  const linkChildren = made(draft.build());
  const linked = { linkChildren, childLinksOf: (id: ObjectId) => linkChildren().get(id) };
  if (!before.indexChildren.isMade())
    return { indexChildren: once(() => buildChildIndexes(linkChildren())), ...linked };
  const indexes = before.indexChildren();
  const referrers = new MapDraft(indexes.referrers);
  const grantReaders = new MapDraft(indexes.grantReaders);
  for (const { id, was, is } of relinks) {
    moveId(referrers, id, childrenNamedIn(was.children), childrenNamedIn(is.children));
    moveId(grantReaders, id, was.children?.grantsOf ?? NONE, is.children?.grantsOf ?? NONE);
  }
  return { indexChildren: made({ referrers: referrers.build(), grantReaders: grantReaders.build() }), ...linked };
}

function updateIndexes(indexes: LinkIndexes, relinks: readonly Relink[]): LinkIndexes {
  const referrers = new MapDraft(indexes.referrers);
  const labelReaders = new MapDraft(indexes.labelReaders);
  const grantReaders = new MapDraft(indexes.grantReaders);
  for (const { id, was, is } of relinks) {
    moveId(referrers, id, parentsNamedIn(was.parents), parentsNamedIn(is.parents));
    moveId(labelReaders, id, was.parents?.labelsOf ?? NONE, is.parents?.labelsOf ?? NONE);
    moveId(grantReaders, id, was.parents?.grantsOf ?? NONE, is.parents?.grantsOf ?? NONE);
  }
  return { referrers: referrers.build(), labelReaders: labelReaders.build(), grantReaders: grantReaders.build() };
}

const refusalsIn = ({ parents, children }: OwnLinks): readonly LinkRefusal[] => joinRefusals(parents, children);

const clusterScopedIn = ({ parents, children }: OwnLinks): readonly ObjectId[] =>
  [...parentsNamedIn(parents), ...childrenNamedIn(children)].filter(isClusterScoped);

const isClusterScoped = (id: ObjectId): boolean => id.includes("//");

const idsOf = (refs: readonly ObjectRef[] = NONE): readonly ObjectId[] => refs.map(objectId);

/** Adds the ids that are in one of the lists only. */
function addDifference(ids: Set<ObjectId>, [before = NONE, after = NONE]: readonly (readonly ObjectId[])[]): void {
  for (const id of before) if (!after.includes(id)) ids.add(id);
  for (const id of after) if (!before.includes(id)) ids.add(id);
}

/** The objects whose links may have changed. */
function objectsToLink(before: WithLinks, changes: readonly ObjectChange[]): ReadonlySet<ObjectId> {
  const found = new Set<ObjectId>();
  const indexes = before.indexLinks();
  const addAll = (ids: Iterable<ObjectId>): void => {
    for (const id of ids) found.add(id);
  };
  for (const { id, ref, before: old, after, isPresence, isQuiet } of changes) {
    if (isQuiet) continue;
    found.add(id);
    const kind = kindId(ref);
    const mayChangeLinks = isPresence || before.rulebook.isParentByRef(kind);
    for (const referrer of referrersOf(before, id))
      if (mayChangeLinks || namesAsParent(before, referrer, id)) found.add(referrer);
    if (before.rulebook.isSelectedChild(kind) && (isPresence || !jsonEqual(labelsOf(old), labelsOf(after)))) {
      addAll(idsAt(before.indexChildren().referrers, anyObjectIn(kind, ref.namespace)));
      addAll(idsAt(before.indexChildren().referrers, anyObjectIn(kind, undefined)));
    }
    const isNew = (old === undefined) !== (after === undefined);
    // Messages also say whether the labels of a namespace are known.
    if (kind === NAMESPACE && (isNew || !jsonEqual(labelsOf(old), labelsOf(after))))
      addAll(idsAt(indexes.labelReaders, ref.name));
    if (kind === REFERENCE_GRANT) {
      addAll(idsAt(indexes.grantReaders, ref.namespace));
      addAll(idsAt(before.indexChildren().grantReaders, ref.namespace));
    }
  }
  return found;
}

/** True if the object names the other as its parent, linked or refused. The content of a child does not change links to it. */
function namesAsParent({ links }: WithLinks, id: ObjectId, other: ObjectId): boolean {
  const own = links.get(id);
  if (own === undefined) return false;
  return (
    own.up.some(({ parent }) => parent === other) ||
    own.refusals.some(({ parent }) => parent !== undefined && objectId(parent) === other)
  );
}

/** An object without links and an absent object have equal links. */
function hasSameLinks(was: OwnLinks, is: OwnLinks): boolean {
  const [wasUp, isUp] = [was.parents?.up ?? NONE, is.parents?.up ?? NONE];
  const [wasDown, isDown] = [was.children?.down ?? NONE, is.children?.down ?? NONE];
  const [wasAbsent, isAbsent] = [was.parents?.absentParents ?? NONE, is.parents?.absentParents ?? NONE];
  return (
    wasUp.length === isUp.length &&
    wasDown.length === isDown.length &&
    wasAbsent.length > 0 === isAbsent.length > 0 &&
    wasUp.every((link, i) => isSameUp(link, isUp[i])) &&
    wasDown.every((link, i) => isSameDown(link, isDown[i]))
  );
}

const hasSameRefusals = (was: readonly LinkRefusal[], is: readonly LinkRefusal[]): boolean =>
  was.length === is.length && was.every(({ field, reason }, i) => field === is[i]?.field && reason === is[i].reason);

const isSameUp = (a: UpLink, b: UpLink | undefined): boolean =>
  a.parent === b?.parent && a.section === b.section && a.frontend === b.frontend;

const isSameDown = (a: DownLink, b: DownLink | undefined): boolean =>
  a.child === b?.child && a.uses.length === b.uses.length && a.uses.every((use, i) => isSameUse(use, b.uses[i]));

const isSameUse = (a: ChildUse, b: ChildUse | undefined): boolean =>
  a.sectionIndex === b?.sectionIndex && isSameList(a.ports, b.ports);
