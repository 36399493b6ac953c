import type { AnnotatedStrategy } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";
import type { KindId, ObjectId } from "../model/refs.ts";

/** The policies on one target that have a part in the fold. A Direct policy has one only if the path ends at its target. */
export interface FoldLevel {
  /** Highest first (`comparePrecedence`), or in the order in which the object or section names them. */
  readonly policies: readonly Policy[];
  /** The index of each policy among the names of the object or section, if their order counts. */
  readonly nameIndexes?: readonly number[];
  /** The strategy that an annotation on the target names. */
  readonly annotated: AnnotatedStrategy | undefined;
  /** The object that the policies target, if an annotation decides between objects only. */
  readonly object?: ObjectId;
  /** True if the policies are replaced where a policy is on a lower level. */
  readonly isSkipped?: true;
  /** The level of the target, if merge rules say that policies there are more specific than others. */
  readonly level?: { readonly kind: KindId; readonly isSection: boolean };
  /** Strategy None: policies for all requests that those of one consumer namespace replace on its requests. */
  readonly replaced?: readonly Policy[];
}
