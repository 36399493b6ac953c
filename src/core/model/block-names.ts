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

const SPELLINGS: readonly string[] = [...BLOCK_SPELLINGS.defaults, ...BLOCK_SPELLINGS.overrides];

/** True for each spelling of a block's name. */
export const isBlockName = (field: string): boolean => SPELLINGS.includes(field);
