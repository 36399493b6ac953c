import { isSameList } from "../model/collections/is-same-list.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";
import { addParents } from "./add-parents.ts";
import { newParentDraft, orNone, type ParentDraft, type ParentLink, unlinkedIn } from "./link-draft.ts";
import type { LinkContext, ParentLinks, UpLink } from "./links.ts";
import { type Listener, listenersOf } from "./listeners-of.ts";

/**
 * Returns a function that computes the links of one object to its parents: by its own references, the rows of the link table,
 * and what the parents allow (listeners, Gateways, ReferenceGrants). It knows rows, not kinds. It is used for many objects of
 * one snapshot, so it reads the listeners of a Gateway once, and adjacent objects with equal links share them.
 */
export function linkParents(context: LinkContext): (object: KubeObject) => ParentLinks {
  const listeners = new Map<KubeObject, Map<string, readonly Listener[]>>();
  const knownListeners: ParentDraft["listenersOf"] = (owner, { facts }, section) => {
    const ofOwner = listeners.get(owner) ?? new Map<string, readonly Listener[]>();
    listeners.set(owner, ofOwner);
    const known = ofOwner.get(section) ?? listenersOf(owner, facts, section);
    ofOwner.set(section, known);
    return known;
  };
  let last = NO_PARENTS;
  return (object) => {
    const plan = context.rows.get(object.family.kindId);
    if (plan === undefined) return NO_PARENTS;
    const draft = newParentDraft(object, plan, context, knownListeners);
    addParents(draft);
    const links = linksIn(draft);
    if (!areSameLinks(links, last)) last = links;
    return last;
  };
}

const NONE: readonly never[] = [];

const NO_PARENTS: ParentLinks = {
  up: NONE,
  refusals: NONE,
  absentParents: NONE,
  impliedParents: NONE,
  unlinked: NONE,
  labelsOf: NONE,
  grantsOf: NONE,
};

const linksIn = (draft: ParentDraft): ParentLinks => ({
  up: upInOrder(draft.up),
  refusals: orNone(draft.refusals),
  absentParents: orNone(draft.absentParents),
  impliedParents: orNone(draft.impliedParents),
  unlinked: unlinkedIn(draft),
  labelsOf: draft.labelsRead ? [draft.namespace] : NONE,
  grantsOf: orNone(draft.grantsOf),
});

/** References that give no link are described by new records, so only links without any are recognised as equal. */
const areSameLinks = (a: ParentLinks, b: ParentLinks): boolean =>
  isSameList(a.up, b.up) &&
  a.refusals === b.refusals &&
  a.absentParents === b.absentParents &&
  a.impliedParents === b.impliedParents &&
  isSameList(a.unlinked, b.unlinked) &&
  isSameList(a.labelsOf, b.labelsOf) &&
  isSameList(a.grantsOf, b.grantsOf);

/** Sorted, and two parentRefs that reach one listener give one link. */
function upInOrder(up: readonly ParentLink[]): readonly UpLink[] {
  if (up.length === 0) return NONE;
  if (isInOrder(up)) return up.map(({ link }) => link);
  const sorted = [...up].sort(byParent);
  return sorted
    .filter((link, index) => index === 0 || byParent(sorted[index - 1] ?? link, link) !== 0)
    .map(({ link }) => link);
}

function isInOrder(up: readonly ParentLink[]): boolean {
  for (let i = 1; i < up.length; i++) if (byParent(up[i - 1] as ParentLink, up[i] as ParentLink) >= 0) return false;
  return true;
}

const byParent = (a: ParentLink, b: ParentLink): number =>
  compareText(a.link.parent, b.link.parent) || a.order - b.order || rank(a.link) - rank(b.link);

const rank = ({ frontend }: UpLink): number => (frontend === true ? 1 : 0);
