/** A policy, parsed by its definition: targets, blocks, and the block's units. */
import type { Granularity } from "./definition.ts";
import type { Json } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import type { PolicyId } from "./refs.ts";

/** One way a policy names targets, as written. `field` is where, for messages. */
export interface TargetRef {
  readonly field: string;
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
  /** Where the selector stands, if not in a field `selector` of the target: its labels are in the target itself. */
  readonly selectorField?: string;
  readonly sectionName?: string;
}

export interface LabelSelector {
  readonly matchLabels: ReadonlyArray<readonly [key: string, value: string]>;
  readonly matchExpressions: readonly LabelRequirement[];
}
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

export type BlockName = "defaults" | "bare" | "overrides";

/**
 * The smallest thing that can win or lose: a leaf of the spec (a scalar, a list, an empty map, a map that is one value),
 * or a whole named rule where the kind merges by named rules. `null` (Patch kinds only) is a tombstone.
 */
export interface Unit {
  /** JSON pointer within the spec proper. */
  readonly pointer: string;
  readonly path: readonly string[];
  readonly value: Json;
  /** The pointer of the named rule that it is or lies in; its own pointer where there is none. */
  readonly rule: string;
  /** The rule's name, where it lies in a map of named rules. */
  readonly ruleName?: string;
}

export interface Block {
  readonly name: BlockName;
  readonly granularity: Granularity;
  /** CEL on the result so far. */
  readonly when?: string;
  /** Rule names or dotted paths; act on strictly higher defaults. */
  readonly remove: readonly string[];
  readonly units: readonly Unit[];
}

export interface Policy {
  readonly id: PolicyId;
  readonly object: KubeObject;
  /** The place of its kind among the kinds that the definition joins. */
  readonly kindIndex: number;
  /** Whole seconds since the epoch; absent: newest. */
  readonly createdAt?: number;
  readonly targets: readonly TargetRef[];
  /** It has one target, by name. */
  readonly namesOne: boolean;
  /** In the order in which they are merged: defaults, bare, overrides. */
  readonly blocks: readonly Block[];
}
