import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { joinWords } from "../../model/words/count-kinds.ts";
import { formatFlow } from "../../model/words/format-flow.ts";
import { formatKeys } from "../../model/words/format-keys.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import type { PolicyFormat } from "./policy-format.ts";
import type { UnitWish } from "./settings.ts";
import type { TargetPath } from "./target-paths.ts";
import type { Trials } from "./trials.ts";

/** One question about one policy kind, and what is known of it before anything is examined. */
export interface HowSearch {
  readonly world: World;
  readonly kind: CompiledKind;
  readonly target: ObjectOrSection;
  readonly settings: readonly UnitWish[];
  /** Every path through the target. */
  readonly paths: readonly TargetPath[];
  /** The paths that do not have the settings. */
  readonly unmet: readonly TargetPath[];
  readonly formats: readonly PolicyFormat[];
  readonly trials: Trials;
  /** Says that something was not examined, and why. */
  readonly leaveOut: (what: string) => void;
}

/** No change has more objects than this, and no level more nodes. */
export const MAX_OBJECTS = 8;

/** `retry.attempts to 0 and retry.codes to [502, 503]`. */
export const formatWanted = (settings: readonly UnitWish[]): string =>
  joinWords(
    settings.map(({ keys, value }) =>
      value === undefined ? formatKeys(keys) : `${formatKeys(keys)} to ${formatFlow(value)}`,
    ),
  );

export const formatNames = (settings: readonly UnitWish[]): string =>
  joinWords([...new Set(settings.map(({ keys }) => formatKeys(keys)))]);
