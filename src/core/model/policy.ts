/** A policy, parsed by its definition: targets, blocks and the units of the blocks. */
import type { BaseStrategy, Granularity } from "./definition.ts";
import type { Json } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import type { PolicyId } from "./refs.ts";

/** A target reference or selector as the policy has it. `field` is its path, for messages. */
export interface PolicyTarget {
  readonly field: string;
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
  /** The path of the selector, if its labels are in the target reference itself instead of a field `selector`. */
  readonly selectorField?: string;
  /** The namespaces in which the selector selects: all, or those whose labels match. Absent: one. */
  readonly namespaces?: "All" | LabelSelector;
  readonly sectionName?: string;
  /** The port of the sections that it names, in kinds that name sections by port. */
  readonly port?: number;
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

/** The name of a block of a policy. `bare`: settings in neither block. */
export type BlockName = "defaults" | "bare" | "overrides";

/** The blocks of a policy in the order in which they are merged. */
export const BLOCK_ORDER: readonly BlockName[] = ["defaults", "bare", "overrides"];

/**
 * The smallest part of a spec that takes effect or is overridden: a leaf (a scalar, a list, an empty map, a map that is one
 * value), or a named rule if the kind compares named rules. `null` (Patch only) removes a value.
 */
export interface Unit {
  /** JSON pointer within the spec proper. */
  readonly pointer: string;
  readonly path: readonly string[];
  readonly value: Json;
  /** The pointer of the named rule that the unit is or is part of. Without a rule: the unit's own pointer. */
  readonly rule: string;
  /** The name of the rule, if there is one. */
  readonly ruleName?: string;
}

export interface Block {
  readonly name: BlockName;
  /** The part of the kind that the units are in, if that has merge rules of its own. */
  readonly part?: string;
  readonly granularity: Granularity;
  /** The base strategy that a field of the policy selects for rules outside of blocks. Absent: by the name of the block. */
  readonly base?: BaseStrategy;
  /** A CEL condition on the spec that is merged so far. */
  readonly when?: string;
  /** Names of rules, or dotted paths, to remove from higher defaults. */
  readonly remove: readonly string[];
  readonly units: readonly Unit[];
}

export interface Policy {
  readonly id: PolicyId;
  readonly object: KubeObject;
  /** The index of its kind in `policies` of the definition. */
  readonly kindIndex: number;
  /** Seconds since the epoch. Without one, the policy counts as the newest. */
  readonly createdAt?: number;
  readonly targets: readonly PolicyTarget[];
  /** In the order in which they are merged: defaults, bare, overrides. */
  readonly blocks: readonly Block[];
  /** Set if the policy has no blocks and keeps out higher defaults all the same: the granularity that it selects. */
  readonly emptyGranularity?: Granularity;
}
