import type { PathNode } from "../effective/paths/path-node.ts";
import { namespaceOf } from "../explain/contacts.ts";
import { changedKinds } from "../explain/plan/plan-changes.ts";
import type { PathChange, ValueChange } from "../explain/plan/result.ts";
import { trafficNodes } from "../explain/plan/traffic-nodes.ts";
import { keepsValue } from "../explain/plan/value-changes.ts";
import { changesRetries } from "../explain/worth/traffic-changed.ts";
import { compareText, type ObjectId, type PolicyId } from "../model/refs.ts";
import type { ChangeEffect } from "./request-effect.ts";

export interface PathCount {
  readonly paths: number;
  readonly values: number;
}

/** How far a request reaches. */
export interface EffectCount {
  /** Paths on which other values take effect. */
  readonly changed: PathCount;
  /** Paths that are new, and the values of policies that take effect on them. */
  readonly added: PathCount;
  /** Paths that are gone, and the values of policies that took effect on them. */
  readonly removed: PathCount;
  /** The policies whose values take effect on new paths. Sorted. */
  readonly policies: readonly PolicyId[];
  /** The namespaces of the routes and backends on these paths. Sorted; empty for cluster-scoped objects. */
  readonly namespaces: readonly string[];
  /** Paths on which a value of the policy, or of any policy if the object is none, no longer takes effect. */
  readonly lost: number;
  /** Paths on which a setting of retries changes. */
  readonly retryPaths: readonly (readonly PathNode[])[];
}

interface Draft {
  readonly changed: { paths: number; values: number };
  readonly added: { paths: number; values: number };
  readonly removed: { paths: number; values: number };
  readonly policies: Set<PolicyId>;
  readonly namespaces: Set<string>;
  lost: number;
  readonly retryPaths: (readonly PathNode[])[];
}

export function countEffect({
  id,
  before,
  after,
  delta,
}: Pick<ChangeEffect, "id" | "before" | "after" | "delta">): EffectCount {
  const draft: Draft = {
    changed: { paths: 0, values: 0 },
    added: { paths: 0, values: 0 },
    removed: { paths: 0, values: 0 },
    policies: new Set(),
    namespaces: new Set(),
    lost: 0,
    retryPaths: [],
  };
  const isPolicy = before.policies.has(id as PolicyId);
  for (const { changes } of changedKinds(before, after, delta))
    for (const path of changes) addPath(draft, path, isPolicy ? id : undefined);
  return {
    ...draft,
    policies: [...draft.policies].sort(compareText),
    namespaces: [...draft.namespaces].filter((name) => name !== "").sort(compareText),
  };
}

function addPath(draft: Draft, path: PathChange, policy: ObjectId | undefined): void {
  const { change, nodes, values } = path;
  if (change === "changed" && changesRetries(path)) draft.retryPaths.push(nodes);
  const isLost = ({ before, after }: ValueChange): boolean =>
    before !== undefined && isFrom(before, policy) && after?.source.policy !== before.source.policy;
  if (values.some(isLost)) draft.lost++;
  const counted = values.filter((value) => (change === "changed" ? !keepsValue(value) : isOfPolicy(value)));
  if (counted.length === 0) return;
  draft[change].paths++;
  draft[change].values += counted.length;
  for (const { after } of change === "added" ? counted : [])
    if (typeof after?.source.policy === "string") draft.policies.add(after.source.policy);
  for (const node of trafficNodes(nodes)) draft.namespaces.add(namespaceOf(node));
}

const isFrom = ({ source }: NonNullable<ValueChange["before"]>, policy: ObjectId | undefined): boolean =>
  policy === undefined ? source.policy !== null : source.policy === policy;

/** Own values of an object come and go with its paths, and are no news. */
const isOfPolicy = ({ before, after }: ValueChange): boolean => typeof (after ?? before)?.source.policy === "string";
