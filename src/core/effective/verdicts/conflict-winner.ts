import type { Attachment } from "../../attachment/resolved-targets.ts";
import { comparePrecedence } from "../../merge/precedence.ts";
import type { PolicyId } from "../../model/refs.ts";
import { attachedIn } from "../world/attached.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { World } from "../world/world.ts";

/** GEP-713, None: the policy that a target is lost to; undefined: it is not lost. */
export function conflictWinner(
  world: World,
  kind: CompiledKind,
  id: PolicyId,
  { object, sectionName, consumer }: Attachment,
): PolicyId | undefined {
  if (!kind.definition.merge.none) return undefined;
  // A consumer's policy meets those that act on everybody's traffic, too.
  const [winner] = attachedIn(world.attached[kind.index]?.get(object))
    .filter((entry) => entry.sectionName === sectionName && (entry.consumer ?? consumer) === consumer)
    .map(({ policy }) => policy)
    .sort(comparePrecedence);
  return winner === undefined || winner.id === id ? undefined : winner.id;
}
