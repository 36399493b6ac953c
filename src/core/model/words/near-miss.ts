import type { KindId } from "../refs.ts";
import { DistanceTo, farthestFrom } from "./distance-to.ts";

/**
 * The candidate nearest to a mistyped word, the first of equally near ones; undefined if none is near. Case does not count.
 * Looks at each candidate; `SortedNames` is for long lists that are searched often.
 */
export function nearMiss(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let limit = farthestFrom(wanted);
  if (limit === undefined) return undefined;
  const distance = new DistanceTo(wanted);
  distance.setLimit(limit);
  let best: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const found = distance.of(candidate.toLowerCase());
    if (found > limit) continue;
    best = candidate;
    limit = found - 1;
    if (limit < 0) break;
    distance.setLimit(limit);
  }
  return best;
}

/** The names of the objects of a snapshot, for suggestions. */
export interface NameLookup {
  /** The nearest name of that kind and namespace. */
  nearest(kind: KindId, namespace: string, name: string): string | undefined;
  /** The namespaces with an object of that kind and name, sorted. */
  namespacesOf(kind: KindId, name: string): readonly string[];
}

/** The end of "no Service 'bakr' in namespace 'bakery'": `; did you mean 'baker'?`, `; it exists in namespace 'prod'`, or nothing. */
export function suggestName(names: NameLookup, kind: KindId, namespace: string, name: string): string {
  const elsewhere = names.namespacesOf(kind, name).filter((other) => other !== namespace);
  if (elsewhere.length > 0) return `; it exists in ${quoteNamespaces(elsewhere)}`;
  const near = names.nearest(kind, namespace, name);
  return near === undefined ? "" : `; did you mean '${near}'?`;
}

const SHOWN = 3;

function quoteNamespaces(namespaces: readonly string[]): string {
  const shown = namespaces.slice(0, SHOWN).map((namespace) => `'${namespace}'`);
  const more = namespaces.length > SHOWN ? ` and ${namespaces.length - SHOWN} more` : "";
  return `${namespaces.length === 1 ? "namespace" : "namespaces"} ${shown.join(", ")}${more}`;
}
