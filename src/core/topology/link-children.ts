import { isSameList } from "../model/collections/is-same-list.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText } from "../model/refs.ts";
import { addChildren } from "./add-children.ts";
import { type ChildDraft, newChildDraft, orNone, unlinkedIn } from "./link-draft.ts";
import type { ChildLinks, ChildUse, DownLink, LinkContext, ParentLinks } from "./links.ts";
import { sectionsOf } from "./sections-of.ts";

/**
 * Returns a function that computes the links of one object to its children. It is used for many objects of one snapshot, so
 * objects with equal lists share them. `parents`: the links of the same object to its parents.
 */
export function linkChildren(context: LinkContext): (object: KubeObject, parents: ParentLinks) => ChildLinks {
  let lastSections: readonly string[] = [];
  const knownUses = new Map<string, readonly ChildUse[]>();
  const shareUses: ShareUses = (uses) => {
    const key = uses.map(({ sectionIndex, ports }) => `${sectionIndex}:${ports.join()}`).join(" ");
    const known = knownUses.get(key) ?? uses;
    knownUses.set(key, known);
    return known;
  };
  return (object, parents) => {
    const plan = context.rows.get(object.family.kindId);
    if (plan === undefined) return NO_CHILDREN;
    const draft = newChildDraft(object, plan, context, parents);
    addChildren(draft);
    const sections = sectionsOf(object, plan.facts).map(({ name }) => name);
    if (!isSameList(sections, lastSections)) lastSections = sections;
    return {
      down: downInOrder(draft, shareUses),
      sections: lastSections,
      refusals: orNone(draft.refusals),
      unlinked: unlinkedIn(draft),
      grantsOf: orNone(draft.grantsOf),
    };
  };
}

const NONE: readonly never[] = [];

const NO_CHILDREN: ChildLinks = { down: NONE, sections: NONE, refusals: NONE, unlinked: NONE, grantsOf: NONE };

/** Objects use their children in a few ways, so that equal lists of uses are one list. */
type ShareUses = (uses: readonly ChildUse[]) => readonly ChildUse[];

function downInOrder({ named }: ChildDraft, shareUses: ShareUses): readonly DownLink[] {
  const links: DownLink[] = [];
  for (const { id, target, uses } of named.values()) {
    if (uses.length > 0) links.push({ child: id, childKind: target.id, uses: shareUses(uses) });
  }
  return orNone(links.sort((a, b) => compareText(a.child, b.child)));
}
