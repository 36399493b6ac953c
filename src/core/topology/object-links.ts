import type { KubeObject } from "../model/kube-object.ts";
import { compareText, type ObjectId } from "../model/refs.ts";
import { addChildren } from "./child-links.ts";
import { findPlan } from "./compile-rows.ts";
import type { LinkDraft, PlacedLink } from "./link-draft.ts";
import type { DownLink, LinkContext, ObjectLinks, UpLink } from "./links.ts";
import { addParents } from "./parent-links.ts";

const NONE: readonly never[] = [];

const NO_LINKS: ObjectLinks = {
  up: NONE,
  down: NONE,
  refusals: NONE,
  absentParents: NONE,
  impliedParents: NONE,
  mentions: NONE,
  labelsOf: NONE,
  grantsOf: NONE,
};

/**
 * What an object hangs under and what hangs under it, by what it says itself, by the rows of the link table, and by the
 * consent of the others (listeners, Gateways, ReferenceGrants). Knows no kinds, only rows.
 */
export function objectLinks(object: KubeObject, context: LinkContext): ObjectLinks {
  const plan = findPlan(context.rows, object.ref);
  if (plan === undefined) return NO_LINKS;
  const draft: LinkDraft = {
    object,
    plan,
    context,
    named: [],
    up: [],
    down: [],
    moreMentions: undefined,
    refusals: undefined,
    absentParents: undefined,
    impliedParents: undefined,
    labelsRead: false,
    grantsOf: undefined,
  };
  addParents(draft);
  addChildren(draft);
  return {
    up: context.shareUp(upInOrder(draft.up)),
    down: downInOrder(draft.down),
    refusals: draft.refusals ?? NONE,
    absentParents: draft.absentParents ?? NONE,
    impliedParents: draft.impliedParents ?? NONE,
    mentions: mentionsIn(draft),
    labelsOf: draft.labelsRead ? [object.ref.namespace] : NONE,
    grantsOf: draft.grantsOf === undefined ? NONE : [...draft.grantsOf],
  };
}

// A list that grew by pushes has room to spare; what is kept for every object is cut to size.
const cut = <T>(items: readonly T[]): readonly T[] => (items.length === 0 ? NONE : items.slice());

function mentionsIn({ named, moreMentions }: LinkDraft): readonly ObjectId[] {
  const first = named.map(({ id }) => id);
  return moreMentions === undefined ? first : [...new Set([...first, ...moreMentions])];
}

const linkOf = ({ link }: PlacedLink): UpLink => link;

/** Two parentRefs that reach one listener give one link. */
function upInOrder(placed: PlacedLink[]): readonly UpLink[] {
  if (placed.length === 0) return NONE;
  if (isStrictlyOrdered(placed, byParent)) return placed.map(linkOf);
  placed.sort(byParent);
  return placed.filter((next, index) => index === 0 || byParent(placed[index - 1] ?? next, next) !== 0).map(linkOf);
}

function isStrictlyOrdered<T>(items: readonly T[], compare: (a: T, b: T) => number): boolean {
  let before: T | undefined;
  for (const item of items) {
    if (before !== undefined && compare(before, item) >= 0) return false;
    before = item;
  }
  return true;
}

const byParent = (a: PlacedLink, b: PlacedLink): number =>
  compareText(a.link.parent, b.link.parent) || a.order - b.order || rank(a.link) - rank(b.link);

const rank = ({ frontend }: UpLink): number => (frontend === true ? 1 : 0);

/** Two references of a section to one child give one link that has the ports of both. */
function downInOrder(links: DownLink[]): readonly DownLink[] {
  if (isStrictlyOrdered(links, byChild)) return cut(links);
  links.sort(byChild);
  const merged: DownLink[] = [];
  for (let start = 0, end = 0; start < links.length; start = end) {
    const first = links[start];
    if (first === undefined) break;
    const ports = new Set(first.ports);
    for (end = start + 1; end < links.length; end++) {
      const next = links[end];
      if (next === undefined || byChild(first, next) !== 0) break;
      for (const port of next.ports) ports.add(port);
    }
    merged.push(end === start + 1 ? first : { ...first, ports: [...ports].sort((a, b) => a - b) });
  }
  return merged;
}

const byChild = (a: DownLink, b: DownLink): number => a.sectionIndex - b.sectionIndex || compareText(a.child, b.child);
