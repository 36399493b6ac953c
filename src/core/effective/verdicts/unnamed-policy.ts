import { isCompleteFor } from "../../model/completeness.ts";
import type { PolicyRecord, World } from "../world/world.ts";

/** True for a policy without targets of its own that no object in the input names. */
export const isUnnamed = ({ policy, targets }: Pick<PolicyRecord, "policy" | "targets">): boolean =>
  policy !== undefined && targets.attachments.length === 0 && targets.rejections.length === 0;

/** True if an object that is not in the input may name such a policy. */
export function mayBeNamedElsewhere(world: World, record: PolicyRecord): boolean {
  // After a planned deletion a policy is without a name because of it.
  if (!isUnnamed(record) || world.deleted.size > 0) return false;
  const { namedBy = [] } = record.kind.definition.targeting;
  return namedBy.some(({ level }) => !isCompleteFor(world.completeness, level, record.object.family.namespace));
}
