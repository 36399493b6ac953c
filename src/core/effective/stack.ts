/**
 * Stacks, interned: paths with the same policies at the same levels share one stack and so one fold. A stack is a
 * chain from the root down; each link is the set of policies on one target.
 */

import type { FoldLevel } from "../merge/fold.ts";
import { comparePrecedence } from "../merge/precedence.ts";
import type { MergeStrategy } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";
import type { EffectiveCore } from "./effective-core.ts";
import { newPattern, patternBelow, type StackPattern } from "./stack-pattern.ts";

/** The policies on one target. The same policies (and annotation) are the same object. */
export interface PolicySet extends FoldLevel {
  /** Kinds that do not merge: the policies that lost this target to the only one above. */
  readonly losers: readonly Policy[];
  /** Empty for a policy alone, without an annotation: that is its own key. */
  readonly key: string;
  /** The last stack whose last link this is, so that they can be forgotten with it. */
  lastUse: Stack | undefined;
}

export interface Stack {
  readonly up: Stack | undefined;
  readonly set: PolicySet | undefined;
  readonly pattern: StackPattern;
  /** The use of the same set before this one. */
  readonly useBefore: Stack | undefined;
  /** Next links. Only a cache: forgetting entries costs sharing, never correctness. */
  next: Map<PolicySet, Stack> | undefined;
  /** What it folds into. */
  fold: EffectiveCore | undefined;
  /** The same where more counts than the stack: own values, where the path ends. */
  folds: Map<string, EffectiveCore> | undefined;
}

/** Whether stacks whose policies say the same fold alike. A custom strategy may ask who they are. */
export type StackPatterns = "Shared" | "Own";

/** Every policy of a stack, the most specific first. */
export function policiesIn(stack: Stack): readonly Policy[] {
  if (stack.up?.set === undefined) return stack.set?.policies ?? NO_POLICIES;
  let length = 0;
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up) length += at.set.policies.length;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a list that grows has room to spare, and these are kept
  const policies = new Array<Policy>(length);
  let next = 0;
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up)
    for (const policy of at.set.policies) policies[next++] = policy;
  return policies;
}

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
      const isEnd = false;
      set = isNone
        ? { policies: policies.slice(0, 1), losers: policies.slice(1), annotated, isEnd, key, lastUse: undefined }
        : { policies, losers: NO_POLICIES, annotated, isEnd, key, lastUse: undefined };
      this.#sets.set(key, set);
    }
    return set;
  }

  #setOfOne(policy: Policy, policies: readonly Policy[]): PolicySet {
    const known = this.#alone.get(policy);
    if (known !== undefined) return known;
    const set = { policies, losers: NO_POLICIES, annotated: undefined, isEnd: false, key: "", lastUse: undefined };
    // Most policies name one target, and nobody asks for their set a second time.
    if (policy.targets.length !== 1 || policy.targets[0]?.selector !== undefined) this.#alone.set(policy, set);
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
    const known = stack.next?.get(set);
    if (known !== undefined) {
      this.#pushed = known;
      return known;
    }
    const isShared = this.#patterns === "Shared";
    const pattern = isShared ? patternBelow(stack.pattern, policiesIn(stack), set) : newPattern();
    const made = newStack(stack, set, pattern);
    stack.next ??= new Map();
    stack.next.set(set, made);
    set.lastUse = made;
    this.#pushed = made;
    return made;
  }

  /** A set that the newest evaluation no longer has. Older evaluations keep reading what they hold. */
  forget(set: PolicySet): void {
    const [only] = set.policies;
    if (set.key !== "") this.#sets.delete(set.key);
    else if (only !== undefined) this.#alone.delete(only);
    for (let stack = set.lastUse; stack !== undefined; stack = stack.useBefore) stack.up?.next?.delete(set);
    set.lastUse = undefined;
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

const newStack = (up: Stack | undefined, set: PolicySet | undefined, pattern: StackPattern): Stack => ({
  up,
  set,
  pattern,
  useBefore: set?.lastUse,
  next: undefined,
  fold: undefined,
  folds: undefined,
});

const NO_POLICIES: readonly Policy[] = [];
const MAX_FORGOTTEN = 4096;
