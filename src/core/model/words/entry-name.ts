import type { PolicyDefinition } from "../definition.ts";
import type { KubeObject } from "../kube-object.ts";

/** The key of what one policy contributes to an effective policy: `namespace/name`, with its kind in front where kinds are joined. */
export function entryName({ family, name }: KubeObject, { policies }: Pick<PolicyDefinition, "policies">): string {
  const namespaced = family.namespace === "" ? name : `${family.namespace}/${name}`;
  return policies.length > 1 ? `${family.kind}/${namespaced}` : namespaced;
}
