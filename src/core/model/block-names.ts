import type { MergeRules, ReservedWords } from "./definition.ts";

/**
 * Names of the blocks
 *
 * The policy attachment reference names the blocks `default` and `override`, other documents `defaults` and `overrides`. Both
 * spellings are read; a policy uses one of them for each block.
 * Policy attachment reference, "Hierarchy"
 */
export const BLOCK_SPELLINGS: {
  readonly defaults: readonly [string, string];
  readonly overrides: readonly [string, string];
} = { defaults: ["defaults", "default"], overrides: ["overrides", "override"] };

/** The fields that are not settings, where a definition does not name others (RFC 9). */
const WORDS: ReservedWords = { ...BLOCK_SPELLINGS, when: ["when"], remove: ["remove", "unset"] };

/** The names of the fields that are not settings, in policies of a kind. */
export const wordsOf = ({ words }: Pick<MergeRules, "words">): ReservedWords => words ?? WORDS;

/** The names of the blocks, in policies of a kind. */
export function blockNamesOf(merge: MergeRules): readonly string[] {
  const { defaults, overrides } = wordsOf(merge);
  return hasNoBlocks(merge) ? [] : [...defaults, ...overrides];
}

/** Each spelling of a block's name. */
export const BLOCK_NAMES: readonly string[] = [...BLOCK_SPELLINGS.defaults, ...BLOCK_SPELLINGS.overrides];

/** True for each spelling of a block's name. */
export const isBlockName = (field: string): boolean => BLOCK_NAMES.includes(field);

/** True if policies of the kind have no blocks: all of `spec` but the targets is one value (None), or takes effect as it is (Accumulate). */
export const hasNoBlocks = ({ none, accumulate }: MergeRules): boolean => none || accumulate !== undefined;
