import { isSameList } from "../model/collections/is-same-list.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";
import { addChildren } from "./child-links.ts";
import type { LinkPlan } from "./compile-rows.ts";
import type { LinkDraft, ParentLink } from "./link-draft.ts";
import type { DownLink, LinkContext, ObjectLinks, UpLink } from "./links.ts";
import { type Listener, listenersOf } from "./listeners-of.ts";
import { addParents } from "./parent-links.ts";
import { sectionsOf } from "./sections-of.ts";

/**
 * Returns a function that computes the links of one object: by its own references, the rows of the link table, and what the
 * other side allows (listeners, Gateways, ReferenceGrants). It knows rows, not kinds. It is used for many objects of one
 * snapshot, so it reads the listeners of a Gateway once, and routes with the same parents share one list of links.
 */
export function linkObjects(context: LinkContext): (object: KubeObject) => ObjectLinks {
  const listeners = new Map<string, readonly Listener[]>();
  let lastUp: readonly UpLink[] = [];
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
    const links = linksIn(draft);
    if (isSameList(links.up, lastUp)) return { ...links, up: lastUp };
    lastUp = links.up;
    return links;
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
  labelsOf: new Set(),
  grantsOf: new Set(),
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

function linksIn(draft: LinkDraft): ObjectLinks {
  const named = [...draft.named.values()];
  return {
    up: upInOrder(draft.up),
    down: downInOrder(draft),
    sections: sectionsOf(draft.object, draft.plan.facts).map(({ name }) => name),
    refusals: orNone(draft.refusals),
    absentParents: orNone(draft.absentParents),
    impliedParents: orNone(draft.impliedParents),
    unlinked: orNone(named.filter(({ isParent, uses }) => !isParent && uses.length === 0).map(({ id }) => id)),
    labelsOf: orNone([...draft.labelsOf]),
    grantsOf: orNone([...draft.grantsOf]),
  };
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

function downInOrder({ named }: LinkDraft): readonly DownLink[] {
  const links: DownLink[] = [];
  for (const { id, target, uses } of named.values()) {
    if (uses.length > 0) links.push({ child: id, childKind: target.id, uses });
  }
  return orNone(links.sort((a, b) => compareText(a.child, b.child)));
}
