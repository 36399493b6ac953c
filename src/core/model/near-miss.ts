import { compareText, type KindId } from "./refs.ts";

/** Names (a Kubernetes name has at most 253 characters) beyond this are shown as they are, without a guess. */
const MAX_WORD = 253;
const MAX_DISTANCE = 4;
const ROW = MAX_WORD + MAX_DISTANCE + 1;

/**
 * The candidate that a mistyped word most likely meant, for "did you mean"; none if nothing is near. Of equally near
 * ones the first. Case does not count. Costs a look at the length of most candidates, so that 100,000 do no harm.
 */
export function nearMiss(word: string, candidates: readonly string[]): string | undefined {
  if (word === "" || word.length > MAX_WORD) return undefined;
  const wanted = word.toLowerCase();
  let limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3)));
  const rows = [new Uint16Array(ROW), new Uint16Array(ROW), new Uint16Array(ROW)];
  let best: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = boundedDistance(wanted, candidate.toLowerCase(), limit, rows);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}

/**
 * Damerau and Levenshtein's distance (a swap of neighbours counts once), or some number above `limit`. Only cells
 * within `limit` of the diagonal can matter.
 */
function boundedDistance(a: string, b: string, limit: number, rows: readonly Uint16Array[]): number {
  // Lower case may be longer than the word was.
  if (Math.abs(a.length - b.length) > limit || b.length > MAX_WORD + MAX_DISTANCE) return limit + 1;
  let [older, previous, current] = rows;
  if (older === undefined || previous === undefined || current === undefined) return limit + 1;
  const far = limit + 1;
  for (let column = 0; column <= b.length; column++) previous[column] = Math.min(column, far);
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - limit);
    const to = Math.min(b.length, row + limit);
    let nearest = far;
    current[from - 1] = from === 1 ? Math.min(row, far) : far;
    for (let column = from; column <= to; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      const above = column <= row + limit - 1 ? at(previous, column) : far;
      let cost = Math.min(at(previous, column - 1) + (same ? 0 : 1), above + 1, at(current, column - 1) + 1);
      if (row > 1 && column > 1 && isSwap(a, b, row, column)) cost = Math.min(cost, at(older, column - 2) + 1);
      current[column] = Math.min(cost, far);
      nearest = Math.min(nearest, cost);
    }
    if (nearest > limit) return far;
    [older, previous, current] = [previous, current, older];
  }
  return at(previous, b.length);
}

const at = (row: Uint16Array, column: number): number => row[column] ?? 0;

const isSwap = (a: string, b: string, row: number, column: number): boolean =>
  a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1);

/** The names that a snapshot has; asked only where something was not found. */
export interface NameLookup {
  namesOf(kind: KindId, namespace: string): readonly string[];
  namespacesOf(kind: KindId, name: string): readonly string[];
}

/** The end of "no Service 'bakr' in namespace 'bakery'": `; did you mean 'baker'?`, `; it exists in namespace 'prod'`, or nothing. */
export function suggestName(names: NameLookup, kind: KindId, namespace: string, name: string): string {
  const elsewhere = names.namespacesOf(kind, name).filter((other) => other !== namespace);
  if (elsewhere.length > 0) return `; it exists in ${quoteNamespaces(elsewhere.sort(compareText))}`;
  const near = nearMiss(name, names.namesOf(kind, namespace));
  return near === undefined ? "" : `; did you mean '${near}'?`;
}

const SHOWN = 3;

function quoteNamespaces(namespaces: readonly string[]): string {
  const shown = namespaces.slice(0, SHOWN).map((namespace) => `'${namespace}'`);
  const more = namespaces.length > SHOWN ? ` and ${namespaces.length - SHOWN} more` : "";
  return `${namespaces.length === 1 ? "namespace" : "namespaces"} ${shown.join(", ")}${more}`;
}
