/** The facts that decide whether anything is withdrawn from objects of a kind that is not owned, or not followed, any more. */
import type { CompiledKind } from "../../core/effective/world/compiled-kind.ts";
import type { World } from "../../core/effective/world/world.ts";
import { type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { policyConditionsIn } from "../../core/status/former-conditions.ts";
import type { FormerKind } from "./former-statuses.ts";
import type { HeldKinds } from "./held-kinds.ts";
import { mayBePolicyKind } from "./withdraw-object.ts";

export interface FormerFacts {
  readonly world: World;
  readonly held: HeldKinds;
  /** The policy kinds that the controller owns. */
  readonly owned: readonly CompiledKind[];
  readonly isFollowed: boolean;
}

export function formerKindOf(kind: GroupKind, { world, held, owned, isFollowed }: FormerFacts): FormerKind {
  const id = kindId(kind);
  const isPolicyKind = world.rulebook.byPolicyKind.has(id);
  const hasConditions = world.objects.ofKind(id).some(({ raw }) => policyConditionsIn(raw).length > 0);
  const facts = { isFollowed, isPolicyKind, mayHaveAny: !isFollowed || hasConditions };
  if (isPolicyKind ? isHeldKind(id, held) : held.unknownKinds !== undefined) return { state: "Held", ...facts };
  return { state: isAllWritten(kind, { world, owned, isFollowed }, hasConditions) ? "Nothing" : "Former", ...facts };
}

/** True if nothing is withdrawn that is about this kind, which a definition describes. */
export const isHeldKind = (kind: KindId, { byPolicyKind, replacedKinds }: HeldKinds): boolean =>
  byPolicyKind.has(kind) || replacedKinds.has(kind);

/** True if what is written, and what is withdrawn, in objects that are followed is all that there is. */
function isAllWritten(
  kind: GroupKind,
  { world, owned, isFollowed }: Omit<FormerFacts, "held">,
  hasConditions: boolean,
): boolean {
  const compiled = world.rulebook.byPolicyKind.get(kindId(kind));
  if (compiled !== undefined && owned.includes(compiled) && compiled.definition.status.ancestors === "None")
    return true;
  if (!isFollowed) return false;
  if (!mayBePolicyKind(kind)) return true;
  // Conditions of the time when the definition had no ancestors.
  return compiled !== undefined && owned.includes(compiled) && !hasConditions;
}
