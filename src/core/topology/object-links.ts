import type { KubeObject } from "../model/kube-object.ts";
import { compareText, idOf, type KindId, type ObjectId, type ObjectRef } from "../model/refs.ts";
import { addChildren } from "./child-links.ts";
import { type ChildUse, mergedUses } from "./child-uses.ts";
import { findPlan, type LinkPlan, type RefTarget } from "./compile-rows.ts";
import { idOfNamed, type LinkDraft, type NamedObject } from "./link-draft.ts";
import type {
  DownLink,
  LinkContext,
  LinkNotes,
  LinkRefusal,
  ObjectLinks,
  ParentLinks,
  PlacedLink,
  UpLink,
} from "./links.ts";
import { addParents } from "./parent-links.ts";

const NONE: readonly never[] = [];

const NO_NOTES: LinkNotes = {
  refusals: NONE,
  absentParents: NONE,
  impliedParents: NONE,
  unlinked: NONE,
  labelsOf: NONE,
  grantsOf: NONE,
};

/** As there is one for every object, and hardly one has notes, these are apart. */
class NotedLinks implements ObjectLinks {
  readonly up: readonly UpLink[];
  readonly down: readonly DownLink[];
  readonly sections: readonly string[];
  readonly #notes: LinkNotes;

  constructor(up: readonly UpLink[], down: readonly DownLink[], sections: readonly string[], notes: LinkNotes) {
    this.up = up;
    this.down = down;
    this.sections = sections;
    this.#notes = notes;
  }

  get refusals(): readonly LinkRefusal[] {
    return this.#notes.refusals;
  }
  get absentParents(): readonly ObjectRef[] {
    return this.#notes.absentParents;
  }
  get impliedParents(): readonly ObjectRef[] {
    return this.#notes.impliedParents;
  }
  get unlinked(): readonly ObjectId[] {
    return this.#notes.unlinked;
  }
  get labelsOf(): readonly string[] {
    return this.#notes.labelsOf;
  }
  get grantsOf(): readonly string[] {
    return this.#notes.grantsOf;
  }
}

const NO_LINKS: ObjectLinks = new NotedLinks(NONE, NONE, NONE, NO_NOTES);

/**
 * What objects hang under and what hangs under them, by what they say themselves, by the rows of the link table, and by
 * the consent of the others (listeners, Gateways, ReferenceGrants). Knows no kinds, only rows.
 */
export class ObjectLinker {
  readonly #context: LinkContext;
  #draft: LinkDraft | undefined;

  constructor(context: LinkContext) {
    this.#context = context;
  }

  linksOf(object: KubeObject): ObjectLinks {
    const plan = findPlan(this.#context.rows, object.family);
    if (plan === undefined) return NO_LINKS;
    const draft = this.#draftFor(object, plan);
    addParents(draft);
    addChildren(draft);
    const sections = this.#context.sectionNames.of(object, plan.facts);
    return new NotedLinks(upInOrder(draft), downInOrder(draft), sections, notesOf(draft));
  }

  /** What of them is above the object. */
  parentsOf(object: KubeObject): ParentLinks {
    const plan = findPlan(this.#context.rows, object.family);
    if (plan === undefined) return NO_LINKS;
    const draft = this.#draftFor(object, plan);
    addParents(draft);
    const up = upInOrder(draft);
    const sections = this.#context.sectionNames.of(object, plan.facts);
    const { absentParents, impliedParents, labelsRead, home } = draft;
    if (absentParents !== undefined || impliedParents !== undefined || labelsRead)
      return {
        up,
        sections,
        absentParents: absentParents ?? NONE,
        impliedParents: impliedParents ?? NONE,
        labelsOf: labelsRead ? [home] : NONE,
      };
    // Routes mostly hang where the one before does, and name their rules alike.
    if (this.#lastParents.up !== up || this.#lastParents.sections !== sections)
      this.#lastParents = { up, sections, absentParents: NONE, impliedParents: NONE, labelsOf: NONE };
    return this.#lastParents;
  }
  #lastParents: ParentLinks = NO_LINKS;

  #draftFor(object: KubeObject, plan: LinkPlan): LinkDraft {
    const home = object.family.namespace;
    if (this.#draft === undefined) {
      this.#draft = newDraft(object, home, plan, this.#context);
      return this.#draft;
    }
    const draft = this.#draft;
    draft.object = object;
    draft.home = home;
    draft.plan = plan;
    draft.namedCount = 0;
    draft.upCount = 0;
    draft.refusals = undefined;
    draft.absentParents = undefined;
    draft.impliedParents = undefined;
    draft.labelsRead = false;
    draft.grantsOf = undefined;
    return draft;
  }
}

const newDraft = (object: KubeObject, home: string, plan: LinkPlan, context: LinkContext): LinkDraft => ({
  object,
  home,
  plan,
  context,
  named: [],
  namedCount: 0,
  up: [],
  upCount: 0,
  openTo: undefined,
  refusals: undefined,
  absentParents: undefined,
  impliedParents: undefined,
  labelsRead: false,
  grantsOf: undefined,
});

function notesOf(draft: LinkDraft): LinkNotes {
  const { home, refusals, absentParents, impliedParents, labelsRead, grantsOf } = draft;
  const unlinked = unlinkedFrom(draft);
  const isPlain = refusals === undefined && absentParents === undefined && impliedParents === undefined;
  if (isPlain && unlinked === NONE && !labelsRead && grantsOf === undefined) return NO_NOTES;
  return {
    refusals: refusals ?? NONE,
    absentParents: absentParents ?? NONE,
    impliedParents: impliedParents ?? NONE,
    unlinked,
    labelsOf: labelsRead ? [home] : NONE,
    grantsOf: grantsOf === undefined ? NONE : [...grantsOf],
  };
}

function unlinkedFrom({ named, namedCount }: LinkDraft): readonly ObjectId[] {
  let unlinked: Set<ObjectId> | undefined;
  for (let i = 0; i < namedCount; i++) {
    const one = named[i] as NamedObject;
    if (!one.isParent && one.uses === undefined) unlinked = (unlinked ?? new Set()).add(idOfNamed(one));
  }
  return unlinked === undefined ? NONE : [...unlinked];
}

const linkOf = ({ link }: PlacedLink): UpLink => link;

function upInOrder({ up, upCount, context }: LinkDraft): readonly UpLink[] {
  if (upCount === 0) return NONE;
  const shared = context.sharedUp(up, upCount);
  if (shared !== undefined) return shared;
  const links = distinctInOrder(up.slice(0, upCount));
  context.shareUp(links);
  return links;
}

/** Two parentRefs that reach one listener give one link. */
function distinctInOrder(placed: PlacedLink[]): readonly UpLink[] {
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

function downInOrder({ named, namedCount }: LinkDraft): readonly DownLink[] {
  let count = 0;
  for (let i = 0; i < namedCount; i++) if (named[i]?.uses !== undefined) count++;
  if (count === 0) return NONE;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a list that grows has room to spare, and this is kept for every object
  const links = new Array<ChildLink>(count);
  let at = 0;
  for (let i = 0; i < namedCount; i++) {
    const one = named[i] as NamedObject;
    if (one.uses !== undefined) links[at++] = new ChildLink(one, one.uses.list);
  }
  if (isStrictlyOrdered(links, byChild)) return links;
  links.sort(byChild);
  const merged: ChildLink[] = [];
  for (const link of links) {
    const last = merged.at(-1);
    if (last !== undefined && byChild(last, link) === 0)
      merged[merged.length - 1] = new ChildLink(link, mergedUses(last.uses, link.uses));
    else merged.push(link);
  }
  return merged;
}

/** As there are many, and few are asked for it, the child's id is put together when somebody asks. */
class ChildLink implements DownLink {
  readonly target: RefTarget;
  readonly namespace: string;
  readonly name: string;
  readonly uses: readonly ChildUse[];

  constructor(
    { target, namespace, name }: Pick<NamedObject, "target" | "namespace" | "name">,
    uses: readonly ChildUse[],
  ) {
    this.target = target;
    this.namespace = namespace;
    this.name = name;
    this.uses = uses;
  }

  get child(): ObjectId {
    return idOf(this.target.id, this.namespace, this.name);
  }

  get childKind(): KindId {
    return this.target.id;
  }
}

/** As the ids would be. */
const byChild = (a: ChildLink, b: ChildLink): number =>
  a.target === b.target && a.namespace === b.namespace ? compareText(a.name, b.name) : compareText(a.child, b.child);
