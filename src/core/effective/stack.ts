/**
 * Stacks, interned: paths with the same policies at the same levels share one stack and so one fold. A stack is a
 * chain from the root down; each link is the set of policies on one target.
 */

import { comparePrecedence } from "../merge/precedence.ts";
import type { MergeStrategy } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";
import type { EffectiveCore } from "./effective-core.ts";

/** The policies on one target, highest first. The same policies (and annotation) are the same object. */
export interface PolicySet {
  readonly policies: readonly Policy[];
  /** Kinds that do not merge: the policies that lost this target to the only one above. */
  readonly losers: readonly Policy[];
  readonly annotated: MergeStrategy | undefined;
  readonly key: string;
  /** Stacks whose last link this is, so that they can be forgotten with it. */
  readonly uses: Stack[];
}

export interface Stack {
  readonly up: Stack | undefined;
  readonly set: PolicySet | undefined;
  /** Next links. Only a cache: forgetting entries costs sharing, never correctness. */
  next: Map<PolicySet, Stack> | undefined;
  /** What it folds into. */
  fold: EffectiveCore | undefined;
  /** The same where more counts than the stack: own values, where the path ends. */
  folds: Map<string, EffectiveCore> | undefined;
}

/** One per policy kind and lineage of evaluations. */
export class Stacks {
  readonly empty: Stack = { up: undefined, set: undefined, next: undefined, fold: undefined, folds: undefined };
  readonly #sets: Map<string, PolicySet> = new Map();
  readonly #serials: WeakMap<Policy, number> = new WeakMap();
  #nextSerial = 1;
  #forgotten = 0;

  /** `policies`: highest first, not empty. */
  setOf(policies: readonly Policy[], annotated: MergeStrategy | undefined, isNone: boolean): PolicySet {
    let key = annotated === undefined ? "" : JSON.stringify(annotated);
    for (const policy of policies) key += `,${this.#serialOf(policy)}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = isNone
        ? { policies: policies.slice(0, 1), losers: policies.slice(1), annotated, key, uses: [] }
        : { policies, losers: NO_POLICIES, annotated, key, uses: [] };
      this.#sets.set(key, set);
    }
    return set;
  }

  /** Two sets on one target, in order of precedence. */
  combined(a: PolicySet, b: PolicySet, isNone: boolean): PolicySet {
    const policies = [...a.policies, ...a.losers, ...b.policies, ...b.losers].sort(comparePrecedence);
    return this.setOf(policies, a.annotated, isNone);
  }

  push(stack: Stack, set: PolicySet): Stack {
    const known = stack.next?.get(set);
    if (known !== undefined) return known;
    const made: Stack = { up: stack, set, next: undefined, fold: undefined, folds: undefined };
    stack.next ??= new Map();
    stack.next.set(set, made);
    set.uses.push(made);
    return made;
  }

  /** A set that the newest evaluation no longer has. Older evaluations keep reading what they hold. */
  forget(set: PolicySet): void {
    this.#sets.delete(set.key);
    for (const stack of set.uses) stack.up?.next?.delete(set);
    set.uses.length = 0;
    // Sets that were combined on the way are not found again by their parts: once in a while all of them go.
    this.#forgotten++;
    if (this.#forgotten <= MAX_FORGOTTEN || this.#forgotten <= this.#sets.size) return;
    this.#forgotten = 0;
    this.#sets.clear();
    this.empty.next = undefined;
  }

  #serialOf(policy: Policy): number {
    let serial = this.#serials.get(policy);
    if (serial === undefined) {
      serial = this.#nextSerial++;
      this.#serials.set(policy, serial);
    }
    return serial;
  }
}

const NO_POLICIES: readonly Policy[] = [];
const MAX_FORGOTTEN = 4096;
