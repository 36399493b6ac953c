/** The policies along a path, as a chain: each link those on one target, the most specific first. */
import type { Policy } from "../../model/policy.ts";

export interface PolicyChain {
  readonly up: PolicyChain | undefined;
  /** Undefined: the end of the chain, above the root. */
  readonly set: { readonly policies: readonly Policy[] } | undefined;
}

const NO_POLICIES: readonly Policy[] = [];

/** Every policy of a chain, the most specific first. */
export function policiesIn(chain: PolicyChain): readonly Policy[] {
  if (chain.up?.set === undefined) return chain.set?.policies ?? NO_POLICIES;
  const policies: Policy[] = [];
  for (let at: PolicyChain | undefined = chain; at?.set !== undefined; at = at.up) policies.push(...at.set.policies);
  return policies;
}

/** One of them. */
export function policyAt(chain: PolicyChain, place: number): Policy {
  let left = place;
  for (let at: PolicyChain | undefined = chain; at?.set !== undefined; at = at.up) {
    const { policies } = at.set;
    if (left < policies.length) return policies[left] as Policy;
    left -= policies.length;
  }
  throw new Error(`the chain has no policy at ${place}`);
}

/** How many come before a policy by name; undefined: it is one of them. */
export function rankAmong(chain: PolicyChain, policy: Policy): number | undefined {
  let rank = 0;
  for (let at: PolicyChain | undefined = chain; at?.set !== undefined; at = at.up) {
    for (const other of at.set.policies) {
      if (other === policy) return undefined;
      if (other.id < policy.id) rank++;
    }
  }
  return rank;
}

/** Whether the policies of two chains have the same names. */
export function isSameChain(a: PolicyChain, b: PolicyChain): boolean {
  const others = policiesIn(b);
  const own = policiesIn(a);
  return own.length === others.length && own.every(({ id }, at) => id === others[at]?.id);
}
