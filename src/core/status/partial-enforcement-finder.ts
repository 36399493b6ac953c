import type { EffectivePolicy } from "../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../effective/fold/effective-policy-at.ts";
import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import { effectivePathsTo } from "../effective/fold/for-each-effective.ts";
import { specAndFields } from "../effective/fold/spec-and-fields.ts";
import { formatPath } from "../effective/paths/format-path.ts";
import type { Path } from "../effective/paths/path.ts";
import { PathFinder } from "../effective/paths/path-finder.ts";
import { ancestorOf } from "../effective/verdicts/ancestor-of.ts";
import type { AncestorVerdict } from "../effective/verdicts/verdict.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Lost, Source } from "../merge/provenance.ts";
import { takesEffectAt } from "../merge/takes-effect-at.ts";
import { type ObjectId, type PolicyId, parseObjectId, parseTargetId, type TargetId, targetId } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";

/** The settings of a policy that take effect on one path, and those that are overridden. */
export interface PartialEnforcement {
  /** The formatted path. */
  readonly path: string;
  readonly inEffect: readonly string[];
  readonly superseded: readonly SupersededSetting[];
}

export interface SupersededSetting {
  readonly setting: string;
  /** Empty if the object's own value overrides it. */
  readonly by: readonly PolicyId[];
}

/** The number of effective targets that are searched for one where the policy takes effect in part: mostly the first is. */
const MAX_SEARCHED = 3;
const MAX_REMEMBERED = 1024;
const MAX_PATH = 1_000;

/** A path on which a setting of a policy is overridden. */
interface LostPath {
  readonly path: Path;
  readonly isInPart: boolean;
}

/** Finds the settings for the message of PartiallyEnforced. Verdicts have counters only. */
export class PartialEnforcementFinder {
  readonly #world: World;
  readonly #finders: Map<CompiledKind, PathFinder> = new Map();
  /** By object: the first path for each policy, ancestor and section. Many policies are overridden at the same target. */
  readonly #lost: Map<string, ReadonlyMap<string, LostPath>> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  /** The settings at the first target where the policy takes effect in part, else at the first where it is overridden. */
  find(
    kind: CompiledKind,
    policy: PolicyId,
    { ancestor, tally }: Pick<AncestorVerdict, "ancestor" | "tally">,
  ): PartialEnforcement | undefined {
    let first: LostPath | undefined;
    for (const { target } of tally.overriddenAt.slice(0, MAX_SEARCHED)) {
      const { object } = parseTargetId(target);
      const found = this.#lostAt(kind, object).get(keyOf(policy, ancestor, target));
      if (found?.isInPart) return partsOf(effectivePolicyAt(found.path, kind), policy);
      first ??= found;
    }
    return first === undefined ? undefined : partsOf(effectivePolicyAt(first.path, kind), policy);
  }

  #lostAt(kind: CompiledKind, object: ObjectId): ReadonlyMap<string, LostPath> {
    const key = `${kind.index} ${object}`;
    let lost = this.#lost.get(key);
    if (lost === undefined) {
      if (this.#lost.size >= MAX_REMEMBERED) this.#lost.clear();
      lost = this.#findLost(kind, object);
      this.#lost.set(key, lost);
    }
    return lost;
  }

  #findLost(kind: CompiledKind, object: ObjectId): ReadonlyMap<string, LostPath> {
    const lost = new Map<string, LostPath>();
    for (const { path, effective } of effectivePathsTo(this.#finder(kind), kind, {
      id: object,
      ref: parseObjectId(object),
    })) {
      if (path.incomplete) continue;
      const ancestor = ancestorOf(path, kind);
      const target = targetId(object, path.node.section?.name);
      for (const { policy, inEffect, overridden } of effective.outcomes) {
        if (overridden === 0) continue;
        const key = keyOf(policy.id, ancestor(policy), target);
        const isInPart = inEffect > 0;
        const known = lost.get(key);
        if (known === undefined || (isInPart && !known.isInPart)) lost.set(key, { path, isInPart });
      }
    }
    return lost;
  }

  #finder(kind: CompiledKind): PathFinder {
    let finder = this.#finders.get(kind);
    if (finder === undefined) {
      finder = new PathFinder(this.#world, kind);
      this.#finders.set(kind, finder);
    }
    return finder;
  }
}

const keyOf = (policy: PolicyId, ancestor: ObjectId, target: TargetId): string => `${policy} ${ancestor} ${target}`;

function partsOf(effective: EffectivePolicy, id: PolicyId): PartialEnforcement {
  const { path, from, removals = [] } = effective;
  const isLost = ({ policy, reason, by }: Lost): boolean =>
    policy === id && reason !== "gated" && reason !== "equal" && (by.length === 0 || by.some((one) => one !== id));
  const isOverridden = (source: Source): boolean => !takesEffectAt(source, id) && source.lost.some(isLost);
  // The first list item in which a setting is overridden, else the spec.
  const folds = specAndFields(effective);
  const fold = folds.find((one) => one.sources.some(isOverridden)) ?? folds[0];
  const inEffect: string[] = [];
  const superseded: SupersededSetting[] = [];
  for (const source of fold?.sources ?? []) {
    const setting = fieldOfPointer(source.pointer);
    if (takesEffectAt(source, id)) inEffect.push(setting);
    else
      for (const { by } of source.lost.filter(isLost))
        superseded.push({ setting, by: by.filter((winner) => winner !== id) });
  }
  for (const { policy, entry, state, by } of removals) {
    if (policy !== id) continue;
    const setting = `remove ${entry}`;
    if (state === "inEffect") inEffect.push(setting);
    else if (state === "overridden") superseded.push({ setting, by: by.filter((winner) => winner !== id) });
  }
  // Cluster-scoped nodes are left out: they are the same for most paths.
  const nodes = path.filter(({ namespace }) => namespace !== "");
  return { path: clipText(formatPath(nodes.length === 0 ? path : nodes, from), MAX_PATH), inEffect, superseded };
}
