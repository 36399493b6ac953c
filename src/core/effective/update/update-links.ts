/** Stage 2 of the next world: the links of objects that changed, and of objects whose links depend on them. */
import { idsAt, moveId } from "../../model/collections/id-index.ts";
import { isSameList } from "../../model/collections/is-same-list.ts";
import { MapDraft } from "../../model/collections/map-draft.ts";
import { jsonEqual } from "../../model/json.ts";
import { labelsOf } from "../../model/kube-object.ts";
import { kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import { linkChildren } from "../../topology/link-children.ts";
import { linkParents } from "../../topology/link-parents.ts";
import type { ChildUse, DownLink, LinkRefusal, UpLink } from "../../topology/links.ts";
import { REFERENCE_GRANT } from "../world/build-world.ts";
import { linkContext } from "../world/contexts.ts";
import { findUnfollowedLinks } from "../world/find-unfollowed-links.ts";
import { NAMESPACE } from "../world/implied-objects.ts";
import { grantsReadBy, referencesOf, referrersOf, refusalsOf } from "../world/link-indexes.ts";
import { nameLookup } from "../world/name-lookup.ts";
import type { WithLinks, WithObjects } from "../world/world.ts";
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
  const relinked = new Set<ObjectId>();
  const changed = new Set<ObjectId>();
  const named = new Set<ObjectId>();
  const indexes = before.indexLinks();
  const parents = new MapDraft(before.links);
  const children = new MapDraft(before.linkChildren());
  const context = linkContext(tables);
  const [parentsOf, childrenOf] = [linkParents(context), linkChildren(context)];
  const ids: ObjectId[] = [];
  for (const id of objectsToLink(before, changes)) {
    const object = objects.get(id);
    const now = object !== undefined && rulebook.rows.has(object.family.kindId) ? parentsOf(object) : undefined;
    if (now === undefined && !before.links.has(id)) continue;
    parents.set(id, now);
    children.set(id, object === undefined || now === undefined ? undefined : childrenOf(object, now));
    ids.push(id);
  }
  const [links, childLinks] = [parents.build(), children.build()];
  const linked = { rulebook, objects, links, linkChildren: () => childLinks };
  const referrers = new MapDraft(indexes.referrers);
  const labelReaders = new MapDraft(indexes.labelReaders);
  const grantReaders = new MapDraft(indexes.grantReaders);
  for (const id of ids) {
    const [old, now] = [before.links.get(id), links.get(id)];
    const references = [referencesOf(before, id), referencesOf(linked, id)] as const;
    moveId(referrers, id, ...references);
    moveId(labelReaders, id, old?.labelsOf ?? NONE, now?.labelsOf ?? NONE);
    moveId(grantReaders, id, grantsReadBy(before, id), grantsReadBy(linked, id));
    addDifference(
      named,
      references.map((list) => list.filter(isClusterScoped)),
    );
    addDifference(named, [idsOf(old?.impliedParents), idsOf(now?.impliedParents)]);
    if (!hasSameLinks(before, linked, id)) relinked.add(id);
    if (relinked.has(id) || !hasSameRefusals(refusalsOf(before, id), refusalsOf(linked, id))) changed.add(id);
  }
  const updatedIndexes = {
    referrers: referrers.build(),
    labelReaders: labelReaders.build(),
    grantReaders: grantReaders.build(),
  };
  const hasForeign = [...relinked].some((id) => rulebook.isForeign(kindId(parseObjectId(id))));
  const withLinks: WithLinks = {
    ...tables,
    ...linked,
    unfollowed: hasForeign ? findUnfollowedLinks(linked) : before.unfollowed,
    indexLinks: () => updatedIndexes,
    names: nameLookup(linked),
  };
  return { tables: withLinks, relinked, changed, named };
}

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
    if (kind === NAMESPACE && !jsonEqual(labelsOf(old), labelsOf(after))) addAll(idsAt(indexes.labelReaders, ref.name));
    if (kind === REFERENCE_GRANT) addAll(idsAt(indexes.grantReaders, ref.namespace));
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

type Links = Pick<WithLinks, "links" | "linkChildren">;

/** An object without links and an absent object have equal links. */
function hasSameLinks(before: Links, after: Links, id: ObjectId): boolean {
  const [a, b] = [before.links.get(id), after.links.get(id)];
  const [wasUp, isUp] = [a?.up ?? NONE, b?.up ?? NONE];
  const wasDown = before.linkChildren().get(id)?.down ?? NONE;
  const isDown = after.linkChildren().get(id)?.down ?? NONE;
  return (
    wasUp.length === isUp.length &&
    wasDown.length === isDown.length &&
    (a?.absentParents ?? NONE).length > 0 === (b?.absentParents ?? NONE).length > 0 &&
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
