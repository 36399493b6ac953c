import type { KindId } from "../refs.ts";
import { DistanceTo, farthestFrom } from "./distance-to.ts";

/**
 * The candidate that a mistyped word most likely meant, for "did you mean"; none if nothing is near. Of equally near
 * ones the first. Case does not count. For lists that are short, or asked once: `SortedNames` is for the others.
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

/** The names that a snapshot has; asked only where something was not found. */
export interface NameLookup {
  /** The name that was most likely meant. */
  nearest(kind: KindId, namespace: string, name: string): string | undefined;
  /** In order. */
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
