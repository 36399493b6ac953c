/** How a definition orders policies, as data. */

/** A field of a policy, or one of its annotations, by which policies are ordered. */
export interface FieldOrder {
  /** Dotted path in `spec`. Either `path` or `annotation` is set. */
  readonly path?: string;
  readonly annotation?: string;
  /** The words that the field may have, the first one first. Empty: the field is a number, and lower numbers are first. */
  readonly values: readonly string[];
  readonly descending: boolean;
  /** The value that an absent or unreadable one stands for. */
  readonly absent: string;
}

/**
 * `Age`: the older policy first. `Name`: by `namespace/name`. `Level`: the policy on the higher target first. `Reference`, after `Level`: of
 * policies that one object or section names, the one that it names first.
 */
export type OrderKey = "Age" | "Name" | "Level" | "Reference" | FieldOrder;

/** The strategy Accumulate: all policies on a path take effect, in this order. */
export interface Accumulation {
  readonly order: readonly OrderKey[];
  /** Policies with the same value of this field are evaluated together, group by group. */
  readonly groupBy?: FieldOrder;
}

/** True for a word that orders policies as a number, where a definition lists no words. */
export const isNumber = (word: string): boolean => /^-?\d+(\.\d+)?$/.test(word);
