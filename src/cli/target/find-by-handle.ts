import type { World } from "../../core/effective/world/world.ts";
import { handleOf, hasHandle } from "../../core/explain/policy-handle.ts";
import type { FoundTarget, TargetSearch } from "./find-targets.ts";

/** Finds the policy that the view API shows by its handle (`controller --redact-names`). Its namespace is not known, so all are searched. */
export function findByHandle({ policies }: World, handle: string): TargetSearch {
  const found: FoundTarget[] = [];
  let isKnown = false;
  policies.forEach(({ object }, id) => {
    isKnown ||= handleOf(object) !== undefined;
    if (hasHandle(object, handle)) found.push({ id, ref: object.ref, object });
  });
  if (found.length > 0) return { ok: true, targets: found };
  const hint = isKnown
    ? "A handle has at least four digits, as the view API shows it. The policy is found by those who may read it."
    : "Handles are those of policies in a cluster.";
  return { ok: false, message: `no policy that was read has the handle '${handle}'`, hints: [hint] };
}
