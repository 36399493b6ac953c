import { meantKind } from "../effective/findings/meant-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { idOf, type PolicyId, parseObjectId } from "../model/refs.ts";
import { formatKind } from "./objects/check-kinds.ts";

/** A fix for a finding of the engine that is more precise than the one in `finding-codes.ts`. */
export function fixOf(world: World, finding: Finding): string | undefined {
  if (finding.code === "TargetNotFound") return fixTarget(world, finding);
  if (finding.code !== "UnknownPolicyKind" || finding.object === undefined) return undefined;
  const written = parseObjectId(finding.object);
  const meant = meantKind(world, written);
  return meant === undefined ? undefined : `Write ${formatKind(meant, written)} if that is meant.`;
}

/** The target exists, but the API server would refuse it, so it counts as absent. */
function fixTarget({ policies, refused }: World, { object, field }: Finding): string | undefined {
  if (refused.size === 0) return undefined;
  const record = policies.get(object as PolicyId);
  const missing = record?.targets.rejections.find((rejection) => rejection.field === field)?.missing;
  const refusal = missing === undefined ? undefined : refused.get(idOf(missing.kind, missing.namespace, missing.name));
  const first = refusal?.findings[0];
  return first?.field === undefined
    ? undefined
    : `The object exists but is invalid, so it is ignored: correct its ${first.field}.`;
}
