/** The policies whose settings take effect on paths instead of the wanted settings. */
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { Source } from "../../merge/provenance.ts";
import { liesBelow } from "../../model/json-pointer.ts";
import type { BlockName } from "../../model/policy.ts";
import { compareText, type PolicyId } from "../../model/refs.ts";
import { pointerOf, type UnitWish } from "./settings.ts";
import { foldsWith, hasSetting, type TargetPath } from "./target-paths.ts";

export interface PolicyInEffect {
  readonly policy: PolicyId;
  readonly block: BlockName | null;
  /** The wanted setting that its own setting, or its removal, takes effect instead of. */
  readonly setting: UnitWish;
}

/** The policies because of which the paths do not have the settings, sorted. Empty: no policy sets them. */
export function policiesInEffectOn(
  paths: readonly TargetPath[],
  kind: CompiledKind,
  settings: readonly UnitWish[],
): readonly PolicyInEffect[] {
  const found = new Map<string, PolicyInEffect>();
  const add = (policy: PolicyId | null | undefined, block: BlockName | null, setting: UnitWish): void => {
    if (policy === null || policy === undefined) return;
    const key = `${policy} ${block} ${setting.pointer}`;
    if (!found.has(key)) found.set(key, { policy, block, setting });
  };
  for (const path of paths) {
    for (const setting of settings) {
      if (hasSetting(path, kind, setting)) continue;
      for (const { sources } of foldsWith(path, kind, setting))
        for (const source of sources) if (concerns(source, setting)) addSource(source, setting, add);
    }
  }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, policy]) => policy);
}

function addSource(
  source: Source,
  setting: UnitWish,
  add: (policy: PolicyId | null | undefined, block: BlockName | null, setting: UnitWish) => void,
): void {
  const { policy, block, decidedBy, lost } = source;
  if (policy !== null) return add(policy, block, setting);
  // Nothing is left at the pointer: an atomic override replaced it, or a policy removes or deletes it.
  if (decidedBy.policy !== null) add(decidedBy.policy, decidedBy.block, setting);
  for (const { by } of lost) for (const winner of by) add(winner, null, setting);
}

/** True if the source is about the setting, its unit, or something above or below it. */
function concerns({ pointer }: Source, { unit, pointer: own }: UnitWish): boolean {
  const whole = pointerOf(unit);
  return pointer === own || pointer === whole || liesBelow(pointer, own) || liesBelow(own, pointer);
}
