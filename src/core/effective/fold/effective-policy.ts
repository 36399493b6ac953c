/** An effective policy as plain data: what leaves the engine, one for each path. */

import type { EvaluatedPolicy, RemovalOutcome, Source } from "../../merge/provenance.ts";
import type { JsonObject } from "../../model/json.ts";
import type { GroupKind, ObjectId, TargetId } from "../../model/refs.ts";
import type { PathNode } from "../paths/path-node.ts";

/** A fold into one item of the object's own fields (lists of structs): `pointer` is within the object. */
export interface MappedField {
  readonly object: ObjectId;
  readonly pointer: string;
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
}

/** The settings of one policy kind that take effect on one path, with the source of each value. */
export interface EffectivePolicy {
  readonly policyKind: GroupKind;
  readonly target: TargetId;
  readonly path: readonly PathNode[];
  /** Mesh: the source of the traffic, a namespace or all `others`. A namespace of that name is `namespace/others`. */
  readonly from?: string;
  /** True if the path begins below a parent that the snapshot does not have. */
  readonly incomplete?: true;
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  readonly fields?: readonly MappedField[];
  /**
   * Only in kinds in which all policies take effect: these policies, in the order in which they are evaluated. `spec` then has an entry for
   * each of them, by `namespace/name`.
   */
  readonly order?: readonly EvaluatedPolicy[];
  /** The outcome of each entry of `remove` of the policies on the path, the most specific first. */
  readonly removals?: readonly RemovalOutcome[];
}
