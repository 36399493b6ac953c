import { type NamedPolicy, namedPolicies } from "../../attachment/named-policies.ts";
import type { ResolvedTargets } from "../../attachment/resolved-targets.ts";
import { type IdIndex, IdIndexBuilder } from "../../model/collections/id-index.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type KindId, kindId, type ObjectId, objectId, type PolicyId } from "../../model/refs.ts";
import type { Rulebook } from "./rulebook.ts";
import type { PolicyIndexes, PolicyRecord, WithObjects, WithPolicies } from "./world.ts";

export function buildPolicyIndexes(policies: WithPolicies["policies"]): PolicyIndexes {
  const targetedBy = new IdIndexBuilder<ObjectId, PolicyId>();
  const grantReaders = new IdIndexBuilder<string, PolicyId>();
  const selectors = new IdIndexBuilder<KindId, PolicyId>();
  const missing = new IdIndexBuilder<KindId, PolicyId>();
  policies.forEach((record, id) => {
    const { targets } = record;
    for (const object of namedBy(record)) targetedBy.add(object, id);
    for (const namespace of targets.grantsOf) grantReaders.add(namespace, id);
    for (const kind of targets.selects) selectors.add(kind, id);
    for (const kind of missingKinds(targets)) missing.add(kind, id);
  });
  return {
    targetedBy: targetedBy.build(),
    grantReaders: grantReaders.build(),
    selectors: selectors.build(),
    missing: missing.build(),
  };
}

/** The objects that a policy names as its target or refers to, whether they exist or not. */
export const namedBy = ({ targets, references }: Pick<PolicyRecord, "targets" | "references">): readonly ObjectId[] =>
  references.named.length === 0 ? targets.named : [...targets.named, ...references.named];

/** The kinds of the targets that were not found. */
export const missingKinds = ({ rejections }: ResolvedTargets): readonly KindId[] =>
  rejections.flatMap((rejection) => (rejection.missing === undefined ? [] : [rejection.missing.kind]));

/** The kinds of objects that name policies of some kind. */
const namingKinds = ({ kinds }: Rulebook): ReadonlySet<KindId> =>
  new Set(kinds.flatMap(({ definition }) => (definition.targeting.namedBy ?? []).map(({ level }) => kindId(level))));

/** The policies of each kind that an object names, whether they exist or not. */
export const namesIn = (rulebook: Rulebook, object: KubeObject): readonly NamedPolicy[] =>
  rulebook.kinds.flatMap(({ definition }) =>
    definition.targeting.namedBy === undefined
      ? NONE
      : namedPolicies(object, definition, (kind) => rulebook.factsOf(kindId(kind))),
  );

const NONE: readonly never[] = [];

/** The ids of all policies that an object can mean. */
export const namedIds = (rulebook: Rulebook, object: KubeObject | undefined): readonly ObjectId[] =>
  object === undefined
    ? NONE
    : namesIn(rulebook, object).flatMap(({ meanings }) => meanings.map((ref) => objectId(ref)));

export function buildNamers({ rulebook, objects }: WithObjects): IdIndex<ObjectId, ObjectId> {
  const namers = new IdIndexBuilder<ObjectId, ObjectId>();
  for (const kind of namingKinds(rulebook))
    for (const object of objects.ofKind(kind))
      for (const policy of namedIds(rulebook, object)) namers.add(policy, object.id);
  return namers.build();
}
