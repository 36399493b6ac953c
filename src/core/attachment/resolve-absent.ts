import { compareText, kindId, namespaceRef, objectId } from "../model/refs.ts";
import { namespaceOf, type Resolution } from "./resolution.ts";
import { resolveWorkloads, writtenWorkloads } from "./resolve-workloads.ts";

const NAMESPACE = kindId(namespaceRef(""));

/**
 * A policy without a target
 *
 * A definition may say what a policy without a target is attached to: nothing, or the Namespace it is in. In the root namespace of a mesh it is attached
 * to every Namespace, as a level above the policies of the Namespace itself. A policy that selects workloads is attached to these.
 * GEP-713, "Targetability (“where”)"
 */
export function resolveAbsent(resolution: Resolution): void {
  const { policy, definition, context, attachments } = resolution;
  const { absent } = definition.targeting;
  if (absent === undefined || absent.means === "Nothing" || policy.targets.length > 0) return;
  const written = writtenWorkloads(policy, absent);
  if (written !== undefined) return resolveWorkloads(resolution, absent, written);
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
