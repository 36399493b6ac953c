/**
 * Stacks, interned: paths with the same policies at the same levels share one stack and so one fold. A stack is a
 * chain from the root down; each link is the set of policies on one target.
 */

import type { FoldLevel } from "../../merge/fold.ts";
import { noneConflicted } from "../../merge/none-conflicted.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import type { MergeStrategy } from "../../model/definition.ts";
import type { Policy } from "../../model/policy.ts";
import type { EffectiveCore } from "./effective-core.ts";
import type { PolicyChain } from "./policy-chain.ts";
import { newPattern, patternBelow, type StackPattern } from "./stack-pattern.ts";

/** The policies on one target. The same policies (and annotation) are the same object. */
export interface PolicySet extends FoldLevel {
  /** Kinds that do not merge: the policies that lost this target to the only one above. */
  readonly losers: readonly Policy[];
  /** Empty for a policy alone, without an annotation: that is its own key. */
  readonly key: string;
  /** The stack whose last link this is: most sets stand on one target, and below one stack. */
  use: Stack | undefined;
  /** Further ones: these are found from above. */
  furtherUses: Stack[];
}

/** The policies of one kind attached to an object and its sections. */
export interface NodeSets {
  readonly own: PolicySet | undefined;
  readonly sections: ReadonlyMap<string, PolicySet> | undefined;
  /** The same for policies that act only on traffic from one namespace, by that namespace. */
  readonly consumers: ReadonlyMap<string, NodeSets> | undefined;
}

export interface Stack extends PolicyChain {
  readonly up: Stack | undefined;
  readonly set: PolicySet | undefined;
  readonly pattern: StackPattern;
  /** Its set is no longer there: neither it nor what is below it is met again. */
  isForgotten: boolean;
  /** Next links, where they are further uses of their sets. Only a cache: forgetting entries costs sharing, never correctness. */
  next: Map<PolicySet, Stack> | undefined;
  /** What it folds into. */
  fold: EffectiveCore | undefined;
  /** The same where more counts than the stack: own values, where the path ends. */
  folds: Map<string, EffectiveCore> | undefined;
}

/** Whether stacks whose policies say the same fold alike. A custom strategy may ask who they are. */
export type StackPatterns = "Shared" | "Own";

/** One per policy kind and lineage of evaluations. */
export class Stacks {
  readonly empty: Stack = newStack(undefined, undefined, newPattern());
  readonly #patterns: StackPatterns;
  readonly #sets: Map<string, PolicySet> = new Map();
  readonly #alone: Map<Policy, PolicySet> = new Map();
  readonly #serials: WeakMap<Policy, number> = new WeakMap();
  #nextSerial = 1;
  #pushed: Stack = this.empty;
  #forgotten = 0;

  constructor(patterns: StackPatterns) {
    this.#patterns = patterns;
  }

  /** For the same kind, with nothing remembered. */
  anew(): Stacks {
    return new Stacks(this.#patterns);
  }

  /** `policies`: highest first, not empty. */
  setOf(policies: readonly Policy[], annotated: MergeStrategy | undefined, isNone: boolean): PolicySet {
    const [only] = policies;
    if (only !== undefined && policies.length === 1 && annotated === undefined) return this.#setOfOne(only, policies);
    let key = annotated === undefined ? "" : JSON.stringify(annotated);
    for (const policy of policies) key += `,${this.#serialOf(policy)}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      const none = isNone ? noneConflicted(policies) : undefined;
      set =
        none === undefined
          ? { policies, losers: NO_POLICIES, annotated, key, ...UNUSED }
          : { policies: [none.established], losers: none.conflicted, annotated, key, ...UNUSED };
      this.#sets.set(key, set);
    }
    return set;
  }

  #setOfOne(policy: Policy, policies: readonly Policy[]): PolicySet {
    const known = this.#alone.get(policy);
    if (known !== undefined) return known;
    const set = new LonePolicy(policies);
    // Most policies name one target, and nobody asks for their set a second time.
    if (!set.isOnlyHere) this.#alone.set(policy, set);
    return set;
  }

  /** Two sets on one target, in order of precedence. */
  combined(a: PolicySet, b: PolicySet, isNone: boolean): PolicySet {
    const policies = [...a.policies, ...a.losers, ...b.policies, ...b.losers].sort(comparePrecedence);
    return this.setOf(policies, a.annotated, isNone);
  }

  push(stack: Stack, set: PolicySet): Stack {
    // The paths to one object mostly have the same stack.
    if (this.#pushed.up === stack && this.#pushed.set === set) return this.#pushed;
    const known = set.use?.up === stack ? set.use : stack.next?.get(set);
    if (known !== undefined) {
      this.#pushed = known;
      return known;
    }
    const isShared = this.#patterns === "Shared";
    const pattern = isShared ? patternBelow(stack.pattern, stack, set) : newPattern();
    const made = newStack(stack, set, pattern);
    if (set.use === undefined || isDead(set.use)) {
      set.use = made;
    } else {
      stack.next ??= new Map();
      stack.next.set(set, made);
      addFurtherUse(set, made);
    }
    this.#pushed = made;
    return made;
  }

  /** A set that the newest evaluation no longer has. Older evaluations keep reading what they hold. */
  forget(set: PolicySet): void {
    const [only] = set.policies;
    if (set.key !== "") this.#sets.delete(set.key);
    else if (only !== undefined) this.#alone.delete(only);
    if (set.use !== undefined) set.use.isForgotten = true;
    for (const use of set.furtherUses) {
      use.isForgotten = true;
      use.up?.next?.delete(set);
    }
    set.use = undefined;
    set.furtherUses = NO_USES;
    this.#pushed = this.empty;
    // Sets that were combined on the way are not found again by their parts: once in a while all of them go.
    this.#forgotten++;
    if (this.#forgotten <= MAX_FORGOTTEN || this.#forgotten <= this.#sets.size + this.#alone.size) return;
    this.#forgotten = 0;
    this.#sets.clear();
    this.#alone.clear();
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

/** A policy alone, without an annotation, on an object as such. Small, as most sets are such. */
export class LonePolicy implements PolicySet, NodeSets {
  readonly policies: readonly Policy[];
  use: Stack | undefined = undefined;
  furtherUses: Stack[] = NO_USES;

  constructor(policies: readonly Policy[]) {
    this.policies = policies;
  }

  /** The policy has no other target. */
  get isOnlyHere(): boolean {
    return this.policies[0]?.namesOne === true;
  }

  get losers(): readonly Policy[] {
    return NO_POLICIES;
  }
  get annotated(): undefined {
    return undefined;
  }
  get key(): string {
    return "";
  }
  get own(): this {
    return this;
  }
  get sections(): undefined {
    return undefined;
  }
  get consumers(): undefined {
    return undefined;
  }
}

/** Below a stack that is no longer there, or itself no longer there. */
function isDead(stack: Stack): boolean {
  for (let at: Stack | undefined = stack; at !== undefined; at = at.up) if (at.isForgotten) return true;
  return false;
}

const MANY_USES = 64;

/** What stood below policies that come and go would be kept for as long as the set: now and then it is looked through. */
function addFurtherUse(set: PolicySet, use: Stack): void {
  if (set.furtherUses === NO_USES) set.furtherUses = [use];
  else set.furtherUses.push(use);
  const { length } = set.furtherUses;
  if (length >= MANY_USES && (length & (length - 1)) === 0)
    set.furtherUses = set.furtherUses.filter((one) => !isDead(one));
}

/** Never added to. */
const NO_USES: Stack[] = [];
const UNUSED = { use: undefined, furtherUses: NO_USES };

const newStack = (up: Stack | undefined, set: PolicySet | undefined, pattern: StackPattern): Stack => ({
  up,
  set,
  pattern,
  isForgotten: false,
  next: undefined,
  fold: undefined,
  folds: undefined,
});

const NO_POLICIES: readonly Policy[] = [];
const MAX_FORGOTTEN = 4096;
