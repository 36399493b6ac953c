import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { idOf, type PolicyId, parseObjectId } from "../model/refs.ts";
import { meantKind, wordsFor } from "./check-kinds.ts";

/** What to do about a finding of the engine, where the world knows more than `finding-codes.ts`. */
export function fixOf(world: World, finding: Finding): string | undefined {
  if (finding.code === "TargetNotFound") return fixTarget(world, finding);
  if (finding.code !== "UnknownPolicyKind" || finding.object === undefined) return undefined;
  const written = parseObjectId(finding.object);
  const meant = meantKind(world, written);
  return meant === undefined ? undefined : `If ${wordsFor(meant, written)} is meant, write that.`;
}

/** A target that the API server would refuse is there, and counts as absent. */
function fixTarget({ policies, refused }: World, { object, field }: Finding): string | undefined {
  if (refused.size === 0) return undefined;
  const record = policies.get(object as PolicyId);
  const missing = record?.targets.rejections.find((rejection) => rejection.field === field)?.missing;
  const [first] =
    (missing === undefined ? undefined : refused.get(idOf(missing.kind, missing.namespace, missing.name))) ?? [];
  return first?.field === undefined ? undefined : `It is there, but was left out: fix its ${first.field}.`;
}
