import type { Attachment } from "../attachment/resolved-targets.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import { refusalsOf } from "../effective/world/link-indexes.ts";
import type { World } from "../effective/world/world.ts";
import { formatLevel } from "../model/levels.ts";

/** Why a policy that is accepted has no path. `names`: its targets, formatted. */
export function noPathReason(
  world: World,
  { definition }: CompiledKind,
  attachments: readonly Attachment[],
  names: string,
): string {
  if (attachments.length === 0) {
    const levels = (definition.targeting.namedBy ?? []).map(({ level }) => formatLevel(level));
    return `no ${[...new Set(levels)].join(" or ")} names it`;
  }
  const isRefused = attachments.some(({ object }) => refusalsOf(world, object).length > 0);
  if (isRefused) return `${names} is not attached to any Gateway`;
  const ends = definition.hierarchy.effectiveTargets.map(formatLevel);
  const either = ends.length < 2 ? ends.join("") : `${ends.slice(0, -1).join(", ")} or ${ends.at(-1) ?? ""}`;
  return `no path through ${names} leads to any ${either}`;
}
