import type { Attachment } from "../attachment/resolved-targets.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import { displayLevel } from "../model/levels.ts";

/** Why a policy is accepted and acts on nothing; `names`: its targets, as they are shown. */
export function whyNoPath(
  world: World,
  { definition }: CompiledKind,
  attachments: readonly Attachment[],
  names: string,
): string {
  const isRefused = attachments.some(({ object }) => (world.links.get(object)?.refusals ?? []).length > 0);
  if (isRefused) return `${names} hangs nowhere`;
  const ends = definition.hierarchy.effectiveTargets.map(displayLevel);
  const either = ends.length < 2 ? ends.join("") : `${ends.slice(0, -1).join(", ")} or ${ends.at(-1) ?? ""}`;
  return `no path through ${names} leads to any ${either}`;
}
