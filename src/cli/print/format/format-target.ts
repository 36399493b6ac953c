import type { ObjectRef } from "../../../core/model/refs.ts";

/** Formats a target for a table: `HTTPRoute/baker#order`. The namespace is added if it differs from that of the row. */
export function formatTarget(ref: ObjectRef, sectionName: string | undefined, ownNamespace: string): string {
  const { kind, namespace, name } = ref;
  const where = namespace === "" || namespace === ownNamespace ? "" : `${namespace}/`;
  return `${kind}/${where}${name}${sectionName === undefined ? "" : `#${sectionName}`}`;
}

/** `bakery/baker`; for a cluster-scoped object its name. */
export const qualifiedName = ({ namespace, name }: ObjectRef): string =>
  namespace === "" ? name : `${namespace}/${name}`;

const SHOWN = 3;

/** Formats the first items of a list and the number of the others: `a, b, c +2`. */
export function formatFirst(words: readonly string[], { all }: { readonly all: boolean }): string {
  if (words.length === 0) return "-";
  if (all || words.length <= SHOWN) return words.join(", ");
  return `${words.slice(0, SHOWN).join(", ")} +${words.length - SHOWN}`;
}
