import type { PathNode } from "../../../effective/paths/path-node.ts";
import type { PolicyKind } from "../../../model/definition.ts";
import { objectId } from "../../../model/refs.ts";
import { type HowDraft, rawIn } from "../draft.ts";
import type { HowSearch } from "../search.ts";

const MAX_LENGTH = 63;
const MAX_NUMBER = 1000;

/** A name for a new policy on a node: `baker-order-retry`. */
export function policyName(
  search: HowSearch,
  draft: HowDraft,
  own: PolicyKind,
  namespace: string,
  { name, sectionName }: PathNode,
): string {
  const words = [name, sectionName ?? "", search.settings[0]?.keys[0] ?? ""];
  return freeName(search, draft, { ...own, namespace }, words.join("-"));
}

/** The words as a name that no policy of the kind has; with a number if one has it. */
export function freeName(
  { world }: HowSearch,
  draft: HowDraft,
  { group, kind, namespace }: { readonly group: string; readonly kind: string; readonly namespace: string },
  words: string,
): string {
  const base = plain(plain(words).slice(0, MAX_LENGTH)) || "policy";
  const isFree = (name: string): boolean => {
    const id = objectId({ group, kind, namespace, name });
    return rawIn(world, draft, id) === undefined && !world.refused.has(id);
  };
  for (let number = 1; number < MAX_NUMBER; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (isFree(name)) return name;
  }
  return base;
}

/** Lower case letters, digits and dashes, as names of objects have. */
const plain = (text: string): string =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
