import { IdIndexBuilder, idsAt } from "../../model/collections/id-index.ts";
import { kinds } from "../../model/kinds.ts";
import { kindId, type ObjectId, splitId } from "../../model/refs.ts";
import type { ChildLinks, LinkRefusal, ParentLinks } from "../../topology/links.ts";
import type { ChildIndexes, LinkIndexes, WithLinks } from "./world.ts";

export function buildLinkIndexes(links: WithLinks["links"]): LinkIndexes {
  const referrers = new IdIndexBuilder<ObjectId, ObjectId>();
  const labelReaders = new IdIndexBuilder<string, ObjectId>();
  const grantReaders = new IdIndexBuilder<string, ObjectId>();
  links.forEach((own, id) => {
    for (const parent of parentsNamedIn(own)) referrers.add(parent, id);
    for (const namespace of own.labelsOf) labelReaders.add(namespace, id);
    for (const namespace of own.grantsOf) grantReaders.add(namespace, id);
  });
  return { referrers: referrers.build(), labelReaders: labelReaders.build(), grantReaders: grantReaders.build() };
}

export function buildChildIndexes(childLinks: ReturnType<WithLinks["linkChildren"]>): ChildIndexes {
  const referrers = new IdIndexBuilder<ObjectId, ObjectId>();
  const grantReaders = new IdIndexBuilder<string, ObjectId>();
  childLinks.forEach((own, id) => {
    for (const child of childrenNamedIn(own)) referrers.add(child, id);
    for (const namespace of own.grantsOf) grantReaders.add(namespace, id);
  });
  return { referrers: referrers.build(), grantReaders: grantReaders.build() };
}

/** Every object that is named as a parent, whether it exists or not; each once. */
export const parentsNamedIn = (links: ParentLinks | undefined): readonly ObjectId[] =>
  links === undefined ? NONE : [...new Set([...links.up.map(({ parent }) => parent), ...links.unlinked])];

/** Every object that is named as a child, whether it exists or not; each once. */
export const childrenNamedIn = (links: ChildLinks | undefined): readonly ObjectId[] =>
  links === undefined ? NONE : [...new Set([...links.down.map(({ child }) => child), ...links.unlinked])];

/** The references of an object that are refused: to parents, then to children. */
export const refusalsOf = (
  { links, childLinksOf }: Pick<WithLinks, "links" | "childLinksOf">,
  id: ObjectId,
): readonly LinkRefusal[] => joinRefusals(links.get(id), childLinksOf(id));

export function joinRefusals(
  parents: ParentLinks | undefined,
  children: ChildLinks | undefined,
): readonly LinkRefusal[] {
  const [up, down] = [parents?.refusals ?? NONE, children?.refusals ?? NONE];
  return down.length === 0 ? up : [...up, ...down];
}

const NONE: readonly never[] = [];

/** The objects that refer to an object as their parent, in order, whether the object exists or not. */
export const referrersToParent = ({ indexLinks }: Pick<WithLinks, "indexLinks">, id: ObjectId): Iterable<ObjectId> =>
  idsAt(indexLinks().referrers, id);

/** The objects other than routes that refer to an object as their parent, in order. Most are routes, of which there may be thousands. */
export const otherReferrersToParent = (
  { indexLinks }: Pick<WithLinks, "indexLinks">,
  id: ObjectId,
): Iterable<ObjectId> => idsAt(indexLinks().referrers, id).outside(ROUTE_PREFIXES);

const ROUTE_PREFIXES = kinds.filter(({ route }) => route !== undefined).map((kind) => `${kindId(kind)}/`);

/** The objects that refer to an object as their child, in order, whether the object exists or not. */
export const referrersToChild = (
  { indexChildren, rulebook }: Pick<WithLinks, "indexChildren" | "rulebook">,
  id: ObjectId,
): Iterable<ObjectId> => (rulebook.isChildByRef(splitId(id).kind) ? idsAt(indexChildren().referrers, id) : NONE);

/** The objects that refer to an object as their parent or child, in order, whether the object exists or not. */
export function referrersOf(
  tables: Pick<WithLinks, "indexLinks" | "indexChildren" | "rulebook">,
  id: ObjectId,
): Iterable<ObjectId> {
  const [toParent, toChild] = [referrersToParent(tables, id), referrersToChild(tables, id)];
  if (toChild === NONE) return toParent;
  const [first] = toParent;
  return first === undefined ? toChild : [...new Set([...toParent, ...toChild])].sort();
}
