import { isSameList } from "../model/collections/is-same-list.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, type ObjectId } from "../model/refs.ts";
import { addChildren } from "./child-links.ts";
import type { LinkPlan } from "./compile-rows.ts";
import type { LinkDraft, ParentLink } from "./link-draft.ts";
import type { ChildUse, DownLink, LinkContext, ObjectLinks, UpLink } from "./links.ts";
import { type Listener, listenersOf } from "./listeners-of.ts";
import { addParents } from "./parent-links.ts";
import { sectionsOf } from "./sections-of.ts";

/**
 * Returns a function that computes the links of one object: by its own references, the rows of the link table, and what the
 * other side allows (listeners, Gateways, ReferenceGrants). It knows rows, not kinds. It is used for many objects of one
 * snapshot, so it reads the listeners of a Gateway once, and objects with equal lists share them.
 */
export function linkObjects(context: LinkContext): (object: KubeObject) => ObjectLinks {
  const listeners = new Map<string, readonly Listener[]>();
  let lastUp: readonly UpLink[] = [];
  let lastSections: readonly string[] = [];
  const knownUses = new Map<string, readonly ChildUse[]>();
  const shareUses: ShareUses = (uses) => {
    const key = uses.map(({ sectionIndex, ports }) => `${sectionIndex}:${ports.join()}`).join(" ");
    const known = knownUses.get(key) ?? uses;
    knownUses.set(key, known);
    return known;
  };
  const knownListeners: LinkDraft["listenersOf"] = (owner, { facts }, section) => {
    const key = `${owner.id}#${section}`;
    const known = listeners.get(key) ?? listenersOf(owner, facts, section);
    listeners.set(key, known);
    return known;
  };
  return (object) => {
    const plan = context.rows.get(object.family.kindId);
    if (plan === undefined) return NO_LINKS;
    const draft = newDraft(object, plan, context, knownListeners);
    addParents(draft);
    addChildren(draft);
    const up = upInOrder(draft.up);
    if (!isSameList(up, lastUp)) lastUp = up;
    const sections = sectionsOf(object, plan.facts).map(({ name }) => name);
    if (!isSameList(sections, lastSections)) lastSections = sections;
    return linksIn(draft, lastUp, lastSections, shareUses);
  };
}

const newDraft = (
  object: KubeObject,
  plan: LinkPlan,
  context: LinkContext,
  knownListeners: LinkDraft["listenersOf"],
): LinkDraft => ({
  object,
  namespace: object.family.namespace,
  plan,
  context,
  listenersOf: knownListeners,
  named: new Map(),
  up: [],
  refusals: [],
  absentParents: [],
  impliedParents: [],
  labelsRead: false,
  grantsOf: [],
});

const NONE: readonly never[] = [];

const NO_LINKS: ObjectLinks = {
  up: NONE,
  down: NONE,
  sections: NONE,
  refusals: NONE,
  absentParents: NONE,
  impliedParents: NONE,
  unlinked: NONE,
  labelsOf: NONE,
  grantsOf: NONE,
};

/** One empty list for all: most objects have nothing refused, absent or implied, and links are kept for every object. */
const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** Objects use their children in a few ways, so that equal lists of uses are one list. */
type ShareUses = (uses: readonly ChildUse[]) => readonly ChildUse[];

function linksIn(
  draft: LinkDraft,
  up: readonly UpLink[],
  sections: readonly string[],
  shareUses: ShareUses,
): ObjectLinks {
  return {
    up,
    down: downInOrder(draft, shareUses),
    sections,
    refusals: orNone(draft.refusals),
    absentParents: orNone(draft.absentParents),
    impliedParents: orNone(draft.impliedParents),
    unlinked: unlinkedIn(draft),
    labelsOf: draft.labelsRead ? [draft.namespace] : NONE,
    grantsOf: orNone(draft.grantsOf),
  };
}

function unlinkedIn({ named }: LinkDraft): readonly ObjectId[] {
  const unlinked: ObjectId[] = [];
  for (const { id, isParent, uses } of named.values()) if (!isParent && uses.length === 0) unlinked.push(id);
  return orNone(unlinked);
}

/** Sorted, and two parentRefs that reach one listener give one link. */
function upInOrder(up: readonly ParentLink[]): readonly UpLink[] {
  if (up.length === 0) return NONE;
  const sorted = [...up].sort(byParent);
  return sorted
    .filter((link, index) => index === 0 || byParent(sorted[index - 1] ?? link, link) !== 0)
    .map(({ link }) => link);
}

const byParent = (a: ParentLink, b: ParentLink): number =>
  compareText(a.link.parent, b.link.parent) || a.order - b.order || rank(a.link) - rank(b.link);

const rank = ({ frontend }: UpLink): number => (frontend === true ? 1 : 0);

function downInOrder({ named }: LinkDraft, shareUses: ShareUses): readonly DownLink[] {
  const links: DownLink[] = [];
  for (const { id, target, uses } of named.values()) {
    if (uses.length > 0) links.push({ child: id, childKind: target.id, uses: shareUses(uses) });
  }
  return orNone(links.sort((a, b) => compareText(a.child, b.child)));
}
