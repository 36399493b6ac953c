import { type GroupKind, type ObjectRef, objectId, parseKindId } from "../../model/refs.ts";
import { pluralKind } from "../../model/words/count-kinds.ts";
import { escapePattern } from "../../model/words/escape-pattern.ts";
import { bareKindName, type NameKind, nameAmong, type SharedNames, sharedNames } from "../../model/words/kind-names.ts";
import { virtualKinds } from "../world/implied-objects.ts";
import type { World } from "../world/world.ts";

/** How an answer names kinds: with the group where two kinds of one name are in the input. */
export interface KindNames {
  readonly kindName: NameKind;
  /**
   * A message with these groups. The objects that it names are looked up. For a name that no object has, and for a kind without a name, `about`
   * has the kinds that the message is about: policies are merged with those of their own kind only.
   */
  readonly inText: (text: string, about?: readonly GroupKind[]) => string;
}

export const bareNames: KindNames = { kindName: bareKindName, inText: (text) => text };

/** The names of kinds in answers about these worlds. */
export function kindNamesIn(...worlds: readonly Pick<World, "objects" | "rulebook">[]): KindNames {
  const kinds = worlds.flatMap((world) => [...world.objects.kinds(), ...virtualKinds(world)].map(parseKindId));
  const shared = sharedNames(kinds);
  return shared.size === 0 ? bareNames : { kindName: nameAmong(shared), inText: nameInText(shared, worlds) };
}

/**
 * A kind that has no group yet, and the name of an object of it: `AuthorizationPolicy shop/till`. A quoted kind that a message
 * says the group of (`'Service' in apps`, `'Service' of the core group`) has one.
 */
const mentions = (kinds: Iterable<string>): RegExp =>
  new RegExp(
    `(?<![\\w./-])(${[...kinds].flatMap((kind) => [kind, pluralKind(kind)].map(escapePattern)).join("|")})(?![\\w.(/-]| \\(|' (?:in|of) )(?: (?:([a-z0-9][-a-z0-9.]*)/)?([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?))?`,
    "g",
  );

function nameInText(shared: SharedNames, worlds: readonly Pick<World, "objects">[]): KindNames["inText"] {
  const pattern = mentions(shared.keys());
  const kindOf = new Map(
    [...shared.keys()].flatMap((kind) => [[kind, kind] as const, [pluralKind(kind), kind] as const]),
  );
  const exists = (ref: ObjectRef): boolean => worlds.some(({ objects }) => objects.has(objectId(ref)));
  return (text, about = []) =>
    text.replace(pattern, (mention: string, word: string, namespace: string | undefined, name: string | undefined) => {
      const kind = kindOf.get(word) ?? word;
      const groups = shared.get(kind) ?? [];
      const named = groups.filter(
        (group) => name !== undefined && exists({ group, kind, namespace: namespace ?? "", name }),
      );
      const meant = new Set(about.filter((one) => one.kind === kind).map(({ group }) => group));
      const found = named.filter((group) => named.length === 1 || meant.has(group));
      const [group = "", ...others] = found.length > 0 ? found : meant;
      return group === "" || others.length > 0 ? mention : `${word}.${group}${mention.slice(word.length)}`;
    });
}
