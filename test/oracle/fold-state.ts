/** The state of a fold: the current result, the settings that are not in it and why, and the step that decided each pointer. */
import type { LossReason, Step } from "../../src/core/merge/provenance.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { ObjectId, PolicyId } from "../../src/core/model/refs.ts";
import { isEqual, mapWithoutNulls, unique } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./spec-units.ts";

/** One unit with its origin: a policy's block at one level of the stack, or the object itself. */
export interface Setting {
  readonly unit: OracleUnit;
  readonly policy: OraclePolicy | null;
  readonly block: BlockName | null;
  readonly object?: ObjectId;
  /** A custom strategy computed the value: no policy of the stack contains it. */
  readonly computed?: true;
}

export interface Loss {
  readonly reason: LossReason;
  /** The settings that override it, in the order in which they were added to the result. */
  readonly to: readonly Setting[];
  /** The policy that removed it, where no setting of the result overrides it. */
  readonly by?: PolicyId;
  /** The policies on the most specific level, where a level is not merged. */
  readonly byAll?: readonly PolicyId[];
  /** The empty policy that keeps it out. */
  readonly occupant?: PolicyId;
}

/** An empty policy: whether it keeps out a default, and the policies that replace it. */
export interface EmptyPolicy {
  readonly policy: OraclePolicy;
  keepsOut: boolean;
  by: readonly OraclePolicy[];
}

export class FoldState {
  current: readonly Setting[] = [];
  /** True once a policy has set something, even if it was overridden since. */
  hasPolicyValue = false;
  /** Empty policies that may keep out defaults, and the one among them that keeps out atomic defaults. */
  readonly emptyPolicies: EmptyPolicy[] = [];
  occupant: EmptyPolicy | undefined;
  readonly settings: Setting[] = [];
  readonly losses: Map<Setting, Loss> = new Map();
  readonly #decisions: Map<string, Step> = new Map();
  readonly #fallbacks: Map<string, Step> = new Map();

  enter(settings: readonly Setting[]): void {
    this.settings.push(...settings);
  }

  /** Records the step that decided a pointer. A unit decides its own pointer; an override also the pointers that it replaces. */
  contest(pointer: string, step: Step): void {
    this.#decisions.set(pointer, step);
  }

  /** Records a When or Remove step. It counts only where no other step decided the pointer; the first one counts. */
  setAside(setting: Setting, loss: Loss, step: Step): void {
    this.losses.set(setting, loss);
    const { pointer } = setting.unit;
    this.#fallbacks.set(pointer, this.#fallbacks.get(pointer) ?? step);
  }

  stepAt(pointer: string): Step {
    const step = this.#decisions.get(pointer) ?? this.#fallbacks.get(pointer);
    if (step === undefined) throw new Error(`no step decided ${pointer}`);
    return step;
  }

  /** True if no policy has set anything. */
  get isOpen(): boolean {
    return this.current.length === 0 || !this.hasPolicyValue;
  }

  add(setting: Setting): void {
    this.current = [...this.current, setting];
  }

  remove(setting: Setting, loss: Loss): void {
    this.current = this.current.filter((one) => one !== setting);
    this.losses.set(setting, loss);
  }

  /** The result without tombstones. A map that contains only tombstones is empty (RFC 7386, Appendix A). */
  get spec(): JsonObject {
    return this.specOf(() => true);
  }

  /** The part of the result that `counts` selects. */
  specOf(counts: (unit: OracleUnit) => boolean): JsonObject {
    return specOf(this.current.filter(({ unit }) => counts(unit)));
  }
}

export function specOf(settings: readonly Setting[]): JsonObject {
  return mapWithoutNulls(settings.map(({ unit }) => [unit.path, unit.value]));
}

export const isTombstone = ({ unit }: Setting): boolean => unit.value === null;

export type Relation = "same" | "above" | "below" | "apart";

/** The relation of `a` to `b`: `above` if `a` contains `b`. */
export function relation(a: OracleUnit, b: OracleUnit): Relation {
  const startsWith = (long: readonly string[], short: readonly string[]) =>
    long.length > short.length && short.every((key, i) => key === long[i]);
  if (a.pointer === b.pointer) return "same";
  if (startsWith(b.path, a.path)) return "above";
  return startsWith(a.path, b.path) ? "below" : "apart";
}

/** The settings at the unit's pointer, above it (a scalar, a tombstone) or below it. An empty map does not overlap with what is below it. */
export function settingsAt(unit: OracleUnit, current: readonly Setting[]): readonly Setting[] {
  return current.filter((one) => {
    const where = relation(one.unit, unit);
    return where === "same" || where === "below" || (where === "above" && !one.unit.isEmptyMap);
  });
}

/** The settings that contain what this one sets: the same value, or values inside the same map. */
export function equalsAmong(setting: Setting, others: readonly Setting[]): readonly Setting[] {
  const { unit } = setting;
  return others.filter((other) => {
    const where = relation(other.unit, unit);
    return (where === "same" && isEqual(other.unit.value, unit.value)) || (unit.isEmptyMap && where === "below");
  });
}

export function policiesOf(settings: readonly Setting[]): readonly PolicyId[] {
  return unique(settings.flatMap(({ policy }) => (policy === null ? [] : [policy.id])));
}
