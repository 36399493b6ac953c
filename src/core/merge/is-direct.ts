import type { MergeRules } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";

/** REF, "Policy Boilerplate": a policy that has neither block is a Direct one, in kinds that say so. One that only removes sets nothing. */
export function isDirect({ blocks }: Policy, { bare }: MergeRules): boolean {
  const [first, second] = blocks;
  return bare === "Direct" && second === undefined && first?.name === "bare" && first.units.length > 0;
}
