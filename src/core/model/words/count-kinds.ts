import type { GroupKind } from "../refs.ts";
import { bareKindName, type NameKind } from "./kind-names.ts";

/** `1 AuthPolicy`, `3 AuthPolicies`. */
export const countKind = (count: number, kind: string): string => `${count} ${count === 1 ? kind : pluralKind(kind)}`;

/** `3 AuthPolicies and 1 RateLimitPolicy`. */
export const countKinds = (
  counts: ReadonlyArray<GroupKind & { readonly count: number }>,
  nameKind: NameKind = bareKindName,
): string =>
  joinWords(counts.map(({ count, ...one }) => `${countKind(count, one.kind)}${nameKind(one).slice(one.kind.length)}`));

/** `a, b and c`. */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

export function pluralKind(kind: string): string {
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}

/** The text as a sentence, to be followed by another. */
export const endSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
