import type { Delta } from "../../effective/update/delta.ts";
import type { Change } from "../../effective/update/object-changes.ts";
import type { World } from "../../effective/world/world.ts";
import { changedKinds } from "../plan/plan-changes.ts";
import { countReach, type ReachQuestion } from "./count-reach.ts";
import { changesOf, draftKey, type HowDraft } from "./draft.ts";
import { refusalOf, rejectionOf } from "./refused-draft.ts";
import type { HowReach } from "./result.ts";
import { hasSettings, type TargetPath, targetPaths } from "./target-paths.ts";

/** The world after changes, and what differs. The façade passes `apply`. */
export type TryChanges = (changes: readonly Change[]) => { readonly world: World; readonly delta: Delta };

/** `Refused`: the API server or the policy kind would not accept it. `Unmet`: some paths do not have the settings after it. */
export type Trial =
  | { readonly state: "Refused"; readonly message: string }
  | { readonly state: "Unmet"; readonly world: World; readonly unmet: readonly TargetPath[] }
  | { readonly state: "Met"; readonly world: World; readonly paths: readonly TargetPath[]; readonly reach: HowReach };

/** More than any question of the tests needs. Each trial costs at most what one change of the cluster costs. */
const MAX_TRIALS = 300;

/** Tries drafts, each once. */
export class Trials {
  readonly #world: World;
  readonly #question: ReachQuestion;
  readonly #tryChanges: TryChanges;
  readonly #known: Map<string, Trial> = new Map();
  /** Why drafts were refused, each message once. */
  readonly refusals: Set<string> = new Set();

  constructor(world: World, question: ReachQuestion, tryChanges: TryChanges) {
    this.#world = world;
    this.#question = question;
    this.#tryChanges = tryChanges;
  }

  /** True if no more drafts are examined. */
  get isExhausted(): boolean {
    return this.#known.size >= MAX_TRIALS;
  }

  try(draft: HowDraft): Trial {
    const key = draftKey(draft);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const trial: Trial = this.isExhausted ? { state: "Refused", message: "too many changes" } : this.#run(draft);
    if (trial.state === "Refused") this.refusals.add(trial.message);
    this.#known.set(key, trial);
    return trial;
  }

  #run(draft: HowDraft): Trial {
    const { kind, target, settings } = this.#question;
    const refusal = refusalOf(this.#world, draft);
    if (refusal !== undefined) return { state: "Refused", message: refusal };
    const { world, delta } = this.#tryChanges(changesOf(draft));
    const rejection = rejectionOf(this.#world, world, draft);
    if (rejection !== undefined) return { state: "Refused", message: rejection };
    const paths = targetPaths(world, kind, target);
    const unmet = paths.filter((path) => !hasSettings(path, kind, settings));
    if (unmet.length > 0 || paths.length === 0) return { state: "Unmet", world, unmet };
    return {
      state: "Met",
      world,
      paths,
      reach: countReach(this.#question, changedKinds(this.#world, world, delta)),
    };
  }
}
