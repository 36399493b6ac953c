import type { ReviewedUser } from "../../adapters/cluster/client/reviews.ts";
import { type GroupKind, type KindId, type ObjectId, parseKindId, splitId } from "../../core/model/refs.ts";
import type { Viewer } from "../../core/view/view-context.ts";
import type { PluralOf } from "../../core/view/view-name.ts";
import { VIEW_GROUP } from "../../core/view/view-resources.ts";
import type { AccessReviews } from "./access-reviews.ts";

/** The rights that a view depends on. */
export interface ViewSubjects {
  readonly objects: ReadonlySet<ObjectId>;
  readonly namespaces: ReadonlySet<string>;
}

/** Asks what the user may read: kind by kind over all namespaces, then in each namespace where that is refused. */
export async function viewerFor(
  { objects, namespaces }: ViewSubjects,
  user: ReviewedUser,
  reviews: AccessReviews,
  pluralOf: PluralOf,
): Promise<Viewer> {
  const scopes = new Map<KindId, Set<string>>();
  for (const id of objects) {
    const { kind, namespace } = splitId(id);
    const found = scopes.get(kind) ?? new Set();
    scopes.set(kind, found);
    found.add(namespace);
  }
  const readable = new Map<KindId, ReadonlySet<string>>();
  for (const [kind, wanted] of scopes)
    readable.set(kind, await readableIn(resourceOf(parseKindId(kind), pluralOf), wanted, user, reviews));
  const seen = await readableIn({ group: VIEW_GROUP, resource: "effectivepolicies" }, namespaces, user, reviews);
  return {
    mayRead: (id) => {
      const { kind, namespace } = splitId(id);
      return readable.get(kind)?.has(namespace) === true;
    },
    maySee: (namespace) => seen.has(namespace),
  };
}

/** True if the user may get objects of the kind in the namespace. */
export async function mayGet(
  kind: GroupKind,
  namespace: string,
  user: ReviewedUser,
  reviews: AccessReviews,
  pluralOf: PluralOf,
): Promise<boolean> {
  const resource = resourceOf({ group: kind.group, kind: kind.kind }, pluralOf);
  return (await readableIn(resource, new Set([namespace]), user, reviews)).has(namespace);
}

interface NamedResource {
  readonly group: string;
  readonly resource: string;
}

/** Undefined: the API server does not serve the kind, so there is no right to it. */
function resourceOf(kind: GroupKind, pluralOf: PluralOf): NamedResource | undefined {
  const resource = pluralOf(kind);
  return resource === undefined ? undefined : { group: kind.group, resource };
}

/** The largest number of namespaces that are asked about one by one; the others count as forbidden. */
const MAX_NAMESPACES = 500;
/** Requests at a time. */
const AT_ONCE = 10;

async function readableIn(
  named: NamedResource | undefined,
  namespaces: ReadonlySet<string>,
  user: ReviewedUser,
  reviews: AccessReviews,
): Promise<ReadonlySet<string>> {
  if (named === undefined) return new Set();
  const isAllowed = (namespace?: string): Promise<boolean> =>
    reviews.isAllowed(user, { verb: "get", ...named, namespace });
  if (await isAllowed()) return namespaces;
  const found = new Set<string>();
  const wanted = [...namespaces].filter((namespace) => namespace !== "").slice(0, MAX_NAMESPACES);
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE);
    const allowed = await Promise.all(some.map(isAllowed));
    some.forEach((namespace, index) => {
      if (allowed[index] === true) found.add(namespace);
    });
  }
  return found;
}
