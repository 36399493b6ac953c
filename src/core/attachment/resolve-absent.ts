import { isJsonObject, ownValue } from "../model/json.ts";
import { compareText, kindId, namespaceRef, objectId } from "../model/refs.ts";
import { namespaceOf, type Resolution, reject } from "./resolution.ts";

const NAMESPACE = kindId(namespaceRef(""));

/**
 * A policy without a target
 *
 * A definition may say what a policy without a target is attached to: the Namespace it is in. In the root namespace of a mesh it is attached
 * to every Namespace, as a level above the policies of the Namespace itself. A policy that selects workloads is attached to these, and Prevail
 * does not know workloads: whether it takes effect is not known.
 * GEP-713, "Targetability (“where”)"
 */
export function resolveAbsent(resolution: Resolution): void {
  const { policy, definition, context, attachments } = resolution;
  const { absent } = definition.targeting;
  if (absent === undefined || policy.targets.length > 0) return;
  if (absent.workloadSelector !== undefined && selectsWorkloads(resolution, absent.workloadSelector)) {
    const message = `the policy selects workloads by label, which are not in the hierarchy of the kind: whether it takes effect is not known`;
    return reject(resolution, `spec.${absent.workloadSelector}`, "UnknownWorkloads", message);
  }
  const own = namespaceOf(resolution);
  if (own !== "" && own !== absent.rootNamespace) {
    const id = objectId(namespaceRef(own));
    resolution.named.push(id);
    attachments.push({ object: id });
    return;
  }
  resolution.selects.push(NAMESPACE);
  const defined = [...context.objectsOf(NAMESPACE, "")].map(({ name }) => name);
  for (const name of [...defined, ...context.impliedNamespaces()].sort(compareText))
    attachments.push({ object: objectId(namespaceRef(name)), isMeshWide: true });
}

/** True if the field has labels. Without labels the policy is for all workloads. */
function selectsWorkloads({ policy }: Resolution, field: string): boolean {
  const spec = ownValue(policy.object.raw, "spec");
  const selector = isJsonObject(spec) ? ownValue(spec, field) : undefined;
  const labels = isJsonObject(selector) ? (ownValue(selector, "matchLabels") ?? selector) : undefined;
  return isJsonObject(labels) && Object.keys(labels).length > 0;
}
