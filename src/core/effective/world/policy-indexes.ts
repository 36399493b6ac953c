import type { ResolvedTargets } from "../../attachment/resolved-targets.ts";
import { IdIndexBuilder } from "../../model/collections/id-index.ts";
import type { KindId, ObjectId, PolicyId } from "../../model/refs.ts";
import type { PolicyIndexes, PolicyRecord, WithPolicies } from "./world.ts";

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
