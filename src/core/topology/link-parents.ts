import { isSameList } from "../model/collections/is-same-list.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";
import { addParents } from "./add-parents.ts";
import { newDraft, orNone, type ParentDraft, type ParentLink, unlinkedIn } from "./link-draft.ts";
import type { LinkContext, ParentLinks, UpLink } from "./links.ts";
import { type Listener, listenersOf } from "./listeners-of.ts";

/**
 * Returns a function that computes the links of one object to its parents: by its own references, the rows of the link table,
 * and what the parents allow (listeners, Gateways, ReferenceGrants). It knows rows, not kinds. It is used for many objects of
 * one snapshot, so it reads the listeners of a Gateway once, and objects with equal lists share them.
 */
export function linkParents(context: LinkContext): (object: KubeObject) => ParentLinks {
  const listeners = new Map<string, readonly Listener[]>();
  let lastUp: readonly UpLink[] = [];
  const knownListeners: ParentDraft["listenersOf"] = (owner, { facts }, section) => {
    const key = `${owner.id}#${section}`;
    const known = listeners.get(key) ?? listenersOf(owner, facts, section);
    listeners.set(key, known);
    return known;
  };
  return (object) => {
    const plan = context.rows.get(object.family.kindId);
    if (plan === undefined) return NO_PARENTS;
    const draft: ParentDraft = {
      ...newDraft(object, plan, context),
      listenersOf: knownListeners,
      up: [],
      absentParents: [],
      impliedParents: [],
      labelsRead: false,
    };
    addParents(draft);
    const up = upInOrder(draft.up);
    if (!isSameList(up, lastUp)) lastUp = up;
    return {
      up: lastUp,
      refusals: orNone(draft.refusals),
      absentParents: orNone(draft.absentParents),
      impliedParents: orNone(draft.impliedParents),
      unlinked: unlinkedIn(draft),
      labelsOf: draft.labelsRead ? [draft.namespace] : NONE,
      grantsOf: orNone(draft.grantsOf),
    };
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
