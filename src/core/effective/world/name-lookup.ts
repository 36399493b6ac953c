import { NAMESPACE } from "../../model/kinds.ts";
import { compareText, type KindId, kindId } from "../../model/refs.ts";
import type { NameLookup } from "../../model/words/near-miss.ts";
import { SortedNames } from "../../model/words/sorted-names.ts";
import { impliedNamespaces } from "./implied-objects.ts";
import type { WithLinks } from "./world.ts";

type Tables = Pick<WithLinks, "rulebook" | "objects" | "links">;

/** The largest number of names that are looked up in each namespace. For more, an index of all names of the kind takes less time. */
const FEW = 16;

/** The names of all objects, for messages about a name that does not exist. An index is made when a kind is looked up in a namespace, or often. */
export function nameLookup(tables: Tables): NameLookup {
  const sorted = new Map<string, SortedNames>();
  const lookups = new Map<KindId, number>();
  const namespaces = new Map<KindId, ReadonlyMap<string, readonly string[]>>();
  return {
    nearest: (kind, namespace, name) => {
      const key = `${kind}/${namespace}`;
      const names = sorted.get(key) ?? new SortedNames(namesIn(tables, kind, namespace));
      sorted.set(key, names);
      return names.nearest(name);
    },
    namespacesOf: (kind, name) => {
      const asked = (lookups.get(kind) ?? 0) + 1;
      lookups.set(kind, asked);
      if (asked <= FEW) return namespacesWith(tables, kind, name);
      const byName = namespaces.get(kind) ?? namespacesByName(tables, kind);
      namespaces.set(kind, byName);
      return byName.get(name) ?? [];
    },
  };
}

function namesIn(tables: Tables, kind: KindId, namespace: string): readonly string[] {
  const defined = tables.objects.inNamespace(kind, namespace).map(({ name }) => name);
  return namespace === "" ? [...defined, ...impliedNames(tables, kind)] : defined;
}

/** The names of cluster-scoped objects that no document defines. */
function impliedNames({ objects, links, rulebook }: Tables, kind: KindId): readonly string[] {
  if (kind === NAMESPACE) return impliedNamespaces(objects);
  const names = new Set<string>();
  for (const plan of rulebook.rows.values()) {
    if (!plan.parentNames.some(({ targets }) => targets.some(({ id }) => id === kind))) continue;
    for (const object of objects.ofKind(kindId(plan.facts))) {
      for (const parent of links.get(object.id)?.impliedParents ?? [])
        if (kindId(parent) === kind) names.add(parent.name);
    }
  }
  return [...names];
}

/** The namespaces of one name, in order. */
const namespacesWith = ({ objects }: Tables, kind: KindId, name: string): readonly string[] =>
  objects
    .namespacesOfKind(kind)
    .filter((namespace) => objects.find(kind, namespace, name) !== undefined)
    .toSorted(compareText);

/** The namespaces of each name, in order. */
function namespacesByName({ objects }: Tables, kind: KindId): ReadonlyMap<string, readonly string[]> {
  const namespaces = new Map<string, string[]>();
  for (const { name, family } of objects.ofKind(kind)) {
    const known = namespaces.get(name);
    if (known === undefined) namespaces.set(name, [family.namespace]);
    else known.push(family.namespace);
  }
  for (const known of namespaces.values()) known.sort(compareText);
  return namespaces;
}
