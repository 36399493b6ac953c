import type { Policy } from "../model/policy.ts";
import type { FoldResult } from "./fold-result.ts";
import { policiesOf } from "./fold-result.ts";

/** The outcome of an empty policy, in a kind in which an empty policy keeps out defaults. */
export interface EmptyPolicyResult {
  readonly policy: Policy;
  /** True if the policy keeps a default out of the result. */
  readonly inEffect: boolean;
  /** The policies that replaced the empty policy: a lower one that sets something, or an atomic override. */
  readonly by: readonly Policy[];
}

/** The empty policies of a fold. Each keeps out atomic defaults, and replaces nothing below it. */
export class EmptyPolicies {
  readonly #all: { readonly policy: Policy; inEffect: boolean; by: readonly Policy[] }[] = [];

  /** `isAtomic`: the policy is compared as a whole with those below it. */
  take(policy: Policy, result: FoldResult, isAtomic: boolean): void {
    const by = isAtomic && !result.isOpen ? policiesOf(result.settings()) : [];
    this.#all.push({ policy, inEffect: false, by: by.filter((winner) => winner !== policy) });
    if (result.isOpen && result.occupant === undefined) result.occupy(policy);
  }

  /** Records that the empty policy kept out an atomic default. */
  keepOut(occupant: Policy): void {
    for (const one of this.#all) if (one.policy === occupant) one.inEffect = true;
  }

  /** An atomic override replaces empty policies, too. */
  override(policy: Policy): void {
    for (const one of this.#all) {
      one.inEffect = false;
      if (one.by.length === 0 && one.policy !== policy) one.by = [policy];
    }
  }

  results(): readonly EmptyPolicyResult[] {
    return this.#all;
  }
}
