import type { KubeObject } from "../model/kube-object.ts";
import { kindId, objectId } from "../model/refs.ts";
import { isReferencePermitted, needsGrant } from "../topology/reference-grants.ts";
import { namedPolicies } from "./named-policies.ts";
import { isAttached, type Resolution } from "./resolution.ts";
import type { Attachment } from "./resolved-targets.ts";

/** Attaches the policy to the objects and sections that name it. One that it also targets counts as one that names it. */
export function resolveNamed(resolution: Resolution): void {
  const { policy, definition, context, attachments } = resolution;
  if (definition.targeting.namedBy === undefined) return;
  for (const object of context.namersOf(policy.id)) {
    if (!mayName(resolution, object)) continue;
    const named = namedPolicies(object, definition, ({ group, kind }) => context.kind(group, kind));
    const hasOrder = definition.merge.accumulate?.order.includes("Reference") === true;
    for (const [nameIndex, { sectionName, meanings }] of named.entries()) {
      const meant = meanings.find(
        (ref) => objectId(ref) === policy.id || context.find(kindId(ref), ref.namespace, ref.name) !== undefined,
      );
      if (meant === undefined || objectId(meant) !== policy.id) continue;
      const attachment: Attachment = {
        object: object.id,
        ...(sectionName === undefined ? {} : { sectionName }),
        isNamed: true,
        ...(hasOrder ? { nameIndex } : {}),
      };
      if (attachments.some((one) => one.isNamed === true && isSame(one, attachment))) continue;
      if (isAttached(resolution, object.id, sectionName))
        attachments.splice(
          attachments.findIndex((one) => isSame(one, attachment)),
          1,
          attachment,
        );
      else attachments.push(attachment);
    }
  }
}

const isSame = (a: Attachment, b: Attachment): boolean => a.object === b.object && a.sectionName === b.sectionName;

/** An object in another namespace may name the policy if the definition says `crossNamespace: ReferenceGrant` and a grant permits it. */
function mayName({ policy, definition, context, grantsOf }: Resolution, object: KubeObject): boolean {
  const { ref } = policy.object;
  if (!needsGrant(object.family, ref)) return true;
  if (definition.targeting.crossNamespace !== "ReferenceGrant") return false;
  grantsOf.push(ref.namespace);
  return isReferencePermitted(object.family, ref, context.grantsIn);
}
