import type { Rejection } from "../../attachment/resolved-targets.ts";
import { SortedNames } from "../../model/collections/sorted-names.ts";
import { type KindId, kindId } from "../../model/refs.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import { impliedNamespaces, NAMESPACE, nameLookup } from "../world/lookups.ts";
import type { World } from "../world/world.ts";

type NamedWorld = Pick<World, "objects" | "parents" | "rulebook">;
type Missing = NonNullable<Rejection["missing"]>;

/** The message for people; where nothing of that name exists, with the name they may have meant. */
export function formatRejection(world: NamedWorld, { message, missing }: Rejection): string {
  if (missing === undefined) return message;
  const names = { ...nameLookup(world.objects), nearest: () => nearestTo(world, missing) };
  return `${message}${suggestName(names, missing.kind, missing.namespace, missing.name)}`;
}

/** The name that was most likely meant; of cluster-scoped objects those that are implied have names, too. */
export function nearestTo(world: NamedWorld, { kind, namespace, name }: Missing): string | undefined {
  if (namespace !== "") return nameLookup(world.objects).nearest(kind, namespace, name);
  return clusterNames(world, kind).nearest(name);
}

// Tables are immutable, so what is read off them can be kept as long as they live.
type ClusterNames = Map<KindId, { readonly of: World["objects"]; readonly names: SortedNames }>;
const kept = new WeakMap<World["parents"], ClusterNames>();

function clusterNames(world: NamedWorld, kind: KindId): SortedNames {
  const { objects, parents } = world;
  const byKind: ClusterNames = kept.get(parents) ?? new Map();
  kept.set(parents, byKind);
  const known = byKind.get(kind);
  if (known?.of === objects) return known.names;
  const defined = Array.from(objects.byKind.inOrder(kind), (object) => object.name);
  const names = new SortedNames([...defined, ...impliedNames(world, kind)]);
  byKind.set(kind, { of: objects, names });
  return names;
}

function impliedNames({ objects, parents, rulebook }: NamedWorld, kind: KindId): readonly string[] {
  if (kind === NAMESPACE) return impliedNamespaces(objects);
  const names = new Set<string>();
  for (const plan of [...rulebook.rows.values()].flat()) {
    if (!plan.parentNames.some(({ targets }) => targets.some(({ id }) => id === kind))) continue;
    for (const object of objects.byKind.inOrder(kindId(plan.facts))) {
      for (const parent of parents.of(object)?.impliedParents ?? [])
        if (kindId(parent) === kind) names.add(parent.name);
    }
  }
  return [...names];
}
