import { isKnownAbsent } from "../../model/completeness.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, kindId, type ObjectRef, objectId, type PolicyId } from "../../model/refs.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import { namesIn } from "../world/policy-indexes.ts";
import { isRefusedByMistake } from "../world/refused-objects.ts";
import type { World } from "../world/world.ts";

/** The problems of the names of policies in an object: there is no such policy, or the object may not name it. */
export function namedPolicyFindings(world: World, object: KubeObject): readonly Finding[] {
  return namesIn(world.rulebook, object).flatMap(({ meanings, field, sectionName }): readonly Finding[] => {
    const meant = meanings.find((ref) => world.objects.has(objectId(ref)));
    const [first] = meanings;
    if (meant === undefined) return first === undefined ? [] : [notFound(world, object, first, field)];
    const record = world.policies.get(objectId(meant) as PolicyId);
    const isAttached = record?.targets.attachments.some(
      (one) => one.isNamed && one.object === object.id && one.sectionName === sectionName,
    );
    return record?.policy === undefined || isAttached ? [] : [notPermitted(object, meant, field)];
  });
}

function notFound(world: World, object: KubeObject, policy: ObjectRef, field: string): Finding {
  const hint = suggestName(world.names, kindId(policy), policy.namespace, policy.name);
  const isAbsent = isRefusedByMistake(world, objectId(policy)) || isKnownAbsent(world, policy);
  return {
    code: "NamedPolicyNotFound",
    severity: isAbsent ? "error" : hint === "" ? "info" : "warning",
    object: object.id,
    field,
    message: `${formatRef(object.ref)} names ${formatRef(policy)}, which ${isAbsent ? "does not exist" : "is not in the input"}${hint}`,
    ...(object.source === undefined ? {} : { source: object.source }),
  };
}

const notPermitted = (object: KubeObject, policy: ObjectRef, field: string): Finding => ({
  code: "ReferenceNotPermitted",
  severity: "error",
  object: object.id,
  field,
  message: `${formatRef(object.ref)} names ${formatRef(policy)} in another namespace, and no ReferenceGrant there permits it`,
  ...(object.source === undefined ? {} : { source: object.source }),
});
