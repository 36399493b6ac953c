/**
 * What of a stack decides its fold, whoever its policies are: what they say, and how their names compare (winners are told
 * in the order of their names). Only a cache: forgetting patterns costs sharing, never correctness.
 */
import type { FoldLevel } from "../../merge/fold.ts";
import type { Block } from "../../model/policy.ts";
import type { FoldPattern } from "./fold-pattern.ts";
import { type PolicyChain, rankAmong } from "./policy-chain.ts";

export interface StackPattern {
  /** By what the policy of the next link says; then by how many of those above come before it by name. */
  next: Map<readonly Block[], StackPattern[]> | undefined;
  /** What it folds into. */
  fold: FoldPattern | undefined;
  /** The same where more counts than the stack: own values, where the path ends. */
  folds: Map<string, FoldPattern> | undefined;
}

/** Policies come and go in long lives; what is forgotten is found anew. */
const MAX_NEXT = 1024;

export const newPattern = (): StackPattern => ({ next: undefined, fold: undefined, folds: undefined });

/**
 * The pattern of a stack with one link more. `above`: the stack before it. Where several policies meet on one target it
 * has one of its own.
 */
export function patternBelow(
  pattern: StackPattern,
  above: PolicyChain,
  { policies, annotated }: FoldLevel,
): StackPattern {
  const [only] = policies;
  if (only === undefined || policies.length > 1 || annotated !== undefined) return newPattern();
  const rank = rankAmong(above, only);
  if (rank === undefined) return newPattern();
  let byRank = pattern.next?.get(only.blocks);
  if (byRank === undefined) {
    byRank = [];
    if (pattern.next === undefined || pattern.next.size >= MAX_NEXT) pattern.next = new Map();
    pattern.next.set(only.blocks, byRank);
  }
  byRank[rank] ??= newPattern();
  return byRank[rank];
}
