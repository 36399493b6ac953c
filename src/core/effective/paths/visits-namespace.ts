import { isNamespace } from "../../model/refs.ts";
import type { Path } from "./path.ts";

/**
 * A Namespace is once on a path
 *
 * A Namespace is a level above the objects it contains. A path visits each Namespace once, at its highest level: an object in a
 * Namespace that is already on the path does not add it again.
 * Policy attachment reference, "Hierarchy"
 */
export function visitsNamespace(path: Path | undefined, namespace: string): boolean {
  for (let at = path; at !== undefined; at = at.up) {
    const { ref } = at.node;
    if (isNamespace(ref) && ref.name === namespace) return true;
  }
  return false;
}
