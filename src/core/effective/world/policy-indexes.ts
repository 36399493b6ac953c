import type { ResolvedTargets } from "../../attachment/resolved-targets.ts";
import { IdIndexBuilder } from "../../model/collections/id-index.ts";
import type { KindId, ObjectId, PolicyId } from "../../model/refs.ts";
import type { PolicyIndexes, WithPolicies } from "./world.ts";

export function buildPolicyIndexes(policies: WithPolicies["policies"]): PolicyIndexes {
  const targetedBy = new IdIndexBuilder<ObjectId, PolicyId>();
  const grantReaders = new IdIndexBuilder<string, PolicyId>();
  const selectors = new IdIndexBuilder<KindId, PolicyId>();
  const missing = new IdIndexBuilder<KindId, PolicyId>();
  policies.forEach(({ targets }, id) => {
    for (const object of targets.named) targetedBy.add(object, id);
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

/** The kinds of the targets that were not found. */
export const missingKinds = ({ rejections }: ResolvedTargets): readonly KindId[] =>
  rejections.flatMap((rejection) => (rejection.missing === undefined ? [] : [rejection.missing.kind]));
