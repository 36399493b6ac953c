/** The links after a change: those of objects that changed, and of objects whose links rest on them. */
import { targetsNamed } from "../../attachment/resolved-targets.ts";
import { forEachId } from "../../model/collections/id-set.ts";
import { isSameList } from "../../model/collections/is-same-list.ts";
import { once } from "../../model/collections/once.ts";
import { jsonEqual } from "../../model/json.ts";
import { labelsOf } from "../../model/labels-of.ts";
import { kindId, type ObjectId, type ObjectRef, objectId, type PolicyId } from "../../model/refs.ts";
import type { ChildUse } from "../../topology/child-uses.ts";
import { findPlan } from "../../topology/compile-rows.ts";
import { type DownLink, mentionsOf, type ObjectLinks, type UpLink } from "../../topology/links.ts";
import { ObjectLinker } from "../../topology/object-links.ts";
import { REFERENCE_GRANT } from "../world/build-world.ts";
import { linkContext } from "../world/lookups.ts";
import { memberTest } from "../world/member-test.ts";
import type { World } from "../world/world.ts";
import type { ObjectChange } from "./object-changes.ts";
import { reindexed } from "./reindexed.ts";

const NAMESPACE = kindId({ group: "", kind: "Namespace" });
const NONE: readonly never[] = [];

type LinkTables = Pick<World, "parents" | "links" | "mentionedBy" | "labelReaders" | "grantReaders">;

export interface UpdatedLinks extends LinkTables {
  /** Objects that hang under others, or have others under them, than before. */
  readonly relinked: ReadonlySet<ObjectId>;
  /** They, and those that hear another reason why not. */
  readonly answeredAnew: ReadonlySet<ObjectId>;
  /** Cluster-scoped objects that somebody names now, or no longer: whether they are implied may have changed. */
  readonly named: ReadonlySet<ObjectId>;
}

/** `world`: with the objects as they are now, and the links as they were. */
export function updateLinks(world: World, changes: readonly ObjectChange[]): UpdatedLinks {
  // Most changes of policies touch no link.
  const linker = once(() => new ObjectLinker(linkContext(world)));
  const relinked = new Set<ObjectId>();
  const answeredAnew = new Set<ObjectId>();
  const named = new Set<ObjectId>();
  let { parents, links, mentionedBy, labelReaders, grantReaders } = world;
  for (const id of linkersOf(world, changes)) {
    const object = world.objects.byId.get(id);
    const before = links.get(id);
    const hasPlan = object !== undefined && findPlan(world.rulebook.rows, object.family) !== undefined;
    const after = hasPlan ? linker().linksOf(object) : undefined;
    if (before === undefined && after === undefined) continue;
    links = after === undefined ? links.without(id) : links.with(id, after);
    parents = after === undefined ? parents.without(id) : parents.with(id, after);
    if (!leadsTheSameWay(before, after)) relinked.add(id);
    if (relinked.has(id) || !isRefusedAlike(before, after)) answeredAnew.add(id);
    const mentions = [namedIn(before), withTargets(world, id, namedIn(after))] as const;
    mentionedBy = reindexed(mentionedBy, id, ...mentions);
    noteNamed(mentions, named);
    noteImplied(before?.impliedParents ?? NONE, after?.impliedParents ?? NONE, named);
    labelReaders = reindexed(labelReaders, id, before?.labelsOf ?? NONE, after?.labelsOf ?? NONE);
    grantReaders = reindexed(grantReaders, id, before?.grantsOf ?? NONE, after?.grantsOf ?? NONE);
  }
  return { parents, links, mentionedBy, labelReaders, grantReaders, relinked, answeredAnew, named };
}

const namedIn = (links: ObjectLinks | undefined): readonly ObjectId[] =>
  links === undefined ? NONE : mentionsOf(links);

/** A kind may be linked and a policy at once: what its targets name stays named. */
function withTargets(world: World, id: ObjectId, mentions: readonly ObjectId[]): readonly ObjectId[] {
  const policy = world.policies.get(id as PolicyId);
  return policy === undefined ? mentions : [...new Set([...mentions, ...targetsNamed(policy.targets)])];
}

function noteNamed([before, after]: readonly [readonly ObjectId[], readonly ObjectId[]], named: Set<ObjectId>): void {
  const isClusterScoped = (id: ObjectId): boolean => id.includes("//");
  const [was, is] = [memberTest(before), memberTest(after)];
  for (const id of before) if (isClusterScoped(id) && !is(id)) named.add(id);
  for (const id of after) if (isClusterScoped(id) && !was(id)) named.add(id);
}

/** What an object hangs under by its bare name, and named otherwise before, or the other way round. */
function noteImplied(before: readonly ObjectRef[], after: readonly ObjectRef[], named: Set<ObjectId>): void {
  if (before.length === 0 && after.length === 0) return;
  const [was, is] = [before.map(objectId), after.map(objectId)];
  for (const id of was) if (!is.includes(id)) named.add(id);
  for (const id of is) if (!was.includes(id)) named.add(id);
}

/** Whose links may differ now. */
function linkersOf(world: World, changes: readonly ObjectChange[]): ReadonlySet<ObjectId> {
  const linkers = new Set<ObjectId>();
  const add = (id: ObjectId): void => void linkers.add(id);
  for (const { id, ref, before, after, isPresence, isQuiet } of changes) {
    if (isQuiet) continue;
    linkers.add(id);
    const kind = kindId(ref);
    if (isPresence || world.rulebook.isParentByRef(kind)) forEachId(world.mentionedBy.get(id), add);
    else forEachId(world.mentionedBy.get(id), (other) => asksAsParent(world, other, id) && linkers.add(other));
    if (kind === NAMESPACE && !jsonEqual(labelsOf(before), labelsOf(after))) {
      forEachId(world.labelReaders.get(ref.name), add);
    }
    if (kind === REFERENCE_GRANT) forEachId(world.grantReaders.get(ref.namespace), add);
  }
  return linkers;
}

/** Whether the object names the other as its parent, heard or not: a child's content has no say in a link to it. */
function asksAsParent(world: World, id: ObjectId, other: ObjectId): boolean {
  const links = world.links.get(id);
  if (links === undefined) return false;
  return (
    links.up.some(({ parent }) => parent === other) ||
    links.refusals.some(({ parent }) => parent !== undefined && objectId(parent) === other)
  );
}

function leadsTheSameWay(a: ObjectLinks | undefined, b: ObjectLinks | undefined): boolean {
  if (a === undefined || b === undefined) return isAlone(a ?? b);
  return (
    a.up.length === b.up.length &&
    a.down.length === b.down.length &&
    a.absentParents.length > 0 === b.absentParents.length > 0 &&
    a.up.every((link, i) => isSameUp(link, b.up[i])) &&
    a.down.every((link, i) => isSameDown(link, b.down[i]))
  );
}

function isRefusedAlike(a: ObjectLinks | undefined, b: ObjectLinks | undefined): boolean {
  const was = a?.refusals ?? NONE;
  const is = b?.refusals ?? NONE;
  return (
    was.length === is.length && was.every(({ field, reason }, i) => field === is[i]?.field && reason === is[i].reason)
  );
}

const isAlone = (links: ObjectLinks | undefined): boolean =>
  links === undefined || (links.up.length === 0 && links.down.length === 0 && links.absentParents.length === 0);

const isSameUp = (a: UpLink, b: UpLink | undefined): boolean =>
  a.parent === b?.parent && a.section === b.section && a.frontend === b.frontend;

const isSameDown = (a: DownLink, b: DownLink | undefined): boolean =>
  a.child === b?.child &&
  (a.uses === b.uses || (a.uses.length === b.uses.length && a.uses.every((use, i) => isSameUse(use, b.uses[i]))));

const isSameUse = (a: ChildUse, b: ChildUse | undefined): boolean =>
  a.sectionIndex === b?.sectionIndex && isSameList(a.ports, b.ports);
