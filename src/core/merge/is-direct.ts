import type { MergeRules } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";

/**
 * A policy with neither block is a Direct one
 *
 * In kinds that say so, a policy that has neither defaults nor overrides is Direct. A policy that only removes sets nothing.
 * Policy attachment reference, "Policy Boilerplate"
 */
export function isDirect({ blocks }: Policy, { bare }: MergeRules): boolean {
  const [first, second] = blocks;
  return bare === "Direct" && second === undefined && first?.name === "bare" && first.units.length > 0;
}
