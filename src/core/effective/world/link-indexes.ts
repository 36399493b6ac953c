import { IdIndexBuilder, idsAt } from "../../model/collections/id-index.ts";
import type { ObjectId } from "../../model/refs.ts";
import type { LinkRefusal } from "../../topology/links.ts";
import type { LinkIndexes, WithLinks } from "./world.ts";

type Links = Pick<WithLinks, "links" | "linkChildren">;

export function buildLinkIndexes({ links, linkChildren }: Links): LinkIndexes {
  const referrers = new IdIndexBuilder<ObjectId, ObjectId>();
  const labelReaders = new IdIndexBuilder<string, ObjectId>();
  const grantReaders = new IdIndexBuilder<string, ObjectId>();
  const all = { links, linkChildren };
  links.forEach(({ labelsOf }, id) => {
    for (const reference of referencesOf(all, id)) referrers.add(reference, id);
    for (const namespace of labelsOf) labelReaders.add(namespace, id);
    for (const namespace of grantsReadBy(all, id)) grantReaders.add(namespace, id);
  });
  return { referrers: referrers.build(), labelReaders: labelReaders.build(), grantReaders: grantReaders.build() };
}

/** The id of every object that an object refers to, whether it exists or not; each once. */
export function referencesOf({ links, linkChildren }: Links, id: ObjectId): readonly ObjectId[] {
  const ids = new Set<ObjectId>();
  const [parents, children] = [links.get(id), linkChildren().get(id)];
  for (const { parent } of parents?.up ?? NONE) ids.add(parent);
  for (const { child } of children?.down ?? NONE) ids.add(child);
  for (const other of parents?.unlinked ?? NONE) ids.add(other);
  for (const other of children?.unlinked ?? NONE) ids.add(other);
  return [...ids];
}

/** The namespaces whose ReferenceGrants the links of an object depend on. A namespace may be there twice. */
export const grantsReadBy = ({ links, linkChildren }: Links, id: ObjectId): readonly string[] =>
  joined(links.get(id)?.grantsOf, linkChildren().get(id)?.grantsOf);

/** The references of an object that are refused: to parents, then to children. */
export const refusalsOf = ({ links, linkChildren }: Links, id: ObjectId): readonly LinkRefusal[] =>
  joined(links.get(id)?.refusals, linkChildren().get(id)?.refusals);

const NONE: readonly never[] = [];

const joined = <T>(a: readonly T[] = NONE, b: readonly T[] = NONE): readonly T[] => (b.length === 0 ? a : [...a, ...b]);

/** The objects that refer to an object as their parent or child, in order, whether the object exists or not. */
export const referrersOf = ({ indexLinks }: Pick<WithLinks, "indexLinks">, id: ObjectId): Iterable<ObjectId> =>
  idsAt(indexLinks().referrers, id);
