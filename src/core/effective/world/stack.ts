/**
 * Policy stacks, interned: paths with the same policies at the same levels share one stack, and so one fold. A stack is a
 * chain from the root down; each link is the set of policies on one target.
 */
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { FoldLevel } from "../../merge/fold-level.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import { settleTarget } from "../../merge/settle-target.ts";
import type { MergeRules } from "../../model/definition.ts";
import type { Policy } from "../../model/policy.ts";

/** The policies on one target. The same policies (and annotation) are the same object. */
export interface PolicySet extends FoldLevel {
  /** The policies that are Conflicted with those in `policies`. */
  readonly conflicted: readonly Policy[];
  /** True if it is not defined which of `conflicted` takes effect. */
  readonly isUndefined?: true;
}

/** The facts about a target that a fold needs. */
export type TargetFacts = Pick<FoldLevel, "annotated" | "object" | "isSkipped" | "level" | "nameIndexes">;

/** The facts about most targets. */
export const PLAIN_TARGET: TargetFacts = { annotated: undefined };

const NOTHING: readonly Policy[] = [];

/** The policies of one kind attached to an object and its sections. */
export interface NodeSets {
  readonly own: PolicySet | undefined;
  readonly sections: ReadonlyMap<string, PolicySet> | undefined;
  /** Policies that take effect only on traffic from one namespace, by that namespace. */
  readonly consumers: ReadonlyMap<string, NodeSets> | undefined;
  /** Policies that the object or its sections name. They are below those that target it. */
  readonly named: NodeSets | undefined;
  /** Policies that are attached to every Namespace. They are above those that target the Namespace. */
  readonly meshWide: NodeSets | undefined;
}

/** The sets of policies on an object or on one of its sections, highest first: mesh-wide ones, those that target it, then those that it names. */
export function setsAt(sets: NodeSets | undefined, section: string | undefined): readonly PolicySet[] {
  if (sets === undefined) return NO_SETS;
  const own = setAt(sets, section);
  if (sets.named === undefined && sets.meshWide === undefined) return own === undefined ? NO_SETS : [own];
  const named = sets.named === undefined ? undefined : setAt(sets.named, section);
  const meshWide = sets.meshWide === undefined ? undefined : setAt(sets.meshWide, section);
  return [meshWide, own, named].filter((set) => set !== undefined);
}

const NO_SETS: readonly PolicySet[] = [];

const setAt = (sets: NodeSets, section: string | undefined): PolicySet | undefined =>
  section === undefined ? sets.own : sets.sections?.get(section);

export interface Stack {
  readonly up: Stack | undefined;
  /** Undefined: the empty stack, above every root. */
  readonly set: PolicySet | undefined;
  /** Stacks with one set more. Weak, so that a set that is in no evaluation any more takes its stacks with it. */
  next: WeakMap<PolicySet, Stack> | undefined;
  /** The effective spec of the stack, after the first fold: see `foldPath`. */
  effective: EffectiveSpec | undefined;
  /** Effective specs of folds that depend on more than the stack: on own values, or on the end of the path. */
  effectiveByKey: Map<string, EffectiveSpec> | undefined;
}

/** Every policy of a stack, the most specific first. A policy may occur at several levels. */
export function policiesIn(stack: Stack): readonly Policy[] {
  const policies: Policy[] = [];
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up)
    policies.push(...at.set.policies, ...(at.set.replaced ?? NOTHING));
  return policies;
}

/** The stacks and policy sets of one policy kind. They live as long as its definition, through many evaluations. */
export class Stacks {
  readonly empty: Stack = newStack(undefined, undefined);
  readonly #sets: SetNode = newSetNode();

  /** `policies`: highest first, not empty. */
  setOf(policies: readonly Policy[], facts: TargetFacts, merge: MergeRules): PolicySet {
    let node = this.#sets;
    for (const policy of policies) node = nodeBelow(node, policy);
    if (facts === PLAIN_TARGET) {
      node.plain ??= newSet(policies, facts, merge);
      return node.plain;
    }
    node.annotated ??= new Map();
    const key = JSON.stringify(facts);
    const known = node.annotated.get(key) ?? newSet(policies, facts, merge);
    node.annotated.set(key, known);
    return known;
  }

  /**
   * Two sets on one target: the policies for all requests, and those for the requests from one namespace. Under the strategy
   * None a policy for all requests that is not established here takes effect on other requests: it is replaced, not Conflicted.
   */
  combined(all: PolicySet, theirs: PolicySet, merge: MergeRules): PolicySet {
    const policies = [...all.policies, ...all.conflicted, ...theirs.policies, ...theirs.conflicted].sort(
      comparePrecedence(merge),
    );
    if (!merge.none) return this.setOf(policies, factsOf(all), merge);
    const [established] = settleTarget(policies, merge).policies;
    if (established === undefined || all.policies.includes(established)) return all;
    const known = this.#replacing.get(all) ?? new WeakMap<PolicySet, PolicySet>();
    this.#replacing.set(all, known);
    const set = known.get(theirs) ?? { ...theirs, annotated: all.annotated, replaced: all.policies };
    known.set(theirs, set);
    return set;
  }
  readonly #replacing: WeakMap<PolicySet, WeakMap<PolicySet, PolicySet>> = new WeakMap();

  push(stack: Stack, set: PolicySet): Stack {
    // All policies on the target are in conflict, and none takes effect.
    if (set.policies.length === 0) return stack;
    stack.next ??= new WeakMap();
    let below = stack.next.get(set);
    if (below === undefined) {
      below = newStack(stack, set);
      stack.next.set(set, below);
    }
    return below;
  }
}

/** Sets by their policies: a trie with a step for each policy. Weak, because policies are added and removed. */
interface SetNode {
  next: WeakMap<Policy, SetNode> | undefined;
  plain: PolicySet | undefined;
  annotated: Map<string, PolicySet> | undefined;
}

const newSetNode = (): SetNode => ({ next: undefined, plain: undefined, annotated: undefined });

function nodeBelow(node: SetNode, policy: Policy): SetNode {
  node.next ??= new WeakMap();
  let below = node.next.get(policy);
  if (below === undefined) {
    below = newSetNode();
    node.next.set(policy, below);
  }
  return below;
}

function newSet(all: readonly Policy[], facts: TargetFacts, merge: MergeRules): PolicySet {
  const { policies, conflicted, isUndefined } = settleTarget(all, merge);
  if (isUndefined) return { policies, conflicted, isUndefined, ...facts };
  // Most targets are plain, and a literal takes less memory than a copy.
  return facts === PLAIN_TARGET ? { policies, conflicted, annotated: undefined } : { policies, conflicted, ...facts };
}

const factsOf = ({ annotated, object, isSkipped, level }: PolicySet): TargetFacts =>
  annotated === undefined && object === undefined && isSkipped === undefined && level === undefined
    ? PLAIN_TARGET
    : { annotated, ...(object && { object }), ...(isSkipped && { isSkipped }), ...(level && { level }) };

const newStack = (up: Stack | undefined, set: PolicySet | undefined): Stack => ({
  up,
  set,
  next: undefined,
  effective: undefined,
  effectiveByKey: undefined,
});
