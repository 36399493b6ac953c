import { IdIndexBuilder, idsAt } from "../../model/collections/id-index.ts";
import type { ObjectId } from "../../model/refs.ts";
import { referencesOf } from "../../topology/links.ts";
import type { LinkIndexes, WithLinks } from "./world.ts";

export function buildLinkIndexes(links: WithLinks["links"]): LinkIndexes {
  const referrers = new IdIndexBuilder<ObjectId, ObjectId>();
  const labelReaders = new IdIndexBuilder<string, ObjectId>();
  const grantReaders = new IdIndexBuilder<string, ObjectId>();
  links.forEach((own, id) => {
    for (const reference of referencesOf(own)) referrers.add(reference, id);
    for (const namespace of own.labelsOf) labelReaders.add(namespace, id);
    for (const namespace of own.grantsOf) grantReaders.add(namespace, id);
  });
  return { referrers: referrers.build(), labelReaders: labelReaders.build(), grantReaders: grantReaders.build() };
}

/** The objects that refer to an object as their parent or child, in order, whether the object exists or not. */
export const referrersOf = ({ indexLinks }: Pick<WithLinks, "indexLinks">, id: ObjectId): Iterable<ObjectId> =>
  idsAt(indexLinks().referrers, id);
