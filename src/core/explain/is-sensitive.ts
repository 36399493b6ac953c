import type { World } from "../effective/world/world.ts";
import { ownPointerOf } from "../merge/accumulated-pointer.ts";
import { isMarked, isMarkedField } from "../model/definition/sensitive-fields.ts";
import { unescapePointer } from "../model/json-pointer.ts";
import { kindId, type PolicyId, parseObjectId } from "../model/refs.ts";

type Policies = Pick<World, "policies" | "rulebook">;

/** True if the definition of the policy marks the value at a pointer of an effective policy as `sensitive`. */
export function isSensitive(world: Policies, policy: PolicyId, pointer: string): boolean {
  const paths = sensitivePaths(world, policy);
  if (paths.length === 0) return false;
  const record = world.policies.get(policy);
  const own = record === undefined ? pointer : ownPointerOf(record.kind.definition, record.object, pointer);
  return isMarked(paths, own.split("/").slice(1).map(unescapePointer));
}

/** True if a field of a policy, as findings name it (`spec.defaults.auth.key`), has a value that is marked as `sensitive`. */
export const isSensitiveField = (world: Policies, policy: PolicyId, field: string): boolean =>
  isMarkedField(sensitivePaths(world, policy), field);

/** An invalid policy has no record, and its findings may quote its values. */
const sensitivePaths = ({ rulebook }: Policies, policy: PolicyId): readonly string[] =>
  rulebook.byPolicyKind.get(kindId(parseObjectId(policy)))?.definition.sensitive ?? [];
