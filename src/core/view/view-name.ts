import { guessPlural } from "../explain/kind-words.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { GroupKind, ObjectRef } from "../model/refs.ts";

/** The plural of a kind, as the API server has it. Undefined: it does not serve the kind. */
export type PluralOf = (kind: GroupKind) => string | undefined;

/**
 * The name of the view of an object: `httproute.baker` for kinds of Gateway API and of the core group, `retrypolicies.prevail.dev.friday-fix` for others.
 * It is for people to type. What it is about is in the fields of the view, so nothing needs to take it apart.
 */
export const viewName = (ref: Omit<ObjectRef, "namespace">, pluralOf: PluralOf): string =>
  `${viewPrefix(ref, pluralOf)}.${ref.name}`;

/** The prefix of the names of all views of a kind, without the dot that follows it. */
export function viewPrefix({ group, kind }: GroupKind, pluralOf: PluralOf): string {
  if (group === GATEWAY_API || group === "") return kind.toLowerCase();
  return `${pluralOf({ group, kind }) ?? guessPlural(kind)}.${group}`;
}
