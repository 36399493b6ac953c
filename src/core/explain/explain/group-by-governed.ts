import type { World } from "../../effective/world/world.ts";
import { ownPointerOf } from "../../merge/accumulated-pointer.ts";
import type { Source } from "../../merge/provenance.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import { unescapePointer } from "../../model/json-pointer.ts";
import { kindId } from "../../model/refs.ts";
import { type Governs, governsWords } from "../../model/words/governs-words.ts";
import type { KindExplanation, PathOutcome } from "./result.ts";

/** The kinds of an answer whose settings are about one thing. */
export interface GovernedGroup {
  /** Undefined: definitions do not say what the settings are about. */
  readonly governs: Governs | undefined;
  readonly kinds: readonly GovernedKind[];
}

/** A policy kind, as far as its settings are about one thing. */
export interface GovernedKind {
  readonly kind: KindExplanation;
  readonly includes: (source: Source) => boolean;
  /** The first group that has the kind. Undefined: this one. */
  readonly first: Governs | undefined;
}

/**
 * The kinds of an answer in groups, by what their settings are about. A kind is in each group that has a setting of it, and one without settings
 * in the group of its kind. Undefined if there is one kind, or if definitions say of one thing at most that settings are about it.
 */
export function groupByGoverned(world: World, kinds: readonly KindExplanation[]): readonly GovernedGroup[] | undefined {
  if (kinds.length < 2) return undefined;
  const groups = new Map<Governs | undefined, GovernedKind[]>();
  for (const kind of kinds) {
    const definition = world.rulebook.byPolicyKind.get(kindId(kind.policyKind))?.definition;
    const wordOf = (source: Source): Governs | undefined =>
      definition === undefined ? undefined : governsAt(definition, pointerOf(world, definition, source));
    const found = new Set(kind.outcomes.flatMap(sourcesOf).map(wordOf));
    const words = found.size === 0 ? [definition?.governs] : ORDER.filter((word) => found.has(word));
    for (const governs of words) {
      const first = governs === words[0] ? undefined : words[0];
      const member: GovernedKind = { kind, includes: (source) => wordOf(source) === governs, first };
      groups.set(governs, [...(groups.get(governs) ?? []), member]);
    }
  }
  if ([...groups.keys()].filter((governs) => governs !== undefined).length < 2) return undefined;
  return ORDER.flatMap((governs) => {
    const members = groups.get(governs);
    return members === undefined ? [] : [{ governs, kinds: members }];
  });
}

/** Settings of which nothing is declared are last. */
const ORDER: readonly (Governs | undefined)[] = [...governsWords, undefined];

export const sourcesOf = ({ sources, fields }: PathOutcome): readonly Source[] => [
  ...sources,
  ...fields.flatMap((field) => field.sources),
];

function pointerOf({ policies }: World, definition: PolicyDefinition, { policy, pointer }: Source): string {
  const record = policy === null ? undefined : policies.get(policy);
  return record === undefined ? pointer : ownPointerOf(definition, record.object, pointer);
}

/** The subject of the setting at a pointer of the spec proper: by the longest path at or above it, else as the kind says. */
function governsAt({ governs, governsPaths = [], parts = [] }: PolicyDefinition, pointer: string): Governs | undefined {
  const tokens = pointer.split("/").slice(1).map(unescapePointer);
  let best: { readonly governs: Governs | undefined; readonly length: number } = { governs, length: 0 };
  for (const { governs: word, paths } of [...governsPaths, ...parts]) {
    if (word === undefined) continue;
    for (const keys of paths.map((path) => path.split("."))) {
      const isAbove = keys.every((key, at) => key === tokens[at] || (key === "*" && at < tokens.length));
      if (isAbove && keys.length > best.length) best = { governs: word, length: keys.length };
    }
  }
  return best.governs;
}
