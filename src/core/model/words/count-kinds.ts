import type { GroupKind } from "../refs.ts";

/** `1 AuthPolicy`, `3 AuthPolicies`. */
export const countKind = (count: number, kind: string): string => `${count} ${count === 1 ? kind : pluralKind(kind)}`;

/** `3 AuthPolicies and 1 RateLimitPolicy`. */
export const countKinds = (counts: ReadonlyArray<GroupKind & { readonly count: number }>): string =>
  joinWords(counts.map(({ kind, count }) => countKind(count, kind)));

/** `a, b and c`. */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

function pluralKind(kind: string): string {
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}

/** The text as a sentence, to be followed by another. */
export const endSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
