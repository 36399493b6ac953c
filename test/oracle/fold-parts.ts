/** Folds where a kind has parts: each part with rules of its own as if it were a kind of its own. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { type FoldedStack, type FoldOptions, foldStack, type StackEntry, type StackLevel } from "./fold-stack.ts";
import type { Setting } from "./fold-state.ts";
import type { OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./spec-units.ts";
import { isHere, type StackedPath } from "./stack-paths.ts";

export interface PartFold extends FoldedStack {
  /** True for the units that take effect where the path ends. */
  readonly isHere: (unit: OracleUnit) => boolean;
}

/** The fold of the settings that are in no part with rules of its own, then those of such parts. */
export function foldParts(
  { levels, nodes }: StackedPath,
  own: readonly Setting[],
  options: FoldOptions,
): readonly [PartFold, ...PartFold[]] {
  const { definition } = options;
  const { parts = [] } = definition;
  if (parts.length === 0) return [{ ...foldStack(levels, own, options), isHere: () => true }];
  const foldOf = (part: string | undefined, rules: PolicyDefinition, values: readonly Setting[]): PartFold => ({
    ...foldStack(levelsIn(levels, part), values, { ...options, definition: rules }),
    isHere: (unit) => isHere(unit, part, nodes, definition),
  });
  const others = parts.flatMap(({ name, merge }) =>
    merge === undefined ? [] : [foldOf(name, { ...definition, merge }, [])],
  );
  return [foldOf(undefined, definition, own), ...others];
}

/** The policies that have settings in the part, with these settings alone, and those that set nothing at all. */
function levelsIn(levels: readonly StackLevel[], part: string | undefined): readonly StackLevel[] {
  const projected = new Map<OraclePolicy, OraclePolicy>();
  const inPart = (entry: StackEntry): readonly StackEntry[] => {
    const { policy } = entry;
    const blocks = policy.blocks.filter((block) => block.part === part);
    if (policy.blocks.length > 0 && blocks.length === 0) return [];
    const known = projected.get(policy) ?? { ...policy, blocks };
    projected.set(policy, known);
    return [{ ...entry, policy: known }];
  };
  return levels.map((level) => level.flatMap(inPart)).filter((level) => level.length > 0);
}
