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
import type { Lost } from "../merge/provenance.ts";
import { type ObjectId, type PolicyId, parseObjectId, parseTargetId, type TargetId, targetId } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";

/** GEP-713, "Meta resource status": which settings of a policy are enforced on a path, and which have been superseded. */
export interface Parts {
  /** A path, as people read it. */
  readonly path: string;
  readonly inEffect: readonly string[];
  readonly superseded: readonly SupersededPart[];
}

export interface SupersededPart {
  readonly setting: string;
  /** None: the object's own value. */
  readonly by: readonly PolicyId[];
}

/** Places that are looked at for one where a policy prevails in part: mostly the first. */
const LOOKED_AT = 3;
const MAX_REMEMBERED = 1024;
const MAX_PATH = 1_000;

/** A path on which a policy lost something. */
interface LostPath {
  readonly path: Path;
  readonly isInPart: boolean;
}

/** Verdicts hold counters; what is behind them is found for the one place that a message tells of. */
export class PartsFinder {
  readonly #world: World;
  readonly #finders: Map<CompiledKind, PathFinder> = new Map();
  /** Of the paths to an object, the first for each policy, ancestor and section. Many policies lose at the same place. */
  readonly #lost: Map<string, ReadonlyMap<string, LostPath>> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  /** At the first place where the policy prevails in part; if it does so nowhere near, at the first where it lost. */
  find(
    kind: CompiledKind,
    policy: PolicyId,
    { ancestor, tally }: Pick<AncestorVerdict, "ancestor" | "tally">,
  ): Parts | undefined {
    let first: LostPath | undefined;
    for (const { target } of tally.overriddenAt.slice(0, LOOKED_AT)) {
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

function partsOf(effective: EffectivePolicy, id: PolicyId): Parts {
  const { path, from } = effective;
  const isLost = ({ policy, reason, by }: Lost): boolean =>
    policy === id && reason !== "gated" && reason !== "equal" && (by.length === 0 || by.some((one) => one !== id));
  // The spec, or the first item of an object's fields that it lost something in.
  const fold = specAndFields(effective).find((one) => one.sources.some(({ lost }) => lost.some(isLost)));
  const inEffect: string[] = [];
  const superseded: SupersededPart[] = [];
  for (const { pointer, policy, lost } of fold?.sources ?? []) {
    const setting = fieldOfPointer(pointer);
    const isEqual = (one: Lost): boolean => one.policy === id && one.reason === "equal";
    const prevails = policy === id || lost.some(isEqual);
    if (prevails) inEffect.push(setting);
    // Two of its blocks, or one of them at two levels, may say the same setting.
    for (const one of lost.filter(isLost))
      superseded.push({
        setting: prevails ? `${setting} (${one.block})` : setting,
        by: one.by.filter((winner) => winner !== id),
      });
  }
  // Classes and Namespaces above are the same for many.
  const nodes = path.filter(({ namespace }) => namespace !== "");
  return { path: clipText(formatPath(nodes.length === 0 ? path : nodes, from), MAX_PATH), inEffect, superseded };
}
