/** The parts of a change that concern an answer that is followed. */
import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { PathChange, Plan, ValueChange } from "../../core/explain/plan/result.ts";
import type { Finding } from "../../core/model/finding.ts";
import { kindId, type ObjectId, objectId, type PolicyId } from "../../core/model/refs.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { type FoundTarget, isListed, type Scope } from "../target/find-targets.ts";

export interface Focus {
  /** True if the values on a path are part of the answer. */
  readonly hasPath: (path: PathChange) => boolean;
  /** True if a value on such a path is part of the answer. */
  readonly hasValue?: (value: ValueChange) => boolean;
  /** True if the verdict of a policy is part of the answer, in the source before or after the change. */
  readonly hasPolicy: (policy: PolicyId, worlds: readonly World[]) => boolean;
  /** True if an object is part of the answer itself. Undefined: none is. */
  readonly hasObject?: (object: ObjectId) => boolean;
  /** The findings of the answer. Undefined: it has none. */
  readonly findingsOf?: (source: LoadedSource) => Promise<readonly Finding[]>;
}

/** True if a value on the path is part of the answer. */
export const isWantedPath = (path: PathChange, { hasPath, hasValue }: Focus): boolean =>
  hasPath(path) && (hasValue === undefined || path.values.some(hasValue));

/** The plan without what does not concern the answer. The changed objects stay: they are the cause. */
export function focusPlan(plan: Plan, focus: Focus, worlds: readonly World[]): Plan {
  const kinds = plan.kinds.flatMap((kind) => {
    const changes = kind.changes.filter(focus.hasPath).flatMap((path) => {
      const values = path.values.filter((value) => focus.hasValue?.(value) ?? true);
      return values.length === 0 ? [] : [{ ...path, values }];
    });
    return changes.length === 0 ? [] : [{ ...kind, changes }];
  });
  return { ...plan, kinds, policies: plan.policies.filter(({ policy }) => focus.hasPolicy(policy, worlds)) };
}

/** True if nothing of the answer changes: objects that are not part of it do not count. */
export const isQuietPlan = ({ objects, kinds, policies, findings }: Plan, { hasObject }: Focus): boolean =>
  kinds.length + policies.length + findings.added.length + findings.removed.length === 0 &&
  !objects.some(({ id, change }) => change !== "same" && hasObject?.(id) === true);

/** The answer of `explain`: the values on paths through the target, and the policies that are attached to it. */
export const targetFocus = (target: Pick<FoundTarget, "id" | "sectionName">): Focus => ({
  hasPath: ({ nodes }) =>
    nodes.some(
      (node) =>
        objectId(node) === target.id && (target.sectionName === undefined || node.sectionName === target.sectionName),
    ),
  hasPolicy: (policy, worlds) => worlds.some((world) => isAttached(world, policy, target.id)),
});

/** The answer of `reach`: the values that the policy sets, before or after, and its verdict. */
export const policyFocus = (policy: ObjectId): Focus => ({
  hasPath: () => true,
  hasValue: ({ before, after }) => before?.source.policy === policy || after?.source.policy === policy,
  hasPolicy: (other) => other === policy,
});

/** The answer of a list: the policies, and the values at the end of a path, of objects that the scope lists. */
export const scopeFocus = (scope: Scope): Focus => ({
  hasPath: ({ nodes }) => {
    const end = nodes.at(-1);
    return end !== undefined && isListed({ ref: end, raw: {} }, { ...scope, selector: undefined });
  },
  hasPolicy: (policy, worlds) =>
    worlds.some((world) => {
      const record = world.policies.get(policy);
      return record !== undefined && isListed(record.object, scope);
    }),
});

/** The answer of a list of named objects or kinds: as if each was asked for alone. */
export function targetsFocus(worlds: readonly World[], targets: readonly FoundTarget[]): Focus {
  const policies = new Set<ObjectId>();
  /** The sections of each object; undefined: all of it. */
  const objects = new Map<ObjectId, ReadonlySet<string> | undefined>();
  for (const { id, ref, sectionName } of targets) {
    if (worlds.some(({ rulebook }) => rulebook.byPolicyKind.has(kindId(ref)))) policies.add(id);
    else if (sectionName === undefined) objects.set(id, undefined);
    else if (!objects.has(id) || objects.get(id) !== undefined)
      objects.set(id, new Set([...(objects.get(id) ?? []), sectionName]));
  }
  const isOn = (node: PathNode): boolean => {
    const id = objectId(node);
    if (!objects.has(id)) return false;
    const sections = objects.get(id);
    return sections === undefined || (node.sectionName !== undefined && sections.has(node.sectionName));
  };
  const isOf = (policy: PolicyId | null | undefined): boolean =>
    policy !== null && policy !== undefined && policies.has(policy);
  return {
    hasPath: ({ nodes, values }) =>
      nodes.some(isOn) ||
      (policies.size > 0 &&
        values.some(({ before, after }) => isOf(before?.source.policy) || isOf(after?.source.policy))),
    hasPolicy: (policy, all) =>
      policies.has(policy) ||
      all.some(
        (world) => world.policies.get(policy)?.targets.attachments.some(({ object }) => objects.has(object)) === true,
      ),
    hasObject: (id) => objects.has(id) || policies.has(id),
  };
}

const isAttached = ({ policies }: World, policy: PolicyId, object: ObjectId): boolean =>
  policies.get(policy)?.targets.attachments.some((attachment) => attachment.object === object) === true;
