import type { ObjectRef } from "../../core/model/refs.ts";

/** `HTTPRoute/baker#order`, for tables; the namespace only where it is not the one that the row is about. */
export function formatTarget(ref: ObjectRef, sectionName: string | undefined, ownNamespace: string): string {
  const { kind, namespace, name } = ref;
  const where = namespace === "" || namespace === ownNamespace ? "" : `${namespace}/`;
  return `${kind}/${where}${name}${sectionName === undefined ? "" : `#${sectionName}`}`;
}

const SHOWN = 3;

/** `a, b, c +2`: enough to know what it is about. */
export function formatFirst(words: readonly string[], { all }: { readonly all: boolean }): string {
  if (words.length === 0) return "-";
  if (all || words.length <= SHOWN) return words.join(", ");
  return `${words.slice(0, SHOWN).join(", ")} +${words.length - SHOWN}`;
}
